"""Small experiments that notebooks and exercises make: a model, its loop and what is measured.

| module | what it shows |
|---|---|
| `experiment` | arms that differ in one thing, with several seeds and whole curves |
| `laboratory` | a claim put to the test: runs on a budget, here or in a world that is made up |
| `copying` | heads learn to copy: two blocks of attention alone |
| `caching` | reading on with a cache of keys and values, and the time that it saves |
| `lengths` | a small language model, trained on short windows and read with longer ones |
| `recall` | associative memory: what a state of fixed size holds, and what a model learns |
"""
