"""Grade a class: `python -m grading CLASS.toml`, or `python -m grading FOLDER --out DIR`.

Scores are decided in a process in which no learner's code runs. This process, the parent, reads
notebooks as data. A worker in a sandbox runs their code on fresh inputs and sends back plain
arrays; the parent compares them with the values that the solution returns. No expected value ever
enters a worker. If the answer is a test, the worker asks the parent for the values that the
implementation under test returns.

A task's *record* holds its cases (inputs) and their expected values: *public* cases are those that
learners have, *fresh* ones are drawn from the instructor's seed. A *mistake* is a known wrong
answer with its explanation. A *guard* is the process that supervises one worker.

- `intake/` takes in the files: `submissions` and `platforms` find them and their learners,
  `notebook_parser` reads code and words, by `utils.notebook_file`, `limited_reader` does so in a
  process with limits, `red_flags` finds code that a person should look at. `class_file` says what
  a class is graded by.
- `run/` runs and judges them: `launcher`, `server`, `worker`, `seccomp` (the sandbox), `protocol`
  and `schema` (its messages), `dialog`, `scoring`, `cluster` and `node` (Dask), `doctor`.
- `report/` reports the results: `store` (on disk), `tables` (CSV), `pages` (HTML), their figures
  (`class_statistics`, `similarity`, `unrecognised`), `anonymous`, `room`.

Only `worker` runs learners' code. No data are trusted that come from a worker, a `node` or a file.
`grader` combines all of this, `__main__` is the command line; `classroom` makes up a class to try
the grader on, `release` writes the learners' zip, `gradescope` an autograder for that platform.
"""
