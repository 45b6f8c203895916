"""Find and read the files that were handed in, and flag code that a person should look at."""
