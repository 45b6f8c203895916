"""Parts of a language model: the course's pass, and a fault is found where it is."""

import re
from functools import partial

import pytest
import torch

from utils.corpora import hold_out, read_text
from utils.parts import language_model as parts


def said(capsys, **given):
    parts.examine(**given)
    return capsys.readouterr().out


def test_the_parts_of_the_course_pass(capsys):
    out = said(
        capsys,
        DecoderBlock=parts.CourseBlock,
        next_word=parts.course_next_word,
    )
    assert out.count("✓") == 2


class Leaky(parts.CourseBlock):
    def forward(self, x, source, source_mask):
        return super().forward(x, source, source_mask) + x.mean(1, keepdim=True)


class InPlace(parts.CourseBlock):
    def forward(self, x, source, source_mask):
        x += super().forward(x, source, source_mask) - x
        return x


class NormsExchanged(parts.CourseBlock):
    def forward(self, x, source, source_mask):
        first, second, third = self.norms
        self.norms = torch.nn.ModuleList([second, first, third])
        x = super().forward(x, source, source_mask)
        self.norms = torch.nn.ModuleList([first, second, third])
        return x


def word_as_a_column(*given):
    chances, word = parts.course_next_word(*given)
    return chances, word.unsqueeze(1)


def right_end_of_a_piece(logits, temperature, k, uniform):
    chances, _ = parts.course_next_word(logits, temperature, k, uniform)
    return chances, (chances.cumsum(-1) < uniform.unsqueeze(-1)).sum(-1)


@pytest.mark.parametrize(
    ("part", "wrong", "words"),
    [
        ("DecoderBlock", Leaky, "the future is open"),
        ("DecoderBlock", InPlace, "it overwrites what it is given"),
        ("DecoderBlock", NormsExchanged, "block gives other states; its check says more"),
        ("next_word", word_as_a_column, "the shape of `word` is (50, 1), and not (50,)"),
        ("next_word", lambda *given: parts.course_next_word(*given)[::-1], "the word comes first"),
        ("next_word", right_end_of_a_piece, "includes its left end"),
        ("next_word", lambda logits, *_: (logits, logits.argmax(-1)), "the chances of a row sum"),
        ("next_word", lambda *_: None, "not written yet"),
        ("join", lambda tokens, pair: tokens, "should be ['ab', 'c', 'ab']"),
    ],
)
def test_a_fault_is_called_by_its_part(capsys, part, wrong, words):
    out = said(capsys, **{part: wrong})
    assert out.startswith(part)
    assert words in out


def test_a_loop_without_an_end_is_stopped(capsys, monkeypatch):
    def endless(tokens, pair):
        while tokens:
            pass

    monkeypatch.setattr(parts, "SECONDS", 0.5)
    out = said(capsys, next_word=parts.course_next_word, join=endless)
    assert "next_word     ✓" in out
    assert "join          ✗ still running after 0.5 seconds" in out


class Letters:
    """A right tokeniser; what it changes in a text, and what is missing, makes it lose some."""

    def __init__(self, text, changed=str, missing=" "):
        self.changed, self.missing = changed, missing
        self.tokens = sorted({*text, " "})

    def encode(self, text):
        letters = [one if one in self.tokens else self.missing for one in self.changed(text)]
        return torch.tensor([self.tokens.index(one) for one in letters if one])

    def decode(self, ids):
        return "".join(self.tokens[number] for number in ids)


LOSSES = {
    "capitals": {"changed": str.lower},
    "line breaks": {"changed": lambda text: text.replace("\n", " ")},
    "digits": {"changed": lambda text: re.sub("[0-9]", "", text)},
    "white space": {"changed": lambda text: re.sub(r"\s+", " ", text)},
    "unknown characters": {"missing": ""},
}


def test_a_tokeniser_that_gives_the_text_back_passes(capsys):
    assert said(capsys, Characters=Letters) == "Characters    ✓\n"
    assert parts.what_is_lost(Letters("Abc\n"), "Abc\n", "Ab?\nc") == ""


@pytest.mark.parametrize("how", LOSSES.values(), ids=LOSSES)
def test_a_tokeniser_that_loses_characters_is_found(capsys, how):
    out = said(capsys, Characters=partial(Letters, **how))
    assert "✗ decode(encode(text)) does not give the text back" in out


def test_a_loss_in_the_text_of_the_learner_is_found(capsys):
    no_stars = partial(Letters, changed=lambda text: text.replace("*", ""))
    assert "✓" in said(capsys, Characters=no_stars)
    assert "'an *apple*" in said(capsys, text="an *apple*\n", Characters=no_stars)


def test_yardsticks_are_bits_of_each_character():
    text, held_out = hold_out("".join("abcd"[n % 4] for n in range(50_000)))
    assert (text, held_out) == ("".join("abcd"[n % 4] for n in range(50_000)) + "\n", "")
    found = parts.yardsticks(text, text[:4_000])
    assert found["trigram"] < 0.01
    assert found["xz"] < 0.1


def test_one_page_in_ten_is_held_out():
    pages = "\n\n".join(f"{number:3} " + 50 * "word " for number in range(800))
    text, held_out = hold_out(pages)
    assert len(held_out) / len(pages) == pytest.approx(0.1, abs=0.02)
    assert sorted((text + held_out).split()) == sorted(pages.split())


def test_a_text_that_cannot_be_used_says_why(tmp_path):
    short, bytes_ = tmp_path / "short.txt", tmp_path / "bytes.txt"
    short.write_text("too short")
    bytes_.write_bytes(b"\xff\xfe\x00" * 100)
    with pytest.raises(
        ValueError, match=r"short.txt has 9 characters; at least 200,000 are needed"
    ):
        read_text(short)
    with pytest.raises(ValueError, match="not plain text in UTF-8"):
        read_text(bytes_)
    with pytest.raises(FileNotFoundError, match="there is no file 'nowhere"):
        read_text("nowhere.txt")
    assert len(read_text()) > 200_000


def test_the_random_state_is_left_as_it_was():
    torch.manual_seed(1)
    before = torch.get_rng_state()
    parts.examine(DecoderBlock=parts.CourseBlock)
    assert torch.equal(before, torch.get_rng_state())
