"""Write the front page of the reading site: one scene, five things to move, the notebooks.

`front/front.html` is the page with places for what is counted or computed here: translations and
weights of the course's own translators, the feedback of a check, the explorers of the notebooks.
"""

import hashlib
import html
import json
import re
import tomllib
from base64 import b64decode
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from string import Template

import torch

from utils import course
from utils.checks import bank
from utils.checks.feedback import explain
from utils.checks.limits import Printed
from utils.checks.notebook import verdict_on
from utils.corpora.everyday.words import load_everyday
from utils.model_helpers import count_parameters
from utils.translators import about_translator, load_translator, read_translator
from utils.widgets import ModelHeadsExplorer
from utils.widgets.pictured import explorer_place
from utils.widgets.standalone import with_explorers

HERE = Path(__file__).parent / "front"
TASK = "softmax_with_temperature"
LOOKS_BACK, REMEMBERS = "everyday dot", "everyday no attention"
TEXTS = 4  # recorded texts that the real model reads on the front page
GROUPS = {  # of words to try: kinds of nouns in the corpus
    "people": "person relative job",
    "animals": "animal",
    "food and drink": "food treat dish cup drink",
    "things": "thing holder text clothes furniture motor",
    "places": "space place nature",
}
HALVES = {"ca", "wo"}  # of can't and won't
EXPLORER = re.compile(
    r'<div class="explorer" data-module="(?P<module>\w+)" data-state="(?P<state>[^"]*)">'
    r"(?P<picture>.*)</div>",
    flags=re.DOTALL,
)
DATA = re.compile(r"data:image/png;base64,([\w+/=]+)")


def write(site: Path) -> None:
    """Write `index.html` into a built site; its style and script lie in `_static`.

    Raises:
        ValueError: a stored sentence is no longer translated as `sentences.toml` says.
    """
    page = Template((HERE / "front.html").read_text(encoding="utf-8"))
    (site / "index.html").write_text(page.substitute(_values(site)), encoding="utf-8")


def _values(site: Path) -> dict[str, str]:
    """Return what stands in the places of the page."""
    front = tomllib.loads((HERE / "sentences.toml").read_text(encoding="utf-8"))
    tasks = bank.tasks()
    of_course = [task for of_notebook in tasks.values() for task in of_notebook]
    about = {name: about_translator(read_translator(name)) for name in (LOOKS_BACK, REMEMBERS)}
    sizes = {name: count_parameters(load_translator(name))["total"] for name in about}
    return {
        "address": address_tags(course.public_address()),
        "groups": _groups(set(about[LOOKS_BACK]["source_words"])),
        "longer": _json(front["longer"]),
        "scenes": _json([scene_of(sentence) for sentence in front["sentences"]]),
        "words": f"{len({*filter(str.isalpha, about[LOOKS_BACK]['source_words'])} - HALVES):,}",
        "pairs": f"{about[LOOKS_BACK]['data']['pairs']:,}",
        "right": f"{100 * about[LOOKS_BACK]['exact_match']:.1f}",
        "right_without": f"{100 * about[REMEMBERS]['exact_match']:.0f}",
        "compared": "more" if sizes[REMEMBERS] > sizes[LOOKS_BACK] else "fewer",
        "hours": course.in_hours(course.direct_minutes(tasks)),
        "notebooks": str(len(course.chapters())),
        "Notebooks": course.in_words(len(course.chapters())),
        "tasks": str(len(of_course)),
        "points": str(sum(task.points for task in of_course)),
        "cards": "\n".join(
            _card(each, len(tasks[each.name])) for each in course.chapters().values()
        ),
        "query": _explorer(site, "01", "query_explorer"),
        "mask": _explorer(site, "04", "mask_explorer"),
        "heads": _explorer(site, "05", "heads_explorer", off=1 << 1),  # head 2
        "model_heads": _model_heads(site),
        "check_wrong": _feedback(0),
        "check_right": _feedback(-1),
        "writer": _writer(),
    }


def _groups(known: set[str]) -> str:
    """Return some of the words that both translators know, by kind, each a button that types it."""
    words = load_everyday()
    lists = {name: [] for name in GROUPS}
    for name, kinds in GROUPS.items():
        for kind in kinds.split():
            nouns = words.of_kinds(frozenset({kind}))
            lists[name] += [noun.english[0] for noun in nouns][:: max(1, len(nouns) // 6)][:7]
    lists["what they do"] = [verb.present[2] for verb in words.verbs if not verb.objects]
    lists["what they do it to"] = [verb.present[2] for verb in words.verbs if verb.objects][::4]
    lists["how they are"] = [word.english for word in words.adjectives][::4]
    return "\n".join(
        f"<p><b>{name}</b> {_words(found, known)}</p>" for name, found in lists.items()
    )


def _words(found: list[str], known: set[str]) -> str:
    words = dict.fromkeys(word for word in found if word in known)
    return " ".join(f'<button type="button">{html.escape(word)}</button>' for word in words)


def address_tags(address: str) -> str:
    """Return the tags that need the public address of the site; none as long as it has none."""
    if not address:
        return ""
    return f"""<link rel="canonical" href="{address}">
<meta property="og:url" content="{address}">
<meta property="og:image" content="{address}_static/scene.jpg">
<meta property="og:image:alt" content="Two translators write the same French sentence; \
the one that looks back has every word right, the one that remembers one vector does not.">
<meta name="twitter:card" content="summary_large_image">"""


def scene_of(sentence: dict) -> dict:
    """Translate a sentence with both models, and find the wrong words of the second.

    Args:
        sentence: an entry of `sentences.toml`.

    Returns:
        english, french and french_without: words; weights: a row of whole hundredths for each
        French word; vector: all that the second model remembers; wrong: [from, to, English].
    """
    seen = load_translator(LOOKS_BACK).translate(sentence["english"])
    without = load_translator(REMEMBERS)
    right = sentence["french"].split()
    if seen.words != right:
        raise ValueError(f"sentences.toml expects {' '.join(right)}, not {' '.join(seen.words)}")
    words = without.translate(sentence["english"]).words
    ids = torch.tensor([without.source_vocabulary.encode(seen.source)])  # (1, src_len)
    with torch.no_grad():
        summary = without.encoder(ids, torch.tensor([ids.shape[1]])).summary[0]  # (128,)
    return {
        "label": sentence["label"],
        "english": seen.source,
        "french": seen.words,
        "french_without": words,
        "weights": (100 * seen.weights).round().int().tolist(),
        "vector": [round(number, 2) for number in summary.tolist()],
        "wrong": [*_wrong_words(words, right, sentence.get("says", {}))],
    }


def _wrong_words(
    words: list[str], right: list[str], says: dict[str, str]
) -> Iterator[tuple[int, int, str]]:
    """Yield from, to, and the English of each run of words that is not in the right translation.

    Where words are missing, it is the word before the gap.
    """
    for kind, _, _, start, end in SequenceMatcher(None, right, words, False).get_opcodes():
        if kind == "equal":
            continue
        start, end = (start, end) if end > start else (max(0, start - 1), max(1, start))
        text = " ".join(words[start:end])
        if text not in says:
            raise ValueError(f"sentences.toml: say in English what “{text}” means, under `says`")
        yield start, end, says[text]


def _explorer(site: Path, number: str, module: str, **changes: object) -> str:
    """Return the first explorer of a kind in a notebook, as HTML that `site.js` brings to life.

    Args:
        site: the built site.
        number: the notebook's.
        module: name of the explorer's JavaScript.
        changes: traits that differ from the notebook's.
    """
    (chapter,) = (chapter for chapter in course.chapters().values() if chapter.number == number)
    for cell in with_explorers(chapter.read()).cells:
        for output in cell.get("outputs", []):
            found = EXPLORER.fullmatch(output.get("data", {}).get("text/html", ""))
            if found and found["module"] == module:
                state = json.loads(html.unescape(found["state"])) | changes
                return explorer_place(module, state, _without_scripts(site, found["picture"]))
    raise ValueError(f"notebook {number} has no {module}")


def _without_scripts(site: Path, picture: str) -> str:
    """Return a picture for browsers without scripts; the others need not load it.

    What it shows lies in files of the site.
    """

    def file_of(found: re.Match) -> str:
        content = b64decode(found[1])
        path = f"_static/{hashlib.sha256(content).hexdigest()[:12]}.png"
        (site / path).write_bytes(content)
        return path

    return f"<noscript>{DATA.sub(file_of, picture)}</noscript>"


def _model_heads(site: Path) -> str:
    """Return the explorer of the real model's heads, with a few of its recorded texts."""
    explorer = ModelHeadsExplorer()
    texts = explorer.recorded["sentences"][:TEXTS]
    explorer.recorded = {**explorer.recorded, "sentences": texts}
    picture = _without_scripts(site, explorer.picture())
    return explorer_place("model_heads_explorer", explorer.shared(), picture)


def _writer() -> str:
    """Return the place for the language model that writes; before scripts run it has a sample."""
    about = about_translator((HERE / "language_model.safetensors").read_bytes())
    return explorer_place("page_writer", {}, f"<p>{html.escape(about['proof']['text'])}</p>")


def _feedback(dim: int) -> str:
    """Return what `check` says of weights that a softmax made along an axis."""
    answer = {TASK: lambda scores, temperature: torch.softmax(scores / temperature, dim)}
    return explain(verdict_on(bank.load(TASK), answer, Printed()))._repr_html_()


def _card(chapter: course.Chapter, tasks: int) -> str:
    title, subtitle = html.escape(chapter.title), html.escape(chapter.subtitle)
    minutes = course.reading_minutes(chapter.read())
    return (
        f'<li><a class="frame" href="notebooks/{chapter.name}.html">'
        f'<span class="n">{chapter.number}</span><h3>{title}</h3><p>{subtitle}</p>'
        f'<span class="min">{minutes} minutes, and {tasks} exercises</span></a></li>'
    )


def _json(value: object) -> str:
    """Return a value as JSON that may stand in a script element."""
    return json.dumps(value, ensure_ascii=False).replace("</", "<\\/")
