"""Exercises of notebook 04, scaled dot-product attention: one file each."""
