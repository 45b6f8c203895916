"""Pack messages between parent and worker as JSON and safetensors, so that nothing is executed.

A frame consists of the length of its JSON and the length of its arrays (four bytes each), the JSON,
and the arrays as one safetensors file, which is left out if there are no arrays. In the JSON,
{"array": "3"} stands for the array named "3"; a tensor is marked "tensor", and "strided" if it is
laid out column by column. The reader limits the size of a frame, because a worker, which runs a
stranger's code, can send anything.
"""

import json
import math
import struct
from typing import Any, BinaryIO

import numpy as np
import safetensors
import torch
from torch import Tensor

DTYPES = {  # safetensors' name → NumPy's type
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "I64": np.dtype("<i8"),
    "I32": np.dtype("<i4"),
    "U8": np.dtype("|u1"),
    "BOOL": np.dtype("|b1"),
}
MOST_AXES = 8
LARGEST = 2**31  # the product of an array's sizes, with 0 counted as 1, must stay below this
OBJECTS = 32  # the most bytes of Python objects that one byte of JSON can become
CHARACTER = 4  # bytes of a character in an array of texts
LENGTHS = struct.Struct("!II")
_HEADER = struct.Struct("<Q")  # of a safetensors file: the length of the description of its arrays
_NAMES = {dtype: name for name, dtype in DTYPES.items()}


class WireError(ValueError):
    """An error for bytes that are not a frame, or a message that no honest worker sends."""


def pack(message: Any) -> bytes:
    """Return the frame for a message: JSON values, arrays and tensors, nested in any way.

    Raises:
        WireError: an array has a type that cannot be sent.
    """
    header: dict[str, dict[str, Any]] = {}
    blobs: list[bytes] = []
    end = 0

    def described(value: Any) -> Any:
        nonlocal end
        if isinstance(value, Tensor):
            flags = {"tensor": True, "strided": not value.is_contiguous()}
            return described(value.detach().numpy()) | flags
        if isinstance(value, np.ndarray):
            if value.dtype.kind == "U":
                return {"texts": value.tolist()}
            value = value.astype(value.dtype.newbyteorder("<"), copy=False)
            if value.dtype not in _NAMES:
                raise WireError(f"an array of {value.dtype} cannot be sent")
            name, start, end = str(len(blobs)), end, end + value.nbytes
            blobs.append(value.tobytes())
            header[name] = {
                "dtype": _NAMES[value.dtype],
                "shape": value.shape,
                "data_offsets": [start, end],
            }
            return {"array": name}
        if isinstance(value, dict):
            return {str(key): described(item) for key, item in value.items()}
        return [described(item) for item in value] if isinstance(value, list | tuple) else value

    text = json.dumps(described(message)).encode()
    if blobs:  # `safetensors.numpy.save` takes three times as long for arrays as small as these
        about = json.dumps(header).encode()
        blobs[:0] = [_HEADER.pack(len(about)), about]
    return b"".join([LENGTHS.pack(len(text), sum(map(len, blobs))), text, *blobs])


def unpack(stream: BinaryIO, limit: int) -> tuple[Any, int]:
    """Read one frame.

    Args:
        stream: stream of the bytes that were sent.
        limit: maximum decoded size of the message, in bytes.

    Returns:
        The message, and an upper bound on its decoded size in bytes.

    Raises:
        WireError: the bytes are not a frame, or the message is too large.
        ConnectionError: the stream ends within the frame.
    """

    def receive(count: int) -> bytes:
        data = stream.read(count)
        if len(data) < count:
            raise ConnectionError("the sender is gone")
        return data

    text_size, data_size = LENGTHS.unpack(receive(LENGTHS.size))
    left = limit

    def take(count: int) -> None:
        nonlocal left
        left -= count
        if left < 0:
            raise WireError("a frame is too large")

    take(OBJECTS * text_size + data_size)
    try:
        content = json.loads(receive(text_size))
    except (ValueError, RecursionError) as error:
        raise WireError(f"a frame is not JSON: {type(error).__name__}") from None
    data = receive(data_size)
    take(OBJECTS * min(data_size, *_HEADER.unpack_from(data.ljust(_HEADER.size, b"\0"))))
    arrays = _arrays(data) if data else {}

    def restored(value: Any) -> Any:
        if isinstance(value, list):
            return [restored(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "texts" in value:
            texts = _checked_texts(value["texts"])
            # In an array, each text takes as much room as the longest.
            take(CHARACTER * len(texts) * max(map(len, texts), default=0))
            return np.array(value["texts"], dtype=str)
        if "array" not in value:
            return {key: restored(item) for key, item in value.items()}
        name = value["array"]
        if not isinstance(name, str) or name not in arrays:
            raise WireError("an array is missing, or named twice")
        array = arrays.pop(name)
        if not value.get("tensor"):
            return array
        tensor = torch.from_numpy(array)
        turned = value.get("strided") and tensor.dim() > 1
        return tensor.mT.contiguous().mT if turned else tensor

    try:
        message = restored(content)
    except RecursionError:
        raise WireError("a frame is nested too deeply") from None
    if arrays:
        raise WireError("an array has no place in the message")
    return message, limit - left


def _arrays(data: bytes) -> dict[str, np.ndarray]:
    """Return the arrays in bytes that should be a safetensors file; raise `WireError` if not."""
    try:
        entries = safetensors.deserialize(data)
    except safetensors.SafetensorError as error:
        raise WireError(f"these are no arrays: {error}") from None
    arrays = {}
    for name, entry in entries:
        shape, dtype = entry["shape"], DTYPES.get(entry["dtype"])
        if dtype is None:
            raise WireError(f"an array of {entry['dtype']}")
        if len(shape) > MOST_AXES or math.prod(size or 1 for size in shape) >= LARGEST:
            raise WireError("an array of an impossible shape")
        arrays[name] = np.frombuffer(entry["data"], dtype).reshape(shape)
    return arrays


def _checked_texts(value: Any) -> list[str]:
    """Return a text, or a list of texts, as a list; raise `WireError` for any other value."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise WireError("an array of texts holds something else")
    return texts
