"""Exercises of notebook 06, translate with attention: one file each."""
