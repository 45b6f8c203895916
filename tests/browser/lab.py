"""Start a real JupyterLab on a copy of the course, and a real browser that opens pages of it."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.needs import find_chromium

if TYPE_CHECKING:  # an extra, which not every machine has
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]  # what axe is to look for on whole pages
START_SECONDS = 300  # far more than an idle machine needs
RUN_MILLISECONDS = 600_000  # far more than an idle machine needs


def copy_course(folder: Path) -> Path:
    """Copy all notebooks into a folder, so that tests do not change the originals; return it.

    The copy's settings make JupyterLab put all cells into the page, even those out of sight.
    """
    ignored = shutil.ignore_patterns(".ipynb_*", "progress.json", "__pycache__")
    for name in ("notebooks", "exercises", "solutions", ".jupyter"):
        if (ROOT / name).exists():  # learners of a graded class have no solutions
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    shutil.copy(ROOT / "README.md", folder)
    overrides = folder / ".jupyter/labconfig/default_setting_overrides.json"
    settings = json.loads(overrides.read_text())
    settings["@jupyterlab/notebook-extension:tracker"] = {"windowingMode": "none"}
    overrides.write_text(json.dumps(settings))
    return folder


@contextlib.contextmanager
def running_lab(course: Path) -> Iterator[str]:
    """Run JupyterLab as `make lab` starts it, but without opening a browser; stop it at the end.

    Yields:
        The address that it prints, with its token.

    Raises:
        RuntimeError: it did not start in time.
    """
    jupyter = Path(sys.executable).with_name("jupyter")
    notebooks = sorted((course / "notebooks").glob("*.ipynb"))
    # A home of its own: what earlier runs left in the user's settings must not help or harm.
    homes = ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    environment = {**os.environ, **dict.fromkeys(homes, str(course / "home"))}
    environment["JUPYTER_CONFIG_PATH"] = str(course / ".jupyter")
    subprocess.run([jupyter, "trust", *notebooks], env=environment, check=True, capture_output=True)
    log = course / "lab.log"
    with log.open("w") as stream:
        lab = subprocess.Popen(
            [jupyter, "lab", "--no-browser", "--expose-app-in-browser", f"--port={_free_port()}"],
            cwd=course,
            env=environment,
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
    try:
        yield wait_for_address(lab, log)
    finally:
        lab.terminate()
        try:
            lab.wait(timeout=60)
        except subprocess.TimeoutExpired:  # a kernel that is at work does not end when it is asked
            lab.kill()
            lab.wait()


def _free_port() -> int:
    """Return a free port.

    Two labs that start at the same time could otherwise both choose the default, 8888.
    """
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def wait_for_address(lab: subprocess.Popen, log: Path) -> str:
    """Wait until JupyterLab answers at the address in its log; return that address.

    Raises:
        RuntimeError: it did not start in time.
    """
    start = time.monotonic()
    while time.monotonic() - start < START_SECONDS and lab.poll() is None:
        for word in log.read_text().split():
            if word.startswith("http://localhost"):
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(word).close()
                    return word
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()}")


@contextlib.contextmanager
def running_browser() -> Iterator["Browser"]:
    """Start this machine's own Chromium without a window; close it at the end."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(),
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
            ],
        )
        yield browser
        browser.close()


@contextlib.contextmanager
def watched_page(browser: "Browser", *own: str) -> Iterator["Page"]:
    """Open a page; an error, a missing file or a request to another host fails the test.

    The test fails when the page is closed, at the end of the `with` block.

    Args:
        browser: a running browser.
        own: prefixes of the addresses that the page may request.
    """
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(RUN_MILLISECONDS)
    faults: list[str] = []
    own = (*own, "data:", "blob:", "about:")

    def note(text: str, is_fault: bool = True) -> None:
        if is_fault:
            faults.append(text)

    page.on("pageerror", lambda error: note(f"{error}\n{error.stack}"))
    page.on("console", lambda line: note(line.text, line.type == "error"))
    page.on("response", lambda response: note(response.url, response.status >= 400))
    page.on("request", lambda request: note(request.url, not request.url.startswith(own)))
    yield page
    page.close()
    if own_faults := [fault for fault in faults if is_own(fault)]:
        pytest.fail("\n".join(own_faults))


def open_notebook(page: "Page", address: str, name: str) -> None:
    """Open a notebook by its file name, and wait until its first picture and its widgets are shown.

    If the kernel answers while JupyterLab still reads the notebook's stored widgets, JupyterLab
    reports that they are missing (about once in a hundred times, on a busy machine). The page is
    then reloaded.
    """
    go_to(page, address, f"notebooks/{name}")
    for _ in range(3):
        page.wait_for_selector(".jp-Notebook .jp-OutputArea-output img", timeout=RUN_MILLISECONDS)
        page.get_by_text("Loading widget...").first.wait_for(state="hidden")
        if page.get_by_text("widget: model not found").count() == 0:
            return
        page.reload()


def is_own(error: str) -> bool:
    """Return whether an error on a page may come from the course, and not from JupyterLab.

    Two errors of JupyterLab's own are known. Both are harmless and come from races while it starts:
    widgets reported missing (see `open_notebook`), and a part of the status bar removed twice. On a
    busy machine, anywidget complains of a model that is not there after two seconds, and goes on.
    Notebook 7 asks, whatever it opens, for a file browser and for a setting that it does not have.
    """
    foreign = (
        "Command 'filebrowser:open-path' not registered",
        "Cannot read properties of undefined (reading 'schema')",
        "widget model not found",
        "Failed to execute 'removeChild' on 'Node'",
        "[anywidget] Failed to initialize model",
    )
    return "blob:" in error or not any(words in error for words in foreign)


def go_to(page: "Page", address: str, path: str) -> None:
    """Open a file of the course in JupyterLab, and close all that was open there."""
    lab, _, token = address.partition("?")
    page.goto(f"{lab.partition('/lab')[0]}/lab/tree/{path}?reset&{token}")


def switch_theme(page: "Page", theme: str) -> None:
    """Switch JupyterLab to the theme "Light" or "Dark", and wait until it is shown."""
    page.evaluate(
        "theme => jupyterapp.commands.execute('apputils:change-theme', {theme})",
        f"JupyterLab {theme}",
    )
    light = str(theme == "Light").lower()
    page.wait_for_selector(f"body[data-jp-theme-light={light}]", state="attached")
