"""Test notebook 06: no check asks for a sentence on which the learner's model was trained."""

from solutions import build
from solutions.build import notebooks
from solutions.n06_translate_with_attention.my_translations import exercise
from solutions.specification import Draw


def test_no_sentence_of_the_check_is_in_the_training_pairs():
    (path,) = [path for path in notebooks() if path.name.startswith("06")]
    names = build.names_at_first(path)
    trained = {pair.source_text for pair in names["pairs"]}
    for seed in (1, 2):
        cases = exercise.cases(Draw(seed))
        asked = [sentence for case in cases for sentence in case.inputs["sentences"]]
        assert len(asked) == 200
        assert trained.isdisjoint(asked)
        assert all(map(names["held_back"], asked))
