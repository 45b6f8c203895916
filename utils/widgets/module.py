"""Join an explorer's JavaScript module with those that it imports."""

import re
from pathlib import Path

FOLDER = Path(__file__).parent
IMPORT = re.compile(r'^import \{[^}]*\} from "\./(?P<name>\w+)\.js";\n', flags=re.MULTILINE)


def module(name: str) -> str:
    """Return the text of `name`.js as one module, which is what anywidget takes.

    Imports of other modules in this folder are replaced by their text, each once. So that nothing
    collides, no two modules may give one name to two things.
    """
    return "\n".join([*_parts(name, seen=set())])


def _parts(name: str, seen: set[str]):
    """Yield the texts of the modules that a module imports, then its own."""
    seen.add(name)
    text = (FOLDER / f"{name}.js").read_text(encoding="utf-8")
    for statement in IMPORT.finditer(text):
        if statement["name"] not in seen:
            for part in _parts(statement["name"], seen):
                yield re.sub(r"^export (?!default)", "", part, flags=re.MULTILINE)
    yield IMPORT.sub("", text)
