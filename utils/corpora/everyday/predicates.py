"""Draw what is said of a subject: a verb in its tense with what follows, or "is"."""

from utils.corpora.everyday.phrases import POSSESSIVES, Phrases
from utils.corpora.everyday.rules import (
    BE,
    DO,
    HAVE,
    Phrase,
    Verbal,
    agreeing,
    joined,
    joined_sides,
    posture_of,
)
from utils.corpora.everyday.words import PERSONS, Adjective, Pronoun, Verb, forms

_OWN = {0: "my", 1: "your", 3: "our", 4: "their"}
_REFLEXIVE = ("me", "te", "se", "nous", "se")


class Predicates(Phrases):
    """Draws predicates, most with their subject: a verb, or how, who and where somebody is."""

    def predicate(
        self, size: int, negated: bool = False
    ) -> tuple[Phrase, Verbal, list[tuple[str, str]]]:
        """Draw a subject, what is said of it, and what follows, with so many phrases together."""
        if self.chance(0.4 if size < 3 else 0.1):
            return self.with_be(size, negated)
        return self.with_verb(size, negated)

    def with_verb(
        self, size: int, negated: bool, where: bool = False, subject: Phrase | None = None
    ) -> tuple[Phrase, Verbal, list[tuple[str, str]]]:
        """Draw a verb, with an object, a place or both; or with "where"; and its subject."""
        if not (subject or negated or where) and self.chance(0.03):
            subject = Phrase(*self.entry("anybody"))
            if self.chance(0.4):
                noun = self.frequent(self.words.of_kinds(frozenset({"person", "job", "animal"})))
                none = "aucune" if noun.gender == "f" else "aucun"
                subject = Phrase(f"no {noun.english[0]}", f"{none} {noun.french[0]} ne")
        subject = subject or self.subject(it=True)
        has_object = size > 1 and self.chance(0.6 if size == 2 else 0.75)
        verbs = [verb for verb in self.words.verbs if bool(verb.objects) == has_object]
        verb = self.frequent([verb for verb in verbs if size > 1 or where or not verb.place])
        if has_object and self.chance(0.2):  # who gets what: one of few verbs, and often said
            verb = self.random.choice([verb for verb in verbs if verb.recipient])
        if verb.recipient and self.chance(0.7):
            return self.giving(subject, verb, size, negated)
        pronoun = self.object_pronoun(subject, verb) if has_object and self.chance(0.3) else None
        verbal = self.tense(subject, verb, pronoun)
        rest = [self.fixed(verb, subject)]
        if has_object and not pronoun:
            rest.append(self.object(verb, negated))
        elif verb.link[0]:
            rest.append((verb.link[0], ""))
        if pronoun:  # English has the verb, its "to" and then the pronoun
            rest += [(verb.link[0], ""), (pronoun.object[0], "")]
        if size == 3 or (size == 2 and not has_object):
            rest.append(self.place(verb))
            if not has_object and size == 3:
                rest.append(self.company())
        if verb.goes and self.chance(0.15):
            english, french, _ = self.doing()
            rest.append((f"to {english}", f"pour {french}"))
        elif verb.alone and not verbal.second and size == 1 and self.chance(0.15):
            manner = self.entry("manners")
            if self.chance(0.15):
                like = self.noun_phrase(frozenset({"animal", "person", "job"}), bare=False)
                manner = (f"like {like.english}", f"comme {like.french}")
            rest.append(manner)
        return subject, verbal, rest

    def fixed(self, verb: Verb, subject: Phrase) -> tuple[str, str]:
        """Return what always follows a verb: up; his teeth → les dents."""
        his = _OWN.get(subject.person, "her" if subject.gender == "f" else "his")
        return (f"{his} {verb.own}" if verb.own else verb.then), verb.tail

    def giving(
        self, subject: Phrase, verb: Verb, size: int, negated: bool
    ) -> tuple[Phrase, Verbal, list[tuple[str, str]]]:
        """Say who gets it: i give him a book → je lui donne un livre; she says hello to paul."""
        thing = self.object(verb, negated)
        pronoun = None
        if size == 2 or self.chance(0.3):
            others = [p for p in self.words.pronouns if p.strong and p.person != subject.person]
            pronoun = self.random.choice(others)
            english, french = pronoun.object[0], ""
            pronoun = pronoun._replace(object=(english, pronoun.dative))
        else:
            kinds = frozenset({"person", "relative", "job"})
            somebody = self.name() if self.chance(0.25) else self.noun_phrase(kinds, bare=False)
            english, french = somebody.english, f"à {somebody.french}"
        if verb.recipient == "both" and self.chance(0.6):
            rest = [(english, ""), thing, ("", french)]
        else:
            rest = [thing, (f"to {english}", french)]
        return subject, self.tense(subject, verb, pronoun), rest

    def tense(self, subject: Phrase, verb: Verb, pronoun: Pronoun | None) -> Verbal:
        """Draw a tense or a modal for a verb."""
        clitic = pronoun.object[1] if pronoun else ""
        if verb.reflexive:
            clitic = _REFLEXIVE[subject.person]
        drawn = self.random.random()
        if verb.polite and drawn < 0.4:
            modal = self.words.modals[verb.polite]
            would, like = (modal.auxiliary,) * PERSONS, modal.then.removesuffix(" to")
            return Verbal(would, modal.french, then=like, before=clitic)
        if verb.modal and drawn < 0.22:
            return self.with_modal(verb, clitic)
        said = {"second": posture_of(verb, subject), "before": clitic}
        if verb.ing and drawn < 0.26:
            return Verbal(BE["past"], verb.lasting, then=verb.ing, times="past", **said)
        if verb.ing and drawn < 0.29 and not subject.french.endswith(" ne"):
            since = self.entry("since")
            then, second = f"been {verb.ing}", said.pop("second")
            return Verbal(HAVE, verb.french, then=then, second=second, since=since, **said)
        if verb.ing and drawn < 0.48:
            return Verbal(BE["present"], verb.french, then=verb.ing, **said)
        if verb.past and drawn > (0.6 if verb.posture else 0.83):
            return self.in_past(subject, verb, pronoun)
        return Verbal(verb.present, verb.french, DO["present"], verb.base, **said)

    def with_modal(self, verb: Verb, clitic: str) -> Verbal:
        """Draw a modal before a verb: i want to see you → je veux te voir."""
        modal = self.random.choice([*self.words.modals.values()])
        while modal.ing and not verb.ing:
            modal = self.random.choice([*self.words.modals.values()])
        then = joined((modal.then, verb.ing if modal.ing else verb.base))
        second = joined((modal.link, clitic, verb.infinitive))
        auxiliary = modal.auxiliary
        if auxiliary is None:
            return Verbal(
                modal.forms,
                modal.french,
                DO["present"],
                modal.base,
                then,
                second=second,
                times="present",
            )
        finite = BE["present"] if auxiliary == "be" else (auxiliary,) * PERSONS
        return Verbal(finite, modal.french, then=then, second=second, times="future")

    def in_past(self, subject: Phrase, verb: Verb, pronoun: Pronoun | None) -> Verbal:
        """Put a verb into the past: i saw → j'ai vu; she went → elle est allée."""
        english = {"finite": (verb.past,) * PERSONS, "do": DO["past"], "base": verb.base}
        clitic = pronoun.object[1] if pronoun else ""
        times = "past"
        if self.chance(0.25) and not verb.imperfect:  # she has gone
            english, times = {"finite": HAVE, "then": verb.perfect}, None
        if verb.reflexive:
            clitic = _REFLEXIVE[subject.person]
        if verb.imperfect:
            said = {"second": posture_of(verb, subject), "before": clitic}
            return Verbal(**english, french=verb.imperfect, times="past", **said)
        french = forms(self.tables["être"]["present"]) if verb.être else self.avoir().french
        participle = verb.participle
        if verb.être and not (verb.reflexive and verb.tail):
            participle = agreeing(participle, subject.gender, subject.plural)
        elif pronoun and not verb.recipient:
            participle = agreeing(participle, pronoun.gender, pronoun.person > 2)
        return Verbal(**english, french=french, before=clitic, second=participle, times=times)

    def avoir(self) -> Verb:
        """Return the verb "to have"."""
        return next(verb for verb in self.words.verbs if verb.base == "have")

    def doing(self, alone: bool = False) -> tuple[str, str, Verb]:
        """Draw what one can do, in English and as a French infinitive, and its verb."""
        verbs = [
            verb for verb in self.words.verbs if verb.modal and verb.ing and not verb.reflexive
        ]
        if alone:
            verbs = [verb for verb in verbs if verb.alone]
        else:
            verbs = [verb for verb in verbs if not (verb.own or verb.posture)]
        bare = self.chance(0.35)
        verb = self.random.choice([verb for verb in verbs if alone or bool(verb.objects) != bare])
        parts = [(verb.base, verb.infinitive), (verb.then, verb.tail)]
        if verb.objects:
            parts.append(self.object(verb, negated=False))
        if verb.place or (verb.objects and not alone and self.chance(0.2)):
            parts.append(self.place(verb))
        return *joined_sides(parts), verb

    def with_be(self, size: int, negated: bool) -> tuple[Phrase, Verbal, list[tuple[str, str]]]:
        """Draw a subject and what it is: happy, a teacher, hungry, in the garden, my friend."""
        if size > 1:
            draw = self.random.choice([self.is_somewhere, self.is_somebody, self.there_is])
            return draw(size, negated)
        draws = [self.is_so, self.is_so, self.is_so, self.is_hungry, self.is_hot, self.is_doctor]
        return self.random.choice([*draws, self.this_is, self.there_is])(size, negated)

    def is_so(self, *_) -> tuple[Phrase, Verbal, list]:
        """Draw an adjective: the dog is black; it is easy → c'est facile."""
        if self.chance(0.2):
            subject, kinds = self.this(False), {"fact"}
        elif self.chance(0.08):
            return self.subject(), self.be("être", *self.entry("moods")), []
        else:
            subject = self.subject(anything=True)
            kinds = {subject.kind}
        adjective = self.frequent(self.adjectives_of(kinds))
        if adjective.english in self.tables["compared"] and self.chance(0.4):
            return subject, *self.compared(subject, adjective)
        return subject, self.so(subject, adjective), []

    def compared(self, subject: Phrase, adjective: Adjective) -> tuple[Verbal, list]:
        """Draw a comparison: my cat is bigger than your dog; he is as big as me."""
        more, _ = self.tables["compared"][adjective.english].split()
        more = f"more {adjective.english}" if more == "more" else more
        than, french = ("than", "plus")
        if self.chance(0.25):
            more, than, french = f"as {adjective.english}", "as", "aussi"
        form = adjective.french[2 * subject.plural + (subject.gender == "f")]
        if self.chance(0.3):
            pronoun = self.random.choice(self.others(subject))
            other = Phrase(pronoun.object[0], pronoun.strong or "ça")
        else:
            other = self.noun_phrase(frozenset({subject.kind}), bare=False)
        rest = [(than, "que"), (other.english, other.french)]
        return self.be("être", more, f"{french} {form}"), rest

    def is_hot(self, *_) -> tuple[Phrase, Verbal, list]:
        """Draw what is hot or cold: the soup is hot → la soupe est chaude.

        Of persons French says that they have hot: see `is_hungry`.
        """
        states = self.tables["states"]
        adjective = self.random.choice([w for w in self.words.adjectives if w.english in states])
        subject = self.noun_phrase(frozenset(adjective.kinds))
        return subject, self.so(subject, adjective), []

    def so(self, subject: Phrase, adjective: Adjective) -> Verbal:
        """Draw a tense and a degree of being something: the dog was very black."""
        degree = self.entry("degrees") if self.chance(0.2) else ("", "")
        french = adjective.french[2 * subject.plural + (subject.gender == "f")]
        then, second = joined([degree[0], adjective.english]), joined([degree[1], french])
        return self.be("être", then, second)

    def adjectives_of(self, kinds: set[str]) -> list[Adjective]:
        """Return what may be said of some kinds of thing; of persons, how they are or feel."""
        if kinds & {"person", "relative", "job"}:
            feelings = self.tables["feelings"]["of"].split()
            return [word for word in self.words.adjectives if word.english in feelings]
        return [word for word in self.words.adjectives if word.kinds & kinds]

    def is_hungry(self, *_) -> tuple[Phrase, Verbal, list]:
        """Draw a state: i am hungry → j'ai faim."""
        return self.subject(), self.be("avoir", *self.entry("states")), []

    def is_doctor(self, *_) -> tuple[Phrase, Verbal, list]:
        """Draw a profession, without an article in French: she is a nurse → elle est infirmière."""
        subject = self.person()
        noun = self.random.choice(self.words.of_kinds(frozenset({"job"})))
        french = (noun.feminine if subject.gender == "f" else noun.french)[subject.plural]
        english = noun.english[1] if subject.plural else f"a {noun.english[0]}"
        return subject, self.be("être", english, french), []

    def this_is(self, *_) -> tuple[Phrase, Verbal, list]:
        """Draw what something is: this is my cat → c'est mon chat."""
        kinds = {noun.kind for noun in self.words.nouns} - {*self.words.kinds["uncounted"]}
        thing = self.noun_phrase(frozenset(kinds), bare=False)
        return self.this(thing.plural), self.be("être", thing.english, thing.french), []

    def is_somebody(self, *_) -> tuple[Phrase, Verbal, list]:
        """Draw whose relative somebody is: paul is my brother; he is my brother → c'est …"""
        subject = self.person()
        while True:
            somebody = self.noun_phrase(frozenset({"relative", "person"}), determiners=POSSESSIVES)
            if (somebody.gender, somebody.plural) == (subject.gender, subject.plural):
                break
        if subject.inverted in ("he", "she", "they"):
            subject = subject._replace(french="ce")
        return subject, self.be("être", somebody.english, somebody.french), []

    def is_somewhere(self, size: int, *_) -> tuple[Phrase, Verbal, list]:
        """Draw where something is."""
        subject = self.subject(anything=True, it=True)
        return subject, self.be("être", "", ""), [self.place(of=subject.kind)]

    def there_is(self, size: int, negated: bool) -> tuple[Phrase, Verbal, list]:
        """Draw what there is: there are two dogs in the garden → il y a deux chiens …"""
        kinds = frozenset({"person", "job", "animal", "food", "thing", "furniture", "space"})
        kinds |= {"place"}
        determiners = ("a", "two", "three", "many")
        thing = self.noun_phrase(kinds, "negated" if negated else "", determiners=determiners)
        verbal = self.be("avoir", "", "")
        verbal = verbal._replace(before="y", french=(verbal.french[2],) * PERSONS)  # il y a, always
        subject = Phrase("there", "il", 4 if thing.plural else 2)
        rest = [(thing.english, thing.french)]
        return subject, verbal, [*rest, self.place(of=thing.kind)] if size > 1 else rest

    def be(self, french: str, then: str, second: str) -> Verbal:
        """Draw present or past of "to be", for all persons; in French `french`, être or avoir."""
        past = self.chance(0.15)
        if french == "avoir":
            verb = self.avoir()
            conjugated = verb.imperfect if past else verb.french
        else:
            conjugated = forms(self.tables["être"]["imperfect" if past else "present"])
        times = "past" if past else "present"
        return Verbal(BE[times], conjugated, then=then, second=second, times=times)
