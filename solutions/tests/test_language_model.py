"""Test that `examine` finds the fault in a learner's language model, and the record of one."""

import json
from itertools import takewhile

import pytest

from solutions.build import code_of, notebooks, solutions_of
from solutions.record_language_model import BEGINNING, RECORD, STEPS, record
from utils.parts import language_model as parts

SOFTMAX = "return (self.norm(x) @ self.embedding.weight.T).softmax(-1)"
LAST_ALONE = "logits[:, -1], windows[:, -1]"
FAULTS = [
    ("LanguageModel", "self.norm(x) @", "x @", "the last norm is missing"),
    ("LanguageModel", "block(x,", "block(self.embed(ids),", "give other logits"),
    ("LanguageModel", "return self.norm(x) @ self.embedding.weight.T", SOFTMAX, "chances"),
    ("learn", "logits.transpose(1, 2)", "logits.flip(1).transpose(1, 2)", "leave a loss of"),
    ("learn", "logits.transpose(1, 2), windows[:, 1:]", LAST_ALONE, "after 1 of 15 tokens"),
    ("learn", "        optimizer.zero_grad()\n", "", "gradients of earlier steps are added"),
    ("write", "ids[place], place,", "ids[place], place + 1,", "in its place"),
    ("write", "place, cache, step)\n        if", "place, {}, step)\n        if", "into one cache"),
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
    cells = takewhile(lambda cell: "set_seed" not in cell, code_of(path))
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


@pytest.mark.nightly
def test_a_record_says_what_the_model_writes_before_and_after_learning():
    made = record((0, 3))
    before, after = made["samples"]
    assert after["bits"] < before["bits"]
    assert before["text"] != after["text"]
    assert all(sample["text"].startswith(BEGINNING) for sample in made["samples"])
    stored = json.loads(RECORD.read_text(encoding="utf-8"))
    assert made.keys() == stored.keys()
    assert [sample["steps"] for sample in stored["samples"]] == list(STEPS)
    assert [sample.keys() for sample in stored["samples"]] == [before.keys()] * len(STEPS)
