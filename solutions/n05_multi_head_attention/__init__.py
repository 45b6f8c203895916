"""Exercises of notebook 05, multi-head attention: one file each."""
