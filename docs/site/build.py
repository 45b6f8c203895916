"""The reading site: `make site`, or `python docs/site/build.py FOLDER`.

It lays the course out for Sphinx, which makes the pages. Notebooks are taken as they are stored.
Where one stores a widget, its picture stays, and beside it what `site.js` needs to bring it to life
in the page: the name of its module, and its state.
"""

import base64
import html
import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path, PurePosixPath

import nbformat
from PIL import Image

from utils.widgets.prediction import NO_GUESS, GuessFirst
from utils.widgets.translator import Translator

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
PAGES = ("notebooks/0*.ipynb", "exercises/0*.ipynb", "docs/*.md", "README.md")
FRONT = {"README.md": "index.md"}
WELCOME = (
    "Type an English sentence. Two small models, trained in this course, translate it here in your "
    "browser: one looks back at your words, the other has to remember them all."
)
PARTS = {"Notebooks": "notebooks", "Exercises": "exercises", "More": "docs"}
LOADED = {"explorers": "utils/widgets/*.js", "translators": "utils/translators/*.safetensors"}
KERNEL_DRAWS = "slider_figure"  # of this a page without a kernel keeps the picture
PICTURE = re.compile(r"data:image/png;base64,(?P<data>[A-Za-z0-9+/=\s]+)")
VIEW = "application/vnd.jupyter.widget-view+json"
STATES = "application/vnd.jupyter.widget-state+json"
LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]+)\]\((?P<target>[^)#\s]*)(?P<place>#[^)\s]+)?\)")
CONTENTS = """
```{toctree}
:caption: %s
:glob:
:hidden:
:maxdepth: 1

%s/*
```
"""


def prepare(folder: Path) -> None:
    """Write everything that Sphinx reads into a folder."""
    pages = {path.relative_to(ROOT) for pattern in PAGES for path in ROOT.glob(pattern)}
    for page in sorted(pages):
        place = folder / FRONT.get(page.as_posix(), page)
        place.parent.mkdir(parents=True, exist_ok=True)
        if page.suffix == ".ipynb":
            notebook = alive(nbformat.read(ROOT / page, as_version=4))
            for cell in notebook.cells:
                if cell.cell_type == "markdown":
                    cell.source = with_links(cell.source, page, pages)
            nbformat.write(notebook, place)
        else:
            text = (ROOT / page).read_text(encoding="utf-8")
            place.write_text(with_links(text, page, pages), encoding="utf-8")
    front = folder / "index.md"
    title, rest = front.read_text(encoding="utf-8").split("\n\n", maxsplit=1)
    contents = "".join(CONTENTS % part for part in PARTS.items())
    front.write_text(f"{title}\n\n{_opening()}\n\n{rest}{contents}", encoding="utf-8")
    shutil.copytree(ROOT / "notebooks" / "images", folder / "notebooks" / "images")
    for name in ("conf.py", "_static"):
        copy = shutil.copytree if (HERE / name).is_dir() else shutil.copy
        copy(HERE / name, folder / name)
    for name, pattern in LOADED.items():
        (folder / "_static" / name).mkdir()
        for path in sorted(ROOT.glob(pattern)):
            shutil.copy(path, folder / "_static" / name)


def _opening() -> str:
    """What a visitor meets first: two translators that one can type to."""
    translator = Translator("The cat sat on the mat")
    place = _place("translator", translator.get_state(), translator.picture())
    return f"{WELCOME}\n\n{place}"


def with_links(text: str, page: Path, pages: set[Path]) -> str:
    """Text whose links hold on the site: what is no page of it becomes its own words.

    JupyterLab calls a heading "3.-Two-blocks", Sphinx "3-two-blocks".
    """

    def changed(link: re.Match) -> str:
        target, place = link["target"], link["place"] or ""
        if "://" in target or target.startswith("mailto:"):
            return link[0]
        place = re.sub(r"[^\w#-]", "", place.lower())
        if target and _resolved(page.parent, target) not in pages:
            return link["text"]
        for name, front in FRONT.items():
            target = re.sub(rf"(^|/){re.escape(name)}$", rf"\1{front}", target)
        return f"[{link['text']}]({target}{place})"

    return LINK.sub(changed, text)


def _resolved(folder: Path, target: str) -> Path:
    parts: list[str] = [*folder.parts]
    for part in PurePosixPath(target).parts:
        if part == "..":
            parts = parts[:-1]
        else:
            parts.append(part)
    return Path(*parts)


def alive(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """A notebook whose widgets a page can show without a kernel."""
    states = notebook.metadata.pop("widgets", {}).get(STATES, {}).get("state", {})
    for cell in notebook.cells:
        if cell.metadata.get("jupyter", {}).get("outputs_hidden"):
            _fold(cell)
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/html" in data:
                data["text/html"] = PICTURE.sub(_lighter, data["text/html"])
            if VIEW not in data:
                continue
            entry = states.get(data.pop(VIEW)["model_id"], {})
            kept = entry.get("state", {})
            module = kept.get("_anywidget_id", "..").split(".")[-2]
            if module and module != KERNEL_DRAWS:
                data["text/html"] = _place(module, kept, data["text/html"])
    return notebook


def _lighter(picture: re.Match) -> str:
    """A picture in 256 colours, which nobody can tell from the first: half the weight of a page."""
    with Image.open(io.BytesIO(base64.b64decode(picture["data"]))) as image:
        written = io.BytesIO()
        image.convert("RGB").quantize(256).save(written, "png", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(written.getvalue()).decode()}"


def _fold(cell: nbformat.NotebookNode) -> None:
    """An answer that stays folded until its reader has guessed, or wants it open."""
    cell.metadata.tags = [*cell.metadata.get("tags", []), "hide-output"]
    cell.outputs = [
        output
        for output in cell.outputs
        if output.get("data", {}).get("text/plain") != repr(GuessFirst())
    ]
    for output in cell.outputs:
        if "text/html" in (data := output.get("data", {})):
            data["text/html"] = data["text/html"].replace(NO_GUESS, "")


def _place(module: str, kept: dict, picture: str) -> str:
    """Where an explorer goes; until it is there, and without scripts, its picture."""
    state = {name: value for name, value in kept.items() if not name.startswith("_")}
    written = html.escape(json.dumps(state, ensure_ascii=False), quote=True)
    return f'<div class="explorer" data-module="{module}" data-state="{written}">{picture}</div>'


def build(folder: Path) -> None:
    """Make the site anew. A warning of Sphinx's, such as a link that leads nowhere, is an error."""
    with tempfile.TemporaryDirectory() as source:
        prepare(Path(source))
        shutil.rmtree(folder, ignore_errors=True)
        options = ["-q", "--fail-on-warning", "--builder=html", "--doctree-dir", f"{source}/.trees"]
        subprocess.run(
            [sys.executable, "-m", "sphinx", *options, source, folder], check=True, cwd=ROOT
        )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Where should the site go? python docs/site/build.py build/site")
    build(Path(sys.argv[1]))
