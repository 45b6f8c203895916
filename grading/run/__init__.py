"""Runs what was handed in, apart from everything else, and decides the points."""
