"""Parts of a language model: the course's pass, and a fault is found where it is."""

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
        cached_step=parts.course_cached_step,
    )
    assert out.count("✓") == 3


class Leaky(parts.CourseBlock):
    def forward(self, x, source, source_mask):
        return super().forward(x, source, source_mask) + x.mean(1, keepdim=True)


@pytest.mark.parametrize(
    ("part", "wrong", "words"),
    [
        ("DecoderBlock", Leaky, "the future is open"),
        ("next_word", lambda logits, *_: (logits, logits.argmax(-1)), "the chances of a row sum"),
        ("next_word", lambda *_: None, "not written yet"),
        ("cached_step", lambda x, k, v, *w: (x @ w[2], k, v), "the cache holds the keys of 0"),
        ("join", lambda tokens, pair: tokens, "should be ['ab', 'c', 'ab']"),
    ],
)
def test_a_fault_is_called_by_its_part(capsys, part, wrong, words):
    out = said(capsys, **{part: wrong})
    assert out.startswith(part)
    assert words in out


def test_yardsticks_are_bits_of_each_character():
    text, held_out = hold_out("".join("abcd"[n % 4] for n in range(50_000)), piece=1_000)
    assert (text, held_out) == ("".join("abcd"[n % 4] for n in range(50_000)) + "\n", "")
    found = parts.yardsticks(text, text[:4_000])
    assert found["trigram"] < 0.01
    assert found["xz"] < 0.1


def test_one_page_in_ten_is_held_out():
    pages = "\n\n".join(f"{number:3} " + 50 * "word " for number in range(200))
    text, held_out = hold_out(pages, piece=500)
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
