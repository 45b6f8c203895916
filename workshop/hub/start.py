"""Copy the course to a learner's home, then become their server; `jupyterhub_config.py` runs this.

It runs as the learner, not as root, so that it can write only files that the learner may write,
even if a link in the learner's home leads elsewhere.
"""

import os
import resource
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat.sign import NotebookNotary

OWN = Path("attention-course")  # in the learner's home
MATERIAL = ("README.md", "docs/*.md", "exercises/*.ipynb", "notebooks/**/*")


def bring(course: Path, own: Path) -> Iterator[Path]:
    """Copy the files of the course that a learner does not have yet.

    A file that exists already is left as it is, since it may hold the learner's work.

    Args:
        course: the folder of the course for all learners.
        own: the learner's own folder.

    Yields:
        The path of each file that was copied.
    """
    for pattern in MATERIAL:
        for source in sorted(course.glob(pattern)):
            target = own / source.relative_to(course)
            if source.is_dir() or os.path.lexists(target):
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            unfinished = target.with_name(f".{target.name}.part")
            unfinished.write_bytes(source.read_bytes())
            unfinished.rename(target)  # never leaves half a file
            yield target


def limit() -> None:
    """Limit memory and number of processes, for this process and all that it starts.

    The limits cannot be raised again. They come from the environment: MEM_LIMIT, which JupyterHub
    sets, is in bytes and holds for each process. PROCESSES counts all processes and threads of the
    account, so each learner needs an account.
    """
    for limited, most in (
        (resource.RLIMIT_DATA, os.environ.get("MEM_LIMIT")),
        (resource.RLIMIT_NPROC, os.environ.get("PROCESSES")),
        (resource.RLIMIT_CORE, 0),
    ):
        if most is not None:
            resource.setrlimit(limited, (int(most), int(most)))


def main() -> None:
    """Copy the course, set the limits, and become the learner's server."""
    os.umask(0o077)
    try:
        notary = NotebookNotary()
        for path in bring(Path(os.environ["COURSE"]), Path.home() / OWN):
            if path.suffix == ".ipynb":
                notary.sign(nbformat.read(path, as_version=4))  # trusted, so its pictures show
    except OSError as error:  # a full disk, say: let the learner work as far as possible
        print(f"Not all of the course could be brought: {error}", file=sys.stderr)
    limit()
    if os.environ.get("SHELL", "").endswith("/nologin"):  # nothing but the hub opens a session
        os.environ["SHELL"] = "/bin/sh"  # for terminals in JupyterLab, which have the limits
    os.execv(sys.executable, [sys.executable, "-m", "jupyterhub.singleuser", *sys.argv[1:]])


if __name__ == "__main__":
    main()
