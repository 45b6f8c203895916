"""Draw clauses that `words.toml` lists: some are learned as a whole, some have places for words.

    "i want to be a {bare job}" = "je veux être {bare job}"

Places for the same kinds of word are filled alike on both sides.
"""

import re
from collections import Counter
from collections.abc import Callable

from utils.corpora.everyday.predicates import Predicates
from utils.corpora.everyday.rules import (
    Clause,
    definite_article,
    joined,
    partitive_article,
    render_noun_phrase,
)

Filling = Callable[[str, int], str]  # from the head of a place and the side, 1 for French, to words


class Patterns(Predicates):
    """Draws clauses of the lexicon, and words for their places."""

    def pattern(self) -> Clause:
        """Draw a clause of the table of patterns, and words for its places."""
        pattern = self.entry("patterns")
        drawn: dict[str, list[Filling]] = {}  # what was drawn for the places of the same kinds
        sides = []
        for side, text in enumerate(pattern):
            places: Counter = Counter()
            words = []
            for piece in re.split(r"({[^}]*})", text):
                if not piece.startswith("{"):
                    words.append(piece)
                    continue
                head, _, kinds = piece[1:-1].partition(" ")
                key = kinds or head.removesuffix("ing")
                found = drawn.setdefault(key, [])
                if places[key] == len(found):
                    found.append(self.filling(head, kinds))
                words.append(found[places[key]](head, side))
                places[key] += 1
            sides.append(joined(" ".join(words).split()))
        asking = (*self.tables["asking"]["beginnings"],)
        return Clause(*sides, asks=pattern[1].startswith(asking))

    def filling(self, head: str, kinds: str) -> Filling:
        """Draw what stands in a place of a pattern; see `[patterns]` in the table of words."""
        if head in ("do", "doing", "we"):
            return self.filling_verb(alone=kinds == "alone")
        if head == "so":
            form, kind = kinds.split()
            fitting = [word for word in self.words.adjectives if kind in word.kinds]
            adjective = self.random.choice(fitting)
            return lambda _, side: adjective.french[int(form)] if side else adjective.english
        if head == "place":
            said = self.place()
        elif head == "who":
            is_name = self.chance(0.3)
            said = self.name() if is_name else self.noun_phrase(frozenset({"relative"}), bare=False)
        elif head in ("time", "number", "country"):
            said = self.entry(
                *{"time": ("times", kinds), "country": ("countries",)}.get(head, ("numbers",))
            )
        else:
            return self.filling_noun(head, frozenset(kinds.split()))
        return lambda _, side: said[side]

    def filling_verb(self, alone: bool) -> Filling:
        """Draw what is done in a pattern: write a letter; writing a letter; écrivons une lettre."""
        english, french, verb = self.doing(alone)
        forms_of = {
            ("doing", 0): english.replace(verb.base, verb.ing, 1),
            ("we", 1): french.replace(verb.infinitive, verb.french[3], 1),
        }
        return lambda head, side: forms_of.get((head, side), (english, french)[side])

    def filling_noun(self, head: str, kinds: frozenset[str]) -> Filling:
        """Draw a noun of some kinds (and of a gender, m or f) for a pattern."""
        gender = next((mark for mark in "mf" if mark in kinds), None)
        fitting = [noun for noun in self.words.of_kinds(kinds) if gender in (None, noun.gender)]
        noun = self.frequent(fitting)
        mass = noun.kind in self.words.kinds["uncounted"] or noun.kind in self.words.kinds["mass"]
        several = noun.kind in self.words.kinds["several"]
        plural = several or head in ("many", "all") or (head == "every" and not mass)
        determiner = ("", "")
        if head == "a":
            determiner = self.determiner(noun, plural, "", None)
            if noun.kind in self.tables["only"]:
                determiner = self.determiner(noun, plural, "", ("my", "your", "his", "her"))
        elif head in ("the", "this"):
            determiner = self.determiner(noun, plural, "", (head,))
        every = definite_article(noun, plural)
        if noun.kind == "sky":
            determiner = ("the", every)
        adjectives = self.adjectives_for(noun) if head in ("a", "the") else ()

        def words(head: str, side: int) -> str:
            if head == "fem" and side:
                return noun.feminine[0]
            english = "some" if head == "some" else determiner[0]
            french = {
                "a": determiner[1],
                "this": determiner[1],
                "the": determiner[1] or every,
                "every": every,
                "all": "les",
                "some": partitive_article(noun, plural, "", ()),
                "whole": f"{'toute' if noun.gender == 'f' else 'tout'} {every}",
            }.get(head, "")
            return render_noun_phrase(noun, adjectives, plural, english, french)[side]

        return words

    def ready_made(self, first: bool) -> Clause:
        """Draw a clause that is learned as a whole: it is raining; how are you; my name is anna."""
        kinds = ("clauses", "exclamations", "asked", "called")
        (kind,) = self.random.choices(kinds, [len(self.tables[kind]) + 20 for kind in kinds])
        if not first:
            kind = "clauses"
        clause = self.entry(kind)
        if kind == "called":
            wanted = {"his": "m", "her": "f"}.get(clause[0].split()[0])
            names = [name for name, gender in self.words.names.items() if wanted in (None, gender)]
            name = self.random.choice(names)
            return Clause(f"{clause[0]} {name}", f"{clause[1]} {name}")
        if kind in ("clauses", "asked") and "name" not in clause[0] and self.chance(0.25):
            time = self.entry("times", "present")
            clause = (f"{clause[0]} {time[0]}", f"{clause[1]} {time[1]}")
        return Clause(*clause, asks=kind == "asked")
