"""What people look at: a page for each learner, and the overview of the class for the instructor.

Each page is one file with everything in it, reads well in a light and in a dark window, and works
without a network. A learner's page says what the notebook says; of fresh inputs it shows nothing
that was expected. The overview holds rubrics and everybody's answers: it is the instructor's.
"""

import html
import re
import statistics
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np

from grading import likeness
from grading.marking import Outcome, Result
from grading.results import write
from grading.tables import Learner, key_of, tasks_of
from utils.checks import bank
from utils.checks.feedback import BAD, GOOD, PLAIN, Note, marked
from utils.checks.reasons import Reason
from utils.plots import WEIGHT_COLOURS, bar_chart, ink_on

UNSAFE = (
    "Graded without a sandbox: the submissions could read and change whatever the instructor can."
)
LONGEST_NAME = 200  # bytes: most disks take 255
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 2em; }
table { border-collapse: collapse; } th, td { text-align: left; padding: 3px 14px 3px 0;
  vertical-align: top; } td.number { text-align: right; font-variant-numeric: tabular-nums; }
.bar { display: inline-block; height: .8em; background: #0072b2; min-width: 1px; }
.track { display: inline-block; width: 12em; background: #8884; }
.answer { white-space: pre-wrap; border-left: 4px solid #8886; padding-left: 12px; margin: .3em 0; }
.warning { border: 2px solid #d55e00; padding: .5em 1em; }
.matrix td { padding: 2px 8px; text-align: right; } .matrices { display: flex; gap: 2em; }
.quiet { opacity: .75; } img { max-width: 100%; background: white; }
"""


def write_pages(class_: Sequence[Learner], out: Path, safe: bool) -> None:
    """Write `overview.html`, and a page for each learner into `learners/`."""
    folder = out / "learners"
    folder.mkdir(exist_ok=True)
    links = page_names(class_)
    for learner in class_:
        write(folder / links[learner.key], learner_page(learner, safe))
    write(out / "overview.html", overview(class_, safe, links))


def page_names(class_: Sequence[Learner]) -> dict[str, str]:
    """Learner → the name of their page: letters of any script, no two alike on any disk."""
    names, used = {}, Counter()
    for learner in class_:
        letters = re.sub(r"[^\w.-]+", "_", learner.key).strip("._") or "learner"
        first = name = letters.encode()[:LONGEST_NAME].decode(errors="ignore")
        while used[_folded(name)]:
            used[_folded(first)] += 1
            name = f"{first}-{used[_folded(first)]}"
        used[_folded(name)] += 1
        names[learner.key] = f"{name}.html"
    return names


def _folded(name: str) -> str:
    """The same for two names that some disk takes for one."""
    return unicodedata.normalize("NFKC", name).casefold()


def learner_page(learner: Learner, safe: bool) -> str:
    """All that one learner is told, as a page."""
    of = sum(result.of for result in learner.results.values())
    marks = sum(points for points, _ in learner.marks.values())
    body = [f"<h1>{_text(learner.name)}</h1>"]
    body.append(f"<p>{learner.points - marks:g} of {of} points for code")
    body.append(f", and {marks:g} for answers in words.</p>" if learner.marks else ".</p>")
    if not safe:
        body.append(f'<p class="warning">{UNSAFE}</p>')
    for result in learner.files:
        body.append(_file_section(result, learner))
    return _page(f"{learner.name}: grades", body)


def _file_section(result: Result, learner: Learner) -> str:
    parts = [f"<h2>{_text(result.file)}</h2>"]
    if result.problem:
        return "".join([*parts, f'<p class="warning">Not graded: {_text(result.problem)}.</p>'])
    counts = learner.results[result.notebook] is result
    other = "" if counts else " Another file of yours has more points, and counts."
    parts.append(f"<p>{result.points} of {result.of} points.{other}</p>")
    parts += [_outcome_section(one) for one in result.tasks.values()]
    for question, text in result.words.items():
        points, remark = learner.marks.get(question, (None, ""))
        mark = "to be read by a person" if points is None else f"{points:g} points. {remark}"
        parts.append(f"<h3><code>{_text(question)}</code>, in words: {_text(mark)}</h3>")
        parts.append(f'<div class="answer">{_text(text) or "No answer."}</div>')
    if result.remarks:
        items = "".join(f"<li>{marked(one)}</li>" for one in result.remarks)
        parts.append(f"<h3>Noticed on the way, without effect on points</h3><ul>{items}</ul>")
    return "".join(parts)


def _outcome_section(outcome: Outcome) -> str:
    good = outcome.points == outcome.of
    heading = outcome.heading if outcome.points else f"{outcome.heading}, 0 of {outcome.of} points"
    note = Note(heading, outcome.lines, GOOD if good else PLAIN if outcome.points else BAD)
    return note._repr_html_() + (_matrices(outcome) if outcome.expected is not None else "")


def _matrices(outcome: Outcome) -> str:
    """Expected beside found as tables, on one scale and coloured as the notebook's pictures are."""
    expected, found = (np.asarray(one, dtype=float) for one in (outcome.expected, outcome.found))
    low, high = min(expected.min(), found.min()), max(expected.max(), found.max())
    tables = ""
    for title, numbers in (("expected", expected), ("yours", found)):
        shades = mpl.colormaps[WEIGHT_COLOURS]((numbers - low) / (high - low or 1.0))
        rows = ""
        for row, colours in enumerate(shades):
            cells = ""
            for column, colour in enumerate(colours):
                frame = ";outline:3px solid #d55e00" if [row, column] == [*outcome.place] else ""
                style = f"background:{mpl.colors.to_hex(colour)};color:{ink_on(colour)}{frame}"
                cells += f'<td style="{style}">{numbers[row, column]:.3g}</td>'
            rows += f"<tr>{cells}</tr>"
        tables += f'<table class="matrix"><caption>{title}</caption>{rows}</table>'
    return f'<div class="matrices">{tables}</div>'


def overview(class_: Sequence[Learner], safe: bool, links: dict[str, str]) -> str:
    """The class at a glance, for the instructor."""
    results = [result for learner in class_ for result in learner.results.values()]
    files = [result for learner in class_ for result in learner.files]
    lost = [result for result in files if result.problem]
    body = ["<h1>The class</h1>"]
    body.append(
        f"<p>{len(class_)} learners, {len(files)} files: {len(files) - len(lost)} graded, "
        f"{len(lost)} not. Enter marks for answers in words in <code>marks.csv</code>, then run "
        "the grader with <code>--resume</code>: they come into the grades and the pages.</p>"
    )
    if not safe:
        body.append(f'<p class="warning">{UNSAFE}</p>')
    sections = {
        "How the points are spread": _distribution(results),
        "Tasks, the hardest first": _tasks(class_, results),
        "Misconceptions, by how many fell for them": _misconceptions(results),
        "To look at": _flags(files),
        "Nearly the same": _pairs(files, links),
        "Not graded": _table(
            ("file", "reason"), ((_text(one.file), _text(one.problem)) for one in lost)
        ),
        "Learners": _learners(class_, links),
        "Answers in words": _answers(class_),
    }
    for title, section in sections.items():
        body.append(f"<h2>{title}</h2>{section or '<p>None.</p>'}")
    return _page("Overview of the class", body)


def _distribution(results: Sequence[Result]) -> str:
    parts = []
    for notebook in sorted({result.notebook for result in results}):
        shares = [100 * one.points / one.of for one in results if one.notebook == notebook]
        bins = np.histogram(shares, bins=np.linspace(0, 100, 11))[0].tolist()
        labels = [f"{low}–{low + 10}" for low in range(0, 100, 10)]
        said = ", ".join(
            f"{count} from {low} to {low + 10} %"
            for low, count in zip(range(0, 100, 10), bins, strict=True)
            if count
        )
        title = f"{notebook}: median {statistics.median(shares):.0f} %, {len(shares)} learners"
        alt = f"Histogram of the share of points earned in {notebook}. Learners: {said}."
        figure = bar_chart({"learners": bins}, labels, "learners", alt, title)
        figure.axes[0].set_xlabel("share of points (%)")
        parts.append(figure.to_html())
    return "".join(parts)


def _tasks(class_: Sequence[Learner], results: Sequence[Result]) -> str:
    rows = []
    for task in tasks_of(class_):
        outcomes = [one.tasks[task] for one in results if task in one.tasks]
        share = statistics.fmean(one.points / one.of for one in outcomes)
        reasons = Counter(one.reason for one in outcomes if one.reason != Reason.PASSED)
        common = reasons.most_common(2)
        often = ", ".join(f"{reason.words} ({count})" for reason, count in common)
        full = sum(one.points == one.of for one in outcomes)
        mean = f"{_bar(share)} {100 * share:.0f} %"
        rows.append((share, (f"<code>{task}</code>", mean, f"{full}", _text(often))))
    heads = ("task", "mean share of points", "all points", "most frequent first faults")
    return _table(heads, (row for _, row in sorted(rows)))


def _misconceptions(results: Sequence[Result]) -> str:
    counts = Counter(
        (task, one.mistake)
        for result in results
        for task, one in result.tasks.items()
        if one.mistake
    )
    told = {
        (task.id, one.name): one.explanation
        for tasks in bank.tasks().values()
        for task in tasks
        for one in task.mistakes
    }
    tried = Counter(task for result in results for task in result.tasks)
    rows = []
    for (task, mistake), count in counts.most_common():
        why = marked(told.get((task, mistake), ""))
        name = f"<b>{_text(mistake)}</b><br><span class=quiet>{why}</span>"
        share = _bar(count / tried[task])
        rows.append((f"<code>{task}</code>", name, share, f"{count} of {tried[task]}"))
    return _table(("task", "misconception", "share of those who tried", "learners"), rows)


def _flags(files: Iterable[Result]) -> str:
    rows = []
    for result in files:
        found = [str(flag) for flag in result.flags]
        found += [
            f"{task}: right for the inputs in the notebook, wrong for fresh ones"
            for task, one in result.tasks.items()
            if one.public_points > one.points
        ]
        rows += [(_text(result.file), _text(one)) for one in found]
    return _table(("file", "what was noticed"), rows)


def _pairs(files: Sequence[Result], links: dict[str, str]) -> str:
    rows = (
        (
            f"{_linked(pair.first, links)}<br>{_linked(pair.second, links)}",
            f"{100 * pair.share:.0f} %",
            f"{pair.runs}",
        )
        for pair in likeness.alike(files)
    )
    return _table(("files", "of what is rare is shared", "runs of five"), rows)


def _linked(result: Result, links: dict[str, str]) -> str:
    page = links[key_of(result.learner, result.id)]
    return f'<a href="learners/{html.escape(page)}">{_text(result.file)}</a>'


def _learners(class_: Sequence[Learner], links: dict[str, str]) -> str:
    rows = []
    for learner in class_:
        link = f'<a href="learners/{html.escape(links[learner.key])}">{_text(learner.key)}</a>'
        of = sum(result.of for result in learner.results.values())
        rows.append((link, f"{learner.points:g}", f"{of}", f"{len(learner.files)}"))
    return _table(("learner", "points", "of, for code", "files"), rows)


def _answers(class_: Sequence[Learner]) -> str:
    """Every question with its rubric, and the answers one below the other."""
    questions: dict[str, list[tuple[Learner, str]]] = {}
    for learner in class_:
        for result in learner.results.values():
            for question, text in result.words.items():
                questions.setdefault(question, []).append((learner, text))
    rubrics = _rubrics()
    parts = []
    for question, answers in sorted(questions.items()):
        parts.append(f"<h3><code>{_text(question)}</code></h3>")
        lines = rubrics.get(question, "").splitlines()
        parts += [f"<div>{marked(line)}</div>" for line in lines if line.strip()]
        given = [(learner, text) for learner, text in answers if text]
        for learner, text in given:
            points, remark = learner.marks.get(question, (None, ""))
            mark = "" if points is None else f": {points:g} points. {remark}"
            parts.append(f"<p><b>{_text(learner.key)}</b>{_text(mark)}</p>")
            parts.append(f'<div class="answer">{_text(text)}</div>')
        parts.append(f"<p class=quiet>{len(answers) - len(given)} gave no answer.</p>")
    return "".join(parts)


def _rubrics() -> dict[str, str]:
    try:
        from solutions import build
    except ImportError:
        return {}
    return {name: text for path in build.notebooks() for name, text in build.rubrics(path).items()}


def _bar(share: float) -> str:
    width = f'<span class="bar" style="width:{12 * share:.2f}em"></span>'
    return f'<span class="track" aria-hidden="true">{width}</span>'


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML already; nothing where there is no row."""
    lines = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows]
    head = "".join(f'<th scope="col">{head}</th>' for head in heads)
    return f"<table><tr>{head}</tr>{''.join(lines)}</table>" if lines else ""


def _text(text: str) -> str:
    return html.escape(text, quote=True)


def _page(title: str, body: Iterator[str] | Sequence[str]) -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{_text(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>'
        f"<body>{''.join(body)}</body></html>"
    )
