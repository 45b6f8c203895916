"""Functions from a sentence to its tokens and back."""

import re
import unicodedata
from collections.abc import Sequence

_TOKEN = re.compile(
    r"""
      (?:n't|'(?:s|m|d|re|ve|ll))\b              # an English clitic, behind its word: 's n't
    | (?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)'       # a French clitic, before its word: l' qu'
    | \d+(?:[.,:]\d+)+                           # a number with points in it: 1,250.75 or 10:30
    | \w+?(?=n't\b)                              # the word before n't
    | \w+(?:-\w+)*(?='(?:s|m|d|re|ve|ll)\b)      # the word before 's
    | \w+(?:['-]\w+)*                            # any other word: aujourd'hui, t-shirt
    | \S                                         # punctuation, one mark at a time
    """,
    re.VERBOSE,
)
_NO_SPACE_BEFORE = set(".,;:!?)]}%…»”") | {"n't", "'s", "'m", "'d", "'re", "'ve", "'ll"}
_NO_SPACE_AFTER = set("([{$£«„#@")
_QUOTES = set('"„“”')


def tokenise(text: str) -> tuple[str, ...]:
    """Split a sentence into words and punctuation, in lower case, with clitics split off.

    One rule serves English, French and German: `l'homme` gives `l'`, `homme`, and `doesn't` gives
    `does`, `n't`. Typographic apostrophes become plain ones; `aujourd'hui`, `t-shirt` and numbers
    such as `1,250.75` stay whole.
    """
    text = unicodedata.normalize("NFC", text).lower().replace("’", "'")
    return tuple(_TOKEN.findall(text))


def detokenise(tokens: Sequence[str]) -> str:
    """Join tokens to a sentence, with spaces as in English; their case stays as it is."""
    text, space, in_quotes = "", "", False
    for token in tokens:
        opens, closes = token in _NO_SPACE_AFTER, token in _NO_SPACE_BEFORE
        if token in ('"', "“"):  # these open or close: "so", “so” and „so“
            opens, closes = not in_quotes, in_quotes
        if token in _QUOTES:
            in_quotes = opens
        text += token if closes else space + token
        is_clitic = len(token) > 1 and token.endswith("'")
        space = "" if opens or is_clitic else " "
    return text
