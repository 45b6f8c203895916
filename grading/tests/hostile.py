"""Hostile submissions, from the table attacks.txt: what each does, and what it earns."""

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path

ENTROPY = 3  # points


@dataclass(frozen=True)
class Attack:
    """A hostile submission.

    Args:
        cells: its code.
        earns: the points that its honest parts deserve.
        at_most: it may destroy its own honest parts, and earn less.
        says: a text to be found in the result.
        mechanism: what it tries at each push; "" where it is tried at night.
    """

    cells: tuple[str, ...]
    earns: int = 0
    at_most: bool = False
    says: str = ""
    mechanism: str = ""


def read_attacks(path: Path) -> dict[str, dict[str, Attack]]:
    """Return group → name → attack, from a table whose first lines say what it looks like."""
    groups: dict[str, dict[str, Attack]] = defaultdict(dict)
    _, *entries = re.split(r"^=== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for entry in entries:
        title, _, text = entry.partition("\n")
        group, _, name = title.partition(": ")
        for piece, attack in groups["PIECE"].items():
            text = text.replace(f"«{piece}»", attack.cells[0])
        options = dict(
            re.findall(r"^#: (earns|at most|says|each push:) (.*)\n", text, re.MULTILINE)
        )
        cells = []
        for cell in re.split(r"^# %%\n", text, flags=re.MULTILINE):
            times = re.search(r"^#: (\d+) times\n", cell, re.MULTILINE)
            code = re.sub(r"^#: .*\n", "", cell, flags=re.MULTILINE).strip("\n")
            cells.append(repeat(code, int(times[1]) if times else 1))
        groups[group][name] = Attack(
            cells=tuple(chain.from_iterable(cells)),
            earns=int(options.get("earns") or options.get("at most") or 0),
            at_most="at most" in options,
            says=options.get("says", ""),
            mechanism=options.get("each push:", ""),
        )
    return groups


REPLACED = [  # what attacks replace in the worker: a new name here is one in attacks.txt, too
    *("utils.checks.runner.time_limit", "utils.checks.runner._unchanged"),
    *("utils.checks.kinds.values.Values.judge", "utils.checks.compare.Verdict"),
    "utils.checks.tasks.Task",
    *("grading.run.worker.processor_limit", "grading.run.worker._replies"),
    "grading.run.worker.protocol.pack",
]
GROUPS = read_attacks(Path(__file__).with_name("attacks.txt"))
PIECES = {name: attack.cells[0] for name, attack in GROUPS.pop("PIECE").items()}
# What these take is counted by the guard alone, so they have tests of their own.
BURNING, UNSHARED, GRADIENTS = (GROUPS.pop(name) for name in ("BURNING", "UNSHARED", "GRADIENTS"))
ATTACKS = {name: attack for group in GROUPS.values() for name, attack in group.items()}
