"""Show explorers (the course's widgets) on an empty page, without JupyterLab, kernel or network.

Tests use this module to move all controls of an explorer by keyboard, to see whether the picture
changes, and to time it.
"""

from base64 import b64encode
from typing import TYPE_CHECKING

from utils.translators import read_translator
from utils.widgets import Translator
from utils.widgets.module import FOLDER, module

if TYPE_CHECKING:  # an extra, which not every machine has
    from playwright.sync_api import Locator, Page

LIGHT = "<style>:root { color-scheme: light; } body { background: #fff; color: #222; }</style>"

SHOW = """async ([text, standalone, state, files]) => {
  const load = (code) => import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  const [{ default: explorer }, { mount }] = await Promise.all([load(text), load(standalone)]);
  const place = document.createElement("main");
  document.body.append(place);
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const read = async (content) => {
    const { want } = content;
    if (!want) return [window.kernel ? await kernel(content) : {}, []];
    return [{ have: want }, [new DataView(bytes(files[want]).buffer)]];
  };
  const answer = files || !window.answer ? read : window.answer;
  mount(explorer, state, place, answer);
  await new Promise((answered) => setTimeout(answered));
}"""

# What is seen: all text, shapes and colours, the pixels of canvases, and marks in a form. Where a
# slider or a switch stands is not enough: it has to move something else.
LOOK = """root => {
  const marks = [...root.querySelectorAll("input[type=radio]")].map((radio) => radio.checked);
  const pixels = [...root.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL());
  const copy = root.cloneNode(true);
  copy.querySelectorAll("input, select, output").forEach((node) => node.remove());
  for (const name of ["data-value", "tabindex", "aria-live"]) {
    copy.querySelectorAll(`[${name}]`).forEach((node) => node.removeAttribute(name));
  }
  return JSON.stringify([copy.innerHTML, marks, pixels]);
}"""

# Milliseconds from an input to the frame that shows it, moving a slider to and fro.
TIMES = """async ([input, moves]) => {
  const times = [];
  const [low, high] = [Number(input.min), Number(input.max)];
  for (let move = 0; move < moves; move += 1) {
    input.value = low + (high - low) * Math.abs(Math.sin(move));
    const start = performance.now();
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((shown) => requestAnimationFrame(() => setTimeout(shown)));
    times.push(performance.now() - start);
  }
  return times;
}"""


def show(page: "Page", widget) -> "Locator":
    """Replace the content of a page by this explorer, and return its element."""
    page.set_content(f"<!doctype html><html lang='en'><title>An explorer</title>{LIGHT}")
    return add(page, widget)


def add(page: "Page", widget) -> "Locator":
    """Add an explorer to a page, and return its element.

    As on the reading site, it is made of its JavaScript module and its stored state. What it asks
    of a kernel is answered by the page's function `answer`, if it has one.
    """
    standalone = (FOLDER / "standalone.js").read_text(encoding="utf-8")
    files = None
    if isinstance(widget, Translator):
        files = {name: b64encode(read_translator(name)).decode() for name in widget.names}
    page.evaluate(SHOW, [module(widget.module_name()), standalone, widget.shared(), files])
    return page.locator(".ex").last


def look(root: "Locator") -> str:
    """Return everything visible of an explorer, as text, except the positions of its controls."""
    return root.evaluate(LOOK)


def numbers(place: "Locator") -> list[float]:
    """Return the unrounded values that heatmaps and bars show, in reading order."""
    read = "cells => cells.flatMap((cell) => cell.dataset.value.split(' ').map(Number))"
    return place.locator("[data-value]").evaluate_all(read)


def move_controls(root: "Locator") -> list[str]:
    """Move every control of an explorer by keyboard, there and back.

    Returns:
        The names of the controls that changed nothing visible.
    """
    idle = []
    for control in root.locator("input, select, button").all():
        if not control.is_visible() or control.is_disabled():
            continue
        name = control.get_attribute("aria-label") or control.evaluate(
            "node => (node.labels?.[0] ?? node).textContent.trim()"
        )
        before, looks = look(root), set()
        control.focus()
        for key in keys_of(control):
            control.page.keyboard.press(key)
            control.page.wait_for_timeout(30)  # what is asked of a host comes a little later
            looks.add(look(root))
        if looks == {before}:
            idle.append(name)
    return idle


def type_of(control: "Locator") -> str:
    """Return the HTML type of a control, such as "range"."""
    return control.evaluate("node => node.type")


def keys_of(control: "Locator") -> list[str]:
    """Return the keys to try on a control, in order.

    They move a slider to both its ends, move a selection or a switch there and back, change and
    send a text, or press a button twice.
    """
    keys = {
        "range": ["Home", "End"],
        "select-one": ["ArrowDown", "ArrowUp", "ArrowDown"],
        "text": ["End", "x", "Enter"],
    }
    return keys.get(type_of(control), ["Space", "Space"])


def redraw_times(slider: "Locator", moves: int = 60) -> list[float]:
    """Move a slider many times; return, for each move, the milliseconds until it is drawn."""
    return slider.evaluate(f"input => ({TIMES})([input, {moves}])")
