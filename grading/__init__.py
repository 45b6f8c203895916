"""Grades a class: `python -m grading FOLDER --out DIR`, or `make grade SUBMISSIONS=FOLDER`.

The score is decided where a learner's code does not run. This process, the parent, reads notebooks
as data. A worker in a sandbox runs their code on fresh inputs and sends back plain arrays; the
parent compares them with what the solution returns. No expected value ever enters a worker. Where
the answer is a test, the worker asks the parent for what the implementation under test returns.

| module | what it does | trusted |
|---|---|---|
| `platforms` | how Canvas and Moodle name files, and what they take back | yes |
| `submissions` | what was handed in: files, folders, a zip of an LMS | |
| `reading` | a notebook as data: its code, its answers in words | |
| `reader` | has files read in a process with limits, which may die | |
| `signs` | what a person should look at in that code | |
| `wire` | what goes between parent and worker: JSON and raw numbers | |
| `sandbox` | starts the server in bubblewrap, or says why it cannot | yes |
| `server` | warm; forks a worker into a sandbox of its own, watches and ends it | yes |
| `syscalls` | which system calls a worker does not get | yes |
| `worker` | runs a learner's cells and answers: the only place that does | no |
| `conversation` | what the workers of a submission are asked, and what they say | yes |
| `messages` | the forms that a worker's messages may have | yes |
| `marking` | one submission: what its answers are worth | yes |
| `results` | what is known of each file, on disk at once; resumed and marked again | yes |
| `shards` | a part of a class, graded by itself, to be merged with the others | yes |
| `cluster` | the client of a Dask cluster: asks workers on its nodes in place of those here | yes |
| `node` | on a node, outside its sandbox: passes on what a worker says | as far as Dask's workers |
| `version` | whether machines that grade a class together have the same course | yes |
| `tables` | grades.csv, tasks.csv, files.csv, and what an instructor enters in marks.csv | yes |
| `likeness` | submissions that are nearly the same | yes |
| `beliefs` | which misconceptions a class shares, over all tasks | yes |
| `item_analysis` | how well a task tells strong from weak | yes |
| `unnamed` | wrong answers that many share, and what an instructor calls them | yes |
| `catalogue` | a mistake that a class has named, for `solutions/` | yes |
| `pages` | a page for each learner, and the overview of the class | yes |
| `anonymous` | a copy of tables and pages without names | yes |
| `watch` | who is where in a room, live, from what `check` remembers | yes |
| `doctor` | whether the sandbox works here, layer by layer | yes |
| `release` | the learners' zip, without solutions | yes |
"""
