"""Code that the notebooks share. Importing this package alone does not load PyTorch."""
