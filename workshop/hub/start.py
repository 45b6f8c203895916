"""Bring the course to a learner, then become their server; `jupyterhub_config.py` starts this.

It runs as the learner, not as root: whatever links somebody puts into their home, it can write
nothing but what they may write themselves.
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
    """Copy the files that are not there yet; what is there may be somebody's work and stays.

    Args:
        course: the folder of the learners' course.
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
            unfinished.rename(target)  # a whole file or none
            yield target


def limit() -> None:
    """Limit this process and all that it starts; none of them can raise these limits.

    MEM_LIMIT, which JupyterHub sets, is in bytes and for each process. PROCESSES is for an account,
    threads included: only for hubs on which each learner has an account.
    """
    for limited, most in (
        (resource.RLIMIT_DATA, os.environ.get("MEM_LIMIT")),
        (resource.RLIMIT_NPROC, os.environ.get("PROCESSES")),
        (resource.RLIMIT_CORE, 0),
    ):
        if most is not None:
            resource.setrlimit(limited, (int(most), int(most)))


def main() -> None:
    """Bring the course, set the limits, and become the server."""
    os.umask(0o077)
    try:
        notary = NotebookNotary()
        for path in bring(Path(os.environ["COURSE"]), Path.home() / OWN):
            if path.suffix == ".ipynb":
                notary.sign(nbformat.read(path, as_version=4))  # its pictures show at once
    except OSError as error:  # a full disk, say: whoever can still work, shall
        print(f"Not all of the course could be brought: {error}", file=sys.stderr)
    limit()
    os.execv(sys.executable, [sys.executable, "-m", "jupyterhub.singleuser", *sys.argv[1:]])


if __name__ == "__main__":
    main()
