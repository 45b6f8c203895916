"""Count the lines of the repository by purpose: content, machinery, and the tests of both."""

import subprocess
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

HOUSE = Path(__file__).parents[2]
LIBRARY = (
    "attention corpora export kv_cache masks mechanisms metrics model_helpers parity parts plots"
)
LIBRARY += " positions pretrained real_model seq2seq small training transformer translators"
SHARED = "misconceptions wrong_pieces weak_tests cases"  # by tasks
PURPOSES = {  # purpose → patterns of paths; a file counts for the first that it matches
    "tests of the grader": ["grading/tests/*"],
    "tests in a browser": ["tests/browser/*"],
    "benches": ["tests/bench/*"],
    "tests of the library": [f"tests/*{name}*.py" for name in LIBRARY.split()],
    "tests of checks, build and house": ["tests/*", "*/tests/*"],
    "content: tasks": [
        *("solutions/n*/*", "utils/checks/implementations/*"),
        *(f"solutions/{name}.py" for name in SHARED.split()),
    ],
    "content: explorers and pages": ["utils/widgets/*", "utils/cards.py", "utils/sheet.py"],
    "machinery: checks": ["utils/checks/*"],
    "machinery: pre-flight": ["utils/preflight.py", "utils/at_work.py"],
    "content: library": ["utils/*"],
    "machinery: build and self-test": ["solutions/*"],
    "machinery: grader": ["grading/*"],
    "machinery: plans, slides, site": ["workshop/*", "docs/*", "*.py"],
}


def lines() -> None:
    """Lines of Python by purpose, without labelled answers and notebooks."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=HOUSE, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    counts, files = Counter(), Counter()
    for path in listed:
        if path.endswith(".py"):
            purpose = next(
                name
                for name, patterns in PURPOSES.items()
                if any(fnmatch(path, pattern) for pattern in patterns)
            )
            counts[purpose] += len((HOUSE / path).read_text(encoding="utf-8").splitlines())
            files[purpose] += 1
    print(f"{'purpose':34}{'lines':>8}{'files':>7}")
    for purpose, count in sorted(counts.items()):
        print(f"{purpose:34}{count:8,}{files[purpose]:7}")
    weight = sum(counts.values()) - sum(
        count
        for purpose, count in counts.items()
        if purpose.startswith("content") or purpose == "tests of the library"
    )
    print(f"{'machinery and its tests':34}{weight:8,}")
    print(f"{'all Python':34}{sum(counts.values()):8,}{sum(files.values()):7}")
    print(f"{'tracked files':34}{len(listed):8,}")
