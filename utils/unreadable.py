"""Why a file that is handed in holds nothing to grade, and how large one may be."""

LARGEST = 50 * 2**20  # bytes of a file


class Unreadable(Exception):  # noqa: N818 - a reason for the table, not a fault of ours
    """The reason why a file holds nothing to grade."""


def check_size(size: int) -> None:
    """Refuse a file of more than `LARGEST` bytes.

    Raises:
        Unreadable: it has more.
    """
    if size > LARGEST:
        raise Unreadable(
            f"too large: {size / 2**20:.0f} MB of at most {LARGEST >> 20} MB; clear the outputs "
            "and save it again"
        )
