"""Records on disk: texts in `NAME.json`, numbers in `NAME.safetensors`, no code and no pickle.

exercises/01_attention_concepts.json           tasks, labels of cases, messages, texts
exercises/01_attention_concepts.safetensors    inputs, expected outputs, outputs of known mistakes
exercises/your_turn.…                          the same of the stubs in the course's notebooks
exercises/misconceptions.json                  misconceptions, which the tasks share
"""

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file
from torch import Tensor

from utils.checks.compare import are_close
from utils.checks.tasks import Answer, Case, GradientKey, Misconception, Mistake, Record, Task, Twin

FOLDER = Path(__file__).parents[2] / "exercises"
NUMBERS = ".safetensors"
# Difference up to which stored numbers count as equal, half of what the checks forgive: processors
# round differently, by up to 2e-6 in arrays with six decimals.
SAME = 5e-6
MISCONCEPTIONS = "misconceptions.json"
YOUR_TURN = "your_turn"  # name of the files for stubs in the course's notebooks, which earn nothing
PARTS = ("inputs", "build", "parameters")  # fields of a case


class DamagedFile(Exception):  # noqa: N818 - something to restore, not a fault
    """A file of the course that is damaged or gone; the message says which, and how it comes back.

    Args:
        path: the file.
        why: what is wrong with it.
    """

    def __init__(self, path: Path, why: str):
        name = f"{path.parent.name}/{path.name}"
        super().__init__(
            f"The file {name} of the course is {why}. Restore it, with `git checkout {name}` in "
            "the course's folder, or from a fresh copy of the course; your own files stay as they "
            "are."
        )


@contextlib.contextmanager
def _whole(path: Path) -> Iterator[None]:
    """Tell damage to a file as that: whatever it holds, reading it raises nothing else."""
    try:
        yield
    except DamagedFile:
        raise
    except FileNotFoundError:
        raise DamagedFile(path, "gone") from None
    except Exception as error:
        raise DamagedFile(path, f"damaged ({type(error).__name__})") from None


def save(records: Sequence[Record], path: Path) -> None:
    """Write records to `path` with the endings .json and .safetensors.

    A file is left alone if it has the same texts already, or numbers equal to within `SAME`.
    """
    arrays: dict[str, np.ndarray] = {}
    entries = [_entry(record, arrays) for record in records]
    _write_json(path.with_suffix(".json"), entries)
    if not _holds(path.with_suffix(NUMBERS), arrays):
        save_file(arrays, path.with_suffix(NUMBERS))


def save_misconceptions(misconceptions: Iterable[Misconception], folder: Path) -> None:
    """Write the vocabulary of misconceptions into a folder of exercises."""
    _write_json(folder / MISCONCEPTIONS, [asdict(entry) for entry in misconceptions])


def misconceptions() -> dict[str, Misconception]:
    """Return the vocabulary of misconceptions: slug → misconception."""
    path = FOLDER / MISCONCEPTIONS
    with _whole(path):
        return {entry["slug"]: Misconception(**entry) for entry in _read_json(path)}


def tasks() -> dict[str, list[Task]]:
    """Return the name of each exercise notebook → its tasks, in the order of the course."""
    return {
        path.stem: _tasks_in(path.with_suffix(".json"))
        for path in _paths()
        if path.stem != YOUR_TURN
    }


def turns() -> list[Task]:
    """Return the stubs in the course's notebooks, in the order of the course."""
    path = (FOLDER / YOUR_TURN).with_suffix(".json")
    return _tasks_in(path) if path.exists() else []


def title(notebook: str) -> str:
    """Return the title of a notebook of exercises, as it stands at its top: "01 · Toys"."""
    cells = _read_json(FOLDER / f"{notebook}.ipynb")["cells"]
    return "".join(cells[0]["source"]).partition("\n")[0].strip("# ").partition(":")[0]


def names() -> list[str]:
    """Return the names of all tasks: of the exercises, then of the stubs in the notebooks."""
    return [task.id for path in _paths() for task in _tasks_in(path.with_suffix(".json"))]


def _paths() -> list[Path]:
    """Return the paths of the numbers of all records, though one of a pair of files may be gone."""
    endings = (NUMBERS, ".json")
    patterns = [f"{name}{ending}" for name in ("[0-9]*_*", YOUR_TURN) for ending in endings]
    stems = {path.stem for pattern in patterns for path in FOLDER.glob(pattern)}
    return [FOLDER / f"{stem}{NUMBERS}" for stem in sorted(stems)]


def load(task_id: str) -> Record:
    """Read the record of one task, without the arrays of other tasks.

    Raises:
        KeyError: no task has this name.
        DamagedFile: the task may be in a file that cannot be read.
    """
    for path in _paths():
        texts = path.with_suffix(".json")
        with _whole(texts):
            text = texts.read_text(encoding="utf-8")
            there = f'"id": {json.dumps(task_id)}' in text
            entries = json.loads(text) if there else []
            mine = [entry for entry in entries if entry["task"]["id"] == task_id]
        if mine:
            return _record(mine[0], path)
    names()  # all of them can be read, so it is in none
    raise KeyError(task_id)


def load_all(path: Path) -> dict[str, Record]:
    """Read all records that were saved under a path: name of the task → its record."""
    with _whole(path.with_suffix(".json")):
        entries = _read_json(path.with_suffix(".json"))
        return {entry["task"]["id"]: _record(entry, path.with_suffix(NUMBERS)) for entry in entries}


def _entry(record: Record, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """Convert a record to JSON data, and add its arrays to `arrays`."""
    task, texts = record.task, {}

    def store(key: str, values: np.ndarray) -> None:
        if values.dtype.kind == "U":
            texts[key] = values.tolist()
        else:
            arrays[key] = _with_one_nan(values).copy()  # row by row, as the file has them

    def stored_input(key: str, value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        store(key, value.numpy())
        return {"array": key, "strided": not value.is_contiguous()}

    def stored_inputs(key: str, values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: stored_input(f"{key}/{name}", value) for name, value in values.items()}

    cases, gradients = [], []
    for number, (case, expected) in enumerate(zip(record.cases, record.expected, strict=True)):
        key = f"{task.id}/{number}"
        parts = {part: stored_inputs(f"{key}/{part}", getattr(case, part)) for part in PARTS}
        cases.append({"label": case.label, **parts})
        answers = {"expected": expected}
        for place, mistake in enumerate(task.mistakes):
            answers[f"mistake {place}"] = record.mistaken[mistake.name][number]
        for words, answer in answers.items():
            for name, values in answer.outputs.items():
                store(f"{key}/{words}/{name}", values)
        if record.steps:
            store(f"{key}/steps", record.steps[number])
            store(f"{key}/common", record.common[number])
        if record.pairs:
            store(f"{key}/pairs", record.sketches[number])
        inputs_of: dict[str, list[str]] = {}
        for place, ((output, input), gradient) in enumerate(expected.gradients.items()):
            store(f"{key}/gradient {place}", gradient)
            inputs_of.setdefault(output, []).append(input)  # they come output by output
        gradients.append(inputs_of)
    twins = []
    for place, twin in enumerate(record.twins):
        key = f"{task.id}/twin {place}"
        then = {part: stored_inputs(f"{key}/{part}", new) for part, new in twin.then.items()}
        twins.append({"number": twin.number, "then": then})
        for name, values in twin.outputs.items():
            store(f"{key}/expected/{name}", values)
    entry = {"task": asdict(task), "cases": cases, "gradients": gradients, "moves": record.moves}
    entry |= {"twins": twins} if twins else {}
    if record.pairs:
        store(f"{task.id}/pairs", np.array(record.pairs))
    return {**entry, "texts": texts} if texts else entry


def _record(entry: dict[str, Any], path: Path) -> Record:
    """Restore a record from its JSON data and the file of its arrays."""
    with _whole(path.with_suffix(".json")):
        task, texts, moves = _task(entry["task"]), entry.get("texts", {}), entry["moves"]
        if not entry["cases"]:  # whatever is written would pass
            raise ValueError("no cases")
    with _whole(path), safe_open(path, framework="numpy") as arrays:

        def values(key: str) -> np.ndarray:
            return np.array(texts[key], dtype=str) if key in texts else arrays.get_tensor(key)

        def restored_input(value: Any) -> Any:
            if not (isinstance(value, dict) and "array" in value):
                return value
            tensor = torch.from_numpy(values(value["array"]))
            return tensor.mT.contiguous().mT if value["strided"] else tensor

        def restored(values: dict[str, Any]) -> dict[str, Any]:
            return {name: restored_input(value) for name, value in values.items()}

        def outputs(key: str) -> dict[str, np.ndarray]:
            return {name: values(f"{key}/{name}") for name in task.outputs}

        cases, expected, stored = [], [], set(arrays.keys())
        steps, common, sketches = [], [], []
        mistaken = {mistake.name: [] for mistake in task.mistakes}
        for number, case in enumerate(entry["cases"]):
            parts = {part: restored(case[part]) for part in PARTS}
            cases.append(Case(case["label"], **parts))
            key, inputs_of = f"{task.id}/{number}", entry["gradients"][number]
            pairs = [
                GradientKey(output, name) for output in inputs_of for name in inputs_of[output]
            ]
            flows = {pair: values(f"{key}/gradient {place}") for place, pair in enumerate(pairs)}
            expected.append(Answer(outputs(f"{key}/expected"), flows))
            for place, answers in enumerate(mistaken.values()):
                answers.append(Answer(outputs(f"{key}/mistake {place}")))
            steps += [values(f"{key}/steps")] if f"{key}/steps" in stored else []
            common += [values(f"{key}/common")] if f"{key}/common" in stored else []
            sketches += [values(f"{key}/pairs")] if f"{key}/pairs" in stored else []
        key = f"{task.id}/pairs"
        pairs = [tuple(pair) for pair in values(key).tolist()] if key in stored else []
        twins = [
            Twin(
                twin["number"],
                {part: restored(new) for part, new in twin["then"].items()},
                outputs(f"{task.id}/twin {place}/expected"),
            )
            for place, twin in enumerate(entry.get("twins", []))
        ]
    return Record(task, cases, expected, mistaken, moves, steps, common, twins, pairs, sketches)


def _tasks_in(path: Path) -> list[Task]:
    with _whole(path):
        return [*_tasks_read(path, path.stat().st_mtime_ns)]


@cache
def _tasks_read(path: Path, _changed: int) -> list[Task]:
    return [_task(entry["task"]) for entry in _read_json(path)]


def _task(entry: dict[str, Any]) -> Task:
    task = Task(**{**entry, "mistakes": [Mistake(**mistake) for mistake in entry["mistakes"]]})
    texts = [task.id, task.title, *task.outputs, *task.hints]
    texts += [text for mistake in task.mistakes for text in asdict(mistake).values()]
    counts = [task.points, task.difficulty, task.minutes]
    if {*map(type, texts)} != {str} or {*map(type, counts)} != {int}:
        raise TypeError("a text or a number is something else")
    return task


def _with_one_nan(values: np.ndarray) -> np.ndarray:
    """Give every NaN the same bits, because their signs differ between processors."""
    if values.dtype.kind != "f":
        return values
    return np.where(np.isnan(values), values.dtype.type("nan"), values)


def _holds(path: Path, arrays: Mapping[str, np.ndarray]) -> bool:
    """Decide whether a file has exactly these arrays, up to rounding."""
    try:
        with safe_open(path, framework="numpy") as stored:
            return set(stored.keys()) == set(arrays) and all(
                stored.get_tensor(name).dtype == values.dtype
                and are_close(stored.get_tensor(name), values, SAME)
                for name, values in arrays.items()
            )
    except (OSError, SafetensorError):  # not there yet, or damaged
        return False


def _write_json(path: Path, content: Any) -> None:
    """Write a JSON file, unless it has the same content already."""
    text = (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()
    if not path.exists() or path.read_bytes() != text:
        path.write_bytes(text)


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
