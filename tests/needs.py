"""Skip tests that need something which this machine lacks, such as a browser.

The reason of each mark says what is missing, and after the arrow how to get it. `make test` lists
at its end each reason once, with the number of tests that it skipped.
"""

import importlib.util
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from utils.pretrained import store

MULTI30K = Path(__file__).parents[1] / "../shared/data/multi30k"


@cache
def sandbox_works() -> bool:
    """Return whether bubblewrap is installed and may make namespaces, which some systems forbid."""
    command = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
    return shutil.which("bwrap") is not None and not subprocess.run(command, stderr=-3).returncode


@cache
def networks_work() -> bool:
    """Return whether this user may make network namespaces and virtual links between them."""
    command = ["unshare", "--net", "ip", "link", "add", "type", "veth"]
    there = all(map(shutil.which, ("unshare", "ip")))
    return there and not subprocess.run(command, stderr=-3).returncode


@cache
def find_chromium() -> str | None:
    """Return the path of this machine's Chromium or Chrome, or None.

    A browser that Playwright has downloaded does not count.
    """
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next(filter(None, map(shutil.which, names)), None)


def may_read_everything() -> bool:
    """Return whether this user is root, who may read files whatever their permissions."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _needs(there: bool, reason: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not there, reason=reason)


sandbox = _needs(
    sandbox_works(), "no bubblewrap that works, for the grader's sandbox → apt install bubblewrap"
)
chromium = _needs(
    find_chromium() is not None and importlib.util.find_spec("playwright") is not None,
    "no browser, to look at the course → apt install chromium, and pip install -e .[browser]",
)
make = _needs(os.name != "nt" and shutil.which("make") is not None, "no make → apt install make")
unix = _needs(os.name != "nt", "Windows has no such files, links or forks → run the tests on Linux")
ordinary_user = _needs(
    os.name != "nt" and not may_read_everything(),
    "root may read and write everything → run the tests as an ordinary user",
)
root = _needs(may_read_everything(), "no second account to try → run the tests as root")
multi30k = _needs(
    MULTI30K.is_dir(),
    "no real text → put Multi30k (train.en.gz and so on) into ../shared/data/multi30k",
)
notebook_7 = _needs(
    importlib.util.find_spec("notebook") is not None, "no Jupyter Notebook 7 → pip install notebook"
)
site = _needs(
    importlib.util.find_spec("sphinx") is not None, "no Sphinx, for the reading site → make site"
)
ruff = _needs(
    importlib.util.find_spec("ruff") is not None, "no ruff, for the code on slides → make lint"
)
ruby = _needs(
    shutil.which("ruby") is not None, "no Ruby, which Canvas is written in → apt install ruby"
)
php = _needs(
    shutil.which("php") is not None, "no PHP, which Moodle is written in → apt install php-cli"
)
dask = _needs(
    importlib.util.find_spec("distributed") is not None,
    "no Dask, to grade on a cluster → pip install -e .[cluster]",
)
transformers = _needs(
    importlib.util.find_spec("transformers") is not None,
    "no transformers, to compare with → pip install -e .[transformers]",
)
anki = _needs(
    all(map(importlib.util.find_spec, ("anki", "genanki"))),
    "no Anki, to import the cards → pip install -e .[cards,anki]",
)
gguf = _needs(
    all(map(importlib.util.find_spec, ("gguf", "tokenizers"))),
    "no gguf and tokenizers, to read real models → pip install -e .[real]",
)
real_model = _needs(store.is_here(), "no real model → make real")
networks = _needs(
    networks_work(),
    "no networks of its own → run the tests as root, with the program ip (apt install iproute2)",
)
