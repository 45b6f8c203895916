"""Test what opens models: on folders and GGUF files that the tests write, whole ones and damaged.

Whatever is wrong with a file ends in a `CannotOpenError` of one line. Nothing in it is executed.
"""

import json
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from tqdm import tqdm

from tests import needs
from tests.real_models import CARDS, SIZES, write_gguf, write_model, write_tokenizer
from utils.pretrained import (
    CannotOpenError,
    gguf,
    losses_of,
    open_model,
    store,
    switched_off,
    write_on,
)
from utils.pretrained.folder import open_folder, read_architecture
from utils.pretrained.tokens import Tokens

every_kind = pytest.mark.parametrize("kind", CARDS)
IDS = torch.randint(0, 60, (2, 40), generator=torch.Generator().manual_seed(0))


@pytest.fixture
def folder(tmp_path):
    write_model(tmp_path / "model")
    return tmp_path / "model"


def refusal(source, open_it=open_folder):
    """Return the line with which a model is refused."""
    with pytest.raises(CannotOpenError) as caught:
        open_it(source)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    return str(caught.value)


def refusal_if_any(open_it, *source):
    """Return the line with which a model is refused, or nothing if it is opened."""
    try:
        open_it(*source)
    except CannotOpenError as error:
        return str(error)
    return ""


# --- folders that fit -----------------------------------------------------------------------


@every_kind
def test_a_folder_is_opened_as_it_was_written(kind, tmp_path):
    written = write_model(tmp_path, kind)
    opened = open_folder(tmp_path)
    assert opened.architecture == written.architecture
    assert torch.equal(opened(IDS), written(IDS))
    assert not any(parameter.requires_grad for parameter in opened.parameters())
    shared = opened.output.weight is opened.embedding.weight
    assert shared == bool(CARDS[kind].get("tie_word_embeddings"))


@every_kind
@pytest.mark.parametrize("cuts", [[1] * 40, [25, 1, 14]], ids=str)
def test_reading_in_pieces_with_caches_gives_the_same_logits(kind, cuts, tmp_path):
    model = write_model(tmp_path, kind)
    caches = model.caches()
    pieces = [model(piece, caches) for piece in IDS.split(cuts, dim=1)]
    torch.testing.assert_close(torch.cat(pieces, 1), model(IDS), atol=1e-4, rtol=0)
    last = model.last_logits(IDS, model.caches())
    torch.testing.assert_close(last, model(IDS)[:, -1], atol=1e-4, rtol=0)


@pytest.mark.slow
@needs.transformers
@every_kind
def test_logits_are_those_of_transformers(kind, tmp_path):
    from transformers import AutoModelForCausalLM

    write_model(tmp_path, kind)
    theirs = AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32).eval()
    exact = theirs(IDS).logits
    assert (open_folder(tmp_path)(IDS) - exact).abs().max() < 1e-3
    half = AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.bfloat16).eval()
    ours = open_folder(tmp_path, torch.bfloat16)(IDS)
    assert ours.dtype == torch.bfloat16
    strays, theirs_strays = (
        (logits.float() - exact).abs().mean() for logits in (ours, half(IDS).logits)
    )
    assert strays < 1.3 * theirs_strays  # rounded as coarsely as theirs, and no more


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_weights_are_opened_whatever_their_precision(dtype, tmp_path):
    written = write_model(tmp_path, dtype=dtype)
    opened = open_folder(tmp_path)
    assert opened.embedding.weight.dtype == torch.float32
    torch.testing.assert_close(
        opened.embedding.weight, written.embedding.weight, atol=0.01, rtol=0.01
    )


def test_a_model_in_several_files_is_opened_and_files_of_other_names_are_left(folder):
    expected, weights = open_folder(folder)(IDS), load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = sorted(weights)
    for number, part in enumerate((names[:10], names[10:]), 1):
        file = folder / f"model-{number:05}-of-00002.safetensors"
        save_file({name: weights[name] for name in part}, file)
    save_file({"layers.0.attention.wq.weight": torch.ones(2)}, folder / "consolidated.safetensors")
    assert torch.equal(open_folder(folder)(IDS), expected)
    file.unlink()
    assert "there is no `model.layers" in refusal(folder)


@needs.unix
def test_files_may_be_links_as_in_the_hub_s_cache(folder, tmp_path):
    (tmp_path / "blobs").mkdir()
    for number, file in enumerate(sorted(folder.iterdir())):
        file.rename(tmp_path / "blobs" / str(number))
        file.symlink_to(tmp_path / "blobs" / str(number))
    assert open_folder(folder)(IDS).isfinite().all()
    shutil.rmtree(tmp_path / "blobs")
    assert "no config.json" in refusal(folder)


def test_what_many_files_carry_along_is_left(tmp_path):
    expected = write_model(tmp_path, "Qwen 2")(IDS)
    weights = load_file(tmp_path / "model.safetensors")
    weights["model.layers.0.self_attn.rotary_emb.inv_freq"] = torch.ones(3)
    weights["lm_head.weight"] = weights["model.embed_tokens.weight"].clone()
    save_file(weights, tmp_path / "model.safetensors")
    assert torch.equal(open_folder(tmp_path)(IDS), expected)


# --- cards that do not ----------------------------------------------------------------------

ODD = [-1, 0, 10**30, 1.5, True, "many", [4], {}, float("nan"), float("inf")]
WHOLE = [
    *("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers"),
    *("num_attention_heads", "num_key_value_heads", "head_dim", "max_position_embeddings"),
]
WRONG = [
    *((name, value) for name in WHOLE for value in ODD),
    *((name, None) for name in WHOLE[:5]),
    *(("rms_norm_eps", value) for value in ODD if value not in (True, 1.5)),
    *(("rope_theta", value) for value in ODD if value != 1.5),
    *(("partial_rotary_factor", value) for value in (0, -1, 1.5, "half", float("nan"), 1e-9)),
    *(("tie_word_embeddings", value) for value in ("false", 0, [])),
    *(("attention_bias", value) for value in ("no", 1, {})),
    *(("model_type", value) for value in (None, "gpt2", "Llama", 3, ["llama"], {})),
    *(("hidden_act", value) for value in ("gelu", "relu", None, ["silu"], 1)),
    ("mlp_bias", True),
    *(("rotary_layout", value) for value in ("interleaved", 3, ["pairs"])),
    ("num_key_value_heads", 3),
    ("num_attention_heads", 5),
    ("head_dim", 7),
    *(("rope_parameters", value) for value in ([1], "llama3", 5)),
]
NAMED_OTHERWISE = {"partial_rotary_factor": "head_dim", "num_attention_heads": "num_key_value"}


@pytest.mark.parametrize(("name", "value"), WRONG, ids=str)
def test_a_card_that_does_not_fit_is_refused_by_its_field(name, value, folder):
    card = json.loads((folder / "config.json").read_text()) | {name: value}
    (folder / "config.json").write_text(json.dumps(card))
    line = refusal(folder)
    assert f"`{name}`" in line or f"`{NAMED_OTHERWISE.get(name)}" in line


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"rope_type": "yarn", "factor": 4.0}, "rope_type"),
        ({"rope_type": ["llama3"]}, "rope_type"),
        ({"type": "dynamic"}, "rope_type"),
        ({"rope_type": "linear"}, "factor"),
        ({"rope_type": "linear", "factor": -2.0}, "factor"),
        ({"rope_type": "llama3", "factor": 4.0, "low_freq_factor": 1.0}, "high_freq_factor"),
        (
            {
                "rope_type": "llama3",
                "factor": 4.0,
                "low_freq_factor": 4.0,
                "high_freq_factor": 4.0,
                "original_max_position_embeddings": 16,
            },
            "high_freq_factor",
        ),
    ],
)
def test_a_stretch_that_is_not_computed_is_refused(fields, named):
    card = SIZES | {"model_type": "llama", "rope_scaling": fields}
    assert f"`{named}`" in refusal(card, read_architecture)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"sliding_window": -3}, "sliding_window"),
        ({"sliding_window": "wide"}, "sliding_window"),
        ({"use_sliding_window": "yes"}, "use_sliding_window"),
        ({"max_window_layers": -1}, "max_window_layers"),
        ({"max_window_layers": "all"}, "max_window_layers"),
        ({"layer_types": ["full_attention"]}, "layer_types"),
        ({"layer_types": ["full_attention", "linear_attention", "full_attention"]}, "layer_types"),
        ({"layer_types": [[], {}, 3]}, "layer_types"),
        ({"layer_types": "full_attention"}, "layer_types"),
    ],
    ids=str,
)
def test_a_window_that_cannot_be_is_refused(fields, named):
    card = SIZES | {"model_type": "qwen2", "sliding_window": 5, "use_sliding_window": True}
    assert f"`{named}`" in refusal(card | fields, read_architecture)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(), children),
    max_leaves=4,
)
some_names = st.sampled_from(
    [*SIZES, *WHOLE, *{name for card in CARDS.values() for name in card}, "rope_parameters"]
)


@given(kind=st.sampled_from([*CARDS]), changes=st.dictionaries(some_names, json_values, max_size=4))
@settings(max_examples=300, deadline=None)
def test_any_card_is_read_or_refused_in_a_line(kind, changes):
    card = SIZES | CARDS[kind] | changes
    assert "\n" not in refusal_if_any(lambda: read_architecture(card).positions())


# --- files that do not ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[1, 2]", b"3", b'"text"', b"null", b"\xff\xfe\x00", b"[" * 100_000, b"9" * 9_999],
    ids=lambda content: repr(content[:9]),
)
def test_a_damaged_card_is_refused(content, folder):
    (folder / "config.json").write_bytes(content)
    assert "config.json" in refusal(folder)


def change_weights(folder, change):
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors")


NAME = "model.layers.1.mlp.up_proj.weight"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda weights: weights.pop(NAME), f"there is no `{NAME}`, which the card promises"),
        (
            lambda weights: weights.update({NAME: torch.ones(24, 40)}),
            rf"`{NAME}` is (24, 40); by the card it is (40, 24)",
        ),
        (
            lambda weights: weights.update({"model.layers.3.mlp.up_proj.weight": torch.ones(2)}),
            "nothing here computes with `model.layers.3.mlp.up_proj.weight`",
        ),
        (
            lambda weights: weights.update({"model.layers.1.mlp.up_proj.bias": torch.ones(40)}),
            "nothing here computes with `model.layers.1.mlp.up_proj.bias`",
        ),
        (lambda weights: weights[NAME][3, 5:6].fill_(torch.nan), f"`{NAME}` has entries"),
        (lambda weights: weights[NAME][3, 5:6].fill_(torch.inf), f"`{NAME}` has entries"),
        (
            lambda weights: weights.update({NAME: torch.ones(40, 24, dtype=torch.int8)}),
            f"`{NAME}` has entries",
        ),
    ],
)
def test_weights_that_do_not_fit_the_card_are_refused_by_name(change, said, folder):
    change_weights(folder, change)
    assert said in refusal(folder)


def test_no_files_and_wrong_files_are_refused(folder, tmp_path):
    assert "no config.json" in refusal(tmp_path / "nowhere")
    assert "no config.json" in refusal(folder / "config.json")
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").mkdir()
    assert "no model.safetensors" in refusal(folder)


@needs.unix
def test_a_pipe_is_not_waited_for(folder):
    (folder / "model.safetensors").unlink()
    os.mkfifo(folder / "model.safetensors")
    assert "no model.safetensors" in refusal(folder)


def damaged(content, rng):
    """Return bytes that were cut, or of which some were changed, most of them near the front."""
    if rng.random() < 0.4:
        return content[: rng.randrange(len(content))]
    changed = bytearray(content)
    for _ in range(rng.choice([1, 3, 30])):
        changed[int(len(changed) * rng.random() ** 4)] = rng.randrange(256)
    return bytes(changed)


def test_damaged_weights_are_opened_or_refused_in_a_line(folder):
    file, rng = folder / "model.safetensors", random.Random(0)
    content = file.read_bytes()
    for size in (0, 1, 7, 8, 9, 100, len(content) - 1):
        file.write_bytes(content[:size])
        assert "model.safetensors is damaged or cut" in refusal(folder)
    lines = []
    for _ in range(150):
        file.write_bytes(damaged(content, rng))
        lines.append(refusal_if_any(open_folder, folder))
    assert "\n" not in "".join(lines)
    assert lines.count("") < 75


class Evil:
    def __reduce__(self):
        return os.mkdir, ("executed",)


def test_nothing_in_a_folder_is_executed(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    card = json.loads((folder / "config.json").read_text())
    card |= {
        "auto_map": {"AutoModelForCausalLM": "modeling.Evil"},
        "trust_remote_code": True,
        "quantization_config": {"quant_method": "evil"},
    }
    (folder / "config.json").write_text(json.dumps(card))
    (folder / "modeling.py").write_text("import os; os.mkdir('executed')")
    for name in ("pytorch_model.bin", "model.pt", "training_args.bin"):
        (folder / name).write_bytes(pickle.dumps(Evil()))
    open_folder(folder)
    (folder / "model.safetensors").write_bytes(pickle.dumps(Evil()))
    assert "damaged" in refusal(folder)
    assert not Path("executed").exists()


# --- tokenisers -----------------------------------------------------------------------------


@needs.gguf
def test_a_damaged_tokeniser_is_refused_in_a_line(folder):
    file, rng = folder / "tokenizer.json", random.Random(0)
    content = file.read_bytes()
    for number in range(200):
        file.write_bytes(damaged(content, rng) if number else b"")
        line = refusal_if_any(open_model, folder)
        assert line == "" or "tokenizer.json" in line
        assert "\n" not in line
    file.unlink()
    assert "no tokenizer.json" in refusal(folder, open_model)


@needs.gguf
def test_a_tokeniser_of_another_model_is_refused(folder, tmp_path):
    write_model(tmp_path / "small", vocab_size=59)
    assert "60 tokens, and the model 59" in refusal(tmp_path / "small", open_model)


@needs.gguf
def test_texts_are_neither_cut_nor_filled_up(tmp_path):
    write_tokenizer(file := tmp_path / "tokenizer.json")
    settings = json.loads(file.read_text()) | {
        "truncation": {
            "direction": "Right",
            "max_length": 2,
            "strategy": "LongestFirst",
            "stride": 0,
        },
        "padding": {
            "strategy": {"Fixed": 9},
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": 0,
            "pad_type_id": 0,
            "pad_token": "w0",
        },
    }
    file.write_text(json.dumps(settings))
    tokens = Tokens(file)
    assert tokens.encode("w3 w4 w5").tolist() == [[3, 4, 5]]
    empty = tokens.encode("")
    assert (empty.shape, empty.dtype) == ((1, 0), torch.long)


# --- writing and looking --------------------------------------------------------------------


@needs.gguf
@every_kind
def test_writing_with_caches_is_reading_all_again_for_each_token(kind, tmp_path):
    write_model(tmp_path, kind)
    model, tokens = open_model(tmp_path)
    ids = tokens.encode("w3 w14 w15")
    for token, chances in write_on(model, tokens, "w3 w14 w15", 12):
        logits = model(ids)[0, -1]
        torch.testing.assert_close(chances, logits.softmax(-1), atol=1e-4, rtol=0)
        assert token == int(logits.argmax())
        ids = torch.cat([ids, torch.tensor([[token]])], dim=1)
    assert ids.shape == (1, 15)


def test_heads_may_come_one_by_one(tmp_path):
    model = write_model(tmp_path)
    expected = losses_of(model, IDS)
    for heads in ([(0, 1), (2, 3)], iter([(0, 1), (2, 3)])):
        with switched_off(model, heads):
            assert (losses_of(model, IDS) - expected).abs().max() > 0.01
    assert torch.equal(losses_of(model, IDS), expected)


# --- GGUF files, and where they are kept ----------------------------------------------------


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENTION_COURSE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@needs.gguf
def test_a_gguf_file_is_converted_once_and_each_has_its_own_folder(tmp_path, cache):
    file = tmp_path / "small.gguf"
    expected = write_gguf(file)(IDS)
    model, tokens = open_model(file)
    assert torch.equal(model(IDS), expected)
    assert model.architecture.layout == "pairs"
    assert tokens.encode("AB<|end|>!").tolist() == [[59, 0, 1]]
    (made,) = cache.iterdir()
    if os.name != "nt":  # everybody who shares the cache may read it
        assert all(part.stat().st_mode & 0o044 == 0o044 for part in made.iterdir())
    before = made.stat().st_mtime_ns
    open_model(str(file))
    assert made.stat().st_mtime_ns == before
    other = tmp_path / "other" / "small.gguf"
    other.parent.mkdir()
    write_gguf(other, **{"llama.rope.freq_base": 9_000.0})
    assert open_model(other)[0].architecture.base == 9_000
    assert len([*cache.iterdir()]) == 2


@needs.gguf
def test_a_converted_model_that_was_damaged_says_how_to_make_it_anew(tmp_path, cache):
    write_gguf(tmp_path / "small.gguf")
    open_model(tmp_path / "small.gguf")
    (made,) = cache.iterdir()
    (made / "model.safetensors").write_bytes(b"cut")
    assert f"Or delete {made}" in refusal(tmp_path / "small.gguf", open_model)
    shutil.rmtree(made)
    open_model(tmp_path / "small.gguf")


@needs.gguf
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"general.architecture": "gemma"}, "general.architecture"),
        ({"llama.block_count": None}, "llama.block_count"),
        ({"llama.block_count": 2}, "model.layers.2"),
        ({"llama.block_count": 4}, "model.layers.3"),
        ({"llama.embedding_length": 32}, "model.embed_tokens.weight"),
        ({"llama.embedding_length": "wide"}, "hidden_size"),
        ({"llama.rope.scaling.type": "yarn"}, "llama.rope.scaling.type"),
        ({"tokenizer.ggml.pre": "llama-bpe"}, "tokenizer.ggml.pre"),
        ({"tokenizer.ggml.model": "llama"}, "tokenizer.ggml"),
        ({"tokenizer.ggml.tokens": None}, "tokenizer.ggml.tokens"),
        ({"tokenizer.ggml.token_type": [1, 1]}, "damaged"),
        ({"tokenizer.ggml.merges": ["A"]}, "damaged"),
        ({"tokenizer.ggml.merges": ["A Z Z"]}, "damaged"),
    ],
    ids=str,
)
def test_a_gguf_file_that_does_not_fit_is_refused_and_leaves_nothing(change, said, tmp_path, cache):
    write_gguf(tmp_path / "wrong.gguf", **change)
    assert said in refusal(tmp_path / "wrong.gguf", open_model)
    assert not cache.exists() or not [*cache.iterdir()]


@pytest.mark.slow
@needs.gguf
def test_a_damaged_gguf_file_is_opened_or_refused_in_a_line(tmp_path, cache):
    file, rng = tmp_path / "small.gguf", random.Random(0)
    write_gguf(file)
    content = file.read_bytes()
    for number in range(60):
        file.write_bytes(damaged(content, rng) if number else b"")
        began = time.monotonic()
        assert "\n" not in refusal_if_any(open_model, file)
        assert time.monotonic() - began < 60
    assert not [*cache.glob("unfinished-*")]
    assert "There is no file" in refusal(tmp_path / "none.gguf", open_model)


CONVERT = "import sys; from utils.pretrained import open_model; open_model(sys.argv[1])"


@pytest.mark.slow
@needs.gguf
def test_two_processes_may_convert_at_once(tmp_path, cache):
    write_gguf(tmp_path / "small.gguf")
    command = [sys.executable, "-c", CONVERT, str(tmp_path / "small.gguf")]
    processes = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert len([*cache.iterdir()]) == 1


@needs.gguf
@needs.unix
def test_a_conversion_that_ends_beside_another_one_disturbs_nothing(tmp_path, monkeypatch):
    """The other's folder goes as soon as it is listed, its model comes just before ours."""
    write_gguf(tmp_path / "small.gguf")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / f"{gguf.UNFINISHED}gone").symlink_to(tmp_path / "nowhere")
    rename = Path.rename

    def after_the_other(made, folder):
        folder.mkdir()
        (folder / "config.json").write_text("the other's")
        return rename(made, folder)

    monkeypatch.setattr(Path, "rename", after_the_other)
    gguf.convert(tmp_path / "small.gguf", tmp_path / "cache" / "model", tqdm(disable=True))
    assert (tmp_path / "cache" / "model" / "config.json").read_text() == "the other's"


@pytest.mark.slow
@needs.gguf
@needs.unix
def test_a_killed_conversion_leaves_no_model_and_is_swept_away_later(tmp_path, cache):
    write_gguf(tmp_path / "small.gguf")
    waiting = (
        "import sys, time; from utils.pretrained import gguf, open_model; "
        "gguf.open_folder = lambda made: (print('half', flush=True), time.sleep(600)); "
        "open_model(sys.argv[1])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", waiting, str(tmp_path / "small.gguf")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout.readline() == "half\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    (left,) = cache.iterdir()
    assert left.name.startswith("unfinished-")
    os.utime(left, (0, 0))
    open_model(tmp_path / "small.gguf")
    (made,) = cache.iterdir()
    assert made.name.startswith("small-")


@needs.gguf
def test_a_cache_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    write_gguf(tmp_path / "small.gguf")
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("ATTENTION_COURSE_CACHE", str(tmp_path / "file"))
    line = refusal(tmp_path / "small.gguf", open_model)
    assert str(tmp_path / "file") in line
    assert "ATTENTION_COURSE_CACHE" in line


@needs.gguf
@needs.ordinary_user
def test_a_cache_that_is_read_only_is_named(tmp_path, cache):
    write_gguf(tmp_path / "small.gguf")
    cache.mkdir()
    cache.chmod(0o500)
    assert str(cache) in refusal(tmp_path / "small.gguf", open_model)


@needs.gguf
@needs.unix
def test_a_full_disk_gets_a_line_and_leaves_nothing(tmp_path, cache):
    import resource

    write_gguf(tmp_path / "small.gguf")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, before[1]))
    try:
        line = refusal(tmp_path / "small.gguf", open_model)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert f"Cannot write to {cache}" in line
    assert not [*cache.iterdir()]


@needs.gguf
def test_where_the_course_s_own_file_is_cut_it_says_how_to_fetch_it_again(
    tmp_path, cache, monkeypatch
):
    own = tmp_path / "own.gguf"
    write_gguf(own)
    own.write_bytes(own.read_bytes()[:-1000])
    monkeypatch.setattr(store, "gguf_file", lambda: own)
    with pytest.raises(CannotOpenError, match=r"damaged or cut .*: pip install --force-reinstall"):
        open_model()
    with pytest.raises(CannotOpenError) as of_another:
        open_model(own)
    assert "pip" not in str(of_another.value)


# --- without the model ----------------------------------------------------------------------


@pytest.fixture
def absent(cache, monkeypatch):
    monkeypatch.setattr(store, "gguf_file", lambda: None)


@pytest.mark.parametrize(
    "use",
    [
        lambda model, tokens: model(IDS),
        lambda model, tokens: tokens.encode("a"),
        lambda model, tokens: model.blocks[0],
        lambda model, tokens: [*write_on(model, tokens, "a", 3)],
        lambda model, tokens: losses_of(model, IDS),
        lambda model, tokens: len(tokens),
        lambda model, tokens: [*tokens],
        lambda model, tokens: [*model.parameters()],
    ],
)
def test_without_the_model_whatever_is_done_says_how_to_get_it(use, absent):
    assert not store.is_here()
    model, tokens = open_model()
    assert "make real" in repr(model)
    with pytest.raises(store.NotHereError, match="make real") as caught:
        use(model, tokens)
    (line,) = caught.value._render_traceback_()
    assert "\n" not in line


def test_a_notebook_shows_one_line(absent, capsys):
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    result = shell.run_cell("from utils.pretrained import open_model; open_model()[0](1)")
    assert isinstance(result.error_in_exec, store.NotHereError)
    shown = capsys.readouterr()
    assert (shown.out + shown.err).strip() == store.HOW_TO


def test_remains_of_an_uninstalled_package_are_no_model(cache, tmp_path, monkeypatch):
    (tmp_path / store.PACKAGE).mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, store.PACKAGE, raising=False)
    assert not store.is_here()


@needs.gguf
def test_a_model_of_another_environment_is_not_here_without_the_library(cache, monkeypatch):
    store.folder().mkdir(parents=True)
    assert store.is_here()
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    assert not store.is_here()
    assert "make real" in repr(open_model()[0])
