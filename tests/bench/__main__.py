"""Speed, memory, parity and quality, side by side in one run: `make bench [ONLY=name]`.

Each benchmark prints its table and, last, one line of JSON with its figures. Machines differ and
are noisy, so look at the ratios, not at the seconds. Those that train many models can be run in
parts, by the beginnings of the jobs' names: `make bench ONLY="capstone:dot,none-seed0"`.
"""

import json
import sys

from tests.bench.capstone import capstone
from tests.bench.mechanisms import additive, multihead, scaled
from tests.bench.multi30k import multi30k
from tests.bench.parity import parity
from tests.bench.start import start
from tests.bench.throughput import pace, throughput

BENCHMARKS = {
    bench.__name__: bench
    for bench in (
        *(parity, start, additive, multihead, scaled, throughput, pace, capstone, multi30k),
    )
}


def main(requests: list[str]) -> None:
    sys.stdout.reconfigure(line_buffering=True)  # a table that grows is seen to grow
    unknown = {request.split(":")[0] for request in requests} - set(BENCHMARKS)
    if unknown:
        sys.exit(f"No benchmark {', '.join(unknown)}; there are: {', '.join(BENCHMARKS)}")
    for request in requests or BENCHMARKS:
        name, *jobs = request.split(":")
        print(f"\n=== {name}: {BENCHMARKS[name].__doc__.splitlines()[0]}")
        print(json.dumps({name: BENCHMARKS[name](*jobs)}))


if __name__ == "__main__":
    main(sys.argv[1:])
