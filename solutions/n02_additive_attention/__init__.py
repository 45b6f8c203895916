"""Exercises of notebook 02, additive attention: one file each."""
