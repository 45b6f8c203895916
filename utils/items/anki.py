"""Write the questions of the warm-ups, and those of the interview sheet, as a package for Anki.

`python -m utils.items.anki FILE` writes it: two decks, with all pictures, which *File, Import* in
Anki adds to a collection. Written again and imported again, it renews its cards and keeps how they
went. The questions of the two tests are not in it.
"""

import sys
from pathlib import Path

from utils.cards import read_cards
from utils.items.item_bank import StoredItem, items
from utils.items.rendering import as_html

# Numbers that Anki tells our decks and the form of our cards by: chosen once, and never changed.
DECKS = {"Attention::Warm-ups": 1_725_140_617, "Attention::Interview": 1_725_140_618}
FORM = 1_725_140_619
LOOK = """
.card { font: 18px/1.5 sans-serif; max-width: 34em; margin: auto; text-align: left; }
table { font: inherit; } li { margin: 6px 0; } .where { opacity: 0.7; font-size: 80%; }
"""


def front_and_back(item: StoredItem) -> tuple[str, str]:
    """Return a question with its options, and the right one with the reason, as HTML."""
    now = item.versions[0]
    asked = "".join([f"<p>{as_html(now.text)}</p>", *map(as_html, now.shows)])
    if not item.typed:
        options = "".join(f"<li>{as_html(option)}</li>" for option in now.options)
        asked += f'<ol type="a">{options}</ol>'
    letter = "" if item.typed else f"{'abcde'[now.right]}) "
    answer = f"<p>{letter}{as_html(now.options[now.right])}</p><p>{as_html(item.why)}</p>"
    return asked, f'{answer}<p class="where">Notebook {item.section}</p>'


def write_package(path: Path) -> int:
    """Write the package, and return how many cards it has.

    Raises:
        ModuleNotFoundError: genanki is not installed; `make cards` brings it.
    """
    import genanki

    model = genanki.Model(
        FORM,
        "A question on attention",
        fields=[{"name": "Question"}, {"name": "Answer"}],
        templates=[
            {
                "name": "Card",
                "qfmt": "{{Question}}",
                "afmt": "{{FrontSide}}<hr id=answer>{{Answer}}",
            }
        ],
        css=LOOK,
    )
    warm_ups = {
        item.id: (*front_and_back(item), f"notebook_{item.notebook}")
        for item in items().values()
        if not item.form
    }
    interview = {
        card.title: (card.question, card.answer, card.section.replace(" ", "_"))
        for card in read_cards()
    }
    decks = []
    for (name, number), cards in zip(DECKS.items(), (warm_ups, interview), strict=True):
        deck = genanki.Deck(number, name)
        for key, (question, answer, tag) in cards.items():
            guid = genanki.guid_for(name, key)  # by which Anki knows a card again
            fields = [question, answer]
            deck.add_note(genanki.Note(model, fields, tags=[tag], guid=guid))
        decks.append(deck)
    path.parent.mkdir(parents=True, exist_ok=True)
    genanki.Package(decks).write_to_file(path)
    return len(warm_ups) + len(interview)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Where should the cards go? python -m utils.items.anki build/attention.apkg")
    print(f"{write_package(Path(sys.argv[1]))} cards are in {sys.argv[1]}. In Anki: File, Import.")
