"""Print how far our mechanisms differ from PyTorch's own, for each kind of mask."""

import torch

from tests.parity import CASES, grouped_query, multi_head, scaled_dot_product

QUANTITIES = "outputs", "weights", "gradients"
BOTH = False, True


def parity() -> None:
    """Print the largest relative differences; `tests/test_parity.py` tests that they are small."""
    print(f"\n{'case':22} {'dtype':14} {'mechanism':13}", *(f"{name:>9}" for name in QUANTITIES))
    for case in CASES:
        for dtype in (torch.float32, torch.float64):
            for mechanism, results in {
                "scaled": [scaled_dot_product(case, dtype)],
                "multi-head": [
                    multi_head(case, dtype, fused, back) for fused in BOTH for back in BOTH
                ],
                "grouped-query": [
                    grouped_query(case, dtype, kv_heads, fused)
                    for kv_heads in (1, 2)
                    for fused in BOTH
                ],
            }.items():
                largest = (max(result.get(name, 0.0) for result in results) for name in QUANTITIES)
                numbers = " ".join(f"{value:9.1e}" for value in largest)
                print(f"{case.name:22} {dtype!s:14} {mechanism:13} {numbers}")
