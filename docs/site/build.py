"""Build the reading site: `make site`, or `python docs/site/build.py FOLDER`.

It copies the course into a folder from which Sphinx makes the pages. Notebooks are not run: their
stored outputs are shown, and `site.js` makes the widgets in them interactive.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path, PurePosixPath

import front_page
import nbformat
from without_kernel import without_kernel

from utils.sheet import sheet
from utils.widgets.pictured import explorer_place
from utils.widgets.questions import whole_bank
from utils.widgets.standalone import with_explorers

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
PAGES = ("notebooks/[0-9]*.ipynb", "exercises/[0-9]*.ipynb", "docs/*.md", "README.md")
FRONT = {"README.md": "course.md"}  # `front_page.py` writes the front page
PARTS = {"Notebooks": "notebooks", "Exercises": "exercises", "More": "docs"}
LOADED = {"explorers": "utils/widgets/*.js", "translators": "utils/translators/*.safetensors"}
LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]+)\]\((?P<target>[^)#\s]*)(?P<place>#[^)\s]+)?\)")
# What screen readers miss in the theme's pages, and what takes its place.
MENDED = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="all pages">',
    '<aside class="toc-drawer': '<aside aria-label="this page" class="toc-drawer',
    '<a href="#" class="back-to-top': '<nav aria-label="top"><a href="#" class="back-to-top',
    "<span>Back to top</span>\n        </a>": "<span>Back to top</span></a></nav>",
    '<th class="head"><p></p></th>': "<td></td>",
    '<div id="search-results">': '<h1>Search</h1>\n<div id="search-results">',
}
# The theme's links to its first page, which is not the front page.
HOME = re.compile(r'href="[^"]*"(?=>\s*<(span class="sidebar-brand-text"|div class="brand")>)')
CONTENTS = """
```{toctree}
:caption: %s
:glob:
:hidden:
:maxdepth: 1

%s/*
```
"""
REVIEW = """# Questions that come back

Questions on the whole course, in any order. What goes wrong is asked again, in other numbers.
Nothing is kept here: in JupyterLab, `from utils.widgets import review; review()` keeps what you
know, and asks again when you are about to forget it.

```{raw} html
%s
```
"""


def prepare(folder: Path) -> None:
    """Write all that Sphinx reads into a folder: pages, images, and the files that pages load."""
    pages = {path.relative_to(ROOT) for pattern in PAGES for path in ROOT.glob(pattern)}
    for page in sorted(pages):
        place = folder / FRONT.get(page.as_posix(), page)
        place.parent.mkdir(parents=True, exist_ok=True)
        if page.suffix == ".ipynb":
            notebook = with_explorers(without_kernel(nbformat.read(ROOT / page, as_version=4)))
            for cell in notebook.cells:
                if cell.cell_type == "markdown":
                    cell.source = with_links(cell.source, page, pages)
            nbformat.write(notebook, place)
        else:
            text = (ROOT / page).read_text(encoding="utf-8")
            place.write_text(with_links(text, page, pages), encoding="utf-8")
    questions = explorer_place("questions", whole_bank().shared(), "")
    (folder / "docs" / "review.md").write_text(REVIEW % questions, encoding="utf-8")
    contents = "".join(CONTENTS % part for part in PARTS.items())
    with (folder / "course.md").open("a", encoding="utf-8") as course:
        course.write(contents)
    shutil.copytree(ROOT / "notebooks" / "images", folder / "notebooks" / "images")
    for name in ("conf.py", "_static"):
        copy = shutil.copytree if (HERE / name).is_dir() else shutil.copy
        copy(HERE / name, folder / name)
    front = [path for kind in ("css", "js", "safetensors") for path in HERE.glob(f"front/*.{kind}")]
    for path in front:
        _copy(path, folder / "_static")
    for name, pattern in LOADED.items():
        (folder / "_static" / name).mkdir()
        for path in sorted(ROOT.glob(pattern)):
            _copy(path, folder / "_static" / name)


def _copy(path: Path, folder: Path) -> None:
    """Copy a file that pages load; weights are deflated, since servers compress texts only."""
    if path.suffix == ".safetensors":
        (folder / f"{path.name}.z").write_bytes(zlib.compress(path.read_bytes(), 9))
    else:
        shutil.copy(path, folder)


def with_links(text: str, page: Path, pages: set[Path]) -> str:
    """Return a page's text with its links adapted to the site.

    A link to a file that is not a page is replaced by its text; links to other sites stay. Anchors
    of headings are changed from JupyterLab's form, such as "3.-Two-blocks", to Sphinx's form,
    "3-two-blocks".

    Args:
        text: Markdown of the page, or of a cell of it.
        page: path of the page, relative to the course.
        pages: paths of all pages of the site, relative to the course.
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
    """Return the path to which a relative link in a folder leads, whether or not it exists."""
    parts: list[str] = [*folder.parts]
    for part in PurePosixPath(target).parts:
        if part == "..":
            parts = parts[:-1]
        else:
            parts.append(part)
    return Path(*parts)


def build(folder: Path) -> None:
    """Build the site into a folder, which is emptied first.

    Raises:
        CalledProcessError: Sphinx reported an error or a warning, such as a broken link.
    """
    with tempfile.TemporaryDirectory() as source:
        prepare(Path(source))
        shutil.rmtree(folder, ignore_errors=True)
        options = ["-q", "--fail-on-warning", "--builder=html", "--doctree-dir", f"{source}/.trees"]
        subprocess.run(
            [sys.executable, "-m", "sphinx", *options, source, folder], check=True, cwd=ROOT
        )
    for page in folder.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for faulty, right in MENDED.items():
            text = text.replace(faulty, right)
        home = f"{'../' * (len(page.relative_to(folder).parts) - 1)}index.html"
        text = HOME.sub(f'href="{home}"', text)
        page.write_text(text, encoding="utf-8")
    front_page.write(folder)
    (folder / "sheet.html").write_text(sheet(), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Where should the site go? python docs/site/build.py build/site")
    build(Path(sys.argv[1]))
