"""Test the stored translators: what their files claim is true, and damaged files are refused."""

import hashlib
import shutil

import pytest
import torch

from utils import translators
from utils.corpora import translation_corpus
from utils.corpora.everyday import everyday_corpus
from utils.model_helpers import count_parameters
from utils.translators import (
    DECODERS,
    EVERYDAY,
    STORED,
    about_translator,
    file_of,
    load_translator,
    read_translator,
)
from utils.translators import __main__ as training

each = pytest.mark.parametrize("name", STORED)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Make the course read translators from a copy of their folder, to damage; return its path."""
    for file in [*map(file_of, STORED), translators.FOLDER / translators.SUMS]:
        shutil.copy(file, tmp_path)
    monkeypatch.setattr(translators, "FOLDER", tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.nightly] * (name in EVERYDAY)) for name in STORED],
)
def test_it_translates_as_well_as_its_file_says(name):
    about = about_translator(read_translator(name))
    data = about["data"] | {"phrases": tuple(about["data"]["phrases"])}
    generate = everyday_corpus if name in EVERYDAY else translation_corpus
    share = training.test_match(load_translator(name), generate(**data))
    assert share == pytest.approx(about["exact_match"], abs=0.005)


def test_attention_gets_nearly_all_right_and_its_absence_does_not():
    shares = {name: about_translator(read_translator(name))["exact_match"] for name in DECODERS}
    assert min(shares["dot"], shares["additive"]) > 0.97
    assert 0.5 < shares["no attention"] < 0.8


def test_so_it_is_with_everyday_words():
    shares = [about_translator(read_translator(name))["exact_match"] for name in EVERYDAY]
    assert shares[0] >= 0.85
    assert shares[1] < shares[0] - 0.2


def test_the_everyday_pair_is_small_enough_for_a_page():
    assert sum(len(read_translator(name)) for name in EVERYDAY) <= 1_300_000


@pytest.mark.parametrize(
    ("english", "french"),
    [
        ("Hello, how are you today?", "bonjour , comment vas-tu aujourd'hui ?"),
        ("the dog is black", "le chien est noir"),
        ("She is happy", "elle est heureuse"),
        ("I love you", "je t' aime"),
        ("where is my old cat?", "où est mon vieux chat ?"),
        ("We don't eat meat.", "nous ne mangeons pas de viande ."),
        ("I have one brother and two sisters", "j' ai un frère et deux sœurs"),
        ("The sun is hot", "le soleil est chaud"),
        ("I am hot", "j' ai chaud"),
        ("My brother has a red car", "mon frère a une voiture rouge"),
        ("She gives him a book", "elle lui donne un livre"),
        ("Zelda is happy", "zelda est heureuse"),
        ("The cat sat on the mat.", "le chat était assis sur le tapis ."),
        ("He gives me a book", "il me donne un livre"),
    ],
)
def test_what_a_visitor_types_first_is_translated(english, french):
    assert load_translator("everyday dot").translate(english).words == french.split()


@each
def test_it_is_small(name):
    assert count_parameters(load_translator(name))["total"] < 560_000
    assert len(read_translator(name)) < 700_000


@each
@pytest.mark.parametrize("place", [3, 100, -1])
def test_one_damaged_byte_is_noticed(folder, name, place):
    data = bytearray(file_of(name).read_bytes())
    data[place] ^= 1
    file_of(name).write_bytes(data)
    with pytest.raises(ValueError, match=r"is damaged: .*`python -m utils.translators`"):
        load_translator(name)


def test_a_missing_file_is_named_with_the_command(folder):
    file_of("no attention").unlink()
    with pytest.raises(ValueError, match=r"no-attention\.safetensors is missing: .*python -m"):
        load_translator("no attention")


def test_an_unknown_translator_is_refused():
    with pytest.raises(ValueError, match="no translator 'general', only dot, additive, no att"):
        load_translator("general")


def test_the_checksums_are_those_of_sha256sum():
    sums = (translators.FOLDER / translators.SUMS).read_text().splitlines()
    files = [file_of(name) for name in STORED]
    assert sums == [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}" for file in files
    ]


def test_what_is_trained_is_what_is_loaded(tmp_path, monkeypatch):
    monkeypatch.setattr(translators, "FOLDER", tmp_path)
    monkeypatch.setitem(training.TRAINING, "steps", 2)
    measured = []
    monkeypatch.setattr(training, "test_match", lambda model, _: measured.append(model) or 0.5)
    training.make("additive", translation_corpus(pairs=100, phrases=1, seed=0))
    stored = load_translator("additive")
    for (key, weight), (_, again) in zip(
        measured[0].state_dict().items(), stored.state_dict().items(), strict=True
    ):
        assert torch.equal(weight, again), key
    assert stored.decoder.output.weight is stored.decoder.embedding.weight
    assert about_translator(read_translator("additive"))["exact_match"] == 0.5


def test_names_are_hidden_on_both_sides_and_nothing_else():
    corpus = translation_corpus(pairs=200, phrases=1, seed=0)
    pair = next(pair for pair in corpus.train if "anna" in pair.source)
    hidden = training.hide_names(pair, frozenset({"anna"}))
    for before, after in ((pair.source, hidden.source), (pair.target, hidden.target)):
        changed = [word for word, now in zip(before, after, strict=True) if now != word]
        assert changed == ["anna"]
        assert "<unk>" in after
