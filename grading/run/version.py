"""Which version of the course this is: machines that grade one class together have to agree."""

import hashlib
import sys
from importlib.metadata import version
from pathlib import Path

CODE = {".py", ".json", ".ipynb", ".toml", ".safetensors"}
NOT_OURS = {"progress.json", ".ipynb_checkpoints"}  # what using the course leaves in it


def version_of(*folders: Path) -> str:
    """A digest of Python, of the libraries that compute, and of all code and data in folders."""
    libraries = [f"{name} {version(name)}" for name in ("torch", "numpy")]
    digest = hashlib.sha256(f"{sys.version_info[:2]} {libraries}".encode())
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in CODE and NOT_OURS.isdisjoint(path.parts):
                place = path.relative_to(folder).as_posix()
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                digest.update(f"{folder.name} {place} {content}\n".encode())
    return digest.hexdigest()[:16]
