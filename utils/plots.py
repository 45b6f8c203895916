"""Draw every figure of the course, each with an alt text for readers who cannot see it.

Each function returns an `AccessibleFigure`, which as the last line of a cell shows itself, alt text
included. Rows are always the target (the queries), columns the source (the keys).
"""

import math
from collections.abc import Collection, Mapping, Sequence

import matplotlib as mpl
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from torch import Tensor

from utils.figure import IN_INK, INK, AccessibleFigure

WEIGHT_COLOURS = "viridis"  # sequential, safe for colour-blind readers and for print
SCORE_COLOURS = "vlag"  # diverging around zero: scores have a sign, weights do not
LINE_COLOURS = sns.color_palette("colorblind")
MARKERS = "osD^vPX*"  # they distinguish lines without colour
DASHES = "-", "--", "-.", ":"  # they distinguish kinds of curves without colour

FIGURES = (  # names of the functions that draw figures
    "concept_heatmap",
    "alignment_heatmap",
    "head_grid",
    "mask_grid",
    "matrix_map",
    "score_and_weight",
    "line_chart",
    "curves",
    "bar_chart",
    "vector_plane",
    "flow_diagram",
)

Matrix = Tensor | np.ndarray | Sequence[Sequence[float]]


@IN_INK
def concept_heatmap(
    weights: Matrix,
    source: Sequence[str],
    target: Sequence[str],
    title: str = "",
    mask: Matrix | None = None,
) -> AccessibleFigure:
    """Draw a small heatmap with a number in every cell.

    Args:
        weights: (tgt_len, src_len).
        source: labels of the columns.
        target: labels of the rows.
        title: what the picture says, in a few words.
        mask: (tgt_len, src_len), True = may be attended to; all other cells are hatched.

    Raises:
        ValueError: the labels do not match the weights or the mask.
    """
    return head_grid([weights], source, target, [title], annotate=True, masks=[mask])


@IN_INK
def alignment_heatmap(
    weights: Matrix,
    source: Sequence[str],
    target: Sequence[str],
    title: str = "",
    links: Sequence[tuple[int, int]] = (),
    alt: str = "",
) -> AccessibleFigure:
    """Draw a heatmap of any size, without numbers; known word links can be framed to compare.

    Args:
        weights: (tgt_len, src_len).
        source: labels of the columns.
        target: labels of the rows.
        title: what the picture says, in a few words.
        links: (source position, target position) of word pairs known to correspond.
        alt: replaces the alt text made from the numbers.
    """
    figure = head_grid([weights], source, target, [title], alt=alt)
    for column, row in links:
        frame = mpl.patches.Rectangle((column, row), 1, 1, fill=False, edgecolor="white", lw=2.5)
        core = mpl.patches.Rectangle((column, row), 1, 1, fill=False, edgecolor="#d55e00", lw=1.2)
        figure.axes[0].add_patch(frame)
        figure.axes[0].add_patch(core)
    return figure


@IN_INK
def head_grid(
    weights: Tensor | Sequence[Matrix],
    source: Sequence[str],
    target: Sequence[str],
    titles: Sequence[str] | None = None,
    alt: str = "",
    annotate: bool = False,
    masks: Sequence[Matrix | None] = (),
    within: bool = False,
) -> AccessibleFigure:
    """Draw a heatmap for each head or setting, side by side, with the same words and colour scale.

    Args:
        weights: (heads, tgt_len, src_len), or a sequence of (tgt_len, src_len).
        source: labels of the columns.
        target: labels of the rows.
        titles: one for each heatmap; "head 1", "head 2", … if not given.
        alt: replaces the alt text made from the numbers.
        annotate: whether to write a number in every cell.
        masks: a mask or None for each heatmap; True = may be attended to. All other cells are
            hatched, so that they do not look like small weights.
        within: whether the words look at one another (self-attention): the axes then say so.
    """
    maps = [_matrix(values, source, target) for values in weights]
    titles = titles or [f"head {number}" for number in range(1, len(maps) + 1)]
    closed = [
        np.zeros((len(target), len(source)), dtype=bool)
        if mask is None
        else ~_matrix(mask, source, target).astype(bool)
        for mask in masks or [None] * len(maps)
    ]
    largest = max(np.abs(values).max() for values in maps)
    figure, axes = _heatmap_axes(len(maps), source, target, annotate)
    for axis, values, title, shut in zip(axes, maps, titles, closed, strict=True):
        _draw_heatmap(axis, values, source, target, annotate, closed=shut, reach=largest)
        axis.set_title(title)
        if within:
            axis.set(xlabel="looked at (keys)", ylabel="looking (queries)")
    descriptions = [
        f"{title or 'Heatmap'}: {describe(values, source, target)}"
        + (f" {shut.sum()} cells are closed." if shut.any() else "")
        for title, values, shut in zip(titles, maps, closed, strict=True)
    ]
    figure.alt = alt or " ".join(descriptions)
    return figure


@IN_INK
def mask_grid(
    masks: Tensor | Sequence[Matrix],
    source: Sequence[str],
    target: Sequence[str],
    titles: Sequence[str] | None = None,
    alt: str = "",
) -> AccessibleFigure:
    """Draw masks side by side: cells that may be attended to are bright with a tick, others dark.

    Args:
        masks: (count, tgt_len, src_len), or a sequence of (tgt_len, src_len); True = allowed.
        source: labels of the columns.
        target: labels of the rows.
        titles: one for each mask; "mask 1", "mask 2", … if not given.
        alt: replaces the alt text made from the masks.
    """
    maps = [_matrix(mask, source, target).astype(bool) for mask in masks]
    titles = titles or [f"mask {number}" for number in range(1, len(maps) + 1)]
    figure, axes = _heatmap_axes(len(maps), source, target, annotate=False)
    colours = mpl.colors.ListedColormap(mpl.colormaps[WEIGHT_COLOURS]([0.0, 0.8]))
    for axis, allowed, title in zip(axes, maps, titles, strict=True):
        sns.heatmap(
            allowed,
            ax=axis,
            xticklabels=source,
            yticklabels=target,
            cmap=colours,
            vmin=0,
            vmax=1,
            annot=np.where(allowed, "✓", ""),
            fmt="",
            annot_kws={"size": 10, "color": "black"},
            linewidths=0.5,
            square=True,
            cbar=False,
        )
        _label_words(axis, source)
        axis.set_title(title)
    descriptions = [
        f"{title}. {describe_mask(allowed, source, target)}"
        for title, allowed in zip(titles, maps, strict=True)
    ]
    figure.alt = alt or " ".join(descriptions)
    return figure


@IN_INK
def matrix_map(
    matrices: Mapping[str, Matrix],
    xlabel: str,
    ylabel: str,
    alt: str,
    columns: Sequence[str] = (),
    rows: Sequence[str] = (),
    number_format: str = "",
    signed: bool = False,
) -> AccessibleFigure:
    """Draw any matrices side by side, with axes named by the caller and a shared colour scale.

    For attention weights use `head_grid`, which names rows and columns itself.

    Args:
        matrices: title → matrix; all of the same shape.
        xlabel: name of the horizontal axis: what the columns are.
        ylabel: name of the vertical axis: what the rows are.
        alt: what the picture shows, for a reader who cannot see it.
        columns: labels of the columns; 0, 1, 2, … if not given.
        rows: labels of the rows; 0, 1, 2, … if not given.
        number_format: format of a number in every cell, such as ".2f"; empty for a colour bar
            instead of numbers.
        signed: whether the colour scale diverges around zero, for numbers that have a sign.

    Raises:
        ValueError: the matrices differ in shape, or the labels do not match them.
    """
    maps = {title: _numbers(matrix) for title, matrix in matrices.items()}
    if len({values.shape for values in maps.values()}) != 1:
        raise ValueError(f"matrices must have one shape, got {[v.shape for v in maps.values()]}")
    high, wide = next(iter(maps.values())).shape
    if len(columns or range(wide)) != wide or len(rows or range(high)) != high:
        raise ValueError(
            f"expected {high} row labels and {wide} column labels, got {len(rows)}, {len(columns)}"
        )
    least, most = min(map(np.min, maps.values())), max(map(np.max, maps.values()))
    reach = max(abs(least), abs(most))
    limits = {"vmin": -reach, "vmax": reach} if signed else {"vmin": least, "vmax": most}
    cell = 0.5 if number_format else min(0.42, 3.6 / max(wide, high))
    beside = 0.7 + 0.09 * max(map(len, rows or "00"))  # row labels and axis label
    width = beside + cell * wide + (0 if number_format else 0.8)
    width, height = max(width, 0.4 + 0.1 * max(map(len, maps))), 1.05 + cell * high
    figure, axes = _axes(len(maps), max(1, int(12 / width)), width, height)
    for axis, (title, values) in zip(axes, maps.items(), strict=True):
        sns.heatmap(
            values,
            ax=axis,
            xticklabels=columns or (5 if wide > 20 else "auto"),
            yticklabels=rows or (5 if high > 20 else "auto"),
            cmap=SCORE_COLOURS if signed else WEIGHT_COLOURS,
            annot=bool(number_format),
            fmt=number_format or ".2f",
            annot_kws={"size": 9},
            linewidths=0.5 if number_format else 0,
            square=True,
            cbar=not number_format,
            cbar_kws={"shrink": 0.8},
            **limits,
        )
        for text, colour in zip(axis.texts, axis.collections[0].get_facecolors(), strict=False):
            text.set_color(ink_on(colour))
        axis.set(xlabel=xlabel, ylabel=ylabel, title=title)
        _turn_labels(axis, columns or "0")
    figure.alt = alt
    return figure


@IN_INK
def score_and_weight(
    scores: Matrix,
    weights: Matrix,
    source: Sequence[str],
    target: Sequence[str],
) -> AccessibleFigure:
    """Draw scores on the left, and on the right the weights that softmax makes of them.

    Args:
        scores: (tgt_len, src_len).
        weights: (tgt_len, src_len).
        source: labels of the columns.
        target: labels of the rows.
    """
    left, right = _matrix(scores, source, target), _matrix(weights, source, target)
    figure, axes = _heatmap_axes(2, source, target, annotate=True)
    _draw_heatmap(axes[0], left, source, target, annotate=True, signed=True)
    _draw_heatmap(axes[1], right, source, target, annotate=True)
    axes[0].set_title("scores")
    axes[1].set_title("weights")
    figure.alt = (
        f"Scores beside weights. Scores: {describe(left, source, target)} "
        f"Weights: {describe(right, source, target)}"
    )
    return figure


@IN_INK
def line_chart(
    x: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    xlabel: str,
    ylabel: str,
    alt: str,
    title: str = "",
    logx: bool = False,
    logy: bool = False,
    spread: Mapping[str, Sequence[float]] | None = None,
) -> AccessibleFigure:
    """Draw one or more lines over the same x, distinguished by colour and marker.

    Args:
        x: horizontal positions, shared by all lines.
        lines: label → one y for each x.
        xlabel: quantity and unit.
        ylabel: quantity and unit.
        alt: what the picture shows, for a reader who cannot see it.
        title: what the picture says, in a few words.
        logx: whether the x axis is logarithmic, with base 2.
        logy: whether the y axis is logarithmic.
        spread: label → half-width, at each x, of a band around that line.

    Raises:
        ValueError: a spread names a line that does not exist.
    """
    spread = spread or {}
    if not spread.keys() <= lines.keys():
        raise ValueError(f"spread for {sorted(spread.keys() - lines.keys())}; lines: {list(lines)}")
    figure = AccessibleFigure(figsize=(6.4, 3.6), layout="constrained")
    axis = figure.add_subplot()
    for number, (label, y) in enumerate(lines.items()):
        colour, marker = LINE_COLOURS[number % 10], MARKERS[number % len(MARKERS)]
        axis.plot(x, _numbers(y), color=colour, marker=marker, markersize=5, label=label)
        if label in spread:
            low, high = (_numbers(y) + side * _numbers(spread[label]) for side in (-1, 1))
            axis.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
    if logx:
        axis.set_xscale("log", base=2)
        axis.set_xticks(x, [f"{value:g}" for value in x])
        axis.minorticks_off()
    elif all(value == int(value) for value in x):
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    if logy:
        axis.set_yscale("log")
    axis.set(xlabel=xlabel, ylabel=ylabel, title=title)
    axis.grid(alpha=0.3)
    return _finished(figure, alt, legend=len(lines) > 1)


@IN_INK
def curves(
    x: Sequence[float],
    runs: Mapping[str, Sequence[Sequence[float]]],
    xlabel: str,
    ylabel: str,
    alt: str,
) -> AccessibleFigure:
    """Draw several curves of each kind over the same x, as they are: no mean hides one of them.

    Args:
        x: horizontal positions, shared by all curves.
        runs: kind → its curves, each with one y for each x; a kind has one colour and one dash.
        xlabel: quantity and unit.
        ylabel: quantity and unit.
        alt: what the picture shows, for a reader who cannot see it.
    """
    figure = AccessibleFigure(figsize=(6.4, 3.6), layout="constrained")
    axis = figure.add_subplot()
    for number, (kind, several) in enumerate(runs.items()):
        look = {"color": LINE_COLOURS[number % 10], "linestyle": DASHES[number % len(DASHES)]}
        for place, y in enumerate(several):
            axis.plot(x, y, linewidth=1.3, label="" if place else kind, **look)
    axis.set(xlabel=xlabel, ylabel=ylabel)
    axis.grid(alpha=0.3)
    return _finished(figure, alt, legend=True)


@IN_INK
def bar_chart(
    groups: Mapping[str, Sequence[float]],
    labels: Sequence[str],
    ylabel: str,
    alt: str,
    title: str = "",
) -> AccessibleFigure:
    """Draw bars side by side: a group of bars for each label, a colour for each series.

    Args:
        groups: name of the series → one height for each label.
        labels: names of the groups of bars, written under them.
        ylabel: quantity and unit.
        alt: what the picture shows, for a reader who cannot see it.
        title: what the picture says, in a few words.
    """
    figure = AccessibleFigure(figsize=(6.4, 3.4), layout="constrained")
    axis = figure.add_subplot()
    places, width = np.arange(len(labels)), 0.8 / len(groups)
    for number, (name, heights) in enumerate(groups.items()):
        offset = (number - (len(groups) - 1) / 2) * width
        hatch = "" if number == 0 else "/\\x."[(number - 1) % 4] * 2
        axis.bar(
            places + offset,
            _numbers(heights),
            width * 0.95,
            color=LINE_COLOURS[number % 10],
            edgecolor="white",
            linewidth=0,
            hatch=hatch,
            label=name,
        )
    axis.set_xticks(places, labels)
    axis.set(ylabel=ylabel, title=title)
    axis.grid(axis="y", alpha=0.3)
    axis.set_axisbelow(True)
    return _finished(figure, alt, legend=len(groups) > 1)


@IN_INK
def vector_plane(
    vectors: Mapping[str, Sequence[float]],
    query: Sequence[float] | None = None,
    title: str = "",
) -> AccessibleFigure:
    """Draw vectors of two numbers as arrows from the origin: keys in blue, the query in orange.

    Args:
        vectors: label → (x, y), the keys.
        query: (x, y), drawn as a thicker arrow.
        title: what the picture says, in a few words.
    """
    figure = AccessibleFigure(figsize=(4.6, 4.4), layout="constrained")
    axis = figure.add_subplot()
    for label, vector in vectors.items():
        x, y = _numbers(vector)
        _draw_arrow(axis, x, y, LINE_COLOURS[0], label, width=2)
    if query is not None:
        x, y = _numbers(query)
        _draw_arrow(axis, x, y, LINE_COLOURS[3], "", width=3.5)
        axis.plot([], [], color=LINE_COLOURS[3], lw=3.5, label="query")
        axis.legend(frameon=False, loc="lower center")  # a label on the arrow could hide a key's
    reach = 1.35 * max(np.abs(_numbers(vector)).max() for vector in vectors.values())
    axis.set(xlim=(-reach, reach), ylim=(-reach, reach), title=title, aspect="equal")
    axis.axhline(0, color="0.65", alpha=0.7, lw=0.8, zorder=0)
    axis.axvline(0, color="0.65", alpha=0.7, lw=0.8, zorder=0)
    axis.grid(alpha=0.2)
    sns.despine(ax=axis, left=True, bottom=True)
    places = "; ".join(f"{label} at ({x:g}, {y:g})" for label, (x, y) in vectors.items())
    asked = "" if query is None else " The query points to ({:g}, {:g}).".format(*_numbers(query))
    figure.alt = f"Arrows from the origin: {places}.{asked}"
    return figure


@IN_INK
def flow_diagram(
    boxes: Mapping[str, tuple[float, float]],
    arrows: Sequence[tuple[str, str] | tuple[str, str, str]],
    alt: str,
    title: str = "",
    highlight: Collection[str] = (),
) -> AccessibleFigure:
    """Draw boxes joined by arrows, such as the steps of a computation and their order.

    Args:
        boxes: label → (x, y) of the box's centre, in inches, y upwards. A label may have two lines,
            and mathematics between dollar signs. All boxes are 1.3 wide and 0.7 high.
        arrows: (from label, to label), optionally with a short text to write on the arrow.
        alt: what the picture shows, for a reader who cannot see it.
        title: what the picture says, in a few words.
        highlight: labels of boxes that stand out, by colour and a thicker frame.

    Raises:
        ValueError: an arrow or a highlight names a box that does not exist.
    """
    named = {label for arrow in arrows for label in arrow[:2]} | set(highlight)
    if not named <= boxes.keys():
        raise ValueError(f"no box is called {sorted(named - boxes.keys())}; boxes: {list(boxes)}")
    wide, high, margin = 1.3, 0.7, 0.15
    x, y = np.array(list(boxes.values()), dtype=float).T
    left, right = x.min() - wide / 2 - margin, x.max() + wide / 2 + margin
    low, top = y.min() - high / 2 - margin, y.max() + high / 2 + margin
    headroom = 0.35 if title else 0
    figure = AccessibleFigure(figsize=(right - left, top - low + headroom))
    axis = figure.add_axes((0, 0, 1, (top - low) / (top - low + headroom)))
    axis.set(xlim=(left, right), ylim=(low, top))
    axis.axis("off")
    axis.set_title(title)
    patches = {}
    for label, (x, y) in boxes.items():
        stands_out = label in highlight
        patches[label] = mpl.patches.FancyBboxPatch(
            (x - wide / 2, y - high / 2),
            wide,
            high,
            boxstyle="round,pad=0,rounding_size=0.1",
            facecolor="#ffe3b3" if stands_out else "#e8f1f8",
            edgecolor=LINE_COLOURS[3] if stands_out else LINE_COLOURS[0],
            lw=2.5 if stands_out else 1.2,
        )
        axis.add_patch(patches[label])
        axis.text(x, y, label, ha="center", va="center", size=10, linespacing=1.4, color="black")
    for start, end, *note in arrows:
        (x0, y0), (x1, y1) = boxes[start], boxes[end]
        style = {"arrowstyle": "-|>", "color": INK, "lw": 1.5, "mutation_scale": 14}
        style |= {"patchA": patches[start], "patchB": patches[end], "shrinkA": 0, "shrinkB": 1}
        axis.annotate("", xy=(x1, y1), xytext=(x0, y0), arrowprops=style)
        for text in note:  # in the middle of the arrow, on a plate to be readable
            middle = ((x0 + x1) / 2, (y0 + y1) / 2)
            plate = {"facecolor": "#e8f1f8", "edgecolor": "none", "pad": 1.5}
            style = {"ha": "center", "va": "center", "size": 10, "weight": "bold", "color": "black"}
            axis.text(*middle, text, bbox=plate, **style)
    figure.alt = alt
    return figure


def describe(weights: Matrix, source: Sequence[str], target: Sequence[str]) -> str:
    """Describe a matrix in words: its size, and the largest entry of each of its first ten rows."""
    values = _matrix(weights, source, target)
    size = f"{_count(target, 'target row')} by {_count(source, 'source column')}."
    if np.ptp(values) < 0.005:
        return f"{size} Every entry is {values.mean():.2f}."
    best = values.argmax(1)
    if np.ptp(values, axis=0).max() < 0.005:
        entries = [f"{word} {value:.2f}" for word, value in zip(source, values[0], strict=True)]
        alike = "Every row alike: " if len(target) > 1 else ""
        return f"{size} {alike}{'; '.join(entries)}."
    rows = [
        f"{target[row]} → "
        + (f"{source[best[row]]} {values[row, best[row]]:.2f}" if values[row].any() else "nothing")
        for row in range(min(10, len(target)))
    ]
    more = f"; and {len(target) - 10} more rows" if len(target) > 10 else ""
    return f"{size} Largest in each row: {'; '.join(rows)}{more}."


def describe_mask(mask: Matrix, source: Sequence[str], target: Sequence[str]) -> str:
    """Describe a mask in words: its size, and what each of its first ten rows may attend to."""
    allowed = _matrix(mask, source, target).astype(bool)
    rows = []
    for label, row in list(zip(target, allowed, strict=True))[:10]:
        seen = [word for word, yes in zip(source, row, strict=True) if yes]
        if len(seen) == len(source):
            seen = ["all"]
        rows.append(f"{label} → {', '.join(seen) or 'nothing'}")
    more = f"; and {len(target) - 10} more rows" if len(target) > 10 else ""
    return (
        f"{allowed.sum()} of {allowed.size} cells, {len(target)} target rows by {len(source)} "
        f"source columns, may be attended to: {'; '.join(rows)}{more}."
    )


def _count(things: Sequence, name: str) -> str:
    return f"{len(things)} {name}{'' if len(things) == 1 else 's'}"


def _numbers(values) -> np.ndarray:
    return np.asarray(values.detach().cpu() if isinstance(values, Tensor) else values, dtype=float)


def _matrix(values: Matrix, source: Sequence[str], target: Sequence[str]) -> np.ndarray:
    matrix = _numbers(values)
    if matrix.shape != (len(target), len(source)):
        raise ValueError(
            f"expected one row for each of {len(target)} target labels and one column for each of "
            f"{len(source)} source labels, got shape {matrix.shape}"
        )
    return matrix


def _heatmap_axes(
    count: int, source: Sequence[str], target: Sequence[str], annotate: bool
) -> tuple[AccessibleFigure, list[Axes]]:
    """Make a figure with axes in rows of at most four, and with cells large enough to read."""
    cell = 0.56 if annotate else min(0.42, 5.0 / max(len(source), len(target)))
    width = 1.9 + cell * max(3, len(source))
    height = 1.5 + cell * max(2, len(target))
    return _axes(count, 4 if width < 3.6 else 3 if width < 4.8 else 2, width, height)


def _axes(
    count: int, most_per_row: int, width: float, height: float
) -> tuple[AccessibleFigure, list[Axes]]:
    """Make a figure with `count` axes, each `width` by `height` inches, in rows of equal length."""
    rows = math.ceil(count / most_per_row)
    per_row = math.ceil(count / rows)
    figure = AccessibleFigure(figsize=(width * per_row, height * rows), layout="constrained")
    axes = figure.subplots(rows, per_row, squeeze=False).ravel().tolist()
    for spare in axes[count:]:
        spare.remove()
    return figure, axes[:count]


def _draw_heatmap(
    axis: Axes,
    values: np.ndarray,
    source: Sequence[str],
    target: Sequence[str],
    annotate: bool,
    signed: bool = False,
    closed: np.ndarray | None = None,
    reach: float | None = None,
) -> None:
    reach = np.abs(values).max() if reach is None else reach
    closed = np.zeros(values.shape, dtype=bool) if closed is None else closed
    axis.patch.set(hatch="////", edgecolor="0.6")  # shows where no cell is drawn
    limits = {"vmin": -reach, "vmax": reach} if signed else {"vmin": 0, "vmax": max(1, reach)}
    sns.heatmap(
        values,
        ax=axis,
        xticklabels=source,
        yticklabels=target,
        cmap=SCORE_COLOURS if signed else WEIGHT_COLOURS,
        annot=annotate,
        fmt=".1f" if signed else ".2f",
        annot_kws={"size": 9},
        linewidths=0.5 if annotate else 0,
        square=True,
        cbar_kws={"shrink": 0.7},
        mask=closed,
        **limits,
    )
    colours = axis.collections[0].get_facecolors()  # a single one if there are no numbers
    drawn = colours[~closed.ravel()] if annotate else colours
    for text, colour in zip(axis.texts, drawn, strict=False):
        text.set_color(ink_on(colour))
        text.set_visible(text.get_text() != "0.00")  # which says no more than the colour
    _label_words(axis, source)


def _label_words(axis: Axes, source: Sequence[str]) -> None:
    axis.set(xlabel="source (keys)", ylabel="target (queries)")
    _turn_labels(axis, source)


def _turn_labels(axis: Axes, columns: Sequence[str]) -> None:
    """Turn the columns' labels where they would overlap, and leave out all ticks."""
    axis.tick_params(length=0)
    axis.tick_params(axis="x", rotation=45 if max(map(len, columns)) > 4 else 0)
    axis.tick_params(axis="y", rotation=0)


def ink_on(colour: np.ndarray) -> str:
    """Return black or white, whichever contrasts more with a colour: at least 4.5 : 1."""
    return "black" if _luminance(colour) > 0.179 else "white"


def _luminance(colour: np.ndarray) -> float:
    """Return the relative luminance of an RGB colour, as WCAG 2.2 defines it."""
    rgb = np.where(colour[:3] <= 0.04045, colour[:3] / 12.92, ((colour[:3] + 0.055) / 1.055) ** 2.4)
    return float(rgb @ [0.2126, 0.7152, 0.0722])


def _finished(figure: AccessibleFigure, alt: str, legend: bool) -> AccessibleFigure:
    (axis,) = figure.axes
    if legend:
        axis.legend(frameon=False)
    sns.despine(ax=axis)
    figure.alt = alt
    return figure


def _draw_arrow(axis: Axes, x: float, y: float, colour, label: str, width: float) -> None:
    style = {"arrowstyle": "-|>", "color": colour, "lw": width, "shrinkA": 0, "shrinkB": 0}
    axis.annotate("", xy=(x, y), xytext=(0, 0), arrowprops=style)
    axis.text(x * 1.14, y * 1.14, label, ha="center", va="center", weight="bold")
