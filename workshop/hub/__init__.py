"""The course on a JupyterHub: configuration, what is handed in, and a trial of it all."""
