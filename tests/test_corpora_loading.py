"""Test loading real text: whatever a file has, readable pairs are read, and others counted."""

import codecs
import gzip
import hashlib
import io
import zipfile

import pytest

from tests import needs
from tests.needs import MULTI30K
from utils.corpora import (
    Batches,
    detokenise,
    load_digits,
    load_multi30k,
    load_tsv,
    loading,
    tokenise,
)

GOOD = [f"Sentence {number}.\tPhrase {number}." for number in range(40)]


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")
    return path


def everything(corpus):
    return corpus.train + corpus.validation + corpus.test


def texts(corpus):
    return sorted((pair.source_text, pair.target_text) for pair in everything(corpus))


# --- Tab-separated files --------------------------------------------------------------------------


def test_tsv_is_read_and_dealt_out(tmp_path):
    corpus = load_tsv(write(tmp_path / "pairs.tsv", GOOD))
    assert [len(part) for part in (corpus.train, corpus.validation, corpus.test)] == [36, 2, 2]
    assert texts(corpus) == sorted(tuple(line.split("\t")) for line in GOOD)
    pair = corpus.train[0]
    assert pair.source == tokenise(pair.source_text)
    assert pair.source[0] == "sentence"
    assert pair.source_text.startswith("Sentence")
    assert (pair.sure, pair.possible, pair.phrases) == (None, None, None)
    assert str(corpus.report) == "40 pairs read, no line left out"
    assert repr(corpus) == "Corpus of 36 training, 2 validation and 2 test pairs"


def zipped(data):
    """Return a zip archive, as bytes, in which `data` is the largest file."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("_about.txt", "who made this")
        opened.writestr("fra.txt", data)
    return archive.getvalue()


LINES = "\n".join(GOOD).encode()
SAME_PAIRS = {
    "no end of the last line": LINES,
    "ends of Unix": LINES + b"\n",
    "ends of Windows": LINES.replace(b"\n", b"\r\n"),
    "ends of old Macs": LINES.replace(b"\n", b"\r"),
    "a BOM": codecs.BOM_UTF8 + LINES,
    "further columns": LINES.replace(b"\n", b"\tCC-BY 2.0 (France) tatoeba.org\n"),
    "gzip": gzip.compress(LINES),
    "a zip archive": zipped(LINES),
}


@pytest.mark.parametrize("data", SAME_PAIRS.values(), ids=SAME_PAIRS)
def test_the_same_pairs_are_read_however_they_are_written(tmp_path, data):
    path = tmp_path / "pairs.tsv"  # the name does not say that it is compressed
    path.write_bytes(data)
    corpus = load_tsv(path)
    assert texts(corpus) == sorted(tuple(line.split("\t")) for line in GOOD)
    assert not corpus.report.left_out


def test_columns_choose_and_turn_round(tmp_path):
    lines = [f"{n}\tHello {n}\t{n}\tSalut {n}" for n in range(10)]
    path = write(tmp_path / "pairs.tsv", lines)
    assert texts(load_tsv(path, columns=(3, 1)))[0] == ("Salut 0", "Hello 0")


def test_other_separators_of_unicode_end_no_line(tmp_path):
    strange = "One\x0btwo\x0cthree\x85four\u2028five\u2029six\x1c\tUn"
    corpus = load_tsv(write(tmp_path / "pairs.tsv", [*GOOD, strange]))
    assert corpus.report.kept == 41
    assert not corpus.report.left_out


def test_every_malformed_line_is_counted_and_none_is_fatal(tmp_path):
    bad = {
        "too few tabs": [b"no tab at all", b"", b"   "],
        "an empty side": [b"\tla maison", b"the house\t", b"the house\t \xc2\xa0 \tCC", b"\t"],
        "broken UTF-8": [b"caf\xe9\tcaf\xc3\xa9", b"\xff\xfe\tx", b"x\t\xed\xa0\x80"],
        "a NUL character": [b"x\0y\tx", b"x\tx\0"],
        "more than 250 tokens": [
            b"x " * 10_000 + b"\tx",
            b"x\t" + b"y " * 251,
            b"'" * 300 + b"\tx",
        ],
    }
    good = [line.encode() for line in GOOD]
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"\n".join(good + [line for lines in bad.values() for line in lines]) + b"\n")
    with pytest.warns(UserWarning, match="40 pairs read, 15 left out") as caught:
        corpus = load_tsv(path)
    assert caught[0].filename == __file__  # the warning points at the reader's own line
    assert {reason: len(places) for reason, places in corpus.report.left_out.items()} == {
        reason: len(lines) for reason, lines in bad.items()
    }
    assert corpus.report.kept == len(everything(corpus)) == 40
    assert str(corpus.report) == (
        "40 pairs read, 15 left out: 3 with too few tabs (first: pairs.tsv, line 41), "
        "4 with an empty side (first: pairs.tsv, line 44), "
        "3 with broken UTF-8 (first: pairs.tsv, line 48), "
        "2 with a NUL character (first: pairs.tsv, line 51), "
        "3 with more than 250 tokens (first: pairs.tsv, line 53)"
    )
    assert str(caught[0].message) == str(corpus.report)


def test_a_line_of_just_the_longest_length_is_kept(tmp_path):
    longest = "x " * loading.MAX_TOKENS + "\tx"
    corpus = load_tsv(write(tmp_path / "pairs.tsv", [*GOOD, longest]))
    assert corpus.report.kept == 41


def test_what_is_broken_in_a_column_that_nobody_reads_does_no_harm(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"".join(b"hello %d\tsalut %d\t\xff\0\n" % (n, n) for n in range(5)))
    assert load_tsv(path).report.kept == 5


def test_sets_share_no_sentence_in_either_language(tmp_path):
    # Chains: "Hi." – "Salut !" – "Bye." – "Au revoir !", and case makes no difference.
    lines = [f"Hi {n}.\tSalut {n} !" for n in range(60)]
    lines += [f"bye {n}.\tsalut {n} !" for n in range(60)]
    lines += [f"Bye {n}.\tAu revoir {n} !" for n in range(60)]
    corpus = load_tsv(write(tmp_path / "pairs.tsv", lines))
    parts = [corpus.train, corpus.validation, corpus.test]
    for side in ("source", "target"):
        sentences = [{getattr(pair, side) for pair in part} for part in parts]
        assert not sentences[0] & sentences[1]
        assert not sentences[0] & sentences[2]
        assert not sentences[1] & sentences[2]
    assert [len(part) for part in parts] == [162, 9, 9]


@pytest.mark.parametrize("seed", range(8))
def test_a_sentence_with_many_translations_goes_to_training_with_all_of_them(tmp_path, seed):
    lines = [f"Hi.\tSalut {n}" for n in range(40)] + GOOD
    corpus = load_tsv(write(tmp_path / "pairs.tsv", lines), seed=seed)
    assert sum(pair.source_text == "Hi." for pair in corpus.train) == 40
    assert len(corpus.validation) == len(corpus.test) == 4


def test_the_deal_follows_the_seed(tmp_path):
    path = write(tmp_path / "pairs.tsv", GOOD)
    assert load_tsv(path, seed=1) == load_tsv(path, seed=1)
    assert load_tsv(path, seed=1).test != load_tsv(path, seed=2).test


@pytest.mark.parametrize(
    "data",
    [b"", b"\n\n", b"one\tun\n", b"no tab\nnor here\nnor here\n", "a\tb\nc\td\n".encode("utf-16")],
)
def test_a_file_without_pairs_is_one_clear_error(tmp_path, data):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"pairs\.tsv has too few usable pairs .* in UTF-8"):
        load_tsv(path)


def test_pairs_that_all_share_a_sentence_cannot_be_dealt_out(tmp_path):
    path = write(tmp_path / "pairs.tsv", [f"Hi.\tSalut {n}" for n in range(50)])
    with pytest.raises(ValueError, match=r"too few pairs: .* has none in common"):
        load_tsv(path)


def test_a_damaged_file_is_one_clear_error(tmp_path):
    whole = gzip.compress("\n".join(GOOD).encode())
    path = tmp_path / "pairs.gz"
    for data in (whole[:-20], whole[:10] + b"\0\0\0" + whole[13:], b"PK\3\4 and no more"):
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"pairs\.gz is damaged"):
            load_tsv(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.tsv"):
        load_tsv(tmp_path / "nowhere.tsv")


@pytest.mark.parametrize("columns", [(0, 0), (0, -1), (0, 1, 2)])
def test_bad_columns_are_named(tmp_path, columns):
    path = write(tmp_path / "pairs.tsv", GOOD)
    with pytest.raises(ValueError, match="columns must be two different numbers"):
        load_tsv(path, columns=columns)


# --- Multi30k -------------------------------------------------------------------------------------

SMALL = {"train": 5, "val": 2, "test_2016_flickr": 2}


@pytest.fixture
def folder(tmp_path):
    """Return a folder with a tiny Multi30k: nine sentences in two languages, in three sets."""
    for name, count in SMALL.items():
        for language in ("en", "de"):
            lines = [f"{language} {name} {number}" for number in range(count)]
            data = ("\n".join(lines) + "\n").encode()
            (tmp_path / f"{name}.{language}.gz").write_bytes(gzip.compress(data))
    return tmp_path


@needs.multi30k
@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "target", "digest"),
    [("de", "en", "7983222050c2de84"), ("en", "fr", "7fd92de4ca982f4f")],
)
def test_multi30k_is_as_published_and_its_sentences_come_back_from_their_tokens(
    source, target, digest
):
    corpus = load_multi30k(MULTI30K, source, target)
    parts = (corpus.train, corpus.validation, corpus.test)
    assert [len(part) for part in parts] == [29_000, 1_014, 1_000]
    assert str(corpus.report) == "31,014 pairs read, no line left out"
    text = "\n".join(str(pair) for part in parts for pair in part)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == digest
    batch = next(iter(Batches(corpus.test, *corpus.vocabularies(min_count=2))))
    assert len(batch) == 128
    changed = 0
    for pair in corpus.train:
        assert tokenise(" ".join(pair.source)) == pair.source
        assert tokenise(detokenise(pair.target)) == pair.target
        changed += detokenise(pair.source) != pair.source_text.lower()
        changed += detokenise(pair.target) != pair.target_text.lower()
    assert changed < 0.01 * 2 * len(corpus.train)


def test_a_folder_is_taken_as_it_is(folder):
    corpus = load_multi30k(str(folder), "de", "en")
    assert [len(part) for part in (corpus.train, corpus.validation, corpus.test)] == [5, 2, 2]
    assert corpus.train[3].source_text == "de train 3"
    assert corpus.train[3].target_text == "en train 3"
    assert corpus.test[1].target == ("en", "test_2016_flickr", "1")


def test_files_may_lie_there_unpacked(folder):
    packed = folder / "train.de.gz"
    (folder / "train.de").write_bytes(gzip.decompress(packed.read_bytes()))
    packed.unlink()
    assert len(load_multi30k(folder, "de", "en").train) == 5


def test_a_file_that_a_folder_lacks_is_named_with_its_home(folder):
    (folder / "val.en.gz").unlink()
    with pytest.raises(FileNotFoundError, match=r"val\.en\.gz is not in .*multi30k/dataset"):
        load_multi30k(folder, "de", "en")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (gzip.compress(b"one line\n"), r"val\.de\.gz has 2 lines but val\.en\.gz has 1"),
        (gzip.compress(b"\n\n"), "no usable sentences: .* 2 left out: 2 with an empty side"),
        (gzip.compress(b"one line\n")[:-8], r"val\.en\.gz is damaged"),
    ],
    ids=["a line too few", "empty lines", "cut off"],  # not the bytes, which hold the time
)
def test_a_file_that_does_not_fit_is_one_clear_error(folder, data, message):
    (folder / "val.en.gz").write_bytes(data)
    with pytest.raises(ValueError, match=message):
        load_multi30k(folder, "de", "en")


def test_a_malformed_line_takes_its_translation_with_it(folder):
    (folder / "train.en.gz").write_bytes(gzip.compress(b"one\n\nthr\xffee\nfo\0ur\nfive\n"))
    with pytest.warns(UserWarning, match="6 pairs read, 3 left out"):
        corpus = load_multi30k(folder, "de", "en")
    assert [pair.source_text for pair in corpus.train] == ["de train 0", "de train 4"]
    assert [pair.target_text for pair in corpus.train] == ["one", "five"]
    assert corpus.report.left_out == {
        "an empty side": ["train.de–en, line 2"],
        "broken UTF-8": ["train.de–en, line 3"],
        "a NUL character": ["train.de–en, line 4"],
    }


@pytest.mark.parametrize(("source", "target"), [("de", "de"), ("es", "en"), ("en", "English")])
def test_languages_must_be_two_of_three(folder, source, target):
    with pytest.raises(ValueError, match="source and target must be two of en, de, fr"):
        load_multi30k(folder, source, target)


# --- Digits ---------------------------------------------------------------------------------------


def test_the_digits_are_those_of_the_published_test_set():
    images, target = load_digits()
    assert (images.shape, images.dtype, target.dtype) == ((1797, 8, 8), "float64", "int64")
    checksum = hashlib.sha256(images.tobytes() + target.tobytes()).hexdigest()
    assert checksum == "f6d9e39f37dc45d327f6db33428ee58970ccceabb2535a5c179de35886b70443"
