"""Everything that can be wrong with a notebook once it is opened, run and moved in JupyterLab.

An exception in a widget's callback reaches nobody but the kernel's listeners, and one in its
JavaScript nobody but the browser's console; a learner sees a picture that stands still. So the
inspection listens to both, moves every control by keyboard to both ends, and one of each kind by
mouse, and expects another picture each time. The course's own notebooks are also read as they are
stored; `make screenshots` takes pictures of that, into build/screenshots.
"""

import os
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Error, Locator, Page

from tests.browser.explorers import LOOK, keys_of, kind_of
from tests.browser.lab import ROOT, RUN_MILLISECONDS, go_to, is_own, open_notebook, switch_theme
from utils.widgets.prediction import GuessFirst

CONTROLS = "input, select, button"
FIGURES = ".ex, .jupyter-widgets, .jp-OutputArea-output img, .jp-OutputArea-output table"
RULES = {"Light": {}, "Dark": {"runOnly": ["color-contrast"]}}  # nothing else differs
PATIENCE = 10  # seconds until a moved control has changed its picture
SCREENSHOTS = ROOT / "build" / "screenshots"
SLICE = 2400  # pixels of a notebook on one screenshot

LISTEN = """() => {
  window.unseen = [];
  const kernel = jupyterapp.shell.currentWidget.context.sessionContext.session.kernel;
  kernel.iopubMessage.connect((_, message) => {
    const asked = message.parent_header.msg_type; // errors of cells are in the notebook
    if (message.header.msg_type !== "error" || asked === "execute_request") return;
    unseen.push(`${message.content.ename}: ${message.content.evalue}`);
  });
}"""

RUN = """milliseconds => Promise.race([
  jupyterapp.commands.execute("notebook:run-all-cells"),
  new Promise((_, reject) => setTimeout(() => reject(Error("never ended")), milliseconds)),
])"""

FAILED_CELLS = """() => jupyterapp.shell.currentWidget.context.model.toJSON().cells
  .filter((cell) => !(cell.metadata.tags ?? []).includes("raises-exception"))
  .flatMap((cell) => (cell.outputs ?? []).filter((output) => output.output_type === "error"))
  .map((output) => `${output.ename}: ${output.evalue}`)"""

# Where a control stands, and where it may go.
PLACE = "node => [node.type === 'checkbox' ? String(node.checked) : node.value, node.min, node.max]"

NAME = """node => (node.getAttribute("aria-label")
  || node.labels?.[0]?.querySelector("span")?.textContent
  || (node.closest("label") ?? node).textContent).trim()"""


@dataclass
class Findings:
    """What is wrong, and what was counted on the way."""

    wrong: list[str] = field(default_factory=list)
    controls: int = 0
    moved: int = 0
    violations: int = 0
    outside: int = 0


def inspect(browser: Browser, address: str, path: str) -> Findings:
    """Open a notebook in a page of its own, run all its cells, move what can be moved.

    Args:
        browser: a running one.
        address: of a running JupyterLab, with its token.
        path: of the notebook, from the course's folder.
    """
    found = Findings()
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(RUN_MILLISECONDS)
    listen_to_page(page, address, found)
    folder, _, name = path.partition("/")
    if folder == "notebooks" and name.startswith("0"):
        open_notebook(page, address, name)
        read_in_both_themes(page, name[:2], found)
    else:
        go_to(page, address, path)
    page.get_by_text("| Idle").wait_for()  # the status bar: a kernel is up
    page.evaluate(LISTEN)
    page.evaluate(RUN, RUN_MILLISECONDS)
    found.wrong += [f"a cell failed: {error}" for error in page.evaluate(FAILED_CELLS)]
    move_controls(page, found)
    for theme in ("Dark", "Light"):
        switch_theme(page, theme)
        look_with_axe(page, theme, found)
    for alert in page.locator(".jp-Notebook [role=alert], .jp-Dialog").all_inner_texts():
        found.wrong.append(f"on the page: {alert}")
    found.wrong += [f"a callback failed: {error}" for error in page.evaluate("unseen")]
    page.evaluate("jupyterapp.shell.currentWidget.context.sessionContext.shutdown()")
    page.close()
    return found


def listen_to_page(page: Page, address: str, found: Findings) -> None:
    """Note errors of the course on the page, and requests to any other host than its own."""

    def ask(url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != home:
            found.outside += 1
            found.wrong.append(f"asked another machine: {url}")

    def say(line: ConsoleMessage) -> None:
        if line.type == "error" and is_own(line.text):
            first_line = line.text.partition("\n")[0]
            found.wrong.append(f"in the console: {first_line}")

    def fail(error: Error) -> None:
        if is_own(f"{error}\n{error.stack}"):
            found.wrong.append(f"in the page: {error}")

    home = urlsplit(address).netloc
    page.on("request", lambda request: ask(request.url))
    page.on("websocket", lambda socket: ask(socket.url))
    page.on("pageerror", fail)
    page.on("console", say)


def read_in_both_themes(page: Page, number: str, found: Findings) -> None:
    """Formulas, pictures and folded answers of a notebook as it is stored."""
    wait_for_formulas(page)
    for theme in ("Dark", "Light"):
        switch_theme(page, theme)
        pictures = page.eval_on_selector_all(
            ".jp-Notebook img", "all => all.map(one => [one.naturalWidth, one.alt])"
        )
        if len(pictures) < 3 or not all(width > 0 and alt for width, alt in pictures):
            found.wrong.append(f"{theme}: too few pictures, or one is empty or without alt text")
        if page.get_by_text("Error displaying widget").count():
            found.wrong.append(f"{theme}: a stored widget is not drawn")
        if page.locator(".jp-Notebook mjx-merror").count():
            found.wrong.append(f"{theme}: a formula is not typeset")
        # JupyterLab shows the first line of each folded answer.
        folded = page.locator(".jp-OutputPlaceholder").all_inner_texts()
        if not 3 <= len(folded) <= 6 or {line.strip() for line in folded} != {repr(GuessFirst())}:
            found.wrong.append(f"{theme}: of the folded answers is seen: {folded}")
        if "SCREENSHOTS" in os.environ:
            take_screenshots(page, f"{number}-{theme.lower()}")


def wait_for_formulas(page: Page) -> None:
    """Until no more of them are typeset."""
    page.wait_for_selector(".jp-Notebook mjx-container", state="attached")
    count, before = page.locator("mjx-container").count(), 0
    while count != before:
        page.wait_for_timeout(500)
        count, before = page.locator("mjx-container").count(), count


def take_screenshots(page: Page, stem: str) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    usual = page.viewport_size
    page.set_viewport_size({"width": 1200, "height": SLICE})
    panel = page.locator(".jp-WindowedPanel-outer").first
    height = panel.evaluate("panel => panel.scrollHeight")
    for number, top in enumerate(range(0, height, SLICE - 150)):
        panel.evaluate("(panel, top) => panel.scrollTo(0, top)", top)
        page.wait_for_timeout(150)
        panel.screenshot(path=SCREENSHOTS / f"{stem}-{number:02}.png")
    page.set_viewport_size(usual)


def move_controls(page: Page, found: Findings) -> None:
    """Every control of every widget, by keyboard; the first slider of each widget also by mouse."""
    for output in page.locator(f".jp-OutputArea-child:has({CONTROLS})").all():
        dragged = False
        for control in output.locator(CONTROLS).all():
            if not control.is_visible() or control.is_disabled() or is_guess(control):
                continue
            found.controls += 1
            name = control.evaluate(NAME)
            slides = kind_of(control) == "range"
            wrong = move(control, output, drag=slides and not dragged)
            dragged |= slides
            found.moved += not wrong
            found.wrong += [f"{name!r} {what}" for what in wrong]


def is_guess(control: Locator) -> bool:
    """Whether it belongs to a prediction: its form goes away once it is sent."""
    return control.locator("xpath=ancestor::form").count() > 0


def move(control: Locator, output: Locator, drag: bool) -> list[str]:
    """Move one control by keyboard to both its ends, then perhaps by mouse.

    Returns:
        What is wrong with it.
    """
    wrong = []
    before = output.evaluate(LOOK)
    seen = {before}
    control.focus()
    slides = kind_of(control) == "range"
    for key in keys_of(control):
        was, *ends = control.evaluate(PLACE)
        control.page.keyboard.press(key)
        now = control.evaluate(PLACE)[0]
        if slides and float(now) != float(ends[key == "End"]):
            wrong.append(f"stands at {now} when {key} is pressed")
        if key in ("Space", "Enter") or (now != was and key != "x"):  # a text is sent by Enter
            before = wait_for_another(output, before)
            seen.add(before)
    if len(seen) == 1:
        wrong.append("changes nothing that is seen, moved by keyboard")
    elif drag:
        drag_to_the_middle(control)
        if wait_for_another(output, before) == before:
            wrong.append("changes nothing that is seen, dragged by mouse")
    return wrong


def wait_for_another(output: Locator, before: str) -> str:
    """What is seen once it is no longer what it was, or what it is after a while."""
    end = time.monotonic() + PATIENCE
    while (now := output.evaluate(LOOK)) == before and time.monotonic() < end:
        output.page.wait_for_timeout(30)
    return now


def drag_to_the_middle(control: Locator) -> None:
    """From the upper end, where the keyboard has left it."""
    control.scroll_into_view_if_needed()
    box = control.bounding_box()
    y = box["y"] + box["height"] / 2
    mouse = control.page.mouse
    mouse.move(box["x"] + box["width"] - 4, y)
    mouse.down()
    mouse.move(box["x"] + box["width"] / 2, y, steps=5)
    mouse.up()


def look_with_axe(page: Page, theme: str, found: Findings) -> None:
    """Nothing to mend in explorers and figures, for those who do not see or see little."""
    if page.locator(FIGURES).count() == 0:
        return
    result = Axe().run(page, context=FIGURES, options=RULES[theme])
    found.violations += result.violations_count
    for violation in result.response["violations"]:
        example = violation["nodes"][0]["html"][:200]
        found.wrong.append(f"axe, {theme}: {violation['id']}, as in {example}")
