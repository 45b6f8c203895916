"""Join an explorer's JavaScript module with those that it imports."""

import re
from pathlib import Path

FOLDER = Path(__file__).parent
IMPORT = re.compile(r'^import \{[^}]*\} from "\./(?P<name>\w+)\.js";\n', flags=re.MULTILINE)
# A classic script, because only such a one knows where in the page it stands.
SCRIPT = """(() => {{
"use strict";
const place = document.currentScript.previousElementSibling;
{host}
{explorer}
enliven(place, widget);
}})();
"""


def module(name: str) -> str:
    """Return the text of `name`.js with its imports inside, as a single module.

    Each import of another module in this folder is replaced by that module's text, once. Therefore
    no two modules may use one name for two different things.
    """
    return "\n".join([*_parts(name, seen=set())])


def script(name: str) -> str:
    """Return a script that brings the explorer in the element before it to life."""
    host = re.sub(r"^export ", "", module("standalone"), flags=re.MULTILINE)
    explorer = module(name).replace("export default", "const widget =")
    return SCRIPT.format(host=host, explorer=explorer)


def _parts(name: str, seen: set[str]):
    """Yield the texts of the modules that a module imports, then the module's own text."""
    seen.add(name)
    text = (FOLDER / f"{name}.js").read_text(encoding="utf-8")
    for statement in IMPORT.finditer(text):
        if statement["name"] not in seen:
            for part in _parts(statement["name"], seen):
                yield re.sub(r"^export (?!default)", "", part, flags=re.MULTILINE)
    yield IMPORT.sub("", text)
