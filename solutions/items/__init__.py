"""The item bank: questions for warm-ups, and for the tests before and after the course.

Each module holds `ITEMS`: `on_04` those on notebook 04 for warm-ups, `forms_…` those of the two
tests, in pairs that ask for the same beliefs in other situations, one for each test.
`solutions/item.py` says what an item is.
"""

from importlib import import_module
from pathlib import Path

from solutions.item import Item


def all_items() -> list[Item]:
    """Return the items of the bank: those of the tests, then all others in the order of the course.

    Raises:
        ValueError: two have the same name.
    """
    modules = sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))
    items = [item for name in modules for item in import_module(f"{__name__}.{name}").ITEMS]
    names = [item.id for item in items]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"Two items are called `{twice}`.")
    return items
