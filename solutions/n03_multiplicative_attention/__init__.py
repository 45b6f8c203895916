"""Exercises of notebook 03, multiplicative attention: one file each."""
