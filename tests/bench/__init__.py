"""Benchmarks: speed, memory, agreement with PyTorch, and quality of trained models.

`make bench` runs all of them, `make bench ONLY=name` one; see `__main__.py`.
"""
