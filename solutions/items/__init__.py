"""The item bank: questions for warm-ups, and for the tests before and after the course.

Each module holds `ITEMS`: `on_04` those on notebook 04 for warm-ups, `form_a` and `form_b` those of
the two tests. The first two ask for the same beliefs in other situations, so do the second two …
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
