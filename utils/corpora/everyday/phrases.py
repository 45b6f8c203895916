"""Draw phrases: nouns with what belongs to them, pronouns, objects of verbs, places."""

from functools import partial
from random import Random

from utils.corpora.everyday.rules import (
    BE,
    Phrase,
    as_subject,
    definite_article,
    joined,
    partitive_article,
    render_noun_phrase,
)
from utils.corpora.everyday.words import Adjective, Everyday, Noun, Preposition, Pronoun, Verb

POSSESSIVES = ("my", "your", "his", "her", "our", "their")


class Phrases:
    """Draws phrases: every method makes one kind, by chance."""

    def __init__(self, random: Random, words: Everyday):
        self.random = random
        self.words = words
        self.tables = words.tables

    def chance(self, share: float) -> bool:
        """Return True so often."""
        return self.random.random() < share

    def frequent(self, words: list):
        """Return one word, those in front more often."""
        return words[min(self.random.randrange(len(words)) for _ in range(2))]

    def entry(self, *table: str) -> tuple[str, str]:
        """Return one entry of a table, English and French."""
        entries = self.tables
        for name in table:
            entries = entries[name]
        return self.random.choice([*entries.items()])

    def subject(self, anything: bool = False, it: bool = False) -> Phrase:
        """Draw a subject: a pronoun ("it" only if asked for), a name, somebody, or any thing."""
        if self.chance(0.45):
            pronouns = [word for word in self.words.pronouns if word.strong or it]
            return as_subject(self.random.choice(pronouns))
        kinds = frozenset({"person", "relative", "animal", "job"})
        if anything and self.chance(0.6):
            kinds = frozenset({noun.kind for noun in self.words.nouns} - self.unsaid())
        elif self.chance(0.2):
            return self.name()
        elif self.chance(0.12):
            return self.who_acts(self.noun_phrase(kinds, bare=False))
        elif self.chance(0.06):
            one, other = (self.noun_phrase(kinds, bare=False) for _ in range(2))
            gender = "f" if one.gender == other.gender == "f" else "m"
            english, french = (
                f"{one.english} and {other.english}",
                f"{one.french} et {other.french}",
            )
            return Phrase(english, french, 4, gender, one.kind)
        elif self.chance(0.08):  # the dog in the garden
            somebody, place = self.noun_phrase(kinds, bare=False), self.place()
            return somebody._replace(
                english=f"{somebody.english} {place[0]}", french=f"{somebody.french} {place[1]}"
            )
        return self.noun_phrase(kinds, bare=not anything)

    def who_acts(self, somebody: Phrase) -> Phrase:
        """Say what somebody does, or who does it to them: the woman who is singing."""
        person = somebody.person
        if self.chance(0.3):  # the man that the dog sees
            verbs = [verb for verb in self.words.verbs if "person" in verb.objects]
            verb = self.random.choice([verb for verb in verbs if not any(verb.link)])
            other = self.person()
            if self.chance(0.4):
                other = self.noun_phrase(frozenset({"person", "job", "animal"}), bare=False)
            that = "that" if self.chance(0.8) else "who"
            return somebody._replace(
                english=f"{somebody.english} {that} {other.english} {verb.present[other.person]}",
                french=f"{somebody.french} que {other.french} {verb.french[other.person]}",
            )
        has_object = self.chance(0.5)
        verbs = [v for v in self.words.verbs if v.ing and (v.objects if has_object else v.alone)]
        verb = self.random.choice(verbs)
        done = self.object(verb, negated=False) if has_object else ("", "")
        english = verb.present[person]
        if self.chance(0.5):
            english = f"{BE['present'][person]} {verb.ing}"
        return somebody._replace(
            english=joined((somebody.english, "who", english, done[0])),
            french=joined((somebody.french, "qui", verb.french[person], done[1])),
        )

    def unsaid(self) -> set[str]:
        """Return the kinds of which little can be said."""
        return {"instrument", "stuff", "plenty", *self.words.kinds["bare"]}

    def person(self) -> Phrase:
        """Draw a person: a pronoun, a name or a relative."""
        drawn = self.random.random()
        if drawn < 0.5:
            return as_subject(self.random.choice([p for p in self.words.pronouns if p.strong]))
        if drawn < 0.7:
            return self.name()
        return self.noun_phrase(frozenset({"relative"}), bare=False)

    def this(self, plural: bool) -> Phrase:
        """Draw the subject of "c'est": it, this, that; of several: these, those."""
        english = self.random.choice(["these", "those"] if plural else ["it", "it", "this", "that"])
        return Phrase(english, "ce", 4 if plural else 2)

    def name(self) -> Phrase:
        """Draw a name, which is the same in both languages."""
        name, gender = self.random.choice([*self.words.names.items()])
        return Phrase(name, name, 2, gender)

    def object_pronoun(self, subject: Phrase, verb: Verb) -> Pronoun | None:
        """Draw an object pronoun for a verb; None if it takes none."""
        persons, things = "person" in verb.objects, verb.objects - {"person", "job", "animal"}
        fitting = [
            pronoun
            for pronoun in self.others(subject)
            if (things and not verb.generic if pronoun.english == "it" else persons)
        ]
        return self.random.choice(fitting) if fitting and verb.pronoun else None

    def others(self, subject: Phrase) -> list[Pronoun]:
        """Return the pronouns for others than the subject; "he" may give "him" something."""
        return [
            pronoun
            for pronoun in self.words.pronouns
            if pronoun.person % 3 != subject.person % 3 or pronoun.person == 2
        ]

    def object(self, verb: Verb, negated: bool) -> tuple[str, str]:
        """Draw the object of a verb, with the words that link the two."""
        english, french = verb.link
        place = "de" if french.endswith("de") else "negated" if negated else ""
        draw = partial(
            self.noun_phrase,
            verb.objects,
            place,
            generic=verb.generic,
            article=verb.article,
            determiners=(verb.determiner,) if verb.determiner else None,
        )
        phrase = draw()
        english, french = [english, phrase.english], [french, phrase.french]
        verbs = [each for each in self.words.verbs if phrase.kind in each.objects]
        verbs = [each for each in verbs if not any(each.link)]
        if verbs and not negated and self.chance(0.06):  # the book that my friend likes
            other, liked = self.person(), self.frequent(verbs)
            english += ["that", other.english, liked.present[other.person]]
            french += ["que", other.french, liked.french[other.person]]
            return joined(english), joined(french)
        if not negated and self.chance(0.1):  # bread and butter
            other = draw()
            english += ["and", other.english]
            french += ["et", verb.link[1], other.french]
        return joined(english), joined(french)

    def place(self, verb: Verb | None = None, of: str = "person") -> tuple[str, str]:
        """Draw a place of a kind of thing, a direction for a verb that goes, or for whom."""
        goes, has_object = bool(verb and verb.goes), bool(verb and verb.objects)
        if self.chance(0.3) and of in ("person", "relative", "animal"):
            return self.entry("directions" if goes else "places")
        table = "toward" if goes else "prepositions"
        if has_object and self.chance(0.2):
            table = "behind_object"
        fitting = [word for word in self.words.prepositions[table] if of not in word.never]
        preposition = self.random.choice(fitting)
        return self.after(preposition)

    def company(self) -> tuple[str, str]:
        """Draw with whom: with us, with the dog."""
        prepositions = self.words.prepositions["prepositions"]
        return self.after(next(word for word in prepositions if word.english == "with"))

    def after(self, preposition: Preposition) -> tuple[str, str]:
        """Draw what stands behind a preposition: a noun phrase, a name, or a pronoun."""
        persons = "person" in preposition.kinds
        if persons and self.chance(0.2):
            pronouns = [word for word in self.words.pronouns if word.strong]
            pronoun = self.random.choice(pronouns)
            english, french = pronoun.object[0], pronoun.strong
        elif persons and self.chance(0.15):
            english = french = self.name().english
        else:
            place = "de" if preposition.french.endswith(" de") else ""
            phrase = self.noun_phrase(preposition.kinds, place, bare=False)
            english, french = phrase.english, phrase.french
        return f"{preposition.english} {english}", f"{preposition.french} {french}"

    def noun_phrase(
        self,
        kinds: frozenset[str],
        place: str = "",
        bare: bool = True,
        generic: bool | None = None,
        article: bool = True,
        determiners: tuple[str, ...] | None = None,
    ) -> Phrase:
        """Draw a noun with its determiner and maybe an adjective.

        Args:
            kinds: the kinds of noun.
            place: "negated" behind a negated verb, "de" behind that word, where "a" and "some"
                change their form; "" anywhere else.
            bare: whether it may stand without an article.
            generic: whether it then means all of a kind; None for a subject, which always does.
            article: False if even the French noun has none.
            determiners: the only ones allowed.
        """
        noun = self.frequent(self.words.of_kinds(kinds))
        only = determiners or noun.kind in self.tables["only"]
        mass, always = noun.kind in self.words.kinds["mass"], noun.kind in self.words.kinds["bare"]
        plural = noun.kind not in self.words.kinds["uncounted"] and self.chance(0.25)
        plural = plural or noun.kind in self.words.kinds["several"]
        adjectives = () if always else self.adjectives_for(noun)
        if not only and (always or (bare and (plural or mass) and self.chance(0.4))):
            some = not always and generic is False and self.chance(0.4)
            every = generic is not False
            english = ("any" if place == "negated" else "some") if some else ""
            french = (
                definite_article(noun, plural)
                if every
                else partitive_article(noun, plural, place, adjectives)
            )
            return render_noun_phrase(noun, adjectives, plural, english, french if article else "")
        if generic is False and noun.kind in ("cup", "drink") and self.chance(0.2):
            return self.contained(noun, place)
        owned = not only or (not determiners and noun.kind in ("body", "plenty"))
        if owned and self.chance(0.06) and noun.kind != "person":
            return self.possessed(noun, plural)
        if not only and not plural and self.chance(0.03):
            return self.most(noun)
        english, french = self.determiner(noun, plural, place, determiners)
        return render_noun_phrase(noun, adjectives, plural, english, french)

    def most(self, noun: Noun) -> Phrase:
        """Draw a superlative: the biggest house → la plus grande maison."""
        fitting = [
            word
            for word in self.words.adjectives
            if noun.kind in word.kinds and word.english in self.tables["compared"]
        ]
        article, adjectives = definite_article(noun, False), ()
        phrase = render_noun_phrase(noun, adjectives, False, "the", article)
        if not fitting:
            return phrase
        word = self.random.choice(fitting)
        _, most = self.tables["compared"][word.english].split()
        most = f"most {word.english}" if most == "most" else most
        form = word.french[noun.gender == "f"]
        named = (article, "plus", form, noun.french[0])
        if not word.before:
            named = (article, noun.french[0], article, "plus", form)
        return phrase._replace(english=f"the {most} {noun.english[0]}", french=joined(named))

    def adjectives_for(self, noun: Noun) -> tuple[Adjective, ...]:
        """Draw no adjective, one, or two of which French puts one before the noun, one behind."""
        fitting = self.words.describing(noun.kind)
        if not fitting or not self.chance(0.28):
            return ()
        first = self.frequent(fitting)
        behind = [word for word in fitting if not word.before]
        if first.before and behind and self.chance(0.35):
            return first, self.random.choice(behind)
        return (first,)

    def determiner(
        self, noun: Noun, plural: bool, place: str, only: tuple[str, ...] | None
    ) -> tuple[str, str]:
        """Draw a determiner, English and French, for a noun."""
        uncounted = noun.kind in self.words.kinds["uncounted"]
        fitting = {
            name: word
            for name, word in self.words.determiners.items()
            if word.english[plural] and not (uncounted and name == "a")
        }
        of_kind = self.tables["only"].get(noun.kind)
        only = only or (of_kind.split() if of_kind else [*fitting])
        fitting = {name: fitting[name] for name in only if name in fitting}
        fitting = fitting or {"the": self.words.determiners["the"]}
        weights = [word.weight for word in fitting.values()]
        (name,) = self.random.choices([*fitting], weights)
        word = fitting[name]
        french = word.french[2 if plural else noun.gender == "f"]
        return word.english[plural], "de" if name == "a" and place == "negated" else french

    def possessed(self, noun: Noun, plural: bool) -> Phrase:
        """Draw a possessor: my sister's car → la voiture de ma sœur."""
        person = self.name()
        if self.chance(0.7):
            owner = self.random.choice(self.words.of_kinds(frozenset({"relative", "person"})))
            person = render_noun_phrase(
                owner, (), False, *self.determiner(owner, False, "", POSSESSIVES)
            )
        owned = render_noun_phrase(noun, (), plural, "", definite_article(noun, plural))
        if noun.kind not in ("relative", "body") and self.chance(0.25):  # the window of the school
            owner = self.random.choice(self.words.of_kinds(frozenset({"space", "place", "job"})))
            of = render_noun_phrase(
                owner, (), False, *self.determiner(owner, False, "", ("the", "my"))
            )
            english = f"the {owned.english} of {of.english}"
            return owned._replace(english=english, french=f"{owned.french} de {of.french}")
        english, french = (
            f"{person.english} 's {owned.english}",
            f"{owned.french} de {person.french}",
        )
        return owned._replace(english=english, french=french)

    def contained(self, noun: Noun, place: str) -> Phrase:
        """Draw a drink in something: a glass of water → un verre d'eau."""
        container = self.random.choice(self.words.of_kinds(frozenset({"container"})))
        plural = self.chance(0.25)
        held = render_noun_phrase(
            container, (), plural, *self.determiner(container, plural, place, None)
        )
        english = f"{held.english} of {noun.english[0]}"
        return held._replace(english=english, french=f"{held.french} de {noun.french[0]}")
