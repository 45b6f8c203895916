"""A learner's language model as a page: what is saved, what is refused, and what a page holds."""

import base64
import json
import pickle
import re
import subprocess
import sys

import pytest
import safetensors.torch
import torch
from torch import nn

from utils.parts import page
from utils.parts.language_model import CourseBlock, CourseModel

TEXT = "the cat sat on the mat, and the hat sat on the cat. " * 8


class Characters:
    """A tokeniser as learners have it, without pairs."""

    def __init__(self, text=TEXT):
        self.tokens = sorted({*text, "T", " "})

    def encode(self, text):
        return torch.tensor([self.tokens.index(letter) for letter in text])

    def decode(self, ids):
        return "".join(self.tokens[number] for number in ids)


def model_of(tokens):
    torch.manual_seed(0)
    model = CourseModel(len(tokens.tokens), dim=32, heads=2, layers=2, hidden=128)
    nn.init.normal_(model.embedding.weight, std=32**-0.5)
    return model


def saved(folder, model=None):
    tokens, file = Characters(), folder / "mine.safetensors"
    page.save_model(file, model or model_of(tokens), tokens, TEXT, "the", "a <b>novel</b>")
    return file


def weights_in(text):
    """Return the weights that a page holds, and what it says of them."""
    (letters,) = re.findall(r'<script type="text/plain" id="model">([^<]*)</script>', text)
    data = base64.b64decode(letters)
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return safetensors.torch.load(data), json.loads(header["__metadata__"]["about"])


def test_a_page_holds_the_weights_and_fetches_nothing(tmp_path):
    tokens = Characters()
    model = model_of(tokens)
    told = page.write_page(saved(tmp_path, model))
    assert "16 bits a weight" in told
    text = (tmp_path / "mine.html").read_text(encoding="utf-8")
    assert len(text.encode()) <= page.LARGEST
    assert "default-src 'none'" in text
    assert "src=" not in re.sub("<script.*?</script>", "", text, flags=re.DOTALL)
    assert "a &lt;b&gt;novel&lt;/b&gt;" in text
    tensors, about = weights_in(text)
    matrix = tensors["embedding.weight"] * tensors["embedding.weight.scale"].unsqueeze(1)
    assert (matrix - model.embedding.weight).abs().max() < 1e-4
    assert about["tokens"] == tokens.tokens
    assert "held_out" not in tensors
    assert about["rounding"] < page.SAME


def test_another_call_writes_the_same_page(tmp_path):
    page.write_page(file := saved(tmp_path))
    first = (tmp_path / "mine.html").read_bytes()
    page.write_page(file)
    assert (tmp_path / "mine.html").read_bytes() == first


class OtherForward(CourseModel):
    def forward(self, ids):
        return super().forward(ids).tanh()


class OtherBlock(CourseBlock):
    def forward(self, x, source, source_mask):
        return self.norms[2](super().forward(x, source, source_mask))


def test_a_model_that_computes_something_else_is_not_saved(tmp_path):
    others = [model_of(Characters()) for _ in range(3)]
    others[0].blocks = nn.ModuleList(OtherBlock(32, 2, 128) for _ in range(2))
    others[1].__class__ = OtherForward
    others[2].blocks[1].attention.W_q = nn.Linear(32, 16)
    told = "look at block 1", "look at `forward`", "put together otherwise"
    for model, words in zip(others, told, strict=True):
        with pytest.raises(ValueError, match=words):
            saved(tmp_path, model)
        assert not (tmp_path / "mine.safetensors").exists()


def test_where_nothing_can_be_written_a_line_says_what_to_do(tmp_path):
    (tmp_path / "mine.html").mkdir()
    file = saved(tmp_path)
    with pytest.raises(ValueError, match=r"mine.html cannot be written \(.*a folder of your own"):
        page.write_page(file)
    (tmp_path / "mine.html").rmdir()
    file.unlink()
    file.mkdir()
    with pytest.raises(ValueError, match="cannot be written"):
        saved(tmp_path)


def test_a_large_model_gets_8_bits_and_a_larger_one_none(tmp_path, monkeypatch):
    file = saved(tmp_path)
    page.write_page(file)
    sizes = [len((tmp_path / "mine.html").read_bytes())]
    monkeypatch.setattr(page, "LARGEST", sizes[0] - 1)
    assert "8 bits a weight" in page.write_page(file)
    monkeypatch.setattr(page, "COSTS", -1)
    with pytest.raises(ValueError, match="with 8 bits a weight, and then its loss grows"):
        page.write_page(file)
    monkeypatch.setattr(page, "LARGEST", 10_000)
    with pytest.raises(ValueError, match="does not fit into a page"):
        page.write_page(file)


class Bomb:
    def __reduce__(self):
        return (print, ("BOOM",))


def truncated(data):
    return data[: len(data) // 2]


def flipped(data):
    return data[:-1000] + bytes([data[-1000] ^ 64]) + data[-999:]


def of_another_kind(_):
    return safetensors.torch.save({"weight": torch.ones(2)})


def with_other_tokens(data):
    return data.replace(b'\\"heads\\": 2', b'\\"heads\\": 7')


DAMAGES = {
    "cut off": truncated,
    "a bit turned over": flipped,
    "of another kind": of_another_kind,
    "other sizes": with_other_tokens,
    "empty": lambda _: b"",
    "a picture": lambda _: b"\x89PNG\r\n\x1a\n" + bytes(100),
    "a pickle": lambda _: pickle.dumps(Bomb()),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_foreign_or_damaged_file_is_refused_in_one_line(tmp_path, damage):
    file = saved(tmp_path)
    data = damage(file.read_bytes())
    assert data != file.read_bytes()
    file.write_bytes(data)
    with pytest.raises(ValueError, match="is damaged, or no language model") as told:
        page.write_page(file)
    assert "\n" not in str(told.value)
    assert "run the cell of exercise 08 that saves it again" in str(told.value)
    assert not (tmp_path / "mine.html").exists()


def test_the_command_line_ends_in_one_line_and_runs_nothing_of_a_pickle(tmp_path):
    (tmp_path / "bomb.safetensors").write_bytes(pickle.dumps(Bomb()))
    command = [sys.executable, "-m", "utils.parts.page", str(tmp_path / "bomb.safetensors")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("No page: ")
    assert done.stderr.count("\n") == 1
