"""Make the real model ready: convert it once, open it, and let it say something.

python -m utils.pretrained [SOURCE]
"""

import sys
import time

from utils.pretrained import CannotOpenError, NotHereError, open_model, write
from utils.pretrained.store import folder


def main() -> None:
    """Convert and open the model named on the command line, or the course's own."""
    try:
        began = time.perf_counter()
        model, tokens = open_model(*sys.argv[1:2])
        print(f"Opened in {time.perf_counter() - began:.1f} seconds.")
        print(write(model, tokens, "The capital of France is", 12))
        print(f"The course's own is kept in {folder()}; delete that folder to be rid of it.")
    except (CannotOpenError, NotHereError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
