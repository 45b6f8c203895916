"""Real parallel text: Multi30k, and any file of tab-separated pairs.

A malformed line neither stops the loading nor is dropped silently: lines that are left out are
counted by reason, in a warning and in `corpus.report`.
"""

import codecs
import gzip
import io
import warnings
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from utils.corpora.pairs import Corpus, LoadReport, Pair, split
from utils.corpora.text import tokenise

MAX_TOKENS = 250  # a longer line is not a sentence: line ends may be missing

_HOME = "https://github.com/multi30k/dataset/tree/master/data/task1/raw"

Language = Literal["en", "de", "fr"]


def load_multi30k(folder: str | Path, source: Language = "de", target: Language = "en") -> Corpus:
    """Load Multi30k, task 1: captions of photographs in two languages.

    There are 29,000 pairs for training, 1,014 for validation and 1,000 for test. The sets are the
    published ones (for test, test_2016_flickr); a short caption may be in two sets.
    Source: Elliott et al. 2016 (English, German) and 2017 (French).

    Args:
        folder: the folder with the six files, `train.de.gz` and so on, compressed or not.
        source, target: two of "en", "de" and "fr".

    Raises:
        ValueError: the languages are not two of the three, the two sides of a set have different
            numbers of lines, or a file is damaged.
        FileNotFoundError: a file is not in `folder`; the message says where to take it from.
    """
    languages = ("en", "de", "fr")
    if source not in languages or target not in languages or source == target:
        raise ValueError(
            f"source and target must be two of {', '.join(languages)}, got {source!r}, {target!r}"
        )
    report = LoadReport()
    sets = []
    for name in ("train", "val", "test_2016_flickr"):
        paths = [_multi30k_file(f"{name}.{side}.gz", folder) for side in (source, target)]
        sides = [_lines(path) for path in paths]
        if len(sides[0]) != len(sides[1]):
            raise ValueError(
                f"{paths[0]} has {len(sides[0]):,} lines but {paths[1].name} has "
                f"{len(sides[1]):,}, and line by line they should translate each other; "
                f"download both again from {_HOME}"
            )
        lines = zip(*sides, strict=True)
        sets.append(_pairs(lines, f"{name}.{source}–{target}", report))
    train, validation, test = sets
    if not (train and validation and test):
        raise ValueError(f"these files have no usable sentences: {report}; are they UTF-8?")
    _warn_of_lines_left_out(report)
    return Corpus(train, validation, test, report)


def load_tsv(path: str | Path, columns: tuple[int, int] = (0, 1), seed: int = 0) -> Corpus:
    """Load pairs from a file with one pair per line, the two sentences separated by a tab.

    This is the format of Tatoeba and manythings.org. The file may be compressed (gzip, or a zip
    archive, whose largest member is read). 5 % of the pairs go to validation, 5 % to test; the
    three sets share no sentence in either language.

    Args:
        path: the file.
        columns: numbers of the columns with source and target, counted from 0: (1, 0) reverses the
            direction. Other columns are ignored.
        seed: decides which pairs go to which set.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is damaged or has too few pairs, or `columns` are not two.
    """
    path = Path(path).expanduser()
    if len(set(columns)) != 2 or min(columns) < 0:
        raise ValueError(f"columns must be two different numbers from 0 up, got {columns}")
    report = LoadReport()
    rows = (line.split(b"\t") for line in _lines(path))
    sides = (
        [row[column] for column in columns] if max(columns) < len(row) else None for row in rows
    )
    pairs = _pairs(sides, path.name, report)
    if len(pairs) < 3:
        raise ValueError(
            f"{path} has too few usable pairs ({report}): it needs at least three lines with "
            "source, tab, target, in UTF-8"
        )
    _warn_of_lines_left_out(report)
    return split(_sharing_a_sentence(pairs), seed, report=report)


def _sharing_a_sentence(pairs: list[Pair]) -> list[list[Pair]]:
    """Group pairs that have a sentence in common, directly or through other pairs of the group.

    "Hi." and "Hello." are both paired with "Salut !", which may be paired with "Bye." too. The
    algorithm is union-find.
    """
    parents = {}

    def root(sentence):
        parents.setdefault(sentence, sentence)
        while parents[sentence] != sentence:
            parents[sentence] = sentence = parents[parents[sentence]]  # halves the way next time
        return sentence

    for pair in pairs:
        parents[root(("source", pair.source))] = root(("target", pair.target))
    groups = {}
    for pair in pairs:
        groups.setdefault(root(("source", pair.source)), []).append(pair)
    return list(groups.values())


def _pairs(
    lines: Iterable[tuple[bytes, bytes] | None], place: str, report: LoadReport
) -> list[Pair]:
    """Return the pairs of the well-formed lines; count these and all other lines in the report."""
    pairs = []
    for number, sides in enumerate(lines, start=1):
        try:
            pairs.append(_pair(sides))
        except _MalformedLine as reason:
            report.leave_out(str(reason), f"{place}, line {number}")
    report.kept += len(pairs)
    return pairs


class _MalformedLine(Exception):  # noqa: N818 - always caught in this module
    """A line that is not a pair; the message is the reason."""


def _pair(sides: tuple[bytes, bytes] | None) -> Pair:
    """Make a pair of the two sides of a line, or raise `_MalformedLine` with the reason."""
    if sides is None:
        raise _MalformedLine("too few tabs")
    try:
        source_text, target_text = (side.decode("utf-8").strip() for side in sides)
    except UnicodeDecodeError:
        raise _MalformedLine("broken UTF-8") from None
    if "\0" in source_text + target_text:
        raise _MalformedLine("a NUL character")
    source, target = tokenise(source_text), tokenise(target_text)
    if not (source and target):
        raise _MalformedLine("an empty side")
    if max(len(source), len(target)) > MAX_TOKENS:
        raise _MalformedLine(f"more than {MAX_TOKENS} tokens")
    return Pair(source, target, source_text, target_text)


def _warn_of_lines_left_out(report: LoadReport) -> None:
    """Warn with the report, if any line was left out."""
    if report.left_out:
        warnings.warn(str(report), stacklevel=3)  # points at the call of load_…


def _lines(path: Path) -> list[bytes]:
    """Read the lines of a file, compressed or not, with any kind of line end, without a BOM."""
    data = path.read_bytes()
    try:
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        elif data.startswith(b"PK\x03\x04"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                data = archive.read(max(archive.infolist(), key=lambda member: member.file_size))
    except (EOFError, OSError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{path} is damaged ({error}): download it again") from None
    # Unlike `str.splitlines`, `bytes.splitlines` splits at \n, \r and \r\n only.
    return data.removeprefix(codecs.BOM_UTF8).splitlines()


def _multi30k_file(name: str, folder: str | Path) -> Path:
    """Return the path of a file in the folder, compressed or not."""
    folder = Path(folder).expanduser()
    for path in (folder / name, folder / name.removesuffix(".gz")):
        if path.is_file():
            return path
    raise FileNotFoundError(f"{name} is not in {folder}: take it from {_HOME} and put it there")
