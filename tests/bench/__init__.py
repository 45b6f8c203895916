"""Speed, memory and parity, measured side by side in one run: `make bench [ONLY=name]`.

Each benchmark prints its table and, last, one line of JSON with its figures. Machines differ and
are noisy, so look at the ratios, not at the seconds.
"""
