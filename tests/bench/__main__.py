import json
import sys

from tests.bench.mechanisms import additive, multihead, scaled
from tests.bench.parity import parity

BENCHMARKS = {bench.__name__: bench for bench in (parity, additive, multihead, scaled)}


def main(names: list[str]) -> None:
    unknown = set(names) - set(BENCHMARKS)
    if unknown:
        sys.exit(f"No benchmark {', '.join(unknown)}; there are: {', '.join(BENCHMARKS)}")
    for name in names or BENCHMARKS:
        print(f"\n=== {name}: {BENCHMARKS[name].__doc__.splitlines()[0]}")
        print(json.dumps({name: BENCHMARKS[name]()}))


if __name__ == "__main__":
    main(sys.argv[1:])
