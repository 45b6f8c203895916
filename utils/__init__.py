"""What the notebooks of the course share. Importing this alone imports nothing heavy."""
