"""Exercises of notebook 01, attention concepts: one file each."""
