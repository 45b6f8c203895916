"""Load small pictures of handwritten digits, on which attention is used without any text."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int64
from safetensors.numpy import load_file


class Digits(NamedTuple):
    """Pictures of digits, and the digit that each picture shows.

    Attributes:
        images: (1797, 8, 8), whole numbers from 0, white, to 16, black.
        target: (1797,), digits from 0 to 9.
    """

    images: Float64[np.ndarray, "1797 8 8"]
    target: Int64[np.ndarray, " 1797"]


def load_digits() -> Digits:
    """Load 1,797 handwritten digits of 8 × 8 pixels, the same as scikit-learn's, in its order.

    Each pixel is the number of dark pixels in a 4 × 4 block of a scanned bitmap of 32 × 32.

    Source: E. Alpaydin and C. Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine
    Learning Repository, 1998, https://doi.org/10.24432/C50P49, the test set (CC BY 4.0).
    """
    arrays = load_file(Path(__file__).with_name("digits.safetensors"))
    return Digits(arrays["images"].astype(np.float64), arrays["target"].astype(np.int64))
