"""Store a picture of a widget in the notebook, for readers without a kernel."""


class Pictured:
    """Base class of widgets that also store a picture in the notebook, for use without a kernel.

    A subclass returns the picture from `picture`. The text representation does not depend on the
    widget's state, so that stored outputs can be compared.
    """

    def picture(self) -> str:
        """Return the picture that a reader without a kernel sees, as HTML."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: run the cell to move it>"

    def _repr_mimebundle_(self, **kwargs) -> dict:
        bundle = super()._repr_mimebundle_(**kwargs)
        data = bundle[0] if isinstance(bundle, tuple) else bundle  # anywidget adds metadata
        return {**data, "text/plain": repr(self), "text/html": self.picture()}
