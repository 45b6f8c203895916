"""The task “One step of a beam search”: right answers and known mistakes."""

import torch

from solutions.cases import as_view, doubled
from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.corpora import EOS


def cases(draw: Draw) -> list[Case]:
    def inputs(beam, vocab, finished=()):
        """Draw scores without equal sums, in which a live hypothesis always has the best.

        Where some have ended, they come next, and would rather go on than end again.
        """
        order = draw.order(beam * vocab).reshape(beam, vocab)
        scores = -draw.whole(5, 15, beam) / 10 - torch.arange(beam) / 1000
        ended = torch.zeros(beam, dtype=torch.bool)
        ended[list(finished)] = True
        log_probs = -(order + 1) / 10
        best = (~ended).nonzero()[0, 0]
        scores[best] = -0.1 - int(best) / 1000
        rows = torch.arange(beam)[ended]
        scores[rows] = -draw.whole(3, 6, len(rows)) / 10 - rows / 1000
        log_probs[rows, EOS] = -0.15
        log_probs[rows, 4] = -0.12
        if finished:
            log_probs[best] -= 1
        log_probs[best, 4 + int(draw.whole(0, vocab - 5))] = -0.05
        return {"scores": scores, "log_probs": log_probs, "finished": ended}

    first = inputs(3, 7)
    first["scores"] = torch.tensor([0.0, -torch.inf, -torch.inf])
    view = inputs(4, 6, [2])
    overtaken = inputs(3, 8, [2])
    overtaken["scores"][2] = -9.0
    dear = inputs(3, 8, [1])
    dear["log_probs"][1, EOS] = -9.0
    return [
        Case("a beam of three, seven words", inputs(3, 7)),
        Case("one of three has ended", inputs(3, 8, [1])),
        Case("all but one have ended", inputs(4, 6, [0, 1, 3])),
        Case("one has ended, and all others overtake it", overtaken),
        Case("one has ended, and a second end would be unlikely", dear),
        Case("a beam of one", inputs(1, 6)),
        Case("the first step, when there is one beginning only", first),
        Case("a beam of five, in float64", doubled(inputs(5, 9, [0, 4]))),
        Case("a transposed view", view | {"log_probs": as_view(view["log_probs"])}),
    ]


def _continuations(scores, log_probs, finished, pay=0.0):
    """Return the scores of all continuations; a finished hypothesis has one."""
    once = torch.full_like(log_probs, -torch.inf)
    once[:, EOS] = pay
    return scores[:, None] + torch.where(finished[:, None], once, log_probs)


def _best(totals, beam, divide_by=None, negated=False):
    best, places = totals.flatten().topk(beam)
    best = -best if negated else best
    divide_by = divide_by or totals.shape[1]
    return best, places // divide_by, places % divide_by


def _step(totals):
    """Return a step that takes the best of these totals."""
    return lambda scores, *news: _best(totals(scores, *news), len(scores))


def _each_its_own(scores, log_probs, finished):
    best, words = _continuations(scores, log_probs, finished).max(1)
    best, parents = best.sort(descending=True)
    return best, parents, words[parents]


def _news_only(scores, log_probs, finished):
    _, parents, words = _best(_continuations(scores, log_probs, finished), len(scores))
    news = torch.where(finished[parents], 0.0, log_probs[parents, words])
    return news, parents, words


def in_loops(scores, log_probs, finished):
    candidates = []
    for parent in range(len(scores)):
        if finished[parent]:
            candidates.append((scores[parent], parent, 3))
        else:
            candidates += [
                (scores[parent] + log_prob, parent, word)
                for word, log_prob in enumerate(log_probs[parent])
            ]
    candidates.sort(key=lambda candidate: candidate[0].item(), reverse=True)
    best, parents, words = zip(*candidates[: len(scores)], strict=True)
    return torch.stack(best), torch.tensor(parents), torch.tensor(words)


def masked(scores, log_probs, finished):
    is_end = torch.arange(log_probs.shape[1]) == 3
    news = log_probs.masked_fill(finished[:, None], -torch.inf)
    news = news.masked_fill(finished[:, None] & is_end, 0.0)
    order = (scores[:, None] + news).reshape(-1).sort(descending=True)
    places = order.indices[: len(scores)]
    parents = torch.div(places, log_probs.shape[1], rounding_mode="floor")
    return order.values[: len(scores)], parents, places.remainder(log_probs.shape[1])


def best_of_each_first(scores, log_probs, finished):
    """Take the `beam` best of each hypothesis first: none can have more of the best."""
    beam = len(scores)
    news = log_probs.clone()
    news[finished] = -torch.inf
    news[finished, 3] = 0.0
    totals, words = (news + scores.unsqueeze(-1)).topk(beam, dim=1)
    best, places = totals.flatten().topk(beam)
    return best, places.div(beam, rounding_mode="trunc"), words.flatten()[places]


def indices_unravelled(old, news, ended):
    news = torch.where(ended[:, None], torch.full_like(news, float("-inf")), news)
    news = news.index_put(
        (ended.nonzero()[:, 0], torch.tensor(3)), torch.zeros((), dtype=news.dtype)
    )
    totals = old[:, None] + news
    order = totals.flatten().argsort(descending=True)[: len(old)]
    parents, words = torch.unravel_index(order, totals.shape)
    return totals[parents, words], parents, words


def masked_after_the_sum(scores, log_probs, finished):
    totals = scores.unsqueeze(1) + log_probs
    totals[finished] = -torch.inf
    totals[finished, EOS] = scores[finished]
    return _best(totals, len(scores))


exercise = Exercise(
    id="beam_step",
    title="One step of a beam search",
    points=4,
    difficulty=3,
    minutes=25,
    section="06.8",
    outputs=["best", "parents", "words"],
    shortcuts=["assembly", "Parts"],
    cases=cases,
    hints=[
        "How many candidates are there for a beam of 3 and a vocabulary of 7? Which of them may a "
        "finished hypothesis put forward?",
        "Make one table of all candidates: the score so far plus the log-probability of the word. "
        "In the row of a finished hypothesis everything is -inf but one entry. Then look for the "
        "best of the *whole* table.",
        "`torch.where(finished.unsqueeze(1), …, log_probs)` exchanges the rows of the finished for "
        "a row that is 0 at `EOS` and -inf elsewhere. Add `scores.unsqueeze(1)`, flatten, "
        "`topk`. A place in the flattened table tells the row by `//` and the column by `%`: of "
        "what number?",
    ],
    mistakes={
        "each continues itself": WrongAnswer(
            _each_its_own,
            "You take the best word of each hypothesis. So every hypothesis survives, the worst as "
            "well, and nothing is ever dropped: that is several greedy searches side by side. The "
            "candidates of all hypotheses compete in one table.",
            "Can two of the new hypotheses have the same parent?",
            misconception="another-task",
        ),
        "old scores forgotten": WrongAnswer(
            _step(
                lambda scores, log_probs, finished: _continuations(
                    0 * scores.clamp(min=-1), log_probs, finished
                )
            ),
            "You compare the new words alone and forget the scores so far. A bad beginning with "
            "one good word can win over a good beginning.",
            "What is the log-probability of a whole beginning, word for word?",
            misconception="stale-value",
        ),
        "finished ones go on": WrongAnswer(
            _step(lambda scores, log_probs, finished: scores[:, None] + log_probs),
            "Your finished hypotheses are continued with further words. After `<eos>` there is "
            "nothing to be said.",
            "What is `finished` for?",
            misconception="finished-goes-on",
        ),
        "finished read the other way round": WrongAnswer(
            _step(lambda scores, log_probs, finished: _continuations(scores, log_probs, ~finished)),
            "You read `finished` the other way round: those that have ended go on, and those that "
            "have not are held to `<eos>`.",
            "What does `True` say of a hypothesis there?",
            misconception="opposite",
        ),
        "finished ones dropped": WrongAnswer(
            _step(
                lambda scores, log_probs, finished: (
                    scores[:, None] + log_probs.masked_fill(finished[:, None], -torch.inf)
                )
            ),
            "Your finished hypotheses have disappeared. A translation that has ended stays in the "
            "race, with its score, until better ones push it out.",
            "Which single candidate should a finished hypothesis put forward?",
            misconception="finished-goes-on",
        ),
        "finished ones pay again": WrongAnswer(
            _step(
                lambda scores, log_probs, finished: _continuations(
                    scores, log_probs, finished, pay=log_probs[:, EOS]
                )
            ),
            "Your finished hypotheses pay for `<eos>` a second time, in every step. Their score "
            "should stay what it was.",
            "How likely is it that nothing follows after `<eos>`, and what is the logarithm of "
            "that?",
            misconception="finished-goes-on",
        ),
        "finished ones multiply": WrongAnswer(
            _step(
                lambda scores, log_probs, finished: (
                    scores[:, None] + log_probs.masked_fill(finished[:, None], 0.0)
                )
            ),
            "Your finished hypotheses have as many continuations as there are words, all at no "
            "cost. One of them can fill the whole beam with copies of itself.",
            "Which entries of a finished hypothesis' row must not be chosen?",
            misconception="finished-goes-on",
        ),
        "divided by the beam": WrongAnswer(
            lambda scores, log_probs, finished: _best(
                _continuations(scores, log_probs, finished), len(scores), divide_by=len(scores)
            ),
            "To find a place of the flattened table again, you count as if its rows were as long "
            "as the beam. A row is as long as the vocabulary.",
            "At which place of the flattened table does its second row begin?",
            misconception="sizes-always-equal",
        ),
        "the worst taken": WrongAnswer(
            lambda scores, *news: _best(-_continuations(scores, *news), len(scores), negated=True),
            "You keep the continuations with the *lowest* sums, which are the least likely ones.",
            "Of two log-probabilities, -0.1 and -5, which is that of the likelier word?",
            misconception="opposite",
        ),
        "scores multiplied": WrongAnswer(
            _step(
                lambda scores, log_probs, finished: (
                    scores[:, None] * _continuations(0 * scores, log_probs, finished)
                )
            ),
            "You multiply log-probabilities. Probabilities are multiplied, and so their logarithms "
            "are added.",
            "What is log(p q)?",
            misconception="logarithm",
        ),
        "words before parents": WrongAnswer(
            lambda *inputs: tuple(_step(_continuations)(*inputs)[place] for place in (0, 2, 1)),
            "Where the parents should stand, you return the words. Asked is: score, which "
            "hypothesis, which word.",
            "Which of the two is always smaller than the beam?",
            misconception="parts-in-any-order",
        ),
        "probabilities added": WrongAnswer(
            _step(
                lambda scores, log_probs, finished: _continuations(
                    scores, log_probs.exp(), finished
                )
            ),
            "You add probabilities to log-probabilities. Scores would rise with each word, and a "
            "long translation can win for being long.",
            "What does a product become under the logarithm?",
            misconception="logarithm",
        ),
        "news without history": WrongAnswer(
            _news_only,
            "The scores that you return are those of the new words alone. The next step would "
            "know nothing of what stood in `scores` before.",
            "Which numbers did you compare, and which do you return?",
            misconception="stale-value",
        ),
    },
    variants=[in_loops, masked, masked_after_the_sum, best_of_each_first, indices_unravelled],
)
