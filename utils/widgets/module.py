"""Join an explorer's JavaScript module with those that it imports."""

import re
from pathlib import Path

FOLDER = Path(__file__).parent
IMPORT = re.compile(r'^import \{[^}]*\} from "\./(?P<name>\w+)\.js";\n', flags=re.MULTILINE)


def module(name: str) -> str:
    """Return the text of `name`.js with its imports inside, as the single module anywidget needs.

    Each import of another module in this folder is replaced by that module's text, once. Therefore
    no two modules may use one name for two different things.
    """
    return "\n".join([*_parts(name, seen=set())])


def _parts(name: str, seen: set[str]):
    """Yield the texts of the modules that a module imports, then the module's own text."""
    seen.add(name)
    text = (FOLDER / f"{name}.js").read_text(encoding="utf-8")
    for statement in IMPORT.finditer(text):
        if statement["name"] not in seen:
            for part in _parts(statement["name"], seen):
                yield re.sub(r"^export (?!default)", "", part, flags=re.MULTILINE)
    yield IMPORT.sub("", text)
