"""Test that an attention layer equals that of the library `transformers`, if it is installed."""

import importlib

import pytest
import torch

from tests import needs
from tests.real_models import STRETCH
from utils.attention import MultiHeadAttention
from utils.kv_cache import KVCache
from utils.masks import causal_mask, window_mask
from utils.positions import RotaryPositions, rotary_frequencies, stretched_frequencies

pytestmark = [needs.transformers, pytest.mark.slow]

DIM, LENGTH, LAYER = 32, 23, 0
TOLERANCE = 1e-4  # they compute their angles in float32
SIZES = {"hidden_size": DIM, "num_attention_heads": 4, "num_key_value_heads": 2}
ROPE = {"rope_theta": 500.0}  # a small base, so that a wrong one shows in few words


def frequencies(head_dim):
    return rotary_frequencies(head_dim, base=500.0)


# The settings of theirs; those of ours; the frequencies of ours; the window.
CASES = {
    "Llama": ("Llama", {}, {}, frequencies(8), None),
    "Llama, biased": ("Llama", {"attention_bias": True}, {"bias": True}, frequencies(8), None),
    "Llama, own head width": ("Llama", {"head_dim": 12}, {"head_dim": 12}, frequencies(12), None),
    "Llama 3, stretched": (
        "Llama",
        {"rope_parameters": ROPE | STRETCH | {"rope_type": "llama3"}},
        {},
        stretched_frequencies(frequencies(8), *STRETCH.values()),
        None,
    ),
    "Llama, interpolated": (
        "Llama",
        {"rope_parameters": ROPE | {"rope_type": "linear", "factor": 3.0}},
        {},
        frequencies(8) / 3,
        None,
    ),
    "Mistral": ("Mistral", {"sliding_window": None}, {}, frequencies(8), None),
    **{
        f"Mistral, window {window}": (
            "Mistral",
            {"sliding_window": window},
            {},
            frequencies(8),
            window,
        )
        for window in (2, 5, 22, 100)
    },
    "Qwen 2": ("Qwen2", {}, {"bias": "inputs"}, frequencies(8), None),
    "Qwen 3": (
        "Qwen3",
        {"head_dim": 10, "rms_norm_eps": 1e-2},
        {"head_dim": 10, "qk_norm": 1e-2},
        frequencies(10),
        None,
    ),
    "Qwen 3, window 6": (
        "Qwen3",
        {"head_dim": 10, "sliding_window": 6, "use_sliding_window": True, "max_window_layers": 0},
        {"head_dim": 10, "qk_norm": 1e-6},
        frequencies(10),
        6,
    ),
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def make_both(case):
    """Return their layer with its configuration and turning, and ours with the same weights."""
    kind, theirs_settings, ours_settings, turns, _ = case
    config = getattr(importlib.import_module("transformers"), f"{kind}Config")(
        **SIZES
        | {"num_hidden_layers": 1, "attn_implementation": "eager", "rope_parameters": ROPE}
        | theirs_settings
    )
    code = importlib.import_module(f"transformers.models.{kind.lower()}.modeling_{kind.lower()}")
    torch.manual_seed(0)
    theirs = getattr(code, f"{kind}Attention")(config, LAYER).double().eval()
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    rotary = getattr(code, f"{kind}RotaryEmbedding")(config).double()
    ours = MultiHeadAttention(
        DIM,
        4,
        kv_heads=2,
        positions=RotaryPositions(2 * len(turns), frequencies=turns),
        **{"bias": False} | ours_settings,
    ).double()
    names = {"q_proj": "W_q", "k_proj": "W_k", "v_proj": "W_v", "o_proj": "W_o"}
    names |= {"q_norm": "norm_q", "k_norm": "norm_k"}
    state = {}
    for name, tensor in theirs.state_dict().items():
        part, _, end = name.partition(".")
        state[f"{names[part]}.{end}"] = tensor
    ours.load_state_dict(state)
    return config, theirs, rotary, ours


@torch.no_grad()
def their_contexts(config, theirs, rotary, words, cuts):
    """Return the contexts of words that their layer reads in pieces, with their cache."""
    from transformers import DynamicCache
    from transformers.masking_utils import create_causal_mask, create_sliding_window_causal_mask

    windowed = theirs.config.sliding_window if hasattr(config, "sliding_window") else None
    make_mask = create_sliding_window_causal_mask if windowed else create_causal_mask
    cache, position, contexts = DynamicCache(config=config), 0, []
    for piece in words.split(cuts, dim=1):
        places = torch.arange(position, position + piece.shape[1])[None]
        mask = make_mask(
            config=config,
            inputs_embeds=piece,
            attention_mask=None,
            cache=cache,
            position_ids=places,
        )
        contexts.append(
            theirs(
                piece,
                position_embeddings=rotary(piece, places),
                attention_mask=mask,
                cache=cache,
            )[0]
        )
        position += piece.shape[1]
    return torch.cat(contexts, dim=1)


@every_case
@pytest.mark.parametrize("cuts", [[LENGTH], [1] * LENGTH, [9, 1, 1, 7, 5]], ids=str)
def test_contexts_are_theirs_at_once_and_with_both_caches(case, cuts):
    config, theirs, rotary, ours = make_both(case)
    words, window = torch.randn(2, LENGTH, DIM).double(), case[-1]
    expected = their_contexts(config, theirs, rotary, words, cuts)
    mask = causal_mask(LENGTH)
    if window is not None:
        mask = mask & window_mask(torch.arange(LENGTH), LENGTH, window - 1)
    for return_weights in ("heads", None):
        whole, _ = ours(words, words, mask=mask, return_weights=return_weights)
        torch.testing.assert_close(whole, expected, atol=TOLERANCE, rtol=0)
        cache, pieces = KVCache(window), []
        for piece in words.split(cuts, dim=1):
            position = cache.position
            memory = cache.extend(ours.remember(piece, position=position))
            pieces.append(ours.attend(piece, memory, position, return_weights=return_weights)[0])
        torch.testing.assert_close(torch.cat(pieces, 1), expected, atol=TOLERANCE, rtol=0)


@every_case
def test_contexts_of_the_other_layout_are_not_theirs(case):
    config, theirs, rotary, ours = make_both(case)
    words = torch.randn(1, LENGTH, DIM).double()
    expected = their_contexts(config, theirs, rotary, words, [LENGTH])
    ours.positions.layout = "pairs"
    wrong, _ = ours(words, words, mask=causal_mask(LENGTH))
    assert (wrong - expected).abs().max() > 100 * TOLERANCE
