# source: written from the task's text, 2026-11
# mistake: `if value` takes the number 0 for no number
import torch

def number(word, decimal):
    """What a word is worth as a number, or None; `decimal` is the sign before the cents."""
    other = "," if decimal == "." else "."
    try:
        return float(word.replace(other, "").replace(decimal, "."))
    except ValueError:
        return None

def invoice_check(weights, source, target, least):
    best = weights.argmax(dim=1).tolist()
    values = [number(w, ",") for w in target]
    wrong = torch.tensor([bool(v) and number(source[j], ".") != v for v, j in zip(values, best)])
    unsure = torch.tensor([bool(v) and bool(row.max() < least) for v, row in zip(values, weights)])
    return wrong, unsure
