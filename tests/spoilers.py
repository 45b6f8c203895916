"""Find what gives the answer to a prediction away, in the page of a notebook that nobody has run.

A reader who has been asked to guess sees the code of the answer's cell, but not its output, which
is folded. So the answer may not stand in that code as a literal, nor in anything that is open from
the heading above the question to the next heading: prose, alt texts, outputs of other cells.
"""

import ast
import builtins
import re
from collections.abc import Iterator, Sequence

from nbformat import NotebookNode

from utils.checks.code import defined, syntax

ANSWER = re.compile(r"^The answer: (?:≈ )?(.+)$", flags=re.MULTILINE)
FOLD = re.compile(r"(?<=</summary>).*?(?=</details>)", flags=re.DOTALL)  # its title is open
HEADING = re.compile(r"^#+ .*$", flags=re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?( ?%)?")
WORDS = ["zero", "one", "two", "three", "four", "five", "six"]
WORDS += ["seven", "eight", "nine", "ten", "eleven", "twelve"]
LABEL = 6  # words: a longer string in code is an alt text
SHORT = 6  # letters: a shorter word says something about the answer in the next paragraph alone


def spoilers(cells: Sequence[NotebookNode]) -> list[str]:
    """Return a line for each thing that gives away the answer to a prediction."""
    found = []
    for place, cell in enumerate(cells):
        asked = re.search(r"^(\w+) = predict\(", cell.source, flags=re.MULTILINE)
        if cell.cell_type == "code" and asked:
            code = next(other for other in cells[place + 1 :] if other.cell_type == "code")
            if _is_literal(code.source, asked[1]):
                found.append(f"{asked[1]}: its answer stands as a literal in the next cell")
            answer = ANSWER.search(_printed(code))
            if answer:
                secret = Secret(answer[1].strip(), [*_strings(cell.source)])
                texts = _around(cells, place, code)
                found += [
                    f"{asked[1]}: {where} says {secret.answer}: {text.strip()[:80]}"
                    for where, text, nearest in texts
                    if secret.is_told(text, nearest)
                ]
    return found


def _around(
    cells: Sequence[NotebookNode], place: int, code: NotebookNode
) -> Iterator[tuple[str, str, bool]]:
    """Yield what stands open around a question: where it stands, the text, whether it is nearest.

    Args:
        cells: the notebook.
        place: index of the cell that asks.
        code: the cell that finds the answer.
    """
    for text in _strings(code.source):
        if len(text.split()) > LABEL:
            yield "a text in the code of the answer", text, True
    for text in _before(cells[:place]):
        yield "what stands above the question", text, False
    after = cells[cells.index(code) + 1 :]
    for distance, cell in enumerate(after):
        text = FOLD.sub("", cell.source) if cell.cell_type == "markdown" else _visible(cell)
        heading = HEADING.search(text) if cell.cell_type == "markdown" else None
        yield "what stands below", text[: heading.start()] if heading else text, distance == 0
        if heading:
            return


def _before(cells: Sequence[NotebookNode]) -> list[str]:
    """Return the open texts from the last heading to the end of some cells."""
    texts: list[str] = []
    for cell in reversed(cells):
        if cell.cell_type == "code":
            texts.append(_visible(cell))
            continue
        text = FOLD.sub("", cell.source)
        headings = [*HEADING.finditer(text)]
        texts.append(text[headings[-1].start() :] if headings else text)
        if headings:
            break
    return texts


def _is_literal(source: str, name: str) -> bool:
    """Decide whether the argument of `name.reveal(…)` is known without computing anything."""
    tree = syntax(source)
    nodes = [*ast.walk(tree)]
    constant = {
        defined_name
        for statement in tree.body
        if isinstance(statement, ast.Assign) and not _names(statement.value)
        for defined_name in defined(ast.unparse(statement))
    } - {ast.unparse(node.target) for node in nodes if isinstance(node, ast.AugAssign)}
    for node in nodes:
        if isinstance(node, ast.Call) and ast.unparse(node.func) == f"{name}.reveal":
            return not any(_names(each) - constant - {name} for each in node.args)
    return False


def _names(node: ast.AST) -> set[str]:
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return {each for each in names if not hasattr(builtins, each)}


def _strings(source: str) -> Iterator[str]:
    for node in ast.walk(syntax(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _printed(cell: NotebookNode) -> str:
    data = [
        output.get("text") or output.get("data", {}).get("text/plain", "")
        for output in cell.outputs
    ]
    return "\n".join(data)


def _visible(cell: NotebookNode) -> str:
    """Return what the outputs of a code cell show, if they are not folded."""
    folded = cell.metadata.get("jupyter", {}).get("outputs_hidden")
    return "" if folded else _printed(cell)


class Secret:
    """An answer that the page must not tell.

    Args:
        answer: a number or an option, as it is printed.
        strings: the strings in the question's code, the options among them.
    """

    def __init__(self, answer: str, strings: Sequence[str]):
        self.answer = answer
        self._others = [each for each in strings if each != answer]

    def is_told(self, text: str, nearest: bool) -> bool:
        """Decide whether a text holds the answer: a number, however rounded, or an option's words.

        A text that holds another option as well decides nothing. A whole number up to twelve, or a
        short word, is looked for in the nearest text only.
        """
        if not re.fullmatch(r"-?[\d,]+(\.\d+)?(e-?\d+)?", self.answer):
            return (
                (nearest or len(self.answer) >= SHORT)
                and _holds(text, self.answer)
                and not any(_holds(text, other) for other in self._others)
            )
        value = float(self.answer.replace(",", ""))
        if value == int(value) and 0 <= value <= 12:
            word = WORDS[int(value)] if value > 1 else "-"  # "one" is everywhere
            return nearest and (_holds(text, str(int(value))) or _holds(text, word))
        return any(_same(match, value) for match in NUMBER.finditer(text))


def _holds(text: str, words: str) -> bool:
    wanted = re.escape(words.strip(".?! ").lower())
    return bool(re.search(rf"(?<![\w.,]){wanted}(?!\w|[.,]\d)", text.lower()))


def _same(match: re.Match, value: float) -> bool:
    """Decide whether a number in a text is a value, rounded to two digits or more."""
    digits = match[0].rstrip(" %").replace(",", "")
    decimals = len(digits.partition(".")[2])
    if len(digits.strip("-0.").replace(".", "")) < 2 and float(digits) != value:
        return False
    scale = 0.01 if match[1] else 1.0
    return abs(float(digits) * scale - value) <= 0.5 * scale * 10**-decimals
