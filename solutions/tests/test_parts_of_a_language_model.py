"""Test that `examine` finds the fault in a learner's model, loop or writing."""

from itertools import takewhile

import pytest

from solutions.build import code_of, notebooks
from utils.parts import language_model as parts

SOFTMAX = "return (self.norm(x) @ self.embedding.weight.T).softmax(-1)"
FAULTS = [
    ("LanguageModel", "self.norm(x) @", "x @", "the last norm is missing"),
    ("LanguageModel", "block(x,", "block(self.embed(ids),", "give other logits"),
    ("LanguageModel", "return self.norm(x) @ self.embedding.weight.T", SOFTMAX, "chances"),
    ("learn", "logits.transpose(1, 2)", "logits.flip(1).transpose(1, 2)", "leave a loss of"),
    ("write", "ids[place], place,", "ids[place], place + 1,", "in its place"),
    ("write", "place, cache, step)\n        if", "place, {}, step)\n        if", "into one cache"),
    ("write", "draw(logits, temperature,", "draw(logits, 1.0,", "is told 1.0"),
    ("write", "generator=dice)", "generator=dice) * 0", "the same uniform number"),
]


def verdict(capsys, part, old="", new=""):
    (path,) = (path for path in notebooks() if path.name.startswith("08"))
    cells = takewhile(lambda cell: "set_seed" not in cell, code_of(path))
    source, names = "\n\n".join(cells), {}
    assert old in source
    exec(source.replace(old, new), names)
    capsys.readouterr()
    asked = {name: names[name] for name in ("Characters", "LanguageModel", part)}
    parts.examine(**asked)
    (line,) = (one for one in capsys.readouterr().out.splitlines() if one.startswith(part))
    return line


@pytest.mark.parametrize("part", ["LanguageModel", "learn", "write"])
def test_the_solution_passes(capsys, part):
    assert verdict(capsys, part).endswith("✓")


@pytest.mark.parametrize(("part", "old", "new", "words"), FAULTS)
def test_a_fault_is_named(capsys, part, old, new, words):
    assert words in verdict(capsys, part, old, new)
