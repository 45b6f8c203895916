"""Test that `examine` finds the fault in a learner's language model, and the front page's."""

import re
from itertools import takewhile

import pytest

from solutions.build import code_of, notebooks, solutions_of
from solutions.record_language_model import RECORD, english, record
from utils.parts import language_model as parts
from utils.translators import about_translator

SOFTMAX = "return (self.norm(x) @ self.embedding.weight.T).softmax(-1)"
LAST_ALONE = "logits[:, -1], windows[:, -1]"
NEW_CACHES = "ids[place], place, [KVCache() for _ in caches])"
FAULTS = [
    ("LanguageModel", "self.norm(x) @", "x @", "the last norm is missing"),
    ("LanguageModel", "block(x,", "block(self.embed(ids),", "give other logits"),
    ("LanguageModel", "return self.norm(x) @ self.embedding.weight.T", SOFTMAX, "chances"),
    ("learn", "logits.transpose(1, 2)", "logits.flip(1).transpose(1, 2)", "leave a loss of"),
    ("learn", "logits.transpose(1, 2), windows[:, 1:]", LAST_ALONE, "after 1 of 15 tokens"),
    ("learn", "        optimizer.zero_grad()\n", "", "gradients of earlier steps are added"),
    ("write", "ids[place], place,", "ids[place], place + 1,", "in its place"),
    ("write", "ids[place], place, caches)", NEW_CACHES, "into one cache"),
    ("write", "draw(logits, temperature,", "draw(logits, 1.0,", "is told 1.0"),
    ("write", "generator=dice)", "generator=dice) * 0", "the same uniform number"),
    ("write", "(1, generator=dice)", "(1)", "they do not come from `dice`"),
    ("write", "range(end - 1)", "range(end - 2)", "and should be 'the cat"),
    ("BytePairs", "(pairs[pair], pair))", "(pairs[pair], pair))[0]", "a tuple of two tokens"),
    ("BytePairs", "+= counts[word]", "+= 1", "a pair counts seven times"),
    ("BytePairs", r'|\s+"', '"', "does not give the text back"),
    ("BytePairs", r"|\s?[^\w\s]+", "", "does not give the text back"),
    ("Characters", "in self.cut(text)", "in self.cut(text.lower())", "does not give the text back"),
]


def verdict(capsys, part, old="", new=""):
    (path,) = (path for path in notebooks() if path.name.startswith("08"))
    cells = takewhile(lambda cell: "language_model as parts" not in cell, code_of(path))
    source, names = "\n\n".join(cells), {}
    assert old in source
    exec(source.replace(old, new), names)
    capsys.readouterr()
    asked = {name: names[name] for name in ("Characters", "join", "LanguageModel", part)}
    parts.examine(text=names["text"], **asked)
    (line,) = (one for one in capsys.readouterr().out.splitlines() if one.startswith(part))
    return line


@pytest.mark.parametrize("part", ["Characters", "BytePairs", "LanguageModel", "learn", "write"])
def test_the_solution_passes(capsys, part):
    assert verdict(capsys, part).endswith("✓")


@pytest.mark.parametrize(("part", "old", "new", "words"), FAULTS)
def test_a_fault_is_named(capsys, part, old, new, words):
    assert words in verdict(capsys, part, old, new)


def test_no_rule_is_told_that_a_wrong_pair_does_not_break(capsys):
    told = verdict(capsys, "BytePairs", "return max(pairs", "return min(pairs")
    assert told.endswith("and should be [('o', 'w'), ('l', 'ow')]")


def test_the_measure_refuses_a_tokeniser_that_loses_characters():
    (path,) = (path for path in notebooks() if path.name.startswith("08"))
    names = solutions_of(path)
    tokens = names["Characters"](names["text"])
    tokens.cut = lambda text: list(text.lower())
    with pytest.raises(ValueError, match="'The End' becomes 'the end'"):
        names["bits_per_character"](None, tokens, "The End")


def test_the_front_page_model_learns_from_whole_sentences_with_capitals():
    text = english(60)
    assert re.fullmatch(r"([A-Z][\w',\s]*[.?!]\s*)+", text)
    assert not re.search(r"\b(i|paris|anna|monday)\b", text)


@pytest.mark.nightly
def test_a_record_is_what_a_page_reads():
    about = about_translator(record(steps=3, pairs=6_000))
    stored = about_translator(RECORD.read_bytes())
    assert about.keys() == stored.keys()
    assert about["proof"]["text"].startswith("My old cat")
    assert about["bits"] == stored["bits"] == 8
