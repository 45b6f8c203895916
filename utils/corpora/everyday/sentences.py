"""Draw sentences: greetings, statements, questions and commands, put together."""

from utils.corpora.everyday.patterns import Patterns
from utils.corpora.everyday.rules import (
    BE,
    NEGATIONS,
    Clause,
    Phrase,
    Verbal,
    ask,
    joined,
    joined_sides,
    joints,
    shortened,
    state,
    with_articles,
)
from utils.corpora.everyday.words import forms
from utils.corpora.pairs import Pair
from utils.corpora.text import detokenise

_CLAUSE_SIZES = (1, 1, 2, 2, 3)  # phrases
YOU = Phrase("you", "tu", 1)


class Sentences(Patterns):
    """Draws sentences, and the clauses that they consist of."""

    def sentence(self, phrases: int) -> Pair:
        """Draw a sentence: maybe a greeting, clauses, maybe an ending, maybe a mark."""
        if phrases == 1 and self.chance(0.04):
            return self.pair(self.hail(), phrases)
        parts, left = [*self.greeting(0.1 if phrases > 1 else 0.15)], phrases
        ahead = phrases > 1 and self.chance(0.1)
        if ahead:  # if it rains, i stay at home
            first, size = self.clause(left - 1, first=False)
            comma = [(",", ",")] * self.chance(0.6)
            parts += [self.entry("ahead"), (first.english, first.french), *comma]
            left -= size
        clause, size = self.clause(left, first=not ahead)
        parts.append((clause.english, clause.french))
        left, asks, joint = left - size, clause.asks, ("", "")
        while left > 0:
            last = joint
            while joint == last or (asks and joint[0] == "so"):
                joint = self.entry("conjunctions")
            clause, size = self.clause(left, first=False)
            parts += [joint, (clause.english, clause.french)]
            left -= size
        if self.chance(0.05):
            parts += [(",", ",")] * self.chance(0.6) + [self.entry("endings")]
        mark = "?" if asks else self.random.choice(".!")
        parts += [(mark, mark)] * self.chance(0.7 if asks else 0.4)
        return self.pair(parts, phrases)

    def pair(self, parts: list[tuple[str, str]], phrases: int) -> Pair:
        """Join the parts, with the joints of both languages."""
        english, french = (side.split() for side in joined_sides(parts))
        english = with_articles(english)
        if self.chance(0.5):
            english = shortened(english, self.tables["contractions"])
        french = joints(french)
        return Pair(
            source=(*english,),
            target=(*french,),
            source_text=detokenise(english),
            target_text=detokenise(french),
            phrases=phrases,
        )

    def hail(self) -> list[tuple[str, str]]:
        """Draw a greeting that is the whole sentence: hello; good morning, my friends!"""
        name = self.random.choice([*self.words.names])
        called = self.entry("everybody") if self.chance(0.4) else (name, name)
        parts = [self.entry("greetings"), *[(",", ","), called][self.chance(0.5) :]]
        mark = self.random.choice(".!")
        return parts[: self.random.choice((1, 3))] + [(mark, mark)] * self.chance(0.4)

    def greeting(self, share: float) -> list[tuple[str, str]]:
        """Draw nothing, or a greeting, maybe with a name: hello, anna,"""
        if not self.chance(share):
            return []
        comma = [(",", ",")] * self.chance(0.7)
        name = self.random.choice([*self.words.names])
        called = [*comma, (name, name)] * self.chance(0.25)
        again = [*comma, self.entry("greetings")] * self.chance(0.15)
        return [self.entry("greetings"), *called, *again, *comma]

    def clause(self, left: int, first: bool) -> tuple[Clause, int]:
        """Draw a clause, and return how many of the phrases left it has. Only the first may ask."""
        size = min(self.random.choice(_CLAUSE_SIZES), left)
        if self.chance(0.16):
            clause = self.pattern()
            if first or not clause.asks:
                return clause, size
        if size == 1 and self.chance(0.25):
            return self.ready_made(first), 1
        if first and self.chance(0.35):
            return self.question(size), size
        if first and self.chance(0.06):
            return self.command(size), size
        clause = self.statement(size)
        if self.chance(0.06):
            opener = self.report() if self.chance(0.5) else Clause(*self.entry("openers"))
            if opener.english.endswith(" who"):
                clause = self.who_does(size)
            english, french = joined((opener.english, clause.english)), opener.french
            clause = Clause(english, joined((french, clause.french)))
        return clause, size

    def report(self) -> Clause:
        """Draw who thinks what follows: my sister thinks that → ma sœur pense que."""
        english, french = self.entry("reports")
        subject, that = self.subject(), "that" if self.chance(0.6) else ""
        verb = f"{english}s" if subject.person == 2 else english
        conjugated = forms(french)[subject.person]
        return Clause(f"{subject.english} {verb} {that}", f"{subject.french} {conjugated} que")

    def statement(self, size: int) -> Clause:
        """Draw a statement: with a verb, or with "is"."""
        adverb = self.adverb()
        negated = adverb is not None and adverb[1] in NEGATIONS
        subject, verbal, rest = self.predicate(size, negated)
        while negated and verbal.base == "have" and verbal.then:  # not have to ≠ ne pas devoir
            subject, verbal, rest = self.predicate(size, negated)
        return self.completed(state(subject, verbal, adverb), verbal, rest)

    def command(self, size: int) -> Clause:
        """Draw a command to one friend: open the door; please do not sleep."""
        negated = self.chance(0.2)
        fitting = [
            verb
            for verb in self.words.verbs
            if verb.ing and bool(verb.objects) == (size > 1) and not (verb.place or verb.posture)
        ]
        verb = self.random.choice(fitting)
        french = verb.french[1]
        if verb.infinitive.endswith("er") or french.endswith("es"):
            french = french.removesuffix("s")
        clitic = ("", "")
        if verb.reflexive:
            clitic = ("", "toi")
        elif verb.recipient == "both" and self.chance(0.6):
            clitic = self.random.choice(
                (("me", "moi"), ("me", "moi"), ("him", "lui"), ("us", "nous"))
            )
        elif "person" in verb.objects and verb.pronoun and not verb.generic and self.chance(0.3):
            clitic = self.random.choice((("me", "moi"), ("us", "nous")))
        before = {"moi": "me", "toi": "te"}.get(clitic[1], clitic[1]) if negated else ""
        behind = f"-{clitic[1]}" if clitic[1] and not negated else ""
        link = verb.link[0] if clitic[0] else ""
        parts = [("do not", "ne")] if negated else []
        parts += [(verb.base, f"{before} {french}{behind}"), (link, ""), (clitic[0], "")]
        parts += [("", "pas" if negated else ""), self.fixed(verb, YOU)]
        if verb.objects and (verb.recipient or not clitic[0]):
            parts.append(self.object(verb, negated))
        parts += [self.place(verb)] if size == 3 else []
        if self.chance(0.2):
            parts.insert(0, ("please", "s' il te plaît"))
        return Clause(*joined_sides(parts))

    def question(self, size: int) -> Clause:
        """Draw a question: where is my cat; what do you eat; is she happy."""
        if size == 1 and self.chance(0.4):
            return self.inverted()
        if size == 1 and self.chance(0.3):
            return self.what()
        if size == 1 and self.chance(0.1):
            return self.price()
        if self.chance(0.12):
            return self.who_does(size)
        question = self.entry("questions")
        if size == 1 and question[0] == "where":
            subject, verbal, rest = self.with_verb(size, negated=False, where=True)
            return self.completed(ask(subject, verbal, question), verbal, rest)
        subject, verbal, rest = self.predicate(size)
        acts = (verbal.do or verbal.then.endswith("ing")) and question[0] != "where"
        asked = question if acts and self.chance(0.5) else None
        return self.completed(ask(subject, verbal, asked), verbal, rest)

    def who_does(self, size: int) -> Clause:
        """Draw a question for the subject: who is singing → qui chante."""
        who = Phrase("who", "qui")
        subject, verbal, rest = self.with_verb(size, negated=False, subject=who)
        return self.completed(state(subject, verbal), verbal, rest)._replace(asks=True)

    def completed(self, clause: Clause, verbal: Verbal, rest: list[tuple[str, str]]) -> Clause:
        """Add what follows the verb, and maybe a time: in front (statements only) or at the end."""
        parts = [(clause.english, clause.french), *rest, verbal.since]
        if verbal.times and not verbal.since[0] and self.chance(0.2):
            time = self.entry("times", verbal.times)
            front = not clause.asks and self.chance(0.3)
            parts = [time, *parts] if front else [*parts, time]
        return Clause(*joined_sides(parts), asks=clause.asks)

    def adverb(self) -> tuple[str, str] | None:
        """Draw nothing, a negation, or an adverb of frequency."""
        if self.chance(0.22):
            return "not", "pas"
        return self.entry("frequency") if self.chance(0.08) else None

    def inverted(self) -> Clause:
        """Draw a question in which French inverts verb and subject: where are you → où es-tu."""
        english, french, verb = self.random.choice(
            [("where", "où", "être"), ("how", "comment", "aller"), ("who", "qui", "être")]
        )
        subject = self.subject(anything=english == "where", it=english == "where")
        if english == "who":
            subject = self.person()
        table = self.tables[verb]
        turned = table["inverted"].get(subject.inverted)
        words = [french, turned] if turned else [french, forms(table["present"])[subject.person]]
        words += [] if turned else [subject.french]
        asked = [english, BE["present"][subject.person], subject.english]
        return Clause(joined(asked), joined(words), asks=True)

    def what(self) -> Clause:
        """Draw a question for the object: what do you eat, how many apples do you eat."""
        fitting = [verb for verb in self.words.verbs if verb.objects and not any(verb.link)]
        verb = self.random.choice([verb for verb in fitting if verb.article])
        subject = self.subject()
        verbal = self.tense(subject, verb, None)
        asked = ("what", "qu'est-ce que")
        counted = [
            noun
            for noun in self.words.of_kinds(verb.objects)
            if noun.kind not in self.words.kinds["uncounted"]
        ]
        if counted and verbal.times != "past" and self.chance(0.3):  # a participle would agree
            noun = self.random.choice(counted)
            asked = (f"how many {noun.english[1]}", f"combien de {noun.french[1]}")
        return self.completed(ask(subject, verbal, asked), verbal, [])

    def price(self) -> Clause:
        """Draw a question for a price: how much is the bread → combien coûte le pain."""
        kinds = frozenset({"food", "treat", "cup", "dish", "drink", "thing", "text", "clothes"})
        thing = self.noun_phrase(kinds, bare=False)
        verb, costs = BE["present"][thing.person], ("coûte", "coûtent")[thing.plural]
        return Clause(f"how much {verb} {thing.english}", f"combien {costs} {thing.french}", True)
