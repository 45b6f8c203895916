"""The task “Switch heads off”: right answers and known mistakes."""

from contextlib import contextmanager

import torch

from solutions.specification import Draw, Exercise, WrongAnswer
from utils.attention import MultiHeadAttention
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, length, layers, heads, width, off, fails=False):
        dim = heads * width
        inputs = {
            "x": draw.numbers(batch, length, dim, reach=2),
            "weights": draw.numbers(layers, 4, dim, dim, reach=0.8),
            "heads": heads,
            "off": off,
            "fails": fails,
        }
        return Case(label, inputs)

    def some(count):
        return int(draw.whole(0, count - 1))

    return [
        case("one head of one layer", 2, 3, 1, 3, 2, [[0, 1]]),
        case("one head in the second layer", 1, 4, 2, 2, 3, [[1, 0]]),
        case("two heads of one layer", 2, 3, 2, 4, 1, [[0, 3], [0, 1]]),
        case("heads in two layers", 1, 3, 3, 3, 2, [[2, 0], [0, 2]]),
        case("no head at all", 1, 3, 2, 2, 2, []),
        case("an error in between", 2, 2, 2, 2, 2, [[0, 1], [1, 1]], fails=True),
        case("all heads of a layer", 1, 3, 2, 2, 2, [[1, 0], [1, 1]]),
        case("any head, and an error", 1, 4, 3, 2, 2, [[some(3), some(2)]], fails=True),
    ]


class OnPurpose(Exception):  # noqa: N818 - no fault
    pass


@torch.no_grad()
def tried(heads_off, x, weights, heads, off, fails):
    """Return what the task's `try_heads_off` returns, for one way of switching off."""
    layers = []
    for of_layer in weights:
        layer = MultiHeadAttention(x.shape[-1], heads, bias=False)
        for part, weight in zip(
            (layer.W_q, layer.W_k, layer.W_v, layer.W_o), of_layer, strict=True
        ):
            part.weight.data = weight.clone()
        layer.W_o.register_forward_pre_hook(lambda module, inputs: None)
        layers.append(layer)

    def read():
        y = x
        for layer in layers:
            y = y + layer(y, y)[0]
        return y

    came_through = False
    try:
        with heads_off(layers, [tuple(head) for head in off]):
            inside = (read() + read()) / 2
            if fails:
                raise OnPurpose
    except OnPurpose:
        came_through = True
    parts = [part for layer in layers for part in layer.modules()]
    hooks = sum(len(part._forward_hooks) + len(part._forward_pre_hooks) for part in parts)
    return inside, read(), torch.tensor(hooks), torch.tensor(came_through)


def _silence(layer, head):
    """Let a head add nothing by a hook, and return the hook's handle."""
    place = slice(head * layer.head_dim, (head + 1) * layer.head_dim)

    def hook(module, inputs):
        contexts = inputs[0].clone()
        contexts[..., place] = 0
        return contexts

    return layer.W_o.register_forward_pre_hook(hook)


def _remove_all(handles, layers):
    for handle in handles:
        handle.remove()


def _off(
    silence=_silence,
    choose=lambda layers, off: off,
    remove=_remove_all,
    always=True,
    swallow=False,
    only_after_an_error=False,
):
    """Return an answer with one part replaced."""

    @contextmanager
    def heads_off(layers, off):
        handles = [silence(layers[layer], head) for layer, head in choose(layers, off)]
        handles = [handle for handle in handles if handle is not None]
        try:
            yield
        except OnPurpose:
            if always:
                remove(handles, layers)
            if swallow:
                return
            raise
        if not only_after_an_error:
            remove(handles, layers)

    return _answer(heads_off)


def _answer(heads_off):
    def try_heads_off(x, weights, heads, off, fails):
        return tried(heads_off, x, weights, heads, off, fails)

    return try_heads_off


def _zeroed(restore):
    """Return an answer that sets a head's weights in W_o to 0."""

    @contextmanager
    def heads_off(layers, off):
        kept = [layer.W_o.weight.data.clone() for layer in layers]
        for layer, head in off:
            width = layers[layer].head_dim
            place = slice(head * width, (head + 1) * width)
            weight = layers[layer].W_o.weight.data
            weight.mT[place] = 0

        yield
        if restore:
            for layer, weight in zip(layers, kept, strict=True):
                layer.W_o.weight.data = weight

    return _answer(heads_off)


def _of_output(layer, head):
    place = slice(head * layer.head_dim, (head + 1) * layer.head_dim)

    def hook(module, inputs, output):
        output = output.clone()
        output[..., place] = 0
        return output

    return layer.W_o.register_forward_hook(hook)


def _projected(name):
    """Return a way to silence a head by setting its queries, keys or values to 0."""

    def silence(layer, head):
        place = slice(head * layer.head_dim, (head + 1) * layer.head_dim)

        def hook(module, inputs, output):
            output = output.clone()
            output[..., place] = 0
            return output

        return getattr(layer, name).register_forward_hook(hook)

    return silence


def _every_nth(layer, head):
    """Take the entries head, head + heads, …, as if heads alternated."""

    def hook(module, inputs):
        contexts = inputs[0].clone()
        contexts[..., head :: layer.heads] = 0
        return contexts

    return layer.W_o.register_forward_pre_hook(hook)


def _one_entry(layer, head):
    def hook(module, inputs):
        contexts = inputs[0].clone()
        contexts[..., head] = 0
        return contexts

    return layer.W_o.register_forward_pre_hook(hook)


def _columns(first, end):
    """Return a way to silence the columns of the contexts from `first` to before `end`."""

    def silence(layer, head):
        place = slice(first(layer, head), end(layer, head))

        def hook(module, inputs):
            contexts = inputs[0].clone()
            contexts[..., place] = 0
            return contexts

        return layer.W_o.register_forward_pre_hook(hook)

    return silence


def _tokens(layer, head):
    place = slice(head * layer.head_dim, (head + 1) * layer.head_dim)

    def hook(module, inputs):
        contexts = inputs[0].clone()
        contexts[:, place] = 0
        return contexts

    return layer.W_o.register_forward_pre_hook(hook)


def _once(layer, head):
    place, called = slice(head * layer.head_dim, (head + 1) * layer.head_dim), []

    def hook(module, inputs):
        contexts = inputs[0].clone()
        if not called:
            contexts[..., place] = 0
        called.append(True)
        return contexts

    return layer.W_o.register_forward_pre_hook(hook)


@contextmanager
def _late_bound(layers, off):
    handles = []
    try:
        for layer, head in off:

            def hook(module, inputs):
                contexts = inputs[0].clone()
                width = layers[layer].head_dim  # noqa: B023 - the mistake
                contexts[..., head * width : (head + 1) * width] = 0  # noqa: B023
                return contexts

            handles.append(layers[layer].W_o.register_forward_pre_hook(hook))
        yield
    finally:
        for handle in handles:
            handle.remove()


def _everything_cleared(handles, layers):
    for layer in layers:
        layer.W_o._forward_pre_hooks.clear()


def _all_but(layers, off):
    every = [(n, head) for n, layer in enumerate(layers) for head in range(layer.heads)]
    return [place for place in every if place not in off]


def _the_layer(layers, off):
    return [(layer, head) for layer, _ in off for head in range(layers[layer].heads)]


def _in_every_layer(layers, off):
    return [(layer, head) for layer in range(len(layers)) for _, head in off]


class AsAClass:
    """A context manager that is written as a class."""

    def __init__(self, layers, off):
        self.layers, self.off, self.handles = layers, off, []

    def __enter__(self):
        by_layer = {}
        for layer, head in self.off:
            by_layer.setdefault(layer, []).append(head)
        for layer, heads in by_layer.items():
            module = self.layers[layer]
            open_ = torch.ones(module.heads)
            open_[heads] = 0
            factors = open_.repeat_interleave(module.head_dim)
            hook = lambda _, inputs, factors=factors: (inputs[0] * factors,)  # noqa: E731
            self.handles.append(module.W_o.register_forward_pre_hook(hook))

    def __exit__(self, *_):
        while self.handles:
            self.handles.pop().remove()


@contextmanager
def _without_hooks(layers, off):
    kept = {}
    for layer, head in off:
        matrix = layers[layer].W_o.weight
        kept.setdefault(layer, matrix.data)
        changed = matrix.data.clone()
        width = layers[layer].head_dim
        changed[:, head * width : head * width + width] = 0
        matrix.data = changed
    try:
        yield
    finally:
        for layer, weight in kept.items():
            layers[layer].W_o.weight.data = weight


def as_a_class(x, weights, heads, off, fails):
    return tried(AsAClass, x, weights, heads, off, fails)


def zeros_in_the_matrix(x, weights, heads, off, fails):
    return tried(_without_hooks, x, weights, heads, off, fails)


def values_of_zero(x, weights, heads, off, fails):
    return _off(silence=_projected("W_v"))(x, weights, heads, off, fails)


exercise = Exercise(
    id="try_heads_off",
    title="Switch heads off",
    points=4,
    difficulty=3,
    minutes=25,
    section="11.5",
    outputs=["inside", "after", "hooks", "came_through"],
    again=False,
    cases=cases,
    equivalents={
        "contexts = inputs[-1].clone()": "W_o has one input, which is its first and last",
        "contexts = inputs[0]": "nobody else needs these contexts",
    },
    hints=[
        "Where are the contexts of all heads side by side, before they are mixed? What is called "
        "with them?",
        "`layer.W_o.register_forward_pre_hook(hook)` calls `hook(module, inputs)` before W_o, with "
        "a tuple of its inputs; what the hook returns goes in. It returns a handle, and "
        "`handle.remove()` ends it. What has to happen in any case stands behind `finally:`.",
        "For each (layer, head): a hook that clones `inputs[0]`, sets the columns from "
        "`head * width` to before `(head + 1) * width` to 0 and returns it; make it in a function "
        "of its own, so that it keeps its head. Then `try: yield`, and `finally:` remove all "
        "handles.",
    ],
    mistakes={
        "hooks stay": WrongAnswer(
            _off(remove=lambda handles, layers: None),
            "Your hooks stay. Afterwards the model lacks heads for good, and nobody sees why.",
            "What does `register_forward_pre_hook` return, and what is it for?",
            misconception="stale-value",
        ),
        "nothing off": WrongAnswer(
            _off(choose=lambda layers, off: []),
            "Nothing is off while your `with` runs. Perhaps no hook is put in, or the hook does "
            "not return what it has changed.",
            "What goes into W_o if a hook returns `None`?",
            misconception="input-unused",
        ),
        "the first call alone": WrongAnswer(
            _off(silence=_once),
            "Your heads are off in the first call, and on again in the next. They are off as long "
            "as the `with` runs.",
            "When may a hook be removed, or have done its work?",
            misconception="one-for-all",
        ),
        "only after an error": WrongAnswer(
            _off(only_after_an_error=True),
            "You tidy up only if an error was raised. It has to be done in any case.",
            "What is the difference between `except` and `finally`?",
            misconception="half-is-enough",
            also={"and swallowed": _off(only_after_an_error=True, swallow=True)},
        ),
        "not after an error": WrongAnswer(
            _off(always=False),
            "If an error is raised while the heads are off, they stay off: your tidying up is not "
            "reached then, as when it stands plainly behind `yield`.",
            "Which word of Python says “in any case”?",
            misconception="half-is-enough",
        ),
        "error swallowed": WrongAnswer(
            _off(swallow=True),
            "The error ends in your context manager, and whoever calls it hears nothing of it. "
            "Tidy up, and let it through.",
            "What is the difference between `except` and `finally`?",
            misconception="another-task",
        ),
        "weights lost": WrongAnswer(
            _zeroed(restore=False),
            "You set weights to 0, and they stay 0. What was there is lost.",
            "What would you need, to bring the weights back?",
            misconception="stale-value",
        ),
        "weights lost after an error": WrongAnswer(
            _zeroed(restore=True),
            "You bring the weights back, but not if an error was raised in between.",
            "Which word of Python says “in any case”?",
            misconception="half-is-enough",
        ),
        "behind W_o": WrongAnswer(
            _off(silence=_of_output),
            "You silence entries of what comes *out* of W_o, or rows of its weight, which make "
            "them. There the heads are mixed already.",
            "W_o is stored as (out, in). On which side does each head have its own columns?",
            misconception="matrix-as-stored",
        ),
        "scores of zero": WrongAnswer(
            _off(silence=_projected("W_q")),
            "You set the head's queries or keys to 0. Its scores are then all 0, and it looks at "
            "all tokens alike: it still adds their mean.",
            "What is the softmax of zeros?",
            misconception="low-score-hides",
        ),
        "all others off": WrongAnswer(
            _off(choose=_all_but),
            "You switch off all heads but those that were named.",
            "What should happen if `off` is empty?",
            misconception="opposite",
        ),
        "the whole layer": WrongAnswer(
            _off(choose=_the_layer),
            "You switch off all heads of the layer.",
            "How many columns of the contexts belong to one head?",
            misconception="heads-as-one",
        ),
        "in every layer": WrongAnswer(
            _off(choose=_in_every_layer),
            "You switch the head off in every layer. The pair says in which.",
            "What is the first number of a pair?",
            misconception="one-for-all",
        ),
        "the first alone": WrongAnswer(
            _off(choose=lambda layers, off: off[:1]),
            "You switch off the first head of the list, and no other.",
            "Which pairs of the list does your code come to?",
            misconception="half-is-enough",
        ),
        "the last alone": WrongAnswer(
            _off(choose=lambda layers, off: off[-1:]),
            "You switch off the last head of the list, and no other.",
            "What becomes of the first pair when the second one comes?",
            misconception="half-is-enough",
        ),
        "all hooks silence the last": WrongAnswer(
            _answer(_late_bound),
            "In each layer that is named you switch off the head that was named last. If hooks "
            "are made in a loop: a function looks up the loop's names when it is *called*, and by "
            "then the loop is over.",
            "When does Python read a name inside a function: when it is made, or when it runs?",
            misconception="stale-value",
        ),
        "all hooks of the layer removed": WrongAnswer(
            _off(remove=_everything_cleared),
            "You clear all hooks of the layers, also those that were there before. Remove your own "
            "alone.",
            "Whose hook is it that the test has put there?",
            misconception="another-task",
        ),
        "one hook too few removed": WrongAnswer(
            _off(remove=lambda handles, layers: _remove_all(handles[-1:], layers)),
            "You remove one hook, and have put in several.",
            "How many handles are there?",
            misconception="half-is-enough",
        ),
        "heads alternate": WrongAnswer(
            _off(silence=_every_nth),
            "You take every n-th column, as if the heads alternated. A head's columns are "
            "neighbours.",
            "Which columns does `join_heads` give to head 1?",
            misconception="shape-is-enough",
        ),
        "one head of a layer": WrongAnswer(
            _off(choose=lambda layers, off: [*dict(off).items()]),
            "Where several heads of one layer are named, you switch off the last of them alone.",
            "What becomes of a key of a dictionary that is set twice?",
            misconception="half-is-enough",
        ),
        "heads for the width": WrongAnswer(
            _off(
                silence=_columns(
                    lambda layer, head: head * layer.heads,
                    lambda layer, head: (head + 1) * layer.heads,
                )
            ),
            "You cut the contexts into pieces of `heads` columns. Each head has `head_dim`.",
            "How many columns have the contexts, and how many heads share them?",
            misconception="wrong-width",
        ),
        "one column too few": WrongAnswer(
            _off(
                silence=_columns(
                    lambda layer, head: head * layer.head_dim,
                    lambda layer, head: (head + 1) * layer.head_dim - 1,
                )
            ),
            "The last column of each head stays as it is: a slice ends *before* its second number.",
            "How many entries has `x[0:2]`?",
            misconception="off-by-one",
        ),
        "tokens for columns": WrongAnswer(
            _off(silence=_tokens),
            "You set tokens to 0, with all their heads. The heads lie side by side along the last "
            "axis.",
            "What are the three axes of the contexts?",
            misconception="axes-anywhere",
        ),
        "one column": WrongAnswer(
            _off(silence=_one_entry),
            "You set one column to 0. A head has `head_dim` of them.",
            "How many columns have the contexts, and how many heads share them?",
            misconception="wrong-width",
        ),
        "counted from one": WrongAnswer(
            _off(choose=lambda layers, off: [(n, head - 1) for n, head in off if head]),
            "Your heads count from 1. They count from 0, as layers do.",
            "Which columns belong to head 0?",
            misconception="off-by-one",
        ),
    },
    variants=[as_a_class, zeros_in_the_matrix, values_of_zero],
)
