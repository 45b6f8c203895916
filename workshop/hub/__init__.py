"""Run the course on a JupyterHub: its configuration, what is handed in, and a trial."""
