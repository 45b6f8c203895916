"""Small experiments that notebooks 08 to 10 make: a model, its loop and what is measured.

| module | what it shows |
|---|---|
| `experiment` | arms that differ in one thing, with several seeds and whole curves |
| `copying` | heads learn to copy: two blocks of attention alone |
| `caching` | reading on with a cache of keys and values, and the time that it saves |
| `lengths` | a small language model, trained on short windows and read with longer ones |
| `recall` | associative memory: what a state of fixed size holds, and what a model learns |
"""
