"""Clean text that comes from outside before anything shows it: the one door for all of it.

Learners choose the names of files, folders and accounts, and they write answers; an instructor's
tables and class files hold what people have pasted. Any of it may hold letters that steer a
terminal, turn or hide the text after them, end a comment, or go on for a megabyte.

- `clean` makes a name: what is read from a disk, a zip file, a roster or a platform's own file goes
  through it once, where it comes in.
- `visible` makes a text of several lines: what goes to a terminal, a table or a page goes through
  it once more, where it goes out (`say`, `write_csv`, and the templates' `finalize`).
- `shown` quotes a value in a message, `toml` writes one into a class file.
"""

import hashlib
import json
import re
import sys
import unicodedata
from typing import Any, TextIO

CONTROL = re.compile(r"[\0-\x1f\x7f-\x9f\u2028\u2029]")
STEERING = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")  # not the end of a line, nor tabs
# Characters that a program may leave out when it shows text (`Default_Ignorable_Code_Point`). Some
# reverse the direction of the text after them; with any of them, different names can look alike.
INVISIBLE = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which no file can hold
NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # one that is not Python's for an odd byte
LONGEST = 255  # letters of a name: no disk has longer ones, but a zip file or a table can
LONGEST_SHOWN = 80  # letters of a value in a message


def clean(name: str) -> str:
    """Turn a name into one line that anything can hold, whatever bytes are on the disk.

    A name that is absurdly long is cut. A few letters at its end keep it apart from others that
    begin alike.
    """
    plain = NO_BYTE.sub("\ufffd", name).encode(errors="surrogateescape").decode(errors="replace")
    line = unicodedata.normalize("NFC", INVISIBLE.sub("", CONTROL.sub("\ufffd", plain)))
    if len(line) <= LONGEST:
        return line
    return f"{line[: LONGEST - 9]}…{hashlib.sha256(line.encode()).hexdigest()[:8]}"


def clean_lines(text: str) -> str:
    """Clean each line of a text as `clean` does."""
    return "\n".join(map(clean, text.splitlines()))


def visible(text: str) -> str:
    """Return a text without letters that steer a terminal, or turn or hide what follows them."""
    lines = SURROGATE.sub("\ufffd", text.replace("\r\n", "\n"))
    return INVISIBLE.sub("", STEERING.sub("\ufffd", lines))


def shown(value: Any) -> str:
    """Return a value in quotes, as Python writes it, for a message; a long one is cut."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of thousands of digits, say
        return f"a {type(value).__name__}"
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def toml(text: str) -> str:
    """Return a text in quotes as TOML writes it, with escapes for all that no one can see."""

    def escaped(match: re.Match) -> str:
        code = ord(match[0])
        return f"\\u{code:04X}" if code < 2**16 else f"\\U{code:08X}"

    quoted = json.dumps(text, ensure_ascii=False)
    return INVISIBLE.sub(escaped, CONTROL.sub(escaped, quoted))


def say(text: object, to: TextIO | None = None) -> None:
    """Print a text for a person, whatever stands in it and whatever the terminal can show."""
    stream = to or sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf-8"
    line = visible(str(text)).encode(encoding, errors="backslashreplace").decode(encoding)
    print(line, file=stream, flush=True)
