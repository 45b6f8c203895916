"""Run submissions in a sandbox, and decide how many points each task earns."""
