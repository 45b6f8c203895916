"""Grades a class: `python -m grading FOLDER --out DIR`, or `make grade SUBMISSIONS=FOLDER`.

The score is decided where a learner's code does not run. This process, the parent, reads notebooks
as data. A worker in a sandbox runs their code on fresh inputs and sends back plain arrays; the
parent compares them with what the solution returns. No expected value ever enters a worker. Where
the answer is a test, the worker asks the parent for what the implementation under test returns.

| room | what it does | its modules |
|---|---|---|
| `intake/` | takes what was handed in | `submissions` (files, folders, a zip), `platforms` (Canvas, \
Moodle), `notebook_parser` (code and words), `limited_reader` (parses in a process with limits), \
`red_flags` (what a person should look at) |
| `run/` | runs it and judges it | `launcher`, `server` and `worker` (the sandbox), `seccomp`, \
`protocol` and `schema` (messages), `dialog`, `scoring`, `cluster` and `node` (Dask), `version`, \
`doctor` (does the sandbox work?) |
| `report/` | says what came of it | `store` (on disk), `tables` (CSV), `pages` (HTML), \
`item_analysis`, `misconception_stats`, `similarity`, `unrecognised` and `catalogue` (wrong answers \
that get a name), `anonymous`, `room` (live) |

`worker` alone runs learners' code, and nothing that comes out of it, of `node` or of a file is
trusted. `grader` puts the rooms together, `__main__` is the command. `classroom` makes up a class
to try all of it on; `release` writes the learners' zip, without solutions.
"""
