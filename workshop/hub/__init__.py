"""Run the course on a JupyterHub: configure it, try it out, and collect the learners' work."""
