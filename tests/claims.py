"""Measure what the notebooks claim, with other seeds and with twice the steps: `make claims`.

A sentence that rests on a run has a mark behind it in its Markdown cell, which readers do not see:

    Looking back helps far more. <!-- claim: correct["looking back"] > 2 * correct["one vector"] -->

What stands in the mark is Python, and is true or false where the sentence stands. A notebook is run
anew with each seed moved, then with each seed and twice the steps, and the marks say what is left
of its sentences. Some sentences claim less, and their marks say so:

    (this seed)    what the sentence tells of is this run alone
    (these steps)  it tells of a number of steps: other seeds, but no more steps
    (most seeds)   it speaks of most seeds, and not of all
    (stored)       it rests on runs that a benchmark has stored; the sentence says how many

`tests/claims.json` keeps what was measured, `docs/claims.md` tells it.
"""

import argparse
import ast
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "notebooks"
FILE = ROOT / "tests/claims.json"
PAGE = ROOT / "docs/claims.md"
MARK = re.compile(r"\s*<!-- claim(?: \((?P<scope>[^)]*)\))?: (?P<holds>.*?) -->", re.DOTALL)
SENTENCE = re.compile(r"(?<=[.!?:])[*)]* (?=[A-Z(*`])|\n")
SCOPES = ("", "this seed", "these steps", "most seeds", "stored")
FAR = 1_000  # between the seeds of two runs, so that none of the second is one of the first
SEEDED = {"set_seed", "manual_seed"}


@dataclass(frozen=True)
class Claim:
    """A sentence that rests on a run.

    Args:
        notebook: its number, "05".
        cell: index of its cell.
        sentence: what readers read, in Markdown.
        holds: an expression of Python that is true where the sentence is.
        scope: how wide it is: one of `SCOPES`.
    """

    notebook: str
    cell: int
    sentence: str
    holds: str
    scope: str


@dataclass
class Measured:
    """What was seen of a claim: whether it held, in the run that is printed and in others.

    Args:
        claim: number of its notebook, sentence, expression and scope.
        printed: with the seeds that the notebook has.
        seeds: with others, one by one; None where the run did not get so far.
        longer: with others and twice the steps.
    """

    claim: dict[str, str]
    printed: bool | None = None
    seeds: list[bool | None] = field(default_factory=list)
    longer: list[bool | None] = field(default_factory=list)


def claims_of(path: Path) -> list[Claim]:
    """Return the claims of a notebook, in their order.

    Raises:
        ValueError: a mark has an unknown scope, or what it holds is no expression.
    """
    return [
        _claim(path, index, mark)
        for index, cell in enumerate(nbformat.read(path, 4).cells)
        if cell.cell_type == "markdown"
        for mark in MARK.finditer(cell.source)
    ]


def _claim(path: Path, index: int, mark: re.Match) -> Claim:
    scope, holds = mark["scope"] or "", " ".join(mark["holds"].split())
    if scope not in SCOPES:
        raise ValueError(f"{path.name}, cell {index}: ({scope}) is none of {', '.join(SCOPES)}")
    try:
        ast.parse(holds, mode="eval")
    except SyntaxError as error:
        raise ValueError(f"{path.name}, cell {index}: {holds} is no expression") from error
    before = MARK.sub("", mark.string[: mark.start()]).rstrip()
    return Claim(path.name[:2], index, SENTENCE.split(before)[-1].strip(), holds, scope)


# --- Sentences that rest on a run and have no mark -----------------------------------------------

LEARNS = re.compile(r"\.backward\(|\b(Trainer|learn_to_copy|train)\(|import .*\btrain\b|results/")
MEASURED = re.compile(r"(?<![\w.,])\d+\.\d+(?![\w.])")
NOT_PROSE = re.compile(r"```.*?```|\$\$.*?\$\$|\$[^$]*\$|`[^`]*`|Sections? [\d. ,and]+", re.DOTALL)


def unmarked(notebook: NotebookNode) -> list[str]:
    """Return the paragraphs that repeat what a trained network printed, and have no mark.

    What a network gave is what is computed from a name that training has touched, in any cell
    before; only numbers with decimals are looked for, since others come by chance.
    """
    touched: set[str] = set()
    printed: set[str] = set()
    found = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            before = len(touched)
            for statement in ast.parse(cell.source).body:
                touched |= _touched(statement, touched)
            names = {node.id for node in ast.walk(ast.parse(cell.source)) if _is_name(node)}
            if len(touched) > before or names & touched:
                texts = [output.get("text", "") for output in cell.outputs]
                printed |= {*MEASURED.findall(" ".join(texts))}
        else:
            for paragraph in re.split(r"\n\s*\n", NOT_PROSE.sub("", cell.source)):
                told = printed & {*MEASURED.findall(MARK.sub("", paragraph))}
                if told and not MARK.search(paragraph):
                    found.append(f"{', '.join(sorted(told))} in: {paragraph[:100]}")
    return found


def _touched(statement: ast.stmt, touched: set[str]) -> set[str]:
    """Return the names that a statement sets, if training has to do with it."""
    read = {node.id for node in ast.walk(statement) if _is_name(node)}
    if not read & touched and not LEARNS.search(ast.unparse(statement)):
        return set()
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    written = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
    return {node.id for node in written if isinstance(node.ctx, ast.Store)}


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


# --- The notebook, run in another way -------------------------------------------------------------


class _Elsewhere(ast.NodeTransformer):
    """Move the seeds of a cell, and multiply its steps."""

    def __init__(self, moved: int, longer: int):
        self.moved, self.longer = moved, longer

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        name = ast.unparse(node.func).rpartition(".")[2]
        if name in SEEDED and node.args:
            node.args[0] = ast.BinOp(node.args[0], ast.Add(), ast.Constant(self.moved))
        if name != "Experiment":  # what is stored stays as it is
            for keyword in node.keywords:
                keyword.value = self._changed(keyword.arg, keyword.value)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        arguments = node.args.args[len(node.args.args) - len(node.args.defaults) :]
        node.args.defaults = [
            self._changed(argument.arg, default) if argument.arg == "steps" else default
            for argument, default in zip(arguments, node.args.defaults, strict=True)
        ]
        return node

    def _changed(self, name: str | None, value: ast.expr) -> ast.expr:
        if not (isinstance(value, ast.Constant) and isinstance(value.value, int)):
            return value
        if name == "steps":
            return ast.Constant(self.longer * value.value)
        return ast.Constant(value.value + self.moved) if name == "seed" else value


def elsewhere(notebook: NotebookNode, moved: int, longer: int = 1) -> NotebookNode:
    """Return a notebook with its seeds moved and its steps multiplied, and its claims asked.

    Each mark becomes a cell of its own behind the cell that it stands in. What follows the last of
    them is left out.
    """
    cells, asked = [], 0
    for cell in notebook.cells:
        if cell.cell_type == "code":
            tree = _Elsewhere(moved, longer).visit(ast.parse(cell.source))
            cell.source = ast.unparse(ast.fix_missing_locations(tree))
        cells.append(cell)
        for mark in MARK.finditer(cell.source if cell.cell_type == "markdown" else ""):
            ask = nbformat.v4.new_code_cell(f"print(bool({mark['holds'].strip()}))")
            ask.metadata["claim"] = asked
            cells.append(ask)
            asked += 1
    last = max(place for place, cell in enumerate(cells) if "claim" in cell.metadata)
    notebook.cells = cells[: last + 1]
    return notebook


def held(path: Path, moved: int = 0, longer: int = 1) -> list[bool | None]:
    """Run a notebook with its seeds moved, and return which of its claims held.

    A claim is None where the run did not get so far, or where it could not be asked.
    """
    notebook = elsewhere(nbformat.read(path, 4), moved, longer)
    with tempfile.TemporaryDirectory() as folder:
        course = Path(folder) / "notebooks"
        shutil.copytree(NOTEBOOKS, course, ignore=shutil.ignore_patterns("*.ipynb", ".*"))
        where = {"metadata": {"path": str(course)}}
        NotebookClient(notebook, timeout=1800, resources=where, allow_errors=True).execute(
            env=os.environ | {"PYTHONPATH": str(ROOT)}
        )
    asked = [cell for cell in notebook.cells if "claim" in cell.metadata]
    return [_said(cell) for cell in asked]


def _said(cell: NotebookNode) -> bool | None:
    lines = "".join(output.get("text", "") for output in cell.outputs).split()
    return {"True": True, "False": False}.get(lines[-1] if lines else "")


def measure(path: Path, seeds: int, longer: int) -> Iterator[Measured]:
    """Yield what is seen of each claim of a notebook in several runs."""
    claims = claims_of(path)
    moved = [FAR * turn for turn in range(1, seeds + 1)]
    runs = [(0, 1)]
    if any(_is_wide(claim) for claim in claims):
        runs += [(far, 1) for far in moved] + [(far, 2) for far in moved[:longer]]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        seen = [*pool.map(lambda run: held(path, *run), runs)]
    for place, claim in enumerate(claims):
        of = [each[place] for each in seen]
        wide, wider = _is_wide(claim), claim.scope in ("", "most seeds")
        facts = asdict(claim)
        del facts["cell"]
        yield Measured(
            facts, of[0], of[1 : seeds + 1] if wide else [], of[seeds + 1 :] if wider else []
        )


def _is_wide(claim: Claim) -> bool:
    """Decide whether other seeds are tried; a claim on this seed alone tells how others did."""
    return claim.scope != "stored"


# --- What is told of it ---------------------------------------------------------------------------


def share(of: Sequence[bool | None]) -> str:
    """Say how often something held: "9 of 10"; "" where it was not asked."""
    known = [each for each in of if each is not None]
    return f"{sum(known)} of {len(known)}" if known else ""


def page(measured: Sequence[Measured]) -> str:
    """Return the page that tells of each claim, in Markdown."""
    lines = [
        "# What the course claims, and how often it held",
        "",
        "Notebooks draw conclusions from small training runs. Here is each sentence that does, "
        "with the number of runs in which it was true: with other seeds, then also with twice the "
        "steps. *This seed* is told of one run alone (*others*: what was seen with other seeds), "
        "*these steps* of a number of steps, *stored* of runs that come with the course. "
        "`make claims` measures them anew.",
    ]
    for notebook in sorted({each.claim["notebook"] for each in measured}):
        lines += ["", f"## Notebook {notebook}", ""]
        lines += ["| sentence | other seeds | twice the steps |", "|---|---|---|"]
        for each in measured:
            if each.claim["notebook"] == notebook:
                sentence, scope = each.claim["sentence"].replace("|", "\\|"), each.claim["scope"]
                others = share(each.seeds)
                if scope == "this seed" and others:
                    others = f"{scope}; others: {others}"
                figures = f"{others or scope} | {share(each.longer) or scope}"
                lines.append(f"| {sentence} | {figures} |")
    return "\n".join(lines) + "\n"


def load() -> list[Measured]:
    """Return what was measured last."""
    if not FILE.exists():
        return []
    return [Measured(**each) for each in json.loads(FILE.read_text(encoding="utf-8"))]


def main() -> None:
    """Measure the claims of some notebooks or all, and keep and print what held."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="?", default="", help='number of a notebook, such as "05"')
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--longer", type=int, default=3, help="of these, with twice the steps")
    choice = parser.parse_args()
    paths = [path for path in sorted(NOTEBOOKS.glob(f"{choice.only}*.ipynb")) if claims_of(path)]
    if not paths:
        sys.exit(f"No notebook {choice.only} makes a claim.")
    kept = {each.claim["notebook"]: [] for each in load()}
    for each in load():
        kept[each.claim["notebook"]].append(each)
    for path in paths:
        kept[path.name[:2]] = [*measure(path, choice.seeds, choice.longer)]
        for each in kept[path.name[:2]]:
            figures = f"{share(each.seeds) or each.claim['scope']:>9} {share(each.longer):>7}"
            print(f"{path.name[:2]} {each.printed!s:5} {figures}  {each.claim['sentence'][:90]}")
        measured = [each for number in sorted(kept) for each in kept[number]]
        text = ",\n".join(json.dumps(asdict(each), ensure_ascii=False) for each in measured)
        FILE.write_text(f"[\n{text}\n]\n", encoding="utf-8")
        PAGE.write_text(page(measured), encoding="utf-8")


if __name__ == "__main__":
    main()
