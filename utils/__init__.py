"""Code that the notebooks of the course share. Importing this package alone imports no PyTorch."""
