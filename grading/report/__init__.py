"""Keep what is known of each file, and write tables, pages and statistics of it."""
