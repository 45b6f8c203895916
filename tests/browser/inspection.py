"""Find faults of a notebook in JupyterLab: open it, run its cells, and move all its controls.

If a widget's callback raises an exception, only the kernel reports it, and if its JavaScript does,
only the browser's console; a learner just sees a picture that does not change. So the inspection
listens to both, moves every control by keyboard to both ends, and checks that the picture changes.
A thorough inspection also uses both themes, and moves a slider of each widget by mouse. In the
notebooks of `notebooks/`, it also checks the stored outputs before any cell runs; if SCREENSHOTS is
set, it takes pictures of these, into build/screenshots.
"""

import os
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Error, Locator, Page

from tests.browser.explorers import LOOK, keys_of, type_of
from tests.browser.lab import ROOT, RUN_MILLISECONDS, go_to, is_own, open_notebook, switch_theme
from utils.widgets.prediction import GUESS_FIRST

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

# How wide images and explorers are, and what they are to a screen reader.
WIDTHS = "all => all.map(one => [one.naturalWidth ?? one.offsetWidth, one.alt ?? one.ariaLabel])"

# Where a control stands, and where it may go.
PLACE = "node => [node.type === 'checkbox' ? String(node.checked) : node.value, node.min, node.max]"

NAME = """node => (node.getAttribute("aria-label")
  || node.labels?.[0]?.querySelector("span")?.textContent
  || (node.closest("label") ?? node).textContent).trim()"""


@dataclass
class Findings:
    """The faults of a notebook, and counts of what was inspected.

    Attributes:
        faults: a line for each fault.
        controls: number of controls found.
        moved: number of those that moved without a fault.
        violations: number of rules of accessibility that axe found broken.
        outside: number of requests to another machine.
    """

    faults: list[str] = field(default_factory=list)
    controls: int = 0
    moved: int = 0
    violations: int = 0
    outside: int = 0


def inspect(browser: Browser, address: str, path: str, thorough: bool = False) -> Findings:
    """Open a notebook in a new page, run all its cells, move all its controls; return the faults.

    Args:
        browser: a running browser.
        address: address of a running JupyterLab, with its token.
        path: path of the notebook, relative to the course's folder.
        thorough: whether to use both themes, and to move sliders by mouse, too.
    """
    findings = Findings()
    themes = ("Dark", "Light") if thorough else ("Light",)
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(RUN_MILLISECONDS)
    page.emulate_media(reduced_motion="reduce")  # a film that plays moves the slider by itself
    listen_to_page(page, address, findings)
    folder, _, name = path.partition("/")
    if folder == "notebooks" and name[:2].isdecimal():
        open_notebook(page, address, name)
        read_as_stored(page, name[:2], themes, findings)
    else:
        go_to(page, address, path)
    page.get_by_text("| Idle").wait_for()  # the status bar: a kernel is up
    page.evaluate(LISTEN)
    page.evaluate(RUN, RUN_MILLISECONDS)
    findings.faults += [f"a cell failed: {error}" for error in page.evaluate(FAILED_CELLS)]
    move_controls(page, thorough, findings)
    for theme in themes:
        switch_theme(page, theme)
        look_with_axe(page, theme, findings)
    for alert in page.locator(".jp-Notebook [role=alert], .jp-Dialog").all_inner_texts():
        findings.faults.append(f"on the page: {alert}")
    findings.faults += [f"a callback failed: {error}" for error in page.evaluate("unseen")]
    shut_down_kernel(page)
    page.close()
    return findings


def shut_down_kernel(page: Page) -> None:
    """Shut down the kernel of the open notebook."""
    page.evaluate("jupyterapp.shell.currentWidget.context.sessionContext.shutdown()")


def listen_to_page(page: Page, address: str, findings: Findings) -> None:
    """From now on, record as faults the page's errors, and its requests to other hosts.

    Known errors of JupyterLab itself are left out (see `is_own`).
    """

    def note_request(url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != home:
            findings.outside += 1
            findings.faults.append(f"asked another machine: {url}")

    def note_line(line: ConsoleMessage) -> None:
        if line.type == "error" and is_own(line.text):
            first_line = line.text.partition("\n")[0]
            findings.faults.append(f"in the console: {first_line}")

    def note_error(error: Error) -> None:
        if is_own(f"{error}\n{error.stack}"):
            findings.faults.append(f"in the page: {error}")

    home = urlsplit(address).netloc
    page.on("request", lambda request: note_request(request.url))
    page.on("websocket", lambda socket: note_request(socket.url))
    page.on("pageerror", note_error)
    page.on("console", note_line)


def read_as_stored(page: Page, number: str, themes: tuple[str, ...], findings: Findings) -> None:
    """Check stored pictures, widgets, formulas and folded answers, before any cell is run.

    Args:
        page: a page that shows the notebook.
        number: number of the notebook, for the names of screenshots.
        themes: the themes of JupyterLab to check in.
        findings: where faults are recorded.
    """
    wait_for_formulas(page)
    for theme in themes:
        switch_theme(page, theme)
        pictures = page.eval_on_selector_all(".jp-Notebook img, .jp-Notebook .ex", WIDTHS)
        if len(pictures) < 3 or not all(width > 0 and alt for width, alt in pictures):
            findings.faults.append(
                f"{theme}: too few pictures, or one is empty or without alt text"
            )
        if page.get_by_text("Error displaying widget").count():
            findings.faults.append(f"{theme}: a stored widget is not drawn")
        if page.locator(".jp-Notebook mjx-merror").count():
            findings.faults.append(f"{theme}: a formula is not typeset")
        # JupyterLab shows the first line of each folded answer.
        folded = page.locator(".jp-OutputPlaceholder").all_inner_texts()
        if not 3 <= len(folded) <= 6 or {line.strip() for line in folded} != {GUESS_FIRST}:
            findings.faults.append(f"{theme}: of the folded answers is seen: {folded}")
        if "SCREENSHOTS" in os.environ:
            take_screenshots(page, f"{number}-{theme.lower()}")


def wait_for_formulas(page: Page) -> None:
    """Wait until all formulas are typeset: until their number stops growing."""
    page.wait_for_selector(".jp-Notebook mjx-container", state="attached")
    count, before = page.locator("mjx-container").count(), 0
    while count != before:
        page.wait_for_timeout(500)
        count, before = page.locator("mjx-container").count(), count


def take_screenshots(page: Page, stem: str) -> None:
    """Save pictures of the open notebook, from top to bottom, as STEM-NUMBER.png."""
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


def move_controls(page: Page, thorough: bool, findings: Findings) -> None:
    """Move every control of every widget by keyboard; record faults and counts.

    If `thorough`, also drag the first slider of each widget by mouse.
    """
    for output in page.locator(f".jp-OutputArea-child:has({CONTROLS})").all():
        dragged = not thorough  # the first slider of each widget
        for control in output.locator(CONTROLS).all():
            in_form = control.locator("xpath=ancestor::form").count()  # of a guess: it goes away
            if not control.is_visible() or control.is_disabled() or in_form:
                continue
            findings.controls += 1
            name = control.evaluate(NAME)
            is_slider = type_of(control) == "range"
            faults = move(control, output, drag=is_slider and not dragged)
            dragged |= is_slider
            findings.moved += not faults
            findings.faults += [f"{name!r} {fault}" for fault in faults]


def move(control: Locator, output: Locator, drag: bool) -> list[str]:
    """Move a control by keyboard to both its ends, and, if `drag`, by mouse; return its faults.

    `output` is the part of the page that has to change.
    """
    faults = []
    before = output.evaluate(LOOK)
    looks = {before}
    control.focus()
    for key in keys_of(control):
        was, *ends = control.evaluate(PLACE)
        control.page.keyboard.press(key)
        now = control.evaluate(PLACE)[0]
        if type_of(control) == "range" and float(now) != float(ends[key == "End"]):
            faults.append(f"stands at {now} when {key} is pressed")
        if key in ("Space", "Enter") or (now != was and key != "x"):  # a text is sent by Enter
            before = wait_for_another(output, before)
            looks.add(before)
    if len(looks) == 1:
        faults.append("changes nothing that is seen, moved by keyboard")
    elif drag:
        drag_to_the_middle(control)
        if wait_for_another(output, before) == before:
            faults.append("changes nothing that is seen, dragged by mouse")
    return faults


def wait_for_another(output: Locator, before: str) -> str:
    """Wait, for up to `PATIENCE` seconds, until an output changes; return how it looks then."""
    end = time.monotonic() + PATIENCE
    while (now := output.evaluate(LOOK)) == before and time.monotonic() < end:
        output.page.wait_for_timeout(30)
    return now


def drag_to_the_middle(control: Locator) -> None:
    """Drag a slider by mouse from its upper end, where the keyboard has left it, to the middle."""
    control.scroll_into_view_if_needed()
    box = control.bounding_box()
    y = box["y"] + box["height"] / 2
    mouse = control.page.mouse
    mouse.move(box["x"] + box["width"] - 4, y)
    mouse.down()
    mouse.move(box["x"] + box["width"] / 2, y, steps=5)
    mouse.up()


def look_with_axe(page: Page, theme: str, findings: Findings) -> None:
    """Record what axe, a checker of accessibility, finds wrong with explorers and figures."""
    if page.locator(FIGURES).count() == 0:
        return
    result = Axe().run(page, context=FIGURES, options=RULES[theme])
    findings.violations += result.violations_count
    for violation in result.response["violations"]:
        example = violation["nodes"][0]["html"][:200]
        findings.faults.append(f"axe, {theme}: {violation['id']}, as in {example}")
