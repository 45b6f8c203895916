"""Records on disk: `NAME.json` holds the text, `NAME.npz` the arrays. No code, no pickle.

exercises/01_attention_concepts.json   tasks, labels of cases, messages
exercises/01_attention_concepts.npz    inputs, expected outputs, outputs of known mistakes
exercises/misconceptions.json          kinds of mistakes, which the tasks share
"""

import io
import json
import math
import struct
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from utils.checks.tasks import Answer, Case, GradientKey, Misconception, Mistake, Record, Task

FOLDER = Path(__file__).parents[2] / "exercises"
# Processors round differently: in stored arrays, which have six decimals, by up to 2e-6. Half of
# what the checks forgive.
SAME = 5e-6
MISCONCEPTIONS = "misconceptions.json"


def save(records: Sequence[Record], path: Path) -> None:
    """Write records to `path` with the endings .json and .npz.

    A file that holds the same already is left alone: words to the letter, numbers to within `SAME`.
    """
    arrays: dict[str, np.ndarray] = {}

    def stored(value: Any, key: str) -> Any:
        if not isinstance(value, Tensor):
            return value
        arrays[key] = value.numpy()
        return {"array": key, "strided": not value.is_contiguous()}

    def answer(one: Answer, key: str) -> None:
        arrays.update({f"{key}/{name}": values for name, values in one.outputs.items()})

    def expect(one: Answer, key: str) -> dict[str, list[str]]:
        answer(one, f"{key}/expected")
        flows = {f"{key}/gradient {i}": flow for i, flow in enumerate(one.gradients.values())}
        arrays.update(flows)
        inputs: dict[str, list[str]] = {}
        for output, input in one.gradients:  # they come output by output
            inputs.setdefault(output, []).append(input)
        return inputs

    content = []
    for record in records:
        key = record.task.id
        cases = [
            {
                "label": case.label,
                **{
                    part: {
                        name: stored(value, f"{key}/{number}/{part}/{name}")
                        for name, value in getattr(case, part).items()
                    }
                    for part in ("inputs", "build", "parameters")
                },
            }
            for number, case in enumerate(record.cases)
        ]
        expected = [expect(one, f"{key}/{i}") for i, one in enumerate(record.expected)]
        for number, mistake in enumerate(record.task.mistakes):
            for i, one in enumerate(record.mistaken[mistake.name]):
                answer(one, f"{key}/{i}/mistake {number}")
        told = {"task": asdict(record.task), "cases": cases, "gradients": expected}
        content.append(told | {"moves": record.moves})
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    _replace(path.with_suffix(".json"), text.encode())
    arrays = {name: _one_nan(values) for name, values in arrays.items()}
    if not _holds(path.with_suffix(".npz"), arrays):
        np.savez(path.with_suffix(".npz"), **arrays)


def _replace(path: Path, content: bytes) -> None:
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


def _one_nan(values: np.ndarray) -> np.ndarray:
    """With the same bits for every NaN: their signs differ from one processor to another."""
    if values.dtype.kind != "f":
        return values
    return np.where(np.isnan(values), values.dtype.type("nan"), values)


def _holds(path: Path, arrays: Mapping[str, np.ndarray]) -> bool:
    """Whether a file has these arrays and no others."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            return set(stored.files) == set(arrays) and all(
                _alike(stored[name], values) for name, values in arrays.items()
            )
    except (OSError, ValueError, zipfile.BadZipFile):  # not there yet, or damaged
        return False


def _alike(stored: np.ndarray, values: np.ndarray) -> bool:
    if stored.dtype != values.dtype or stored.shape != values.shape:
        return False
    if values.dtype.kind != "f":
        return bool((stored == values).all())
    return np.allclose(stored, values, rtol=SAME, atol=SAME, equal_nan=True)


def save_misconceptions(misconceptions: Iterable[Misconception], folder: Path) -> None:
    """Write the vocabulary of misconceptions into a folder of exercises."""
    text = json.dumps([asdict(one) for one in misconceptions], indent=1, ensure_ascii=False) + "\n"
    _replace(folder / MISCONCEPTIONS, text.encode())


def misconceptions() -> dict[str, Misconception]:
    """Slug → misconception."""
    return {entry["slug"]: Misconception(**entry) for entry in _entries(FOLDER / MISCONCEPTIONS)}


def tasks() -> dict[str, list[Task]]:
    """Name of the notebook → its tasks, in the order of the course."""
    return {
        path.stem: [_task(entry["task"]) for entry in _entries(path)]
        for path in sorted(FOLDER.glob("*.json"))
        if path.with_suffix(".npz").exists()
    }


def load(task_id: str) -> Record:
    """The record of one task.

    Raises:
        KeyError: no exercise has that name.
    """
    for path in sorted(FOLDER.glob("*.npz")):
        if f'"id": {json.dumps(task_id)}' in path.with_suffix(".json").read_text(encoding="utf-8"):
            for record in _records(path, task_id):
                return record
    raise KeyError(task_id)


def load_all(path: Path) -> dict[str, Record]:
    """Task → its record, for all records saved under a path."""
    return {record.task.id: record for record in _records(path.with_suffix(".npz"))}


def _records(path: Path, task_id: str | None = None) -> Iterator[Record]:
    """The records in a file of arrays and the JSON beside it; only that of one task if named."""
    arrays = _Arrays(path)
    for entry in _entries(path.with_suffix(".json")):
        if task_id in (None, entry["task"]["id"]):
            yield _record(entry, arrays)


class _Arrays:
    """The arrays in a file of `np.savez`, each read when it is asked for.

    `np.load` opens each as a file in the archive, which takes twenty times as long.
    """

    def __init__(self, path: Path):
        self._data = path.read_bytes()
        with zipfile.ZipFile(io.BytesIO(self._data)) as archive:
            self._places = {one.filename: one.header_offset for one in archive.infolist()}

    def __getitem__(self, name: str) -> np.ndarray:
        place = self._places[f"{name}.npy"]
        start = place + 30 + sum(struct.unpack_from("<HH", self._data, place + 26))
        (length,) = struct.unpack_from("<H", self._data, start + 8)
        end = start + 10 + length
        shape, by_columns, dtype = _header(self._data[start + 8 : end])
        values = np.frombuffer(self._data, dtype, math.prod(shape), end)
        return values.reshape(shape, order="F" if by_columns else "C").copy("K")


@lru_cache(maxsize=1000)
def _header(header: bytes) -> tuple[tuple[int, ...], bool, np.dtype]:
    return np.lib.format.read_array_header_1_0(io.BytesIO(header))


def _entries(path: Path) -> list[dict]:
    return json.loads(path.read_text(encoding="utf-8"))


def _task(entry: dict) -> Task:
    return Task(**{**entry, "mistakes": [Mistake(**told) for told in entry["mistakes"]]})


def _record(entry: dict, arrays: _Arrays) -> Record:
    task = _task(entry["task"])

    def restored(value: Any) -> Any:
        if not (isinstance(value, dict) and "array" in value):
            return value
        tensor = torch.from_numpy(np.ascontiguousarray(arrays[value["array"]]))
        return tensor.mT.contiguous().mT if value["strided"] else tensor

    def answers(kind: str) -> Iterator[Answer]:
        for number, inputs_of in enumerate(entry["gradients"]):
            key = f"{task.id}/{number}"
            outputs = {name: arrays[f"{key}/{kind}/{name}"] for name in task.outputs}
            pairs = [(output, input) for output, inputs in inputs_of.items() for input in inputs]
            gradients = {
                GradientKey(*pair): arrays[f"{key}/gradient {i}"] for i, pair in enumerate(pairs)
            }
            yield Answer(outputs, gradients if kind == "expected" else {})

    cases = [
        Case(
            label=case["label"],
            **{
                part: {name: restored(value) for name, value in case[part].items()}
                for part in ("inputs", "build", "parameters")
            },
        )
        for case in entry["cases"]
    ]
    mistaken = {
        mistake.name: list(answers(f"mistake {number}"))
        for number, mistake in enumerate(task.mistakes)
    }
    return Record(task, cases, list(answers("expected")), mistaken, entry.get("moves", {}))
