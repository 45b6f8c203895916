"""Test the record of a language model that learns, and that the stored one was made by it."""

import json

from solutions.record_language_model import BEGINNING, RECORD, STEPS, record


def test_a_record_says_what_the_model_writes_before_and_after_learning():
    made = record((0, 3))
    before, after = made["samples"]
    assert after["bits"] < before["bits"]
    assert before["text"] != after["text"]
    assert all(sample["text"].startswith(BEGINNING) for sample in made["samples"])
    stored = json.loads(RECORD.read_text(encoding="utf-8"))
    assert made.keys() == stored.keys()
    assert [sample["steps"] for sample in stored["samples"]] == list(STEPS)
    assert [sample.keys() for sample in stored["samples"]] == [before.keys()] * len(STEPS)
