"""Run the benchmarks, all or the one that is named: `make bench [ONLY=name]`.

Each benchmark prints tables. Where speed is compared, the implementations run in turn on the same
machine: look at the ratios, since seconds differ between machines. A benchmark that trains many
models can be run in parts, by prefixes of the job names:

    make bench ONLY="capstone:dot,none-seed0"
"""

import sys

from tests.bench.capstone import capstone
from tests.bench.captions import captions
from tests.bench.cards import cards
from tests.bench.lines import lines
from tests.bench.multi30k import multi30k
from tests.bench.real import real
from tests.bench.real_model import real_model
from tests.bench.time_and_memory import additive, masked, multihead, scaled
from tests.bench.today import today
from tests.bench.transformer import positions, transformer
from tests.bench.visitors import visitors

BENCHMARKS = {
    bench.__name__: bench
    for bench in (
        *(additive, multihead, scaled, masked, lines),
        *(capstone, transformer, positions, today, multi30k, captions, cards, real, real_model),
        visitors,
    )
}


def main(requests: list[str]) -> None:
    """Run the requested benchmarks, each given as "name" or "name:jobs"; without any, run all."""
    sys.stdout.reconfigure(line_buffering=True)  # show each row of a table as soon as it is known
    unknown = {request.split(":")[0] for request in requests} - set(BENCHMARKS)
    if unknown:
        sys.exit(f"No benchmark {', '.join(unknown)}; choose from {', '.join(BENCHMARKS)}")
    for request in requests or BENCHMARKS:
        name, *jobs = request.split(":")
        print(f"\n=== {name}: {BENCHMARKS[name].__doc__.splitlines()[0]}")
        BENCHMARKS[name](*jobs)


if __name__ == "__main__":
    main(sys.argv[1:])
