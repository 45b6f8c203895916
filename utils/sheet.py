"""Write a sheet of two pages to print: shapes, masks, formulae, the cache, fields of model cards.

`python -m utils.sheet FILE` writes it as HTML. Every number in it is computed here, by the course's
own functions.
"""

import html
import sys
from collections.abc import Sequence
from pathlib import Path
from string import Template

import torch

from utils.attention import (
    AdditiveAttention,
    DotProductAttention,
    MultiHeadAttention,
    MultiplicativeAttention,
    ScaledDotProductAttention,
)
from utils.masks import causal_mask, masked_softmax, padding_mask, window_mask
from utils.metrics import attention_entropy
from utils.model_card import LONG, in_units, read_card, stored_cards
from utils.model_helpers import count_parameters
from utils.running_example import KEYS, QUERIES, SOURCE, TARGET
from utils.widgets.cache_explorer import cards_by_kind

PAGE = Path(__file__).with_name("sheet.html")
MODEL = "Llama 3.1 8B"  # whose card is read as an example
BATCH, TGT_LEN, SRC_LEN, DIM, HEADS, KV_HEADS = 2, 7, 6, 64, 8, 2  # all shapes in the sheet


def sheet() -> str:
    """Return the sheet as a page of HTML."""
    config = stored_cards()[MODEL]["config"]
    card = read_card(config)
    return Template(PAGE.read_text(encoding="utf-8")).substitute(
        example=_example(),
        scores=_scores(),
        shapes=_shapes(),
        masks=_masks(),
        model=MODEL,
        layers=config["num_hidden_layers"],
        query_heads=config["num_attention_heads"],
        key_heads=config["num_key_value_heads"],
        hidden=f"{config['hidden_size']:,}",
        head_dim=config["hidden_size"] // config["num_attention_heads"],
        context=f"{config['max_position_embeddings']:,}",
        base=f"{config['rope_theta']:,.0f}",
        per_token=f"{card.per_token:,}",
        per_token_in_units=in_units(card.per_token),
        long=f"{LONG:,}",
        kinds=_kinds(),
        cards=_cards(),
    )


def _example() -> str:
    """Work out one row of the running example: what "chat" looks at."""
    query = QUERIES[TARGET.index("chat")]
    scores = KEYS @ query  # (src_len,)
    weights = masked_softmax(scores)  # (src_len,)
    context = ", ".join(f"{number:.2f}" for number in (weights @ KEYS).tolist())  # (2,)
    rows = [
        ["", *SOURCE],
        ["key", *map(_vector, KEYS.tolist())],
        [f"score of {_vector(query.tolist())}", *(f"{score:g}" for score in scores.tolist())],
        ["weight", *(f"{weight:.2f}" for weight in weights.tolist())],
    ]
    looks_at = attention_entropy(weights).exp().item()
    looks_at = f"<i>e<sup>H</sup></i> = {looks_at:.2f} words"
    rows = [[cell.replace("-", "−") for cell in row] for row in rows]
    return f"{_table(rows)}<p>The context is ({context}). The row looks at {looks_at}.</p>"


def _vector(numbers: Sequence[float]) -> str:
    return f"({', '.join(f'{number:g}' for number in numbers)})"


def _scores() -> str:
    """List the scores with their learned numbers, for queries and keys of one width."""
    mechanisms = {
        "dot": ("<i>s</i> · <i>h</i>", DotProductAttention(DIM)),
        "scaled": ("<i>q</i> · <i>k</i> / √<i>d</i>", ScaledDotProductAttention(DIM)),
        "general": ("<i>s</i> · <i>W h</i>", MultiplicativeAttention(DIM, DIM)),
        "additive": (
            "<i>v</i> · tanh(<i>W s</i> + <i>U h</i>)",
            AdditiveAttention(DIM, DIM, attention_dim=DIM),
        ),
    }
    rows = [["score", "formula", f"learned, width {DIM}"]]
    for name, (formula, attention) in mechanisms.items():
        rows.append([name, formula, f"{count_parameters(attention)['total']:,}"])
    return _table(rows)


def _shapes() -> str:
    """Ask the mechanisms themselves for the shapes of what goes in and what comes out."""
    query, keys = torch.randn(BATCH, TGT_LEN, DIM), torch.randn(BATCH, SRC_LEN, DIM)
    context, weights = DotProductAttention(DIM)(query, keys)
    heads = MultiHeadAttention(DIM, HEADS, kv_heads=KV_HEADS)
    split, kept = heads.project_queries(query), heads.project_keys(keys)
    joined, of_heads = heads(query, keys, return_weights="heads")
    tensors = {
        "query": ("batch, tgt_len, query_dim", query),
        "keys, values": ("batch, src_len, key_dim", keys),
        "scores, weights": ("batch, tgt_len, src_len", weights),
        "context": ("batch, tgt_len, value_dim", context),
        "query, split": ("batch, heads, tgt_len, head_dim", split),
        "keys, split": ("batch, kv_heads, src_len, head_dim", kept),
        "weights of heads": ("batch, heads, tgt_len, src_len", of_heads),
        "context, joined": ("batch, tgt_len, dim", joined),
    }
    rows = [["tensor", "its axes", "example"]]
    for name, (axes, tensor) in tensors.items():
        rows.append([name, axes, ", ".join(map(str, tensor.shape))])
    return _table(rows)


def _masks() -> str:
    """Draw four masks of six words; the sheet has the calls that make them."""
    padding, causal = padding_mask([4], 6)[0].expand(6, 6), causal_mask(6)  # (6, 6) each
    window = window_mask(torch.arange(6), 6, 2)  # (6, 6)
    masks = {
        "padding": padding,
        "causal": causal,
        "causal & padding": causal & padding,
        "causal & window": causal & window,
    }
    figures = []
    for name, mask in masks.items():
        cells = "".join("<i class=open></i>" if cell else "<i></i>" for cell in mask.flatten())
        alt = f"{int(mask.sum())} of {mask.numel()} cells are open"
        figures.append(
            f'<figure><div class="grid" role="img" aria-label="{alt}">{cells}</div>'
            f"<figcaption><code>{html.escape(name)}</code></figcaption></figure>"
        )
    return "".join(figures)


def _kinds() -> str:
    """List what one model would keep if all its layers were of another kind."""
    rows = [["layers", "a token", f"{LONG:,} tokens"]]
    for kind, card in cards_by_kind(MODEL).items():
        rows.append([kind, in_units(card.per_token), in_units(card.kept(LONG))])
    return _table(rows)


def _cards() -> str:
    """List what the stored models keep."""
    rows = [["model", "a token", f"{LONG:,} tokens"]]
    for name, stored in stored_cards().items():
        card = read_card(stored["config"])
        rows.append([name, in_units(card.per_token), in_units(card.kept(LONG))])
    return _table(rows)


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of HTML as a table; the first row and the first column are its heads."""
    head, *body = rows
    first = "".join(f'<th scope="col">{cell}</th>' if cell else "<td></td>" for cell in head)
    others = "".join(
        f'<tr><th scope="row">{name}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for name, *cells in body
    )
    return f"<div class=wide><table><tr>{first}</tr>{others}</table></div>"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Where should the sheet go? python -m utils.sheet build/sheet.html")
    place = Path(sys.argv[1])
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(sheet(), encoding="utf-8")
    print(f"{place} is ready: open it in a browser, and print it on two pages of A4.")
