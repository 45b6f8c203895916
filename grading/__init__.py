"""Grades a class: `python -m grading FOLDER --out DIR`, or `make grade SUBMISSIONS=FOLDER`.

The score is decided where a learner's code does not run. This process, the parent, reads notebooks
as data. A worker in a sandbox runs their code on fresh inputs and sends back plain arrays; the
parent compares them with what the solution returns. No expected value ever enters a worker. Where
the answer is a test, the worker asks the parent for what the implementation under test returns.

- `intake/` takes what was handed in: `submissions` and `platforms` find the files and whose they
  are, `notebook_parser` reads code and words, `limited_reader` does so in a process with limits,
  `red_flags` finds what a person should look at.
- `run/` runs and judges it: `launcher`, `server`, `worker`, `seccomp` (the sandbox), `protocol` and
  `schema` (its messages), `dialog`, `scoring`, `cluster` and `node` (Dask), `version`, `doctor`.
- `report/` says what came of it: `store` (on disk), `tables` (CSV), `pages` (HTML), their figures
  (`item_analysis`, `misconception_stats`, `similarity`, `unrecognised`), `anonymous`, `room`.

`worker` alone runs learners' code. Nothing is trusted that comes from there, from a `node` or out
of a file. `grader` puts the rooms together, `__main__` is the command; `classroom` makes up a class
to try them on, `release` writes the learners' zip.
"""
