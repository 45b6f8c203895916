"""Find and read what was handed in, and note what a person should look at."""
