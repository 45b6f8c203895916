"""Store the result of each file, and write tables, pages and statistics of the class."""
