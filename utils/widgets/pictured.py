"""Store a widget in the notebook's output, so that it works, or is at least seen, without a kernel.

The output is HTML: a picture, and a script that puts the explorer in its place. So it outlives the
kernel, and works wherever a page may run scripts. Where it may not, as in a notebook that is not
trusted, the picture stays. An explorer that needs Python is `Linked` to it behind the scenes.
"""

import html
import json
from pathlib import Path
from uuid import uuid4

import anywidget
import traitlets

from utils.widgets.module import script

HINT = "<p>Run this cell to bring it to life.</p>"


class Pictured(traitlets.HasTraits):
    """Base class of widgets, which are computed in the page.

    A subclass stands in a module of its own, beside the JavaScript module of the same name, which
    gets the traits that are tagged `sync`. It returns a picture from `picture`. The text
    representation does not depend on the widget's state, so that stored outputs can be compared.
    """

    def picture(self) -> str:
        """Return what a reader sees where no script runs, as HTML."""
        raise NotImplementedError

    def shared(self) -> dict:
        """Return the values that the page gets, by name."""
        names = set(self.trait_names(sync=True)) - set(anywidget.AnyWidget.class_trait_names())
        return {name: getattr(self, name) for name in sorted(names) if not name.startswith("_")}

    @classmethod
    def module_name(cls) -> str:
        """Return the name of the explorer's JavaScript module."""
        return cls.__module__.rpartition(".")[2]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: run the cell to move it>"

    def _repr_mimebundle_(self, **_kwargs) -> dict:
        name = self.module_name()
        place = explorer_place(name, self.shared(), self.picture() + HINT)
        return {"text/plain": repr(self), "text/html": f"{place}<script>{script(name)}</script>"}


class Linked(Pictured, anywidget.AnyWidget):
    """Base class of widgets whose page talks to Python as long as the kernel lives.

    The kernel's end of the link is never displayed, since an output that needs it would be broken
    once the kernel is gone. The two find each other by their `link`.
    """

    _esm = Path(__file__).with_name("link.js")
    link = traitlets.Unicode().tag(sync=True)
    needs_kernel = traitlets.Bool(False).tag(sync=True)  # without one, the picture stays

    @traitlets.default("link")
    def _new_link(self) -> str:
        return uuid4().hex


def explorer_place(module: str, state: dict, picture: str) -> str:
    """Return the HTML element that an explorer fills; it has a picture until scripts have run."""
    text = html.escape(json.dumps(state, ensure_ascii=False), quote=True)
    return f'<div class="explorer" data-module="{module}" data-state="{text}">{picture}</div>'
