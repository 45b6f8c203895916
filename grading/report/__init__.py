"""What comes out: what is kept of each file, tables, pages and statistics."""
