"""The task “Three counterfactuals”: right answers and known mistakes."""

import torch
import torch.nn.functional as F

from solutions.cases import one_silent
from solutions.specification import IN_A_MATRIX, Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import filled, safe_softmax
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, src_len, dim, vocab, reach=2.0, double=False, same=()):
        inputs = {
            "start": draw.numbers(batch, dim, reach=reach),
            "states": draw.numbers(batch, src_len, dim, reach=reach),
            "other_start": draw.numbers(batch, dim, reach=reach),
            "other_states": draw.numbers(batch, src_len, dim, reach=reach),
            "out": draw.numbers(vocab, 2 * dim, reach=1.0),
        }
        inputs |= {f"other_{name}": inputs[name].clone() for name in same}
        if double:
            inputs = {name: one.double() for name, one in inputs.items()}
        inputs["place"] = draw.order(src_len).repeat(batch)[:batch]  # not the same in all rows
        inputs["word"] = torch.stack([draw.order(vocab)[0] for _ in range(batch)])
        return Case(label, inputs)

    turned = case("transposed views", 2, 3, 4, 5)
    turned.inputs["states"] = turned.inputs["states"].mT.contiguous().mT
    silent = case("three sentences, each with its own place and word, scores of 0", 3, 5, 4, 6)
    silent.inputs["states"] = one_silent(silent.inputs["states"])
    return [
        case("one sentence of four words", 1, 4, 3, 5),
        silent,
        case("the other sentence starts alike", 2, 4, 3, 5, same=["start"]),
        case("the other sentence has the same states", 2, 4, 3, 5, same=["states"]),
        case("a source of one word", 2, 1, 4, 5),
        case("large scores, float64", 2, 6, 4, 4, reach=9.0, double=True),
        case("wider vectors", 4, 3, 8, 7, double=True),
        turned,
    ]


def _shares(scores, mask):
    return safe_softmax(scores, mask)


def _scores(query, keys):
    return (keys @ query.unsqueeze(-1)).squeeze(-1) / query.shape[-1] ** 0.5


def _swapped(states, other_states, place):
    here = F.one_hot(place, states.shape[1]).bool().unsqueeze(-1)
    return torch.where(here, other_states, states)


def _fall(before, after):
    return before - after


def _three(
    scores=_scores,
    shares=_shares,
    swapped=_swapped,
    fall=_fall,
    joined=lambda context, start: torch.cat([context, start], -1),
    likely=lambda logits: logits.softmax(-1),
    other=lambda start, states, other_start, other_states: (other_start, states),
    order=(0, 1, 2),
):
    """Return an answer with one part replaced."""

    def three(start, states, other_start, other_states, out, place, word):
        def chance(query, keys, mask=None, values=None, beside=None):
            mask = torch.ones_like(keys[..., 0]).bool() if mask is None else mask
            weights = shares(scores(query, keys), mask)
            context = (weights.unsqueeze(1) @ (keys if values is None else values)).squeeze(1)
            logits = joined(context, query if beside is None else beside) @ out.T
            return likely(logits).gather(-1, word.unsqueeze(-1)).squeeze(-1)

        before = chance(start, states)
        mask = ~F.one_hot(place, states.shape[1]).bool()
        after = (
            chance(*other(start, states, other_start, other_states)),
            chance(start, swapped(states, other_states, place)),
            chance(start, states, mask),
        )
        falls = [fall(before, chance) for chance in after]
        return tuple(falls[index] for index in order)

    return three


def _all_but_one(states, other_states, place):
    return _swapped(other_states, states, place)


def _the_first_of_the_other(states, other_states, place):
    return _swapped(states, other_states[:, :1].expand_as(states), place)


def _the_one_before(states, other_states, place):
    return _swapped(states, other_states, (place - 1) % states.shape[1])


def _each_against_the_one_before(*given):
    spliced, replaced, forbidden = _three()(*given)
    return spliced, replaced - spliced, forbidden - replaced


def _one_after_the_other(start, states, other_start, other_states, out, place, word):
    def chance(query, keys, mask):
        weights = _shares(_scores(query, keys), mask)
        context = (weights.unsqueeze(1) @ keys).squeeze(1)
        logits = torch.cat([context, query], -1) @ out.T
        return logits.softmax(-1).gather(-1, word.unsqueeze(-1)).squeeze(-1)

    open_mask = torch.ones_like(states[..., 0]).bool()
    before, swapped = chance(start, states, open_mask), _swapped(states, other_states, place)
    return (
        before - chance(other_start, states, open_mask),
        before - chance(other_start, swapped, open_mask),
        before - chance(other_start, swapped, ~F.one_hot(place, states.shape[1]).bool()),
    )


def _start_in_the_query_alone(start, states, other_start, other_states, out, place, word):
    results = _three()(start, states, other_start, other_states, out, place, word)
    weights = _scores(other_start, states).softmax(-1)
    context = (weights.unsqueeze(1) @ states).squeeze(1)

    def chance(context):
        likely = (torch.cat([context, start], -1) @ out.T).softmax(-1)
        return likely.gather(-1, word.unsqueeze(-1)).squeeze(-1)

    own = (_scores(start, states).softmax(-1).unsqueeze(1) @ states).squeeze(1)
    return (chance(own) - chance(context), *results[1:])


def _value_alone(start, states, other_start, other_states, out, place, word):
    results = _three()(start, states, other_start, other_states, out, place, word)
    weights = _scores(start, states).softmax(-1).unsqueeze(1)

    def chance(values):
        context = (weights @ values).squeeze(1)
        likely = (torch.cat([context, start], -1) @ out.T).softmax(-1)
        return likely.gather(-1, word.unsqueeze(-1)).squeeze(-1)

    changed = chance(states) - chance(_swapped(states, other_states, place))
    return results[0], changed, results[2]


def one_by_one(start, states, other_start, other_states, out, place, word):
    rows = []
    for i in range(len(start)):
        spot, wanted = int(place[i]), int(word[i])

        def chance(query, keys, wanted=wanted):
            context = torch.zeros_like(query)
            if len(keys):
                weights = torch.softmax(keys @ query / len(query) ** 0.5, 0)
                context = weights @ keys
            return torch.softmax(out @ torch.cat([context, query]), 0)[wanted]

        h, g = states[i], other_states[i]
        before = chance(start[i], h)
        changed = torch.cat([h[:spot], g[spot : spot + 1], h[spot + 1 :]])
        kept = torch.cat([h[:spot], h[spot + 1 :]])
        after = (chance(other_start[i], h), chance(start[i], changed), chance(start[i], kept))
        rows.append(torch.stack([before - chance for chance in after]))
    return torch.stack(rows).unbind(1)


def all_at_once(start, states, other_start, other_states, out, place, word):
    rows = torch.arange(len(start))
    changed = states.clone()
    changed[rows, place] = other_states[rows, place]
    queries = torch.stack([start, other_start, start, start])  # (4, batch, dim)
    keys = torch.stack([states, states, changed, states])  # (4, batch, src_len, dim)
    e = torch.einsum("kbd,kbjd->kbj", queries, keys) * queries.shape[-1] ** -0.5
    mask = torch.ones_like(e, dtype=torch.bool)
    mask[3, rows, place] = False
    weights = safe_softmax(e, mask)
    contexts = torch.einsum("kbj,kbjd->kbd", weights, keys)
    chances = (torch.cat([contexts, queries], -1) @ out.T).softmax(-1)[:, rows, word]  # (4, batch)
    return [chances[0] - chances[i] for i in (1, 2, 3)]


def with_the_course(start, states, other_start, other_states, out, place, word):
    from utils.attention import ScaledDotProductAttention

    attention = ScaledDotProductAttention(start.shape[-1])
    rows = range(len(start))

    def log_chance(query, keys, mask=None):
        context, _ = attention(query.unsqueeze(1), keys, mask=mask)
        logits = F.linear(torch.cat((context.squeeze(1), query), dim=1), out)
        return F.log_softmax(logits, dim=1)[rows, word].exp()

    spots = torch.arange(states.shape[1]) == place.unsqueeze(1)  # (batch, src_len)
    changed = torch.where(spots.unsqueeze(-1), other_states, states)
    p = log_chance(start, states)
    return (
        p - log_chance(other_start, states),
        p - log_chance(start, changed),
        p - log_chance(start, states, ~spots.unsqueeze(1)),
    )


def in_float64(start, states, other_start, other_states, out, place, word):
    numbers = (x.double() for x in (start, states, other_start, other_states, out))
    return all_at_once(*numbers, place, word)


exercise = Exercise(
    id="counterfactual",
    title="Three counterfactuals",
    points=5,
    difficulty=3,
    minutes=25,
    section="07.4",
    outputs=["spliced", "replaced", "forbidden"],
    cases=cases,
    equivalents={
        "likely = (torch.cat([context, query], dim=-1) @ out.T).softmax(1)": IN_A_MATRIX,
        "likely = (torch.cat([context, query], dim=1) @ out.T).softmax(-1)": IN_A_MATRIX,
        "scores = (keys @ query.unsqueeze(-1)).squeeze(-1) / query.shape[1] ** 0.5": IN_A_MATRIX,
    },
    hints=[
        "You need the same probability four times, with one thing changed each time. What is "
        "worth a function of its own?",
        "Write `chance(query, keys, mask)` inside the function and call it four times. A changed "
        "copy of the states is made with `states.clone()`, so that the next experiment starts "
        "from the untouched ones.",
        "`rows = torch.arange(len(word))`. With `changed = states.clone()` and "
        "`changed[rows, place] = other_states[rows, place]` the second is `chance(start, "
        "changed, everywhere)`. For the third, a mask of ones with `mask[rows, place] = False`. "
        "The readout is `torch.cat([context, query], -1) @ out.T`, and of its softmax you want "
        "`[rows, word]`.",
    ],
    mistakes={
        "mask after the softmax": WrongAnswer(
            _three(shares=lambda scores, mask: scores.softmax(-1) * mask),
            "In `forbidden` the word still takes part in the softmax, and is taken out only "
            "afterwards. The other words do not get the share that became free: together they "
            "have less than 1.",
            "What do the remaining weights of that row sum to?",
            misconception="mask-after-softmax",
        ),
        "a score of 0 forbids": WrongAnswer(
            _three(shares=lambda scores, mask: (scores * mask).softmax(-1)),
            "In `forbidden` you set the score to 0. `exp(0)` is 1, so the word is still read.",
            "Which score gives a weight of exactly 0?",
            misconception="low-score-hides",
        ),
        "an empty row reads all the same": WrongAnswer(
            _three(shares=lambda scores, mask: filled(scores, mask, -1e30)),
            "Where the source has one word and that one is forbidden, your row still hands out "
            "its attention. Nothing may be read there: the context is 0.",
            "What does `masked_softmax` give for a row without a single `True`?",
            misconception="empty-rows-sum-to-one",
        ),
        "rises for falls": WrongAnswer(
            _three(fall=lambda before, after: after - before),
            "Your signs are turned round: you return how much the probability *rises*.",
            "If the word becomes less likely, should your number be positive or negative?",
            misconception="constant-factor",
        ),
        "shares of what there was": WrongAnswer(
            _three(fall=lambda before, after: (before - after) / before),
            "You divide by the probability before. The task asks for the fall itself: from 0.91 "
            "to 0.49 it is 0.42.",
            "Which two numbers are subtracted, and is there anything else to do?",
            misconception="constant-factor",
            also={"as a quotient": _three(fall=lambda before, after: after / before)},
        ),
        "size of the change": WrongAnswer(
            _three(fall=lambda before, after: (before - after).abs()),
            "You take the absolute value. A word may become *more* likely when something is taken "
            "away, and then its fall is negative.",
            "Can a counterfactual raise a probability?",
            misconception="constant-factor",
        ),
        "logits for probabilities": WrongAnswer(
            _three(likely=lambda logits: logits),
            "You subtract logits. A logit says nothing by itself: only the softmax over all words "
            "makes a probability of it.",
            "What turns the readout into shares of all words?",
            misconception="logarithm",
        ),
        "logarithms for probabilities": WrongAnswer(
            _three(likely=lambda logits: logits.log_softmax(-1)),
            "You subtract log-probabilities, which gives the logarithm of a quotient.",
            "What makes a probability of a log-probability?",
            misconception="logarithm",
        ),
        "the start reaches only the query": WrongAnswer(
            _start_in_the_query_alone,
            "In `spliced` the other start asks, but the readout still gets the old one. A start "
            "state acts in two places: as the query, and beside the context.",
            "Where in the formula does s stand?",
            misconception="stale-value",
        ),
        "the whole sentence exchanged": WrongAnswer(
            _three(
                other=lambda start, states, other_start, other_states: (other_start, other_states)
            ),
            "In `spliced` you exchange the states together with the start. Then nobody can tell "
            "which of the two made the difference.",
            "How many things may change between the two runs of an experiment?",
            misconception="another-task",
        ),
        "all states replaced": WrongAnswer(
            _three(swapped=lambda states, other_states, place: other_states),
            "In `replaced` you take over all states of the other sentence. Only the one at "
            "`place` is to be exchanged.",
            "Which row of `states` does `place` name?",
            misconception="another-task",
        ),
        "one place for all": WrongAnswer(
            _three(
                swapped=lambda states, other_states, place: _swapped(
                    states, other_states, place[:1].expand(len(states))
                )
            ),
            "In `replaced` you use the place of the first sentence for the whole batch.",
            "How many numbers are in `place`?",
            misconception="one-for-all",
        ),
        "another word exchanged": WrongAnswer(
            _three(swapped=_the_one_before),
            "In `replaced` you exchange the state beside the one at `place`. Places count from 0.",
            "Which row of `states` belongs to the word at place 2?",
            misconception="off-by-one",
        ),
        "another word put in": WrongAnswer(
            _three(swapped=_the_first_of_the_other),
            "In `replaced` you put in the first state of the other sentence. Asked is the one that "
            "stands at the same place there.",
            "From which place of the other sentence does your new state come?",
            misconception="row-is-word",
        ),
        "all but one replaced": WrongAnswer(
            _three(swapped=_all_but_one),
            "In `replaced` you keep the state at `place` and exchange all others. It is the other "
            "way round.",
            "How many rows of `states` should be the same before and after?",
            misconception="opposite",
        ),
        "only the forbidden word read": WrongAnswer(
            _three(shares=lambda scores, mask: _shares(scores, mask if mask.all() else ~mask)),
            "In `forbidden` your mask is turned round: the word at `place` is the only one that "
            "may be read.",
            "How many `True` should stand in a row of that mask?",
            misconception="mask-upside-down",
        ),
        "each against the one before": WrongAnswer(
            _each_against_the_one_before,
            "You subtract each experiment from the one before it. All three are compared with the "
            "untouched run.",
            "What is the probability that every fall is measured from?",
            misconception="stale-value",
        ),
        "key kept, value replaced": WrongAnswer(
            _value_alone,
            "In `replaced` you mix the new state with the old weights. A state is key and value "
            "at once: with another one, the scores change too.",
            "Which steps of attention read the states?",
            misconception="keys-handed-out",
        ),
        "interventions pile up": WrongAnswer(
            _one_after_the_other,
            "Your experiments pile up: in `replaced` the start is still the other one, from the "
            "experiment before. Each starts from the untouched run.",
            "What has changed already when your second experiment begins?",
            misconception="stale-value",
        ),
        "start before context": WrongAnswer(
            _three(joined=lambda context, start: torch.cat([start, context], -1)),
            "You join the start in front of the context. The columns of `out` expect the context "
            "first.",
            "In which order stand c and s in the formula?",
            misconception="parts-in-any-order",
        ),
        "no scale": WrongAnswer(
            _three(scores=lambda query, keys: (keys @ query.unsqueeze(-1)).squeeze(-1)),
            "Your scores are not divided by the root of the width.",
            "How many products are added up in one score?",
            misconception="no-scale",
        ),
        "results in another order": WrongAnswer(
            _three(order=(2, 1, 0)),
            "Where `spliced` should stand, you return `forbidden`. Asked is: `spliced`, then "
            "`replaced`, then `forbidden`.",
            "What stands first in the list of the task?",
            misconception="parts-in-any-order",
        ),
    },
    variants=[one_by_one, all_at_once, with_the_course, in_float64],
)
