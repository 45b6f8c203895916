"""Configure pytest: order of the tests, comparison of notebook outputs, summary at the end."""

import math
import re
from collections import Counter
from importlib.util import find_spec
from statistics import median, quantiles

import pytest
from nbval.plugin import IPyNbCell

from utils.pretrained.store import is_here

MEASURED = re.compile(r"(?<=≈)( *)(-?\d[\d,]*(?:\.\d+)?)")
RELATIVE, ABSOLUTE = 0.1, 0.02
# Playwright is an extra, which `make test-all` installs.
collect_ignore = [] if find_spec("playwright") else ["tests/browser"]
LIGHT = ("tests/", "notebooks/")  # the folders of `make test`
# Those that take longest begin first, so that no processor is left waiting at the end.
FIRST = ("tests/browser/", "notebooks/", "grading/tests/test_grading", "solutions/")


class Output(str):
    """The output of a cell, which equals another output if only measured numbers differ a little.

    A number after ≈ was measured, and other processors round differently, so it may differ by 10 %
    of the larger one, or by 0.02. All other characters have to be the same.
    """

    def __eq__(self, other: object) -> bool:
        if str.__eq__(self, other) is True:
            return True
        if not isinstance(other, str) or MEASURED.sub("", self) != MEASURED.sub("", other):
            return False
        pairs = zip(_measured(self), _measured(other), strict=True)
        return all(math.isclose(*pair, rel_tol=RELATIVE, abs_tol=ABSOLUTE) for pair in pairs)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


def _measured(text: str) -> list[float]:
    return [float(number.replace(",", "")) for _, number in MEASURED.findall(text)]


def _compare_measured_numbers(sanitise=IPyNbCell.sanitize) -> None:
    def sanitised(cell: IPyNbCell, output: object) -> object:
        clean = sanitise(cell, output)
        return Output(clean) if isinstance(clean, str) else clean

    IPyNbCell.sanitize = sanitised


_compare_measured_numbers()


def pytest_itemcollected(item):
    """Mark a test as slow if it is outside the folders of `make test`.

    Cells of notebook 11 are skipped where the real model is not. What fails in a browser is tried
    once more, and told as a rerun: on a busy machine JupyterLab itself loses a race now and then.
    """
    if not item.nodeid.startswith(LIGHT):
        item.add_marker(pytest.mark.slow)
    if item.nodeid.startswith("notebooks/11") and not is_here():
        item.add_marker(pytest.mark.skip(reason="no real model, for notebook 11 → make real"))
    if item.get_closest_marker("browser") and item.config.pluginmanager.hasplugin("rerunfailures"):
        item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_collection_modifyitems(items):
    """Put the tests that take longest first."""

    def place(item):
        starts = [i for i, start in enumerate(FIRST) if item.nodeid.startswith(start)]
        return min(starts, default=len(FIRST))

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give each worker whole files, but the notebooks that are inspected in a browser one by one.

    They take minutes together, which one worker would spend after the others have finished.
    """
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid):
            alone = nodeid.startswith("tests/browser/test_notebooks_in_browser.py")
            return nodeid if alone else super()._split_scope(nodeid)

    return ByFile(config, log)


def pytest_terminal_summary(terminalreporter):
    _tell_what_was_skipped(terminalreporter)
    _tell_what_the_browser_saw(terminalreporter)


def _tell_what_was_skipped(terminalreporter):
    """Print each reason for skipping tests once, with the number of tests and how to run them."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    if reasons:
        terminalreporter.section("not run on this machine")
    for reason, count in reasons.most_common():
        what, _, cure = reason.partition(" → ")
        terminalreporter.line(f"{count:5} {'test ' if count == 1 else 'tests'}  {what}")
        terminalreporter.line(
            f"{'':13}to run {'it' if count == 1 else 'them'}: {cure}" if cure else ""
        )


def _tell_what_the_browser_saw(terminalreporter):
    """Print what the tests in tests/browser have timed, and in one line what they have counted."""
    reports = terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
    of_browser = [one for one in reports if one.nodeid.startswith("tests/browser/")]
    counts, timed = Counter(), {}
    for report in of_browser:
        if report.when == "call":
            for name, found in report.user_properties:
                if name == "milliseconds":
                    timed |= found
                else:
                    counts[name] += found
    if timed:
        terminalreporter.line(f"{'milliseconds until it is seen':44}median   95 %")
    for what, times in timed.items():
        high = quantiles(times, n=20)[-1]
        terminalreporter.line(f"{what:44}{median(times):6.1f} {high:6.1f}")
    if counts:
        seconds = max(one.stop for one in of_browser) - min(one.start for one in of_browser)
        terminalreporter.line(
            f"in the browser: {counts['opened']} of {counts['notebooks']} notebooks opened, "
            f"{counts['moved']} of {counts['controls']} controls moved, "
            f"{counts['violations']} axe violations, {counts['outside']} outside requests, "
            f"{counts['red']} of {counts['broken']} broken notebooks red, {seconds:.0f} seconds"
        )
