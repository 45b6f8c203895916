"""The task “Your model”: right answers and known mistakes."""

import copy

import torch
import torch.nn.functional as F
from torch import nn

from solutions.cases import in_double, one_silent
from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import changed
from utils.attention import Memory, MultiHeadAttention
from utils.checks.tasks import Case
from utils.masks import causal_mask, masked_softmax
from utils.positions import RotaryPositions
from utils.pretrained import is_here, open_model


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, new, written, heads, kv_heads, head_dim, dim, hidden=6, **more):
        build = {"dim": dim, "heads": heads, "kv_heads": kv_heads, "head_dim": head_dim}
        build |= {"hidden": hidden, "eps": 1e-5, "base": 100_000.0} | more
        past = draw.numbers(2, batch, kv_heads, written, head_dim, reach=2)
        inputs = {
            "x": draw.numbers(batch, new, dim, reach=2),
            "past_keys": past[0],
            "past_values": past[1],
        }
        shapes = {name: value.shape for name, value in _Block(**build).state_dict().items()}
        parameters = {name: draw.numbers(*shape, reach=0.6) for name, shape in shapes.items()}
        return Case(label, inputs, build, parameters)

    silent = case("one new token after three, a key of zeros", 1, 1, 3, 4, 2, 4, 16)
    silent.inputs["past_keys"] = one_silent(silent.inputs["past_keys"])
    return [
        case("a text of three tokens", 1, 3, 0, 4, 2, 6, 24, hidden=7),  # no two sizes are equal
        silent,
        case("three new tokens after two, three heads to a group", 1, 3, 2, 6, 2, 2, 12),
        case("a large ε and another base", 1, 2, 4, 2, 1, 6, 12, eps=0.5, base=50.0),
        case("each head with keys of its own", 2, 4, 1, 2, 2, 4, 8),
        case("heads wider than their share", 1, 3, 1, 4, 2, 6, 10, hidden=8),
        case("the first token", 1, 1, 0, 2, 1, 4, 8),
        in_double(case("in float64", 3, 3, 3, 4, 2, 4, 12)),
    ]


def real_cases(draw: Draw) -> list[Case]:
    """Return a case in which a block of the real model reads on; none if it is not here."""
    if not is_here():
        return []
    model, _ = open_model()
    a = model.architecture
    number, ids = int(draw.whole(0, a.layers - 1)), draw.whole(0, a.vocab_size - 1, 1, 12)
    block = model.blocks[number]
    with torch.no_grad():
        x, mask = model.embedding(ids), causal_mask(12)
        for before in model.blocks[:number]:
            x = before(x, mask)
        memory = block.attention.remember(block.norms[0](x[:, :7]))
    names = ("dim", "heads", "kv_heads", "head_dim", "hidden", "eps", "base")
    build = {name: getattr(a, name) for name in names}
    inputs = {"x": x[:, 7:], "past_keys": memory.keys, "past_values": memory.values}
    return [in_double(Case("a block of the real model", inputs, build, block.state_dict()))]


class _Block(nn.Module):
    """A right block in steps that wrong answers replace."""

    layout = "pairs"

    def __init__(self, dim, heads, kv_heads, head_dim, hidden, eps, base):
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = heads, kv_heads, head_dim
        self.attention = nn.ModuleDict(
            {
                "W_q": nn.Linear(dim, heads * head_dim, bias=False),
                "W_k": nn.Linear(dim, kv_heads * head_dim, bias=False),
                "W_v": nn.Linear(dim, kv_heads * head_dim, bias=False),
                "W_o": nn.Linear(heads * head_dim, dim, bias=False),
            }
        )
        self.feed_forward = nn.ModuleDict(
            {
                "gate": nn.Linear(dim, hidden, bias=False),
                "up": nn.Linear(dim, hidden, bias=False),
                "down": nn.Linear(hidden, dim, bias=False),
            }
        )
        self.norms = nn.ModuleList(nn.RMSNorm(dim, eps) for _ in range(2))
        self.positions = RotaryPositions(head_dim, self.layout, base)

    def split(self, rows):
        return rows.unflatten(-1, (-1, self.head_dim)).transpose(1, 2)

    def place(self, new, written):
        return torch.arange(written, written + new)

    def turn(self, q, k, v, places):
        return self.positions.turn(q, places), self.positions.turn(k, places), v

    def grow(self, past, new):
        return torch.cat([past, new], dim=2)

    def grow_keys(self, past, turned, plain):
        return self.grow(past, turned)

    def share(self, kept):
        return kept.repeat_interleave(self.heads // self.kv_heads, dim=1)

    def rows(self, new, all_tokens):
        return causal_mask(all_tokens)[all_tokens - new :]

    def weigh(self, scores, mask):
        return masked_softmax(scores, mask)

    def scale(self, x):
        return self.head_dim**0.5

    def join(self, contexts):
        return contexts.transpose(1, 2).flatten(2)

    def reads(self, x, y):
        return y, y, y

    def seen(self, past, grown):
        return grown

    def kept(self, past, grown, unturned):
        return grown

    def mix(self, y):
        f = self.feed_forward
        return f.down(F.silu(f.gate(y)) * f.up(y))

    def out(self, joined):
        return self.attention.W_o(joined)

    def add(self, norm, x, layer):
        return x + layer(norm(x))

    def forward(self, x, past_keys, past_values):
        def look(y):
            a, new, written = self.attention, x.shape[1], past_keys.shape[2]
            of_q, of_k, of_v = self.reads(x, y)
            q, k, v = self.split(a.W_q(of_q)), self.split(a.W_k(of_k)), self.split(a.W_v(of_v))
            plain = k
            q, k, v = self.turn(q, k, v, self.place(new, written))
            grown = self.grow_keys(past_keys, k, plain), self.grow(past_values, v)
            cache.append(self.kept(past_keys, grown[0], self.grow(past_keys, plain)))
            cache.append(self.kept(past_values, grown[1], grown[1]))
            keys, values = self.seen(past_keys, grown[0]), self.seen(past_values, grown[1])
            scores = q @ self.share(keys).mT / self.scale(x)
            weights = self.weigh(scores, self.rows(new, keys.shape[2]))
            return self.out(self.join(weights @ self.share(values)))

        cache = []
        after = self.add(self.norms[0], x, look)
        return self.add(self.norms[1], after, self.mix), *cache


def _replaced_by(place):
    def add(self, norm, x, layer):
        return layer(norm(x)) + (0 if norm is self.norms[place] else x)

    return changed(_Block, add=add)


def _around_the_norm(*places):
    def add(self, norm, x, layer):
        normed = norm(x)
        inside = any(norm is self.norms[place] for place in places)
        return (normed if inside else x) + layer(normed)

    return changed(_Block, add=add)


def _network(behind):
    """Return a block whose network and second sum are `behind(self, norm, before, after)`.

    `before` are the tokens as they came, `after` those behind the attention.
    """

    def add(self, norm, x, layer):
        if norm is self.norms[0]:
            self.before = x
            return x + layer(norm(x))
        return behind(self, norm, self.before, x)

    return changed(_Block, add=add)


def _split_at_once(self, rows):
    """Split the rows without exchanging axes."""
    return rows.reshape(len(rows), -1, rows.shape[1], self.head_dim)


def _split_into_entries(self, rows):
    """Split the rows as if heads took turns in them."""
    return rows.unflatten(-1, (self.head_dim, -1)).permute(0, 3, 1, 2)


def _mixing(mix):
    return changed(_Block, mix=lambda self, y: mix(self.feed_forward, y))


def _norms_exchanged(self, norm, x, layer):
    first, second = self.norms
    return x + layer((second if norm is first else first)(x))


def _layer_norms(self, norm, x, layer):
    normed = F.layer_norm(x, x.shape[-1:], norm.weight, None, norm.eps)
    return x + layer(normed)


def _in_halves(self, vectors, places):
    waves = RotaryPositions(self.head_dim, "halves", frequencies=self.positions.frequencies)
    return waves.turn(vectors, places)


class WithTheCourse(_Block):
    """Runs the course's attention with this block's matrices."""

    def forward(self, x, past_keys, past_values):
        dim, new, written = x.shape[-1], x.shape[1], past_keys.shape[2]
        sizes = {"kv_heads": self.kv_heads, "head_dim": self.head_dim, "bias": False}
        mha = MultiHeadAttention(dim, self.heads, positions=self.positions, **sizes)
        for name, layer in self.attention.items():
            getattr(mha, name).weight = layer.weight
        y = self.norms[0](x)
        memory = mha.remember(y, position=written)
        keys = torch.cat([past_keys, memory.keys], dim=2)
        values = torch.cat([past_values, memory.values], dim=2)
        memory = Memory(keys, values, causal_mask(written + new)[-new:])
        x = x + mha.attend(y, memory, written, return_weights=None)[0]
        return x + self.mix(self.norms[1](x)), keys, values


class GroupsOnAnAxis(_Block):
    """Gives the heads of a group an axis of their own, and repeats nothing."""

    def forward(self, x, past_keys, past_values):
        batch, new, _ = x.shape
        n, written = x, past_keys.size(-2)
        y = self.norms[0](n)
        places = written + torch.arange(new)
        k = self.attention["W_k"](y).view(batch, new, self.kv_heads, -1).transpose(1, 2)
        k = torch.cat((past_keys, self.positions.turn(k, places)), dim=-2)
        v = self.attention["W_v"](y).view(batch, new, self.kv_heads, -1).transpose(1, 2)
        v = torch.cat((past_values, v), dim=-2)
        q = self.attention["W_q"](y).view(batch, new, self.heads, -1).transpose(1, 2)
        q = self.positions.turn(q, places).unflatten(1, (self.kv_heads, -1))
        scores = torch.einsum("bghqd,bgkd->bghqk", q, k) * self.head_dim**-0.5
        ahead = torch.arange(written + new) > places[:, None]
        weights = scores.masked_fill(ahead, -torch.inf).softmax(-1)
        contexts = torch.einsum("bghqk,bgkd->bqghd", weights, v)
        n = n + self.attention["W_o"](contexts.reshape(batch, new, -1))
        z, ff = self.norms[1](n), self.feed_forward
        gate = ff["gate"](z)
        return n + ff["down"](gate * gate.sigmoid() * ff["up"](z)), k, v


class TokenByToken(_Block):
    """Reads several tokens one after the other, with PyTorch's kernel and turns by hand."""

    def forward(self, x, past_keys, past_values):
        states = []
        for token in x.split(1, dim=1):
            place = past_keys.shape[2]
            y = F.rms_norm(token, token.shape[-1:], self.norms[0].weight, self.norms[0].eps)
            q, k, v = (self.split(self.attention[name](y)) for name in ("W_q", "W_k", "W_v"))
            angles = (place * self.positions.frequencies).to(x.dtype)
            past_keys = torch.cat([past_keys, self.by_hand(k, angles)], 2)
            past_values = torch.cat([past_values, v], 2)
            context = F.scaled_dot_product_attention(
                self.by_hand(q, angles), past_keys, past_values, enable_gqa=True
            )
            token = token + self.attention.W_o(self.join(context))
            states.append(token + self.mix(self.norms[1](token)))
        return torch.cat(states, dim=1), past_keys, past_values

    def by_hand(self, vectors, angles):
        a, b = vectors[..., ::2], vectors[..., 1::2]
        turned = a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()
        return torch.stack(turned, dim=-1).flatten(-2)


class AlsoOnTheRealModel(Exercise):
    """An exercise that a grader tries on a block of the real model as well."""

    def on_the_real_model(self) -> Exercise:
        """Return this exercise with a case from the real model behind its own, if it is here."""
        more = copy.copy(self)
        more.cases = lambda draw: [*self.cases(draw), *real_cases(draw)]
        return more


exercise = AlsoOnTheRealModel(
    id="MyBlock",
    title="Your model",
    points=8,
    difficulty=3,
    minutes=60,
    section="11.2",
    answer_type="module",
    outputs=["states", "keys", "values"],
    tolerance=1e-4,  # without norms numbers grow, and so does what rounding leaves
    shortcuts=["CausalLM", "Block", "MultiHeadAttention"],
    cases=cases,
    hints=[
        "Go from the top, and print a shape after each line. At which places do the new tokens "
        "stand, if `written` are in the cache? Which of queries, keys and values are turned?",
        "Split after projecting: `part(y).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)` is "
        "(batch, heads, new, head_dim), or with kv_heads. Turn queries and keys at "
        "`torch.arange(written, written + new)`, then join keys and values behind the cache, along "
        "axis 2. Each head with keys serves `heads // kv_heads` neighbours: `repeat_interleave`.",
        "Scores `q @ k.mT / self.head_dim**0.5`, masked by the last `new` rows of "
        "`causal_mask(written + new)`; contexts joined by `.transpose(1, 2).flatten(2)` and sent "
        "through W_o are added to x. Then `x + down(F.silu(gate(y)) * up(y))`, where y is "
        "`self.norms[1](x)`. The cache gets the keys *turned* and not repeated.",
    ],
    mistakes={
        "groups alternate": WrongAnswer(
            changed(
                _Block,
                share=lambda self, kept: kept.repeat(1, self.heads // self.kv_heads, 1, 1),
            ),
            "Your heads take turns with the keys and values, as `repeat` deals them out. Heads of "
            "a group are neighbours: `repeat_interleave`.",
            "Which heads share the first keys, if there are four heads and two with keys?",
            misconception="shape-is-enough",
        ),
        "nothing turned": WrongAnswer(
            changed(_Block, turn=lambda self, q, k, v, places: (q, k, v)),
            "Nothing is turned, so your new queries and keys do not know where they stand.",
            "Which of the parts made in `__init__` have no effect on your result?",
            misconception="attention-sees-order",
        ),
        "queries not turned": WrongAnswer(
            changed(
                _Block, turn=lambda self, q, k, v, places: (q, self.positions.turn(k, places), v)
            ),
            "Your keys are turned, and your queries not. A score depends on the distance only if "
            "both are.",
            "What becomes of the score of a token with itself?",
            misconception="half-is-enough",
        ),
        "keys not turned": WrongAnswer(
            changed(
                _Block, turn=lambda self, q, k, v, places: (self.positions.turn(q, places), k, v)
            ),
            "Your queries are turned, and your keys not. A score depends on the distance only if "
            "both are.",
            "What becomes of the score of a token with itself?",
            misconception="half-is-enough",
        ),
        "values turned": WrongAnswer(
            changed(
                _Block,
                turn=lambda self, q, k, v, places: tuple(
                    self.positions.turn(each, places) for each in (q, k, v)
                ),
            ),
            "You turn the values, too. Where a token stands decides who looks at it, and not what "
            "it hands out.",
            "What do places change: the weights, or what is mixed?",
            misconception="keys-handed-out",
        ),
        "from place 0": WrongAnswer(
            changed(_Block, place=lambda self, new, written: torch.arange(new)),
            "Your new tokens stand at places 0, 1, … again, though others were read before them.",
            "At which place does the first new token stand, after three?",
            misconception="places-begin-at-zero",
        ),
        "keys from place 0": WrongAnswer(
            changed(
                _Block,
                turn=lambda self, q, k, v, places: (
                    self.positions.turn(q, places),
                    self.positions.turn(k, torch.arange(k.shape[2])),
                    v,
                ),
            ),
            "Your new keys stand at places 0, 1, … again, though others were read before them. "
            "New keys stand at the same places as the queries beside them.",
            "At which place does the first new key stand, after three?",
            misconception="places-begin-at-zero",
        ),
        "split without exchanging axes": WrongAnswer(
            changed(_Block, split=_split_at_once),
            "You reshape to (batch, heads, new, head_dim) at once, which mixes tokens and heads. "
            "Split the last axis, and then exchange two.",
            "In which order do the numbers of one token lie?",
            misconception="shape-is-enough",
        ),
        "heads take turns": WrongAnswer(
            changed(_Block, split=_split_into_entries),
            "You split the last axis into (head_dim, heads), so that heads take turns in it. The "
            "numbers of a head are neighbours.",
            "Which rows of W_q make the first head?",
            misconception="shape-is-enough",
        ),
        "one place late": WrongAnswer(
            changed(_Block, place=lambda self, new, written: torch.arange(new) + written + 1),
            "Your places are one too high, for queries and new keys alike; those in the cache "
            "stand where they are.",
            "At which place does the first token of a text stand?",
            misconception="off-by-one",
        ),
        "turned in halves": WrongAnswer(
            changed(
                _Block,
                turn=lambda self, q, k, v, places: (
                    _in_halves(self, q, places),
                    _in_halves(self, k, places),
                    v,
                ),
            ),
            "You turn entries half a width apart. These weights were stored for neighbours, as "
            "`self.positions` turns them.",
            "Which entries turn together in the layout “pairs”?",
            misconception="layouts-alike",
        ),
        "unturned keys kept": WrongAnswer(
            changed(
                _Block,
                kept=lambda self, past, grown, unturned: unturned,
            ),
            "You return the keys before they are turned. The next tokens would have to turn each "
            "of them at its own place; the cache keeps turned keys.",
            "What do the next tokens compare themselves with?",
            misconception="stale-value",
        ),
        "cache turned again": WrongAnswer(
            changed(
                _Block,
                grow_keys=lambda self, past, turned, plain: self.positions.turn(
                    self.grow(past, plain), torch.arange(past.shape[2] + plain.shape[2])
                ),
            ),
            "You turn all keys, those of the cache as well. They were turned when they were new, "
            "and are not turned again.",
            "How often has the first token's key been turned, when the tenth is read?",
            misconception="turned-again",
        ),
        "no mask": WrongAnswer(
            changed(_Block, rows=lambda self, new, all_tokens: None),
            "The new tokens look at each other without a mask, so the first of them sees those "
            "behind it.",
            "Is a mask needed for one new token? And for three?",
            misconception="future-open",
        ),
        "triangle at the top": WrongAnswer(
            changed(_Block, rows=lambda self, new, all_tokens: causal_mask(all_tokens)[:new]),
            "Your mask has the first rows of the large one. The new tokens are the *last* ones: "
            "their rows are open for all that is in the cache.",
            "Which row of the causal mask is the first new token's, if two stand before it?",
            misconception="wrong-end",
        ),
        "masked after the softmax": WrongAnswer(
            changed(_Block, weigh=lambda self, scores, mask: scores.softmax(-1) * mask),
            "You mask the weights, behind the softmax. Closed places have had their share by "
            "then, and what is left of such a row does not sum to 1.",
            "What does a row of your weights sum to?",
            misconception="mask-after-softmax",
        ),
        "masked with 0": WrongAnswer(
            changed(
                _Block,
                weigh=lambda self, scores, mask: scores.masked_fill(~mask, 0.0).softmax(-1),
            ),
            "Your closed scores are 0, or almost, and a score of 0 gets its share from the "
            "softmax.",
            "What is the exponential of 0? Which score has an exponential of 0?",
            misconception="low-score-hides",
        ),
        "across the queries": WrongAnswer(
            changed(
                _Block,
                weigh=lambda self, scores, mask: scores.masked_fill(~mask, -torch.inf).softmax(-2),
            ),
            "Your softmax runs along the queries: it makes each column sum to 1, not each row.",
            "Who shares out one whole attention, a query or a key?",
            misconception="softmax-over-queries",
        ),
        "open by one": WrongAnswer(
            changed(
                _Block,
                rows=lambda self, new, all_tokens: torch.ones(
                    all_tokens, all_tokens, dtype=torch.bool
                ).tril(1)[-new:],
            ),
            "Each token sees the one behind it, which the model is to predict. Such a model has a "
            "loss that is too good.",
            "How many tokens may the first one see?",
            misconception="off-by-one",
        ),
        "cache not looked at": WrongAnswer(
            changed(_Block, seen=lambda self, past, grown: grown[:, :, past.shape[2] :]),
            "Your new tokens look at themselves alone. What is in the cache is read by nobody.",
            "What is the cache for?",
            misconception="input-unused",
        ),
        "only the new ones kept": WrongAnswer(
            changed(_Block, kept=lambda self, past, grown, unturned: grown[:, :, past.shape[2] :]),
            "You return what the new tokens bring, without what was in the cache. The next tokens "
            "need all.",
            "How many keys should there be after this call?",
            misconception="half-is-enough",
        ),
        "all heads kept": WrongAnswer(
            changed(_Block, kept=lambda self, past, grown, unturned: self.share(grown)),
            "You return keys and values repeated for all heads. The cache keeps `kv_heads` of "
            "them: that is what grouped heads are for.",
            "How many heads has `past_keys`?",
            misconception="heads-share-the-width",
        ),
        "in front": WrongAnswer(
            changed(_Block, grow=lambda self, past, new: torch.cat([new, past], dim=2)),
            "Your new tokens stand in front of those of the cache. Then the tokens are no longer "
            "in the order of the text, and the mask does not fit them.",
            "In which order does `torch.cat` join what it is given?",
            misconception="parts-in-any-order",
        ),
        "not scaled": WrongAnswer(
            changed(_Block, scale=lambda self, x: 1.0),
            "Your scores are not scaled.",
            "What are scores divided by, and why?",
            misconception="no-scale",
        ),
        "multiplied by the root": WrongAnswer(
            changed(_Block, scale=lambda self, x: self.head_dim**-0.5),
            "You multiply the scores by the root of `head_dim`. They are divided by it.",
            "Should the scores of wide heads become larger or smaller?",
            misconception="opposite",
        ),
        "scaled by the width": WrongAnswer(
            changed(_Block, scale=lambda self, x: self.head_dim),
            "You divide the scores by the width of a head, and not by its root.",
            "Why the root?",
            misconception="scale-by-width",
        ),
        "scaled by the states": WrongAnswer(
            changed(_Block, scale=lambda self, x: x.shape[-1] ** 0.5),
            "You divide the scores by the root of the states' width. A score compares queries and "
            "keys of one head: `head_dim` numbers.",
            "How many products are added up in one score?",
            misconception="wrong-width",
        ),
        "joined without turning back": WrongAnswer(
            changed(
                _Block,
                join=lambda self, contexts: contexts.reshape(len(contexts), contexts.shape[2], -1),
            ),
            "You reshape the heads without transposing, which mixes tokens and heads.",
            "In which order do the axes stand, before you join the last two?",
            misconception="shape-is-enough",
        ),
        "W_o left out": WrongAnswer(
            changed(
                _Block,
                out=lambda self, joined: F.pad(
                    joined, (0, self.norms[0].weight.shape[0] - joined.shape[-1])
                ),
            ),
            "What the heads have found goes into the sum as it is. W_o mixes it first.",
            "Which of the parts made in `__init__` have no effect on your result?",
            misconception="projection-left-out",
        ),
        "keys without the norm": WrongAnswer(
            changed(_Block, reads=lambda self, x, y: (y, x, x)),
            "Your keys and values are made of `x` as it came, the queries of the normed tokens. "
            "All three come from the normed ones.",
            "What does the attention of a block with pre-norm read?",
            misconception="half-is-enough",
        ),
        "values without the norm": WrongAnswer(
            changed(_Block, reads=lambda self, x, y: (y, y, x)),
            "Your values are made of `x` as it came, queries and keys of the normed tokens. All "
            "three come from the normed ones.",
            "What does the attention of a block with pre-norm read?",
            misconception="half-is-enough",
        ),
        "first norm forgotten": WrongAnswer(
            changed(_Block, reads=lambda self, x, y: (x, x, x)),
            "Your attention reads its tokens without a norm. The first one is there for it.",
            "Which of the parts made in `__init__` have no effect on your result?",
            misconception="projection-left-out",
        ),
        "no norm": WrongAnswer(
            changed(_Block, add=lambda self, norm, x, layer: x + layer(x)),
            "Neither the attention nor the network has a norm before it.",
            "Which of the parts made in `__init__` have no effect on your result?",
            misconception="projection-left-out",
        ),
        "no residual around the attention": WrongAnswer(
            _replaced_by(0),
            "Your attention replaces its input, where it should add to it.",
            "What should stand behind the attention if W_o is 0?",
            misconception="half-is-enough",
        ),
        "no residual around the network": WrongAnswer(
            _replaced_by(1),
            "Your feed-forward network replaces its input, where it should add to it.",
            "What should come out of the block if the network returns 0?",
            misconception="half-is-enough",
        ),
        "no residual": WrongAnswer(
            changed(_Block, add=lambda self, norm, x, layer: layer(norm(x))),
            "Each of your layers replaces its input. It should add to it.",
            "What should come out if all matrices of the block are 0?",
            misconception="half-is-enough",
        ),
        "residual around the norm": WrongAnswer(
            _around_the_norm(0, 1),
            "You add a layer to the *normed* tokens. The sum carries x as it came.",
            "Which x is the result of a layer added to?",
            misconception="stale-value",
            also={
                "in the attention": _around_the_norm(0),
                "in the network": _around_the_norm(1),
            },
        ),
        "attention lost": WrongAnswer(
            _network(lambda self, norm, before, after: before + self.mix(norm(after))),
            "The network is added to `x` as it came into the block, and what the attention had "
            "added is gone. It is added to the sum before it.",
            "Which x is the network's result added to?",
            misconception="stale-value",
        ),
        "side by side": WrongAnswer(
            _network(lambda self, norm, before, after: after + self.mix(norm(before))),
            "Your network reads `x` as it came into the block. It reads what the attention has "
            "added to it.",
            "Which x does your second norm get?",
            misconception="stale-value",
        ),
        "network left out": WrongAnswer(
            _network(lambda self, norm, before, after: after),
            "Your block ends behind the attention. The network is its second half.",
            "Which of the parts made in `__init__` have no effect on your result?",
            misconception="projection-left-out",
        ),
        "post-norm": WrongAnswer(
            changed(_Block, add=lambda self, norm, x, layer: norm(x + layer(x))),
            "You norm behind the sum. With pre-norm the norm comes before each layer.",
            "What is added to x in `x + layer(norm(x))`?",
            misconception="steps-in-any-order",
        ),
        "norms exchanged": WrongAnswer(
            changed(_Block, add=_norms_exchanged),
            "Your two norms have changed places: the first is for the attention.",
            "Which of the two comes first in the block?",
            misconception="parts-in-any-order",
        ),
        "first norm twice": WrongAnswer(
            changed(_Block, add=lambda self, norm, x, layer: x + layer(self.norms[0](x))),
            "You use the first norm twice. The feed-forward network has one of its own, the "
            "second.",
            "Which of the parts made in `__init__` have no effect on your result?",
            misconception="one-for-all",
        ),
        "second norm forgotten": WrongAnswer(
            changed(
                _Block,
                add=lambda self, norm, x, layer: x + layer(x if norm is self.norms[1] else norm(x)),
            ),
            "Your feed-forward network reads its tokens without a norm. The second one is there "
            "for it.",
            "Which of the parts made in `__init__` have no effect on your result?",
            misconception="projection-left-out",
        ),
        "layer norm": WrongAnswer(
            changed(_Block, add=_layer_norms),
            "You take the mean away as layer norm does. RMSNorm divides, and no more.",
            "What has the block of 2017 that this one has not?",
            misconception="variance-is-spread",
        ),
        "gate and up exchanged": WrongAnswer(
            _mixing(lambda f, y: f.down(f.gate(y) * F.silu(f.up(y)))),
            "Gate and up are exchanged: your SiLU bends what `up` makes, and is to bend what "
            "`gate` makes.",
            "Which of the two decides how much of the other gets through?",
            misconception="parts-in-any-order",
        ),
        "no gate": WrongAnswer(
            _mixing(lambda f, y: f.down(F.silu(f.up(y)))),
            "`gate` has no effect. It decides how much of `up` gets through.",
            "Which of the parts made in `__init__` have no effect on your result?",
            misconception="projection-left-out",
        ),
        "no up": WrongAnswer(
            _mixing(lambda f, y: f.down(F.silu(f.gate(y)))),
            "`up` has no effect. It is what the gate lets through.",
            "Which of the parts made in `__init__` have no effect on your result?",
            misconception="projection-left-out",
        ),
        "added to the gate": WrongAnswer(
            _mixing(lambda f, y: f.down(F.silu(f.gate(y)) + f.up(y))),
            "You add gate and up. A gate multiplies.",
            "What should come out where the gate is 0?",
            misconception="another-task",
        ),
        "SiLU around the product": WrongAnswer(
            _mixing(lambda f, y: f.down(F.silu(f.gate(y) * f.up(y)))),
            "You bend the product. SiLU works on the gate alone, before it is multiplied.",
            "What stands between the brackets of SiLU in the formula of task 2?",
            misconception="steps-in-any-order",
        ),
        "sigmoid for SiLU": WrongAnswer(
            _mixing(lambda f, y: f.down(f.gate(y).sigmoid() * f.up(y))),
            "Your gate is σ(g), which is that of a GLU. SiLU is g · σ(g).",
            "What is SiLU of 2, and can a sigmoid be as large?",
            misconception="half-is-enough",
        ),
        "GELU for SiLU": WrongAnswer(
            _mixing(lambda f, y: f.down(F.gelu(f.gate(y)) * f.up(y))),
            "Your gate goes through GELU. This model was trained with SiLU.",
            "What does `hidden_act` on the model's card say?",
            misconception="plausible-is-right",
        ),
        "ReLU for SiLU": WrongAnswer(
            _mixing(lambda f, y: f.down(F.relu(f.gate(y)) * f.up(y))),
            "Your gate goes through ReLU, as in the block of 2017. Here it is SiLU.",
            "What is SiLU of −1?",
            misconception="plausible-is-right",
        ),
    },
    variants=[WithTheCourse, GroupsOnAnAxis, TokenByToken],
)
