"""What was handed in: finds it, reads it, and notes what a person should look at."""
