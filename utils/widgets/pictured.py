"""Store a picture of a widget in the notebook."""


class Pictured:
    """A widget that also stores a picture in the notebook, for readers without a kernel.

    Its text representation is fixed, so that stored outputs can be compared. A subclass returns the
    picture from `picture`.
    """

    def picture(self) -> str:
        """Return what a reader without a kernel sees, as HTML."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: run the cell to move it>"

    def _repr_mimebundle_(self, **kwargs) -> dict:
        bundle = super()._repr_mimebundle_(**kwargs)
        data = bundle[0] if isinstance(bundle, tuple) else bundle  # anywidget adds metadata
        return {**data, "text/plain": repr(self), "text/html": self.picture()}
