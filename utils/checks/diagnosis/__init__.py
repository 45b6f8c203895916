"""State how a wrong answer that makes no known mistake differs from the right one: the relation.

| module | what it describes of an answer that is no known mistake |
|---|---|
| `relations` | how its values differ from the right ones |
| `behaviours` | how its values change if it is called with other inputs |
| `lines` | the first line whose numbers no right answer has, and a right variable that is unused |
| `repairs`, `edits` | the places at which a small change mends it, or leaves one known mistake |
| `two_mistakes` | the two known mistakes that it makes at once |
| `causes` | the likely cause of an exception |
| `kept` | what it keeps from call to call, though each call alone is right |
"""

from utils.checks.diagnosis.behaviours import measure_moves

__all__ = ["measure_moves"]
