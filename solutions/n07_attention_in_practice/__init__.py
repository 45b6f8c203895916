"""Exercises of notebook 07, attention in practice: one file each."""
