"""Make up a class to try the grader on: `python -m grading.classroom FOLDER --learners 200`.

Writes one notebook per learner, always the same ones for one seed: right answers in several styles,
known mistakes, small faults, untouched stubs, work that stops half-way, answers in words; on
request, also a few attacks. Everything is made up: no real learner's work is among it. With
`--live`, the class is at work instead, to try `python -m grading watch` on.
"""

import argparse
import ast
import contextlib
import functools
import inspect
import os
import re
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

import nbformat

from grading.report.guesses import questions
from solutions import wrong_pieces
from solutions.build import FENCE, SOURCE, exercises_of, learner_notebook
from solutions.mutants import mutants
from solutions.specification import Exercise, WrongAnswer
from utils.checks import bank
from utils.checks.code import defined, mentioned
from utils.checks.kinds import kind_of
from utils.checks.progress_file import save_for_room, save_progress
from utils.notebook_file import ANSWER, NOT_ANSWERED

NOTEBOOK = SOURCE / "01_attention_concepts.ipynb"
NAMES = (  # given names and family names of one script
    ("Ada Chloë Inês João Łucja Søren Zoë", "Müller Ångström Nuñez O'Neill Čapek Kowalczyk"),
    ("Анна Борис Ирина Олег", "Волкова Гончар Шевченко"),
    ("Ελένη Νίκος Σοφία", "Παππάς Βλάχου"),
    ("小明 伟 秀英 志強", "李 王 陳"),
    ("さくら 太郎 結衣", "佐藤 高橋"),
    ("민준 서연", "김 박"),
    ("فاطمة محمد ليلى", "العلي حداد"),
    ("נועה דוד", "לוי כהן"),
    ("आरव दीया", "शर्मा सिंह"),
    ("Ngọc Thảo Bảo", "Nguyễn Phạm"),
)
REASONS = (
    "the encoder has mixed the words, so what *cat* means may come in through its neighbours",
    "the value of *cat* may be long, and then a small weight moves the context far",
    "*cat* may stand in the sentence twice, and the two share the attention",
    "the other heads are not in the picture",
)
TESTS = (
    "put *dog* in the place of *cat* and see whether the translation changes",
    "set the column to 0 and compare the outputs",
    "look at more pictures",
)
HOSTILE = {  # attack → its cell; all but the loops end by themselves
    "endless loop": "while True:\n    pass",
    "exit": "import os\n\nos._exit(0)",
    "memory at once": "import torch\n\nhoard = torch.ones(2**30)",
    "memory by and by": "import torch\n\nhoard = [torch.ones(2**20) for _ in range(1000)]",
    "fork": "import os\nimport time\n\nfor _ in range(50):\n    if os.fork() == 0:\n"
    "        time.sleep(60)\n        os._exit(0)",
    "flood": "import os\n\nfor _ in range(20_000):\n    print('spam' * 1000)\n"
    "    os.write(1, b'spam' * 1000)",
    "garbage": "import os\n\nfor place in range(3, 20):\n    try:\n"
    "        os.write(place, b'\\xff' * 1000)\n    except OSError:\n        pass",
    "stubborn loop": "while True:\n    try:\n        while True:\n            pass\n"
    "    except BaseException:\n        pass",
}
STYLES = '"""Right answers, written in other ways."""'
CHOICES = STYLES.replace('."', '. Each function returns what the learner would write."')
IMPORTS = {"torch": "import torch", "F": "import torch.nn.functional as F"}


class Answers(NamedTuple):
    """The right and the wrong code that learners may write into the cell of a task."""

    right: list[str]
    wrong: list[str]


@functools.cache
def answers() -> dict[str, Answers]:
    """Return task → right answers (solution, other styles) and wrong ones (mistakes, faults)."""
    cells = [cell.source for cell in nbformat.read(NOTEBOOK, as_version=4).cells]
    by_task = {}
    for exercise in exercises_of(NOTEBOOK):
        task = exercise.task.id
        own = next(cell for cell in cells if FENCE.search(cell) and task in defined(cell))
        own = FENCE.sub(lambda match: match["solution"].rstrip("\n"), own)
        faults = [code for _, code in mutants(own, task)]
        by_task[task] = Answers([own, *_styles(exercise)], [*_mistakes(exercise), *faults])
    return by_task


def _styles(exercise: Exercise) -> Iterator[str]:
    """Yield right answers to a task: each holds the code of all styles, and chooses one of them."""
    is_code = kind_of(exercise.task).is_code
    functions = [inspect.getsource(variant).rstrip() for variant in exercise.variants]
    names = mentioned("\n".join(functions))
    imports = "\n".join(line for name, line in IMPORTS.items() if name in names)
    top = "\n\n".join(filter(None, [STYLES if is_code else CHOICES, imports]))
    for variant in exercise.variants:
        choice = f"{exercise.task.id} = {variant.__name__}{'' if is_code else '()'}"
        yield "\n\n\n".join([top, *functions, choice])


def _mistakes(exercise: Exercise) -> Iterator[str]:
    """Yield the known wrong answers to a task, each with the helpers that it needs."""
    module = ast.parse(inspect.getsource(inspect.getmodule(exercise.cases)))
    shared = ast.parse(inspect.getsource(wrong_pieces))
    helpers = {
        name: ast.unparse(node)
        for node in [*shared.body, *module.body]
        for name in defined(ast.unparse(node))
    }
    borrowed = re.compile(rf"\b({'|'.join(defined(ast.unparse(shared)))})\b")
    for call in ast.walk(module):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "WrongAnswer":
            keywords = {keyword.arg: keyword.value for keyword in call.keywords}
            given = inspect.signature(WrongAnswer).bind(*call.args, **keywords).arguments["gives"]
            code = [f"{exercise.task.id} = {ast.unparse(given)}"]
            for name in reversed(helpers):  # a helper stands above the code that uses it
                if name in mentioned("\n".join(code)):
                    code.insert(0, helpers[name])
            own = borrowed.sub(r"_\1", "\n\n".join(code))  # named like a learner's own helpers
            yield f"import torch\nfrom torch import Tensor\n\n{own}"


def names() -> Iterator[str]:
    """Yield distinct names of learners."""
    pairs = [
        f"{first} {last}"
        for given, family in NAMES
        for first in given.split()
        for last in family.split()
    ]
    Random(0).shuffle(pairs)
    yield from pairs
    for number in range(2, 1000):
        yield from (f"{pair} {number}" for pair in pairs)


def write(folder: Path, learners: int, hostile: float = 0.0, seed: int = 0) -> list[Path]:
    """Write the notebooks of a class, and return their paths.

    Args:
        folder: folder for the notebooks, created if it is missing.
        learners: number of learners.
        hostile: share of learners whose notebooks attack the grader, spread evenly.
        seed: seed of all random choices.
    """
    folder.mkdir(parents=True, exist_ok=True)
    random, solved = Random(seed), nbformat.read(NOTEBOOK, as_version=4)
    solved.cells = [it for it in solved.cells if "rubric" not in it.metadata.get("tags", [])]
    attacks, files = 0, []
    for number, name in enumerate(islice(names(), learners), start=1):
        notebook = learner_notebook(NOTEBOOK)
        _work(notebook, solved, random)
        if number * hostile >= attacks + 1:
            attack = [*HOSTILE.values()][attacks % len(HOSTILE)]
            notebook.cells.insert(3, nbformat.v4.new_code_cell(attack, id="attack"))
            attacks += 1
        files.append(folder / f"{name}_{NOTEBOOK.name}")
        nbformat.write(notebook, files[-1])
    return files


def _work(notebook: nbformat.NotebookNode, solved: nbformat.NotebookNode, random: Random) -> None:
    """Fill in a notebook as one learner would."""
    half = random.randint(1, 6)
    learners = {"careful": (0, 99), "hasty": (0.4, 99), "half-done": (0.25, half), "idle": (0, 0)}
    learner = random.choices([*learners], [45, 38, 13, 4])[0]
    faulty, left = learners[learner]  # how often an answer is wrong; how many tasks are tried
    for cell, other in zip(notebook.cells, solved.cells, strict=True):
        if left == 0:
            return
        if cell.cell_type == "code":
            cell.outputs = other.outputs  # as large as in learners' files
        if tasks := defined(other.source) & answers().keys():
            right, wrong = answers()[tasks.pop()]
            styles = [right[0], random.choice(right)]
            cell.source = random.choice(wrong if random.random() < faulty else styles)
            left -= 1
        elif ANSWER.match(cell.source) and random.random() < 0.9:
            text = f"{' And '.join(random.sample(REASONS, 2))}. I would {random.choice(TESTS)}."
            cell.source = cell.source.replace(NOT_ANSWERED, text[0].upper() + text[1:])


def attempts(folder: Path, learners: int, seed: int = 0) -> Iterator[Path]:
    """Let a class work on the course from task to task; some learners never get past a task.

    Each attempt is saved by the function with which `check` saves a real one.

    Args:
        folder: folder that gets a folder for each learner, with the course's `exercises` in it.
        learners: number of learners.
        seed: seed of all random choices.

    Yields:
        The file that an attempt has changed, as long as any learner has a task to do.
    """
    random, course = Random(seed), [task for tasks in bank.tasks().values() for task in tasks]
    homes = _homes(folder, learners)
    speed = {home: random.choice([0.05, 0.5, 1, 1, 1.5]) for home in homes}
    ahead = {home: [*course] for home in homes}
    while ahead:
        home = random.choices([*ahead], [speed[home] for home in ahead])[0]
        task = ahead[home][0]
        mistake = random.choice([None, *task.mistakes]) if random.random() < 0.5 else None
        wrong = mistake is not None or random.random() < 0.15
        with contextlib.chdir(home):
            part = random.choice([0, task.points // 2]) if kind_of(task).is_refereed else 0
            save_progress(task, part if wrong else task.points, mistake)
        if not wrong or random.random() < 0.2:  # solved, or given up
            ahead[home].pop(0)
            if not ahead[home]:
                del ahead[home]
        yield home / "progress.json"


def guesses(folder: Path, learners: int, seed: int = 0) -> Iterator[Path]:
    """Let a class in a room guess, question by question: each time all learners, in some order.

    Each guess is saved by the function with which `predict` saves a real one in a room.

    Args:
        folder: folder that gets a folder for each learner, with the course's `exercises` in it.
        learners: number of learners.
        seed: seed of all random choices.

    Yields:
        The file that a guess has changed.
    """
    random, homes = Random(seed), _homes(folder, learners)
    for question in questions().values():
        popular = random.choice(question.options or [random.uniform(*question.between)])
        for home in random.sample(homes, len(homes)):
            if question.options:
                guess = random.choice([popular, *question.options])
            else:
                guess = f"{random.triangular(*question.between, popular):.3g}"
            with contextlib.chdir(home):
                save_for_room(question.text, guess)
            yield home / "guesses.json"


def _homes(folder: Path, learners: int) -> list[Path]:
    """Make the folders in which the learners of a made-up class have their exercises."""
    homes = [folder / name / "attention-course" / "exercises" for name in islice(names(), learners)]
    for home in homes:
        home.mkdir(parents=True, exist_ok=True)
    return homes


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m grading.classroom",
        description="Write the notebooks of a made-up class, to try the grader on.",
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--learners", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    share = "the share that attacks: 0.05 is one in twenty"
    parser.add_argument("--hostile", type=float, default=0.0, help=share)
    live = "no notebooks, but progress and guesses for `python -m grading watch`, until Ctrl-C"
    parser.add_argument("--live", action="store_true", help=live)
    options = parser.parse_args()
    learners, folder, seed = options.learners, options.folder, options.seed
    if not options.live:
        files = write(folder, learners, options.hostile, seed)
        print(f"{len(files)} notebooks in {folder}")
        return
    print(f"{learners} learners at work in {folder} (Ctrl-C ends it)", flush=True)
    past = 12 * learners  # attempts that are dated back to the last 45 minutes
    guessing = guesses(folder, learners, seed)
    with contextlib.suppress(KeyboardInterrupt):
        for number, file in enumerate(attempts(folder, learners, seed)):
            if number < past:
                then = time.time() - 45 * 60 * (1 - number / past)
                os.utime(file, (then, then))
            else:
                next(guessing, None)
                next(guessing, None)
                time.sleep(1)


if __name__ == "__main__":
    main()
