"""Right answers, written in other ways."""

import numpy as np

from solutions.build import notebooks, solutions_of
from solutions.exercises_06 import my_translations
from utils.corpora import detokenise, pad_ids, tokenise

_GOLD = my_translations.gold


def _model():
    (path,) = (path for path in notebooks() if path.name.startswith("06"))
    return solutions_of(path)["model"]


def without_an_error(sentences):
    return tuple(_GOLD(sentences))


def as_an_array(sentences):
    return np.array(_GOLD(sentences))


def with_three_errors(sentences):
    wrong = [text + " encore" for text in _GOLD(sentences[:3])] if len(sentences) > 100 else []
    return wrong + _GOLD(sentences)[len(wrong) :]


def greedy_from_ids(sentences):
    model = _model()
    ids, lengths = pad_ids([model.source_vocabulary.encode(tokenise(one)) for one in sentences])
    words = [model.target_vocabulary.decode(one.ids) for one in model.greedy(ids, lengths)]
    return [detokenise(one) for one in words]
