"""Our mechanisms against PyTorch's own: the largest differences over all kinds of mask."""

import torch

from tests.parity import CASES, grouped_query, multi_head, scaled_dot_product


def parity() -> dict:
    """Largest relative differences of outputs, weights and gradients; the tests hold the limits."""
    figures = {}
    print(
        f"\n{'case':22} {'dtype':8} {'mechanism':13} {'outputs':>9} {'weights':>9} {'gradients':>9}"
    )
    for case in CASES:
        for dtype in (torch.float32, torch.float64):
            rows = {
                "scaled": [scaled_dot_product(case, dtype)],
                "multi-head": [
                    multi_head(case, dtype, fused, to_torch)
                    for fused in (False, True)
                    for to_torch in (False, True)
                ],
                "grouped-query": [
                    grouped_query(case, dtype, kv_heads, fused)
                    for kv_heads in (1, 2)
                    for fused in (False, True)
                ],
            }
            for mechanism, results in rows.items():
                name = str(dtype).removeprefix("torch.")
                largest = {
                    kind: max(result.get(kind, 0.0) for result in results)
                    for kind in ("outputs", "weights", "gradients")
                }
                numbers = " ".join(f"{value:9.1e}" for value in largest.values())
                print(f"{case.name:22} {name:8} {mechanism:13} {numbers}")
                for kind, value in largest.items():
                    key = f"{mechanism} {name} {kind}"
                    figures[key] = max(figures.get(key, 0.0), value)
    return {key: float(f"{value:.1e}") for key, value in figures.items()}
