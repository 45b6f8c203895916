"""Speed, memory and parity, measured side by side in one run: `make bench [ONLY=name]`.

Each benchmark prints a table and then its figures as one line of JSON. Machines differ and are
noisy, so look at the ratios, not the seconds.
"""
