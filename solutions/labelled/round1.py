# %% BahdanauStep · right · bmm
# source: in the manner of the PyTorch tutorial "Translation with a sequence to sequence network and attention"
class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        scores = self.v(torch.tanh(self.W_query(state.unsqueeze(1)) + self.W_key(keys)))
        scores = scores.squeeze(2)
        scores = scores.masked_fill(~mask, -float("inf"))
        weights = torch.nan_to_num(torch.softmax(scores, dim=-1))
        context = torch.bmm(weights.unsqueeze(1), keys).squeeze(1)
        hidden = self.rnn(torch.cat((embedded, context), dim=1), state)
        logits = self.output(torch.cat((hidden, context, embedded), dim=1))
        return context, weights, hidden, logits


# %% BahdanauStep · right · exp
# source: a learner with exponentials and a sum
class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        e = torch.einsum("bsa,a->bs", (self.W_query(state)[:, None] + self.W_key(keys)).tanh(), self.v.weight[0])
        e = (e - e.detach().max(-1, keepdim=True).values).exp() * mask
        weights = e / e.sum(-1, keepdim=True).clamp(min=1e-30)
        context = (weights[:, :, None] * keys).sum(1)
        new_state = self.rnn(torch.cat([embedded, context], -1), state)
        return context, weights, new_state, self.output(torch.cat([new_state, context, embedded], -1))


# %% BahdanauStep · wrong · old-state
# source: a learner who forgets to hand on the new state
# mistake: the output reads the old state
class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        scores = self.v(torch.tanh(self.W_query(state).unsqueeze(1) + self.W_key(keys))).squeeze(-1)
        weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num()
        context = (weights.unsqueeze(-1) * keys).sum(1)
        new_state = self.rnn(torch.cat([embedded, context], -1), state)
        return context, weights, new_state, self.output(torch.cat([state, context, embedded], -1))


# %% BahdanauStep · wrong · two
# source: two slips at once
# mistake: no tanh in the score, and embedded and context change places in the output
class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        scores = self.v(self.W_query(state).unsqueeze(1) + self.W_key(keys)).squeeze(-1)
        weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num()
        context = (weights.unsqueeze(-1) * keys).sum(1)
        new_state = self.rnn(torch.cat([embedded, context], -1), state)
        return context, weights, new_state, self.output(torch.cat([new_state, embedded, context], -1))


# %% BahdanauStep · wrong · zero-state
# source: a language model that calls the cell without its state
# mistake: the GRU starts from zeros
class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        scores = self.v(torch.tanh(self.W_query(state).unsqueeze(1) + self.W_key(keys))).squeeze(-1)
        weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num()
        context = (weights.unsqueeze(-1) * keys).sum(1)
        new_state = self.rnn(torch.cat([embedded, context], -1))
        return context, weights, new_state, self.output(torch.cat([new_state, context, embedded], -1))


# %% DecoderBlock · right · steps
# source: The Annotated Transformer's DecoderLayer in pre-norm (MIT)
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        tgt_mask = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()[None]
        y = self.norms[0](x)
        x = x + self.attention(y, y, mask=tgt_mask)[0]
        x = x + self.cross(self.norms[1](x), source, mask=source_mask)[0]
        return x + self.feed_forward(self.norms[2](x))


# %% DecoderBlock · wrong · norm-source
# source: a learner who normalises everything
# mistake: the source is normalised once more
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        y = self.norms[0](x)
        x = x + self.attention(y, y, mask=causal_mask(x.shape[1]))[0]
        x = x + self.cross(self.norms[1](x), self.norms[1](source), mask=source_mask)[0]
        return x + self.feed_forward(self.norms[2](x))


# %% DecoderBlock · wrong · post-norm
# source: Attention Is All You Need, as it stands there
# mistake: post-norm
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        x = self.norms[0](x + self.attention(x, x, mask=causal_mask(x.shape[1]))[0])
        x = self.norms[1](x + self.cross(x, source, mask=source_mask)[0])
        return self.norms[2](x + self.feed_forward(x))


# %% DecoderBlock · wrong · two
# source: two slips at once
# mistake: no residual around the cross-attention, and no causal mask
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        y = self.norms[0](x)
        x = x + self.attention(y, y)[0]
        x = self.cross(self.norms[1](x), source, mask=source_mask)[0]
        return x + self.feed_forward(self.norms[2](x))


# %% MultiHead · right · functional
# source: a language model: F.linear and chunk
class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * dim, dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def forward(self, query, keys, values, mask=None):
        wq, wk, wv = self.in_proj_weight.chunk(3)
        bq, bk, bv = self.in_proj_bias.chunk(3)
        q, k, v = F.linear(query, wq, bq), F.linear(keys, wk, bk), F.linear(values, wv, bv)
        q, k, v = (x.unflatten(-1, (self.heads, -1)).transpose(1, 2) for x in (q, k, v))
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            mask = mask.unsqueeze(1)
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0)
        return self.out_proj((weights @ v).transpose(1, 2).flatten(2)), weights


# %% MultiHead · right · per-head
# source: a learner with a loop over the heads
class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.dim, self.heads = dim, heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) / dim ** 0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        d, size = self.dim, self.dim // self.heads
        w, b = self.in_proj_weight, self.in_proj_bias
        q = query @ w[:d].T + b[:d]
        k = keys @ w[d : 2 * d].T + b[d : 2 * d]
        v = values @ w[2 * d :].T + b[2 * d :]
        outputs, weights = [], []
        for h in range(self.heads):
            part = slice(h * size, (h + 1) * size)
            scores = q[..., part] @ k[..., part].transpose(1, 2) / size ** 0.5
            a = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
            weights.append(a)
            outputs.append(a @ v[..., part])
        return self.out_proj(torch.cat(outputs, -1)), torch.stack(weights, 1)


# %% MultiHead · wrong · no-out
# source: a learner who forgets the last projection
# mistake: out_proj is made and not used
class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.dim = heads, dim
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        w, b = self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        q, k, v = (F.linear(x, w[i], b[i]).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for i, x in enumerate((query, keys, values)))
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask[:, None])
        return (weights @ v).transpose(1, 2).flatten(2), weights


# %% MultiHead · wrong · scale
# source: a learner who scales by the whole width
# mistake: the root of dim in place of head_dim
class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.dim = heads, dim
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        w, b = self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        q, k, v = (F.linear(x, w[i], b[i]).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for i, x in enumerate((query, keys, values)))
        scores = q @ k.mT / math.sqrt(self.dim)
        weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask[:, None])
        return self.out_proj((weights @ v).transpose(1, 2).flatten(2)), weights


# %% MultiHead · wrong · self-attention
# source: a language model that has self-attention in mind
# mistake: keys and values are both projected from the keys, and the mask means the opposite
class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.dim = heads, dim
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        w, b = self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        q, k, v = (F.linear(x, w[i], b[i]).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for i, x in enumerate((query, keys, keys)))
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(mask[:, None], -math.inf)
        weights = scores.softmax(-1).nan_to_num()
        return self.out_proj((weights @ v).transpose(1, 2).flatten(2)), weights


# %% MyAdditiveAttention · right · d2l
# source: Dive into Deep Learning's AdditiveAttention (code: MIT-0), adapted to the names of the task
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        if values is None:
            values = keys
        queries, projected = self.W_query(query), self.W_key(keys)
        features = torch.tanh(queries.unsqueeze(2) + projected.unsqueeze(1))
        scores = self.v(features).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.nan_to_num(torch.softmax(scores, dim=-1))
        return torch.bmm(weights, values), weights


# %% MyAdditiveAttention · right · einsum
# source: einsum, and a mask by where
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        values = keys if values is None else values
        pairs = (self.W_query(query)[:, :, None] + self.W_key(keys)[:, None]).tanh()
        scores = torch.einsum("btsa,a->bts", pairs, self.v.weight[0])
        mask = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
        weights = torch.where(mask, scores, -torch.inf).softmax(-1)
        weights = torch.where(mask, weights, 0.0)
        return torch.einsum("bts,bsd->btd", weights, values), weights


# %% MyAdditiveAttention · wrong · bias
# source: nn.Linear as it comes
# mistake: the layers have biases
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim)
        self.W_key = nn.Linear(key_dim, attention_dim)
        self.v = nn.Linear(attention_dim, 1)

    def forward(self, query, keys, values=None, mask=None):
        values = keys if values is None else values
        scores = self.v(torch.tanh(self.W_query(query).unsqueeze(2) + self.W_key(keys).unsqueeze(1))).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        weights = scores.softmax(-1).nan_to_num()
        return weights @ values, weights


# %% MyAdditiveAttention · wrong · mask-dropped
# source: a language model that overwrites what it masked
# mistake: the masked scores are thrown away
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        values = keys if values is None else values
        scores = self.v(torch.tanh(self.W_query(query).unsqueeze(2) + self.W_key(keys).unsqueeze(1))).squeeze(-1)
        if mask is not None:
            scores.masked_fill(~mask, -torch.inf)
        weights = scores.softmax(-1)
        return weights @ values, weights


# %% MyAdditiveAttention · wrong · none-values
# source: a learner who never looks at the values
# mistake: the context is a mixture of the keys, and -1e9 stands under the mask
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        scores = self.v(torch.tanh(self.W_query(query).unsqueeze(2) + self.W_key(keys).unsqueeze(1))).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = scores.softmax(-1)
        return weights @ keys, weights


# %% PatchClassifier · right · slices
# source: a learner who cuts with slices
class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        p, pieces = self.patch, []
        for top in range(0, images.shape[1] - p + 1, p):
            for start in range(0, images.shape[2] - p + 1, p):
                pieces.append(images[:, top : top + p, start : start + p].reshape(len(images), p * p))
        states = (self.embed(torch.stack(pieces, 1)) + self.places).relu()
        weights = torch.softmax((states * self.query).sum(-1) / self.query.numel() ** 0.5, 1)
        return self.answer((weights[..., None] * states).sum(1)), weights


# %% PatchClassifier · right · unfold
# source: a language model: unfold
class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        patches = nn.functional.unfold(images.unsqueeze(1), self.patch, stride=self.patch).transpose(1, 2)
        states = torch.relu(self.embed(patches) + self.places)
        weights = (states @ self.query / len(self.query) ** 0.5).softmax(-1)
        return self.answer((weights.unsqueeze(1) @ states).squeeze(1)), weights


# %% PatchClassifier · wrong · places-outside
# source: a learner who adds the places too late
# mistake: places are added after the ReLU
class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        patches = nn.functional.unfold(images.unsqueeze(1), self.patch, stride=self.patch).transpose(1, 2)
        states = torch.relu(self.embed(patches)) + self.places
        weights = (states @ self.query / len(self.query) ** 0.5).softmax(-1)
        return self.answer((weights.unsqueeze(1) @ states).squeeze(1)), weights


# %% PatchClassifier · wrong · two
# source: two slips at once
# mistake: no scale, and the logits go through a softmax
class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        patches = nn.functional.unfold(images.unsqueeze(1), self.patch, stride=self.patch).transpose(1, 2)
        states = torch.relu(self.embed(patches) + self.places)
        weights = (states @ self.query).softmax(-1)
        return self.answer((weights.unsqueeze(1) @ states).squeeze(1)).softmax(-1), weights


# %% PatchClassifier · wrong · view
# source: a learner who reshapes in one go
# mistake: pieces of rows in place of square patches
class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        patches = images.reshape(len(images), -1, self.patch * self.patch)
        states = torch.relu(self.embed(patches) + self.places)
        weights = (states @ self.query / len(self.query) ** 0.5).softmax(-1)
        return self.answer((weights.unsqueeze(1) @ states).squeeze(1)), weights


# %% PrecomputedKeys · right · dict
# source: a language model with a dictionary and einsum
class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        return {"keys": keys, "projected": self.W_key(keys).transpose(0, 1)}

    def attend(self, state, memory):
        energy = torch.tanh(memory["projected"] + self.W_query(state))
        weights = torch.softmax(self.v(energy).squeeze(-1), dim=0).T
        return torch.einsum("bs,bsd->bd", weights, memory["keys"]), weights


# %% PrecomputedKeys · right · tuple
# source: a learner who keeps both
class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        return keys, self.W_key(keys)

    def attend(self, state, memory):
        keys, projected = memory
        energy = torch.tanh(self.W_query(state)[:, None] + projected)
        weights = self.v(energy)[..., 0].softmax(dim=1)
        return torch.bmm(weights[:, None], keys)[:, 0], weights


# %% PrecomputedKeys · wrong · batch-softmax
# source: a learner: softmax over the first axis
# mistake: softmax over the sentences of the batch
class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        return keys, self.W_key(keys)

    def attend(self, state, memory):
        keys, projected = memory
        weights = self.v(torch.tanh(self.W_query(state)[:, None] + projected)).squeeze(-1).softmax(0)
        return (weights[..., None] * keys).sum(1), weights


# %% PrecomputedKeys · wrong · each-step
# source: a learner who remembers the keys and no more
# mistake: the keys are projected in every step
class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        return keys

    def attend(self, state, memory):
        energy = torch.tanh(self.W_query(state).unsqueeze(1) + self.W_key(memory))
        weights = self.v(energy).squeeze(-1).softmax(-1)
        return (weights.unsqueeze(-1) * memory).sum(1), weights


# %% PrecomputedKeys · wrong · loop
# source: a learner who projects word by word and mixes up what is mixed
# mistake: the last key is left out of the projection loop and given as it was before; scores from a dot product
class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        return keys, torch.stack([self.W_key(key) for key in keys.unbind(1)], 1)

    def attend(self, state, memory):
        keys, projected = memory
        weights = (self.W_query(state).unsqueeze(1) * projected).sum(-1).softmax(-1)
        return (weights.unsqueeze(-1) * keys).sum(1), weights


# %% additive_scores · right · d2l
# source: Dive into Deep Learning, additive attention (code: MIT-0), taken out of its module
def additive_scores(query, keys, W_query, W_key, v):
    queries, keys = query @ W_query.T, keys @ W_key.T
    features = queries.unsqueeze(2) + keys.unsqueeze(1)
    features = torch.tanh(features)
    return (features @ v.reshape(-1, 1)).squeeze(-1)


# %% additive_scores · right · einsum
# source: einsum and nothing else
def additive_scores(query, keys, W_query, W_key, v):
    q = torch.einsum("bte,ae->bta", query, W_query)
    k = torch.einsum("bse,ae->bsa", keys, W_key)
    pair = torch.einsum("bta,s->btsa", q, q.new_ones(keys.shape[1])) + k[:, None]
    return torch.einsum("btsa,a->bts", torch.tanh(pair), v)


# %% additive_scores · wrong · each
# source: a learner who spreads the tanh over the sum
# mistake: tanh of each part, then the sum
def additive_scores(query, keys, W_query, W_key, v):
    q = torch.tanh(query @ W_query.T)
    k = torch.tanh(keys @ W_key.T)
    return (q[:, :, None, :] + k[:, None, :, :]) @ v


# %% additive_scores · wrong · relu
# source: a language model with another nonlinearity
# mistake: leaky ReLU, as in graph attention
def additive_scores(query, keys, W_query, W_key, v):
    pair = (query @ W_query.T)[:, :, None, :] + (keys @ W_key.T)[:, None, :, :]
    return torch.nn.functional.leaky_relu(pair, 0.2) @ v


# %% additive_scores · wrong · two
# source: two slips at once
# mistake: the result is turned, (batch, src_len, tgt_len), and scaled by the root of the width
def additive_scores(query, keys, W_query, W_key, v):
    pair = (query @ W_query.T)[:, None] + (keys @ W_key.T)[:, :, None]
    return torch.tanh(pair) @ v / len(v) ** 0.5


# %% additive_scores_loop · right · lists
# source: a learner who collects rows
def additive_scores_loop(states, keys, W_joined, v):
    rows = []
    for s in states:
        row = []
        for h in keys:
            row.append(torch.dot(v, torch.tanh(W_joined.mv(torch.cat((s, h))))))
        rows.append(torch.stack(row))
    return torch.stack(rows)


# %% additive_scores_loop · right · seq2seq
# source: in the manner of the attention of the PyTorch seq2seq tutorials: repeat, concatenate, project
def additive_scores_loop(states, keys, W_joined, v):
    tgt_len, src_len = len(states), len(keys)
    hidden = states.unsqueeze(1).repeat(1, src_len, 1)
    encoder_outputs = keys.unsqueeze(0).repeat(tgt_len, 1, 1)
    energy = torch.tanh(torch.cat((hidden, encoder_outputs), dim=2) @ W_joined.t())
    return (energy * v).sum(dim=2)


# %% additive_scores_loop · wrong · numbers
# source: a learner who fills a table
# mistake: .item() cuts the gradient, and the tanh comes last
def additive_scores_loop(states, keys, W_joined, v):
    scores = torch.zeros(len(states), len(keys))
    for i, s in enumerate(states):
        for j, h in enumerate(keys):
            scores[i, j] = torch.tanh(v @ (W_joined @ torch.cat([s, h]))).item()
    return scores


# %% additive_scores_loop · wrong · order
# source: a learner who joins them the other way round
# mistake: [h; s] in place of [s; h]
def additive_scores_loop(states, keys, W_joined, v):
    return torch.stack(
        [torch.stack([v @ torch.tanh(W_joined @ torch.cat([h, s])) for h in keys]) for s in states]
    )


# %% additive_scores_loop · wrong · softmax
# source: a language model that goes one step too far
# mistake: returns weights, not scores
def additive_scores_loop(states, keys, W_joined, v):
    pairs = torch.stack([torch.stack([torch.cat([s, h]) for h in keys]) for s in states])
    return torch.softmax(torch.tanh(pairs @ W_joined.T) @ v, dim=-1)


# %% alignment_picture · right · loop
# source: a learner with lists of places
def alignment_picture(weights, source, target):
    special = {"<sos>", "<eos>", "<pad>"}
    rows = [t - 1 for t, word in enumerate(target) if word not in special]
    columns = [s for s, word in enumerate(source) if word not in special]
    trimmed = weights[rows][:, columns]
    links = torch.zeros(len(rows), len(columns), dtype=torch.bool)
    for i in range(len(rows)):
        if columns:
            links[i, trimmed[i].argmax()] = True
    return trimmed, links


# %% alignment_picture · right · onehot
# source: a language model: boolean masks
def alignment_picture(weights, source, target):
    special = ("<sos>", "<eos>", "<pad>")
    keep_rows = torch.tensor([w not in special for w in target[1:]])
    keep_columns = torch.tensor([w not in special for w in source])
    trimmed = weights[keep_rows][:, keep_columns]
    links = F.one_hot(trimmed.argmax(-1), trimmed.shape[1]).bool()
    return trimmed, links


# %% alignment_picture · wrong · links-first
# source: a learner who finds the links before trimming
# mistake: the largest entry of the whole row, which may lie in a column that is cut off
def alignment_picture(weights, source, target):
    special = {"<sos>", "<eos>", "<pad>"}
    rows = [t - 1 for t, word in enumerate(target) if word not in special]
    columns = [s for s, word in enumerate(source) if word not in special]
    links = weights == weights.max(-1, keepdim=True).values
    return weights[rows][:, columns], links[rows][:, columns]


# %% alignment_picture · wrong · not-shifted
# source: a learner who cuts the last row in place of shifting
# mistake: rows are those of the words read, one step late
def alignment_picture(weights, source, target):
    special = {"<sos>", "<eos>", "<pad>"}
    rows = [t for t, word in enumerate(target[:-1]) if word not in special]
    columns = [s for s, word in enumerate(source) if word not in special]
    trimmed = weights[rows][:, columns]
    return trimmed, trimmed == trimmed.amax(-1, keepdim=True)


# %% alignment_picture · wrong · two
# source: two slips at once
# mistake: <unk> is cut off as well, and rows are shared out again
def alignment_picture(weights, source, target):
    rows = [t - 1 for t, word in enumerate(target) if not word.startswith("<")]
    columns = [s for s, word in enumerate(source) if not word.startswith("<")]
    trimmed = weights[rows][:, columns]
    trimmed = trimmed / trimmed.sum(-1, keepdim=True)
    return trimmed, trimmed == trimmed.amax(-1, keepdim=True)


# %% attend_with_mask · right · additive
# source: a learner who keeps the sum and adds a float mask
def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    bias = torch.zeros(mask.shape).masked_fill(~mask, float("-inf"))
    weights = torch.nan_to_num((scores + bias).softmax(-1))
    context = torch.bmm(weights, values)
    return context, weights


# %% attend_with_mask · right · where
# source: a learner who changes the one line
def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    weights = torch.where(mask, scores, -torch.inf).softmax(-1)
    weights = torch.where(mask, weights, 0)
    context = torch.bmm(weights, values)
    return context, weights


# %% attend_with_mask · wrong · minus
# source: a learner who subtracts what is closed
# mistake: closed cells get one less, not minus infinity
def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    weights = (scores - 10.0 * ~mask).softmax(-1)
    return torch.bmm(weights, values), weights


# %% attend_with_mask · wrong · nan
# source: a learner who forgets the last sentence of the task
# mistake: rows that may look at nothing give NaN
def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return torch.bmm(weights, values), weights


# %% attend_with_mask · wrong · times
# source: a learner who multiplies in place of adding
# mistake: closed cells get the score 0
def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    weights = (scores * mask).softmax(-1)
    return torch.bmm(weights, values), weights


# %% beam_step · right · sorted
# source: a learner with a list and sorted
def beam_step(scores, log_probs, finished):
    candidates = []
    for i in range(len(scores)):
        if finished[i]:
            candidates.append((scores[i].item(), i, EOS))
            continue
        for w in range(log_probs.shape[1]):
            candidates.append(((scores[i] + log_probs[i, w]).item(), i, w))
    candidates.sort(key=lambda c: -c[0])
    best, parents, words = zip(*candidates[: len(scores)])
    return torch.tensor(best), torch.tensor(parents), torch.tensor(words)


# %% beam_step · right · topk
# source: a language model: one topk over all continuations
def beam_step(scores, log_probs, finished):
    beam, vocab = log_probs.shape
    stay = torch.full((vocab,), -torch.inf)
    stay[EOS] = 0.0
    total = scores[:, None] + torch.where(finished[:, None], stay, log_probs)
    best, where = total.flatten().topk(beam)
    return best, where // vocab, where % vocab


# %% beam_step · wrong · each-best
# source: a learner who gives each hypothesis its best word
# mistake: each hypothesis is continued once
def beam_step(scores, log_probs, finished):
    stay = torch.full((log_probs.shape[1],), -torch.inf)
    stay[EOS] = 0.0
    total = scores[:, None] + torch.where(finished[:, None], stay, log_probs)
    best, words = total.max(-1)
    best, parents = best.sort(descending=True)
    return best, parents, words[parents]


# %% beam_step · wrong · finished-pays
# source: a learner who lets a finished hypothesis go on as any other
# mistake: finished hypotheses are not held back to EOS
def beam_step(scores, log_probs, finished):
    total = scores[:, None] + log_probs
    best, where = total.flatten().topk(len(scores))
    return best, where // log_probs.shape[1], where % log_probs.shape[1]


# %% beam_step · wrong · two
# source: two slips at once
# mistake: parents and words change places, and the score so far is forgotten
def beam_step(scores, log_probs, finished):
    beam, vocab = log_probs.shape
    stay = torch.full((vocab,), -torch.inf)
    stay[EOS] = 0.0
    total = torch.where(finished[:, None], stay, log_probs)
    best, where = total.flatten().topk(beam)
    return best, where % vocab, where // vocab


# %% block_parameters · right · formula
# source: a learner who counts part by part
def block_parameters(dim, heads, hidden, layers, words):
    attention = 4 * (dim * dim + dim)
    feed_forward = dim * hidden + hidden + hidden * dim + dim
    norm = 2 * dim
    encoder_block = attention + feed_forward + 2 * norm
    decoder_block = 2 * attention + feed_forward + 3 * norm
    language_model = words * dim + words + layers * encoder_block + norm
    return encoder_block, decoder_block, language_model


# %% block_parameters · right · modules
# source: a learner who builds the parts and counts their numbers
def block_parameters(dim, heads, hidden, layers, words):
    def size(*parts):
        return sum(p.numel() for part in parts for p in part.parameters())
    table = []
    for d in dim.flatten().tolist():
        attention = [nn.Linear(d, d) for _ in range(4)]
        forward = [nn.Linear(d, hidden), nn.Linear(hidden, d)]
        norm = nn.LayerNorm(d)
        encoder = size(*attention, *forward, norm, nn.LayerNorm(d))
        decoder = encoder + size(*attention, norm)
        table.append([encoder, decoder, size(nn.Linear(d, words)) + layers * encoder + size(norm)])
    return tuple(column.reshape(dim.shape) for column in torch.tensor(table).T)


# %% block_parameters · wrong · decoder-twice
# source: a learner who takes the decoder for two encoders
# mistake: the decoder block as twice the encoder block, and no final norm in the language model
def block_parameters(dim, heads, hidden, layers, words):
    encoder_block = 4 * dim * (dim + 1) + 2 * dim * hidden + hidden + dim + 4 * dim
    return encoder_block, 2 * encoder_block, words * dim + words + layers * encoder_block


# %% block_parameters · wrong · heads
# source: a learner who counts every head
# mistake: attention times the number of heads
def block_parameters(dim, heads, hidden, layers, words):
    attention = heads * 4 * (dim * dim + dim)
    feed_forward = 2 * dim * hidden + hidden + dim
    encoder_block = attention + feed_forward + 4 * dim
    decoder_block = 2 * attention + feed_forward + 6 * dim
    return encoder_block, decoder_block, words * dim + words + layers * encoder_block + 2 * dim


# %% block_parameters · wrong · norms
# source: a learner who counts one vector a norm
# mistake: norms without a shift
def block_parameters(dim, heads, hidden, layers, words):
    attention = 4 * (dim * dim + dim)
    feed_forward = 2 * dim * hidden + hidden + dim
    encoder_block = attention + feed_forward + 2 * dim
    decoder_block = 2 * attention + feed_forward + 3 * dim
    return encoder_block, decoder_block, words * dim + words + layers * encoder_block + dim


# %% both_ways · right · esim
# source: in the manner of Dive into Deep Learning's decomposable attention, with masks (code: MIT-0)
def both_ways(left, right, left_mask, right_mask):
    e = torch.bmm(left, right.permute(0, 2, 1)) / left.shape[-1] ** 0.5
    forth = masked_softmax(e, right_mask.unsqueeze(1))
    back = masked_softmax(e.permute(0, 2, 1), left_mask.unsqueeze(1))
    beta = torch.bmm(forth, right)
    alpha = torch.bmm(back, left)
    return beta, alpha, forth, back


# %% both_ways · right · own
# source: a learner with a helper of its own
def both_ways(left, right, left_mask, right_mask):
    def look(query, keys, mask):
        scores = torch.einsum("bqd,bkd->bqk", query, keys) * query.shape[-1] ** -0.5
        weights = scores.masked_fill(~mask[:, None], -torch.inf).softmax(-1).nan_to_num()
        return weights @ keys, weights
    left_reads, forth = look(left, right, right_mask)
    right_reads, back = look(right, left, left_mask)
    return left_reads, right_reads, forth, back


# %% both_ways · wrong · both-masks
# source: a learner who masks the rows as well
# mistake: rows of padding are closed too
def both_ways(left, right, left_mask, right_mask):
    scores = left @ right.mT / left.shape[-1] ** 0.5
    both = left_mask[:, :, None] & right_mask[:, None]
    forth, back = masked_softmax(scores, both), masked_softmax(scores.mT, both.mT)
    return forth @ right, back @ left, forth, back


# %% both_ways · wrong · turned
# source: a learner who turns the weights on their side
# mistake: back is forth turned
def both_ways(left, right, left_mask, right_mask):
    scores = left @ right.mT / left.shape[-1] ** 0.5
    forth = masked_softmax(scores, right_mask[:, None])
    back = forth.mT
    return forth @ right, back @ left, forth, back


# %% both_ways · wrong · two
# source: two slips at once
# mistake: no scale, and the two reads change places
def both_ways(left, right, left_mask, right_mask):
    scores = left @ right.mT
    forth = masked_softmax(scores, right_mask[:, None])
    back = masked_softmax(scores.mT, left_mask[:, None])
    return back @ left, forth @ right, forth, back


# %% cached_step · right · cat
# source: in the manner of Dive into Deep Learning's decoder block: cache and concatenate
def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    x = x.unsqueeze(1)
    keys = torch.cat((past_keys, x @ w_k), dim=1)
    values = torch.cat((past_values, x @ w_v), dim=1)
    weights = ((x @ w_q) @ keys.transpose(1, 2) / keys.shape[-1] ** 0.5).softmax(-1)
    return (weights @ values).squeeze(1), keys, values


# %% cached_step · right · sdpa
# source: a language model: the fused function
import torch.nn.functional as F

def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([past_keys, (x @ w_k)[:, None]], 1)
    values = torch.cat([past_values, (x @ w_v)[:, None]], 1)
    context = F.scaled_dot_product_attention((x @ w_q)[:, None], keys, values)
    return context[:, 0], keys, values


# %% cached_step · wrong · in-front
# source: a learner who puts the new word in front
# mistake: the cache is in the wrong order
def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([(x @ w_k)[:, None], past_keys], 1)
    values = torch.cat([(x @ w_v)[:, None], past_values], 1)
    scores = torch.einsum("bd,bsd->bs", x @ w_q, keys) / keys.shape[-1] ** 0.5
    return torch.einsum("bs,bsd->bd", scores.softmax(-1), values), keys, values


# %% cached_step · wrong · past-only
# source: a learner who looks before writing
# mistake: the new word does not look at itself
def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([past_keys, (x @ w_k)[:, None]], 1)
    values = torch.cat([past_values, (x @ w_v)[:, None]], 1)
    scores = torch.einsum("bd,bsd->bs", x @ w_q, past_keys) / keys.shape[-1] ** 0.5
    return torch.einsum("bs,bsd->bd", scores.softmax(-1), past_values), keys, values


# %% cached_step · wrong · two
# source: two slips at once
# mistake: scaled by the width of the words, and the context is joined from the keys' weights of one step before
def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([past_keys, (x @ w_k)[:, None]], 1)
    values = torch.cat([past_values, (x @ w_v)[:, None]], 1)
    scores = torch.einsum("bd,bsd->bs", x @ w_q, keys) / x.shape[-1] ** 0.5
    return torch.einsum("bs,bsd->bd", scores.sigmoid(), values), keys, values


# %% clip_together · right · branch
# source: a learner with an if
def clip_together(of_keys, of_queries, limit):
    length = (of_keys.pow(2).sum() + of_queries.pow(2).sum()).sqrt()
    if length > limit:
        return limit * of_keys / length, limit * of_queries / length, length
    return of_keys, of_queries, length


# %% clip_together · right · min
# source: a learner: the smaller of 1 and the factor
@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    length = torch.cat([of_keys.flatten(), of_queries.flatten()]).norm()
    shrink = min(1.0, limit / length.item()) if length > 0 else 1.0
    return of_keys * shrink, of_queries * shrink, length


# %% clip_together · wrong · after
# source: a learner who reports the wrong length
# mistake: the length after clipping
def clip_together(of_keys, of_queries, limit):
    length = (of_keys.square().sum() + of_queries.square().sum()).sqrt()
    shrink = torch.clamp(limit / length, max=1.0)
    return of_keys * shrink, of_queries * shrink, length * shrink


# %% clip_together · wrong · one-bug
# source: a learner who finds the second bug only
# mistake: the lengths are still added
def clip_together(of_keys, of_queries, limit):
    length = of_keys.norm() + of_queries.norm()
    shrink = (limit / length).clamp(max=1.0)
    return of_keys * shrink, of_queries * shrink, length


# %% clip_together · wrong · values
# source: a learner who knows clip_grad_value_
# mistake: clips each number at the limit
def clip_together(of_keys, of_queries, limit):
    length = torch.cat([of_keys.flatten(), of_queries.flatten()]).norm()
    return of_keys.clamp(-limit, limit), of_queries.clamp(-limit, limit), length


# %% combined_mask · right · loop
# source: a learner with loops
def combined_mask(lengths, positions, src_len):
    mask = torch.zeros(len(lengths), len(positions), src_len, dtype=torch.bool)
    for b in range(len(lengths)):
        for t in range(len(positions)):
            end = min(int(lengths[b]), int(positions[t]) + 1)
            mask[b, t, :end] = True
    return mask


# %% combined_mask · right · minimum
# source: a language model: one comparison
def combined_mask(lengths, positions, src_len):
    last = torch.minimum(lengths[:, None] - 1, positions[None, :])
    return torch.arange(src_len) <= last[:, :, None]


# %% combined_mask · wrong · or
# source: a learner: | in place of &
# mistake: real word or not later
def combined_mask(lengths, positions, src_len):
    keys = torch.arange(src_len)
    return (keys < lengths[:, None])[:, None, :] | (keys <= positions[:, None])[None]


# %% combined_mask · wrong · tril
# source: a learner who takes torch.tril
# mistake: the queries are taken to begin at place 0
def combined_mask(lengths, positions, src_len):
    causal = torch.ones(len(positions), src_len).tril().bool()
    return causal[None] & (torch.arange(src_len) < lengths[:, None])[:, None]


# %% combined_mask · wrong · two
# source: two slips at once
# mistake: strictly earlier, and rows of padding are closed as well
def combined_mask(lengths, positions, src_len):
    keys = torch.arange(src_len)
    real = keys < lengths[:, None]
    rows = positions[None] < lengths[:, None]
    return real[:, None, :] & (keys < positions[:, None])[None] & rows[:, :, None]


# %% compare_scores · right · loop
# source: a learner with a loop over the gains and .item()
def compare_scores(query, keys, W, W_joined, v, gains):
    table = torch.zeros(2, len(gains))
    for g, gain in enumerate(gains):
        for row, scores in enumerate(both_scores(query * gain, keys, W, W_joined, v)):
            table[row, g] = scores.softmax(-1).max(-1).values.mean().item()
    return table

def both_scores(query, keys, W, W_joined, v):
    pairs = torch.cat([query[:, :, None].expand(-1, -1, keys.shape[1], -1),
                       keys[:, None].expand(-1, query.shape[1], -1, -1)], -1)
    return query @ W @ keys.mT, torch.tanh(pairs @ W_joined.T) @ v


# %% compare_scores · right · vectorised
# source: a language model, all gains at once
@torch.no_grad()
def compare_scores(query, keys, W, W_joined, v, gains):
    louder = gains[:, None, None, None] * query
    general = (louder @ W) @ keys.transpose(-2, -1)
    d = query.shape[-1]
    split = (louder @ W_joined[:, :d].T)[..., :, None, :] + (keys @ W_joined[:, d:].T)[:, None]
    concat = split.tanh() @ v
    both = torch.stack([general, concat]).softmax(-1).amax(-1)
    return both.mean(dim=(-1, -2))


# %% compare_scores · wrong · gain-on-scores
# source: a learner who multiplies the scores
# mistake: the gain is put on the scores of concat, not on the query
def compare_scores(query, keys, W, W_joined, v, gains):
    pairs = torch.cat([query[:, :, None].expand(-1, -1, keys.shape[1], -1),
                       keys[:, None].expand(-1, query.shape[1], -1, -1)], -1)
    scores = query @ W @ keys.mT, torch.tanh(pairs @ W_joined.T) @ v
    return torch.stack([torch.stack([(s * g).softmax(-1).amax(-1).mean() for g in gains]) for s in scores])


# %% compare_scores · wrong · mean-of-means
# source: a learner who takes the largest of the mean
# mistake: the mean over the rows comes before the largest
def compare_scores(query, keys, W, W_joined, v, gains):
    table = []
    for gain in gains:
        q = query * gain
        pairs = torch.cat([q[:, :, None].expand(-1, -1, keys.shape[1], -1),
                           keys[:, None].expand(-1, q.shape[1], -1, -1)], -1)
        scores = torch.stack([q @ W @ keys.mT, torch.tanh(pairs @ W_joined.T) @ v])
        table.append(scores.softmax(-1).mean(2).amax(-1).mean(-1))
    return torch.stack(table, dim=1)


# %% compare_scores · wrong · overall
# source: a learner: .max() without an axis
# mistake: the largest weight of all rows
def compare_scores(query, keys, W, W_joined, v, gains):
    table = torch.zeros(2, len(gains))
    for i, gain in enumerate(gains):
        q = query * gain
        pairs = torch.cat([q[:, :, None].expand(-1, -1, keys.shape[1], -1),
                           keys[:, None].expand(-1, q.shape[1], -1, -1)], -1)
        table[0, i] = (q @ W @ keys.mT).softmax(-1).max()
        table[1, i] = (torch.tanh(pairs @ W_joined.T) @ v).softmax(-1).max()
    return table


# %% counterfactual · right · helper
# source: a learner with a helper
def counterfactual(start, states, other_start, other_states, out, place, word):
    rows = torch.arange(len(start))
    def chance(s, h, mask=None):
        e = (h @ s.unsqueeze(-1)).squeeze(-1) / s.shape[-1] ** 0.5
        a = e.softmax(-1) if mask is None else masked_softmax(e, mask)
        c = (a.unsqueeze(-1) * h).sum(1)
        p = (torch.cat([c, s], -1) @ out.T).softmax(-1)
        return p[rows, word]
    before = chance(start, states)
    swapped = states.clone()
    swapped[rows, place] = other_states[rows, place]
    allowed = torch.ones(states.shape[:2], dtype=torch.bool)
    allowed[rows, place] = False
    return (
        before - chance(other_start, states),
        before - chance(start, swapped),
        before - chance(start, states, allowed),
    )


# %% counterfactual · right · loop
# source: a learner, sentence by sentence
def counterfactual(start, states, other_start, other_states, out, place, word):
    def chance(s, h, w):
        if len(h):
            a = torch.softmax(h @ s / len(s) ** 0.5, 0)
            c = a @ h
        else:
            c = torch.zeros_like(s)
        return torch.softmax(out @ torch.cat([c, s]), 0)[w]
    falls = []
    for b in range(len(start)):
        s, h, p, w = start[b], states[b], int(place[b]), int(word[b])
        before = chance(s, h, w)
        mixed = torch.cat([h[:p], other_states[b, p : p + 1], h[p + 1 :]])
        without = torch.cat([h[:p], h[p + 1 :]])
        falls.append(torch.stack([before - chance(other_start[b], h, w), before - chance(s, mixed, w), before - chance(s, without, w)]))
    return torch.stack(falls).unbind(1)


# %% counterfactual · wrong · sign
# source: a learner who takes after minus before
# mistake: rises in place of falls
def counterfactual(start, states, other_start, other_states, out, place, word):
    rows = torch.arange(len(start))
    def chance(s, h, mask):
        a = masked_softmax(torch.einsum("bd,bsd->bs", s, h) / s.shape[-1] ** 0.5, mask)
        c = torch.einsum("bs,bsd->bd", a, h)
        return (torch.cat([c, s], -1) @ out.T).softmax(-1)[rows, word]
    everything = torch.ones(states.shape[:2], dtype=torch.bool)
    allowed = everything.clone()
    allowed[rows, place] = False
    swapped = states.clone()
    swapped[rows, place] = other_states[rows, place]
    before = chance(start, states, everything)
    return (chance(other_start, states, everything) - before, chance(start, swapped, everything) - before,
            chance(start, states, allowed) - before)


# %% counterfactual · wrong · two
# source: two slips at once
# mistake: [s; c] in place of [c; s], and spliced takes the other states as well
def counterfactual(start, states, other_start, other_states, out, place, word):
    rows = torch.arange(len(start))
    def chance(s, h, mask):
        a = masked_softmax(torch.einsum("bd,bsd->bs", s, h) / s.shape[-1] ** 0.5, mask)
        c = torch.einsum("bs,bsd->bd", a, h)
        return (torch.cat([s, c], -1) @ out.T).softmax(-1)[rows, word]
    everything = torch.ones(states.shape[:2], dtype=torch.bool)
    allowed = everything.clone()
    allowed[rows, place] = False
    swapped = states.clone()
    swapped[rows, place] = other_states[rows, place]
    before = chance(start, states, everything)
    return (before - chance(other_start, other_states, everything), before - chance(start, swapped, everything),
            before - chance(start, states, allowed))


# %% counterfactual · wrong · zeroed
# source: a learner who sets the weight to zero after the softmax
# mistake: the weights are not shared out again when a place is forbidden
def counterfactual(start, states, other_start, other_states, out, place, word):
    rows = torch.arange(len(start))
    def chance(s, h, mask):
        a = (torch.einsum("bd,bsd->bs", s, h) / s.shape[-1] ** 0.5).softmax(-1) * mask
        c = torch.einsum("bs,bsd->bd", a, h)
        return (torch.cat([c, s], -1) @ out.T).softmax(-1)[rows, word]
    everything = torch.ones(states.shape[:2], dtype=torch.bool)
    allowed = everything.clone()
    allowed[rows, place] = False
    swapped = states.clone()
    swapped[rows, place] = other_states[rows, place]
    before = chance(start, states, everything)
    return (before - chance(other_start, states, everything), before - chance(start, swapped, everything),
            before - chance(start, states, allowed))


# %% decode_loop · right · by-hand
# source: a learner who gathers the log-probabilities by hand
def decode_loop(target, state, memory, embedding, w_state, w_output):
    steps = []
    for word in target.T[:-1]:
        *step, state = luong_step(word, state, memory, embedding, w_state, w_output)
        steps.append(step)
    logits, weights = (torch.stack(one, dim=1) for one in zip(*steps))
    nll = -logits.log_softmax(-1).gather(2, target[:, 1:, None]).squeeze(2)
    real = target[:, 1:] != PAD
    return logits, weights, nll[real].mean()


# %% decode_loop · right · cross-entropy
# source: a learner with F.cross_entropy
def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights = [], []
    for t in range(target.shape[1] - 1):
        l, w, state = luong_step(target[:, t], state, memory, embedding, w_state, w_output)
        logits.append(l)
        weights.append(w)
    logits, weights = torch.stack(logits, 1), torch.stack(weights, 1)
    loss = F.cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=PAD)
    return logits, weights, loss


# %% decode_loop · wrong · old-state
# source: a learner who forgets to hand the state on
# mistake: each step starts from the first state
def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights = [], []
    for t in range(target.shape[1] - 1):
        l, w, _ = luong_step(target[:, t], state, memory, embedding, w_state, w_output)
        logits.append(l)
        weights.append(w)
    logits, weights = torch.stack(logits, 1), torch.stack(weights, 1)
    return logits, weights, F.cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=PAD)


# %% decode_loop · wrong · per-sentence
# source: a learner who averages twice
# mistake: the mean over sentences of the mean over words
def decode_loop(target, state, memory, embedding, w_state, w_output):
    steps = []
    for word in target.T[:-1]:
        *step, state = luong_step(word, state, memory, embedding, w_state, w_output)
        steps.append(step)
    logits, weights = (torch.stack(one, dim=1) for one in zip(*steps))
    nll = F.cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=PAD, reduction="none")
    real = target[:, 1:] != PAD
    return logits, weights, ((nll * real).sum(1) / real.sum(1)).mean()


# %% decode_loop · wrong · two
# source: two slips at once
# mistake: not shifted (the loss asks for the word that was read), and padding counts
def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights = [], []
    for t in range(target.shape[1] - 1):
        l, w, state = luong_step(target[:, t], state, memory, embedding, w_state, w_output)
        logits.append(l)
        weights.append(w)
    logits, weights = torch.stack(logits, 1), torch.stack(weights, 1)
    return logits, weights, F.cross_entropy(logits.flatten(0, 1), target[:, :-1].flatten())


# %% decoder_step · right · bmm
# source: in the manner of the PyTorch seq2seq tutorials
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    energies = torch.bmm(memory, (state @ w_score).unsqueeze(2)).squeeze(2)
    weights = masked_softmax(energies, mask)
    context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
    new_state = torch.tanh(torch.cat((embedded, context, state), dim=1).mm(w_state))
    readout = torch.tanh(torch.cat((context, new_state), dim=1).mm(w_readout))
    return context, weights, new_state, readout


# %% decoder_step · right · split
# source: a language model: the matrices cut instead of the vectors joined
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    scores = torch.einsum("bd,dm,bsm->bs", state, w_score, memory)
    weights = masked_softmax(scores, mask)
    context = torch.einsum("bs,bsm->bm", weights, memory)
    e, m = embedded.shape[1], memory.shape[2]
    w_e, w_c, w_s = w_state[:e], w_state[e : e + m], w_state[e + m :]
    new_state = (embedded @ w_e + context @ w_c + state @ w_s).tanh()
    readout = (context @ w_readout[:m] + new_state @ w_readout[m:]).tanh()
    return context, weights, new_state, readout


# %% decoder_step · wrong · luong
# source: a learner in Luong's order
# mistake: updates with a context of zeros first, then looks with the new state
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    zero = torch.zeros(len(memory), memory.shape[2])
    new_state = torch.tanh(torch.cat([embedded, zero, state], 1) @ w_state)
    weights = masked_softmax(((new_state @ w_score)[:, None] * memory).sum(-1), mask)
    context = (weights[..., None] * memory).sum(1)
    return context, weights, new_state, torch.tanh(torch.cat([context, new_state], 1) @ w_readout)


# %% decoder_step · wrong · readout
# source: a learner who reads out the old state
# mistake: the readout reads s_{t-1}
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    weights = masked_softmax(((state @ w_score)[:, None] * memory).sum(-1), mask)
    context = (weights[..., None] * memory).sum(1)
    new_state = torch.tanh(torch.cat([embedded, context, state], 1) @ w_state)
    return context, weights, new_state, torch.tanh(torch.cat([context, state], 1) @ w_readout)


# %% decoder_step · wrong · two
# source: two slips at once
# mistake: the context is the mean of the memory, and the mask is not used
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    weights = ((state @ w_score)[:, None] * memory).sum(-1).softmax(-1)
    context = memory.mean(1)
    new_state = torch.tanh(torch.cat([embedded, context, state], 1) @ w_state)
    return context, weights, new_state, torch.tanh(torch.cat([context, new_state], 1) @ w_readout)


# %% encode_positions · right · annotated
# source: The Annotated Transformer's div_term, for any positions (MIT)
def encode_positions(positions, dim, base):
    pe = torch.zeros(*positions.shape, dim)
    div_term = torch.exp(torch.arange(0, dim, 2) * -(math.log(base) / dim))
    angles = positions.unsqueeze(-1) * div_term
    pe[..., 0::2] = torch.sin(angles)
    pe[..., 1::2] = torch.cos(angles)
    return pe


# %% encode_positions · right · phase
# source: a language model: the cosine as a shifted sine
def encode_positions(positions, dim, base):
    i = torch.arange(dim, dtype=torch.float64)
    rates = base ** (-(i - i % 2) / dim)
    return torch.sin(positions.double()[..., None] * rates + (i % 2) * math.pi / 2).float()


# %% encode_positions · wrong · half-dim
# source: a learner who divides by the number of pairs
# mistake: the exponent runs twice as fast
def encode_positions(positions, dim, base):
    rates = base ** (-torch.arange(0, dim, 2) / (dim // 2))
    angles = positions[..., None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


# %% encode_positions · wrong · halves
# source: in the manner of tensor2tensor: sines first, cosines behind
# mistake: not interleaved
def encode_positions(positions, dim, base):
    rates = base ** (-torch.arange(0, dim, 2) / dim)
    angles = positions[..., None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


# %% encode_positions · wrong · two
# source: two slips at once
# mistake: the base is fixed at 10000, and sine and cosine change places
def encode_positions(positions, dim, base):
    rates = 10000 ** (-torch.arange(0, dim, 2) / dim)
    angles = positions[..., None] * rates
    return torch.stack([angles.cos(), angles.sin()], dim=-1).flatten(-2)


# %% entropy · right · categorical
# source: a language model: the distribution class of PyTorch
from torch.distributions import Categorical

def entropy(weights):
    return Categorical(probs=weights).entropy()


# %% entropy · right · kl
# source: a reader of Cover and Thomas: log n minus the divergence from equal shares
import math

def entropy(weights):
    n = weights.shape[-1]
    divergence = torch.special.xlogy(weights, weights * n).sum(-1)
    return math.log(n) - divergence


# %% entropy · right · loop
# source: a learner who writes loops
import math

def entropy(weights):
    rows = weights.reshape(-1, weights.shape[-1])
    result = []
    for row in rows.tolist():
        h = 0.0
        for p in row:
            if p > 0:
                h -= p * math.log(p)
        result.append(h)
    return torch.tensor(result, dtype=weights.dtype).reshape(weights.shape[:-1])


# %% entropy · wrong · base-and-mean
# source: two slips at once
# mistake: the logarithm of base 2, and the mean in place of the sum
def entropy(weights):
    return torch.special.entr(weights).mean(-1) / 0.6931471805599453


# %% entropy · wrong · eps
# source: a language model: a small number against the logarithm of 0
# mistake: the small number is so large that it shows
def entropy(weights):
    return -(weights * torch.log(weights + 1e-2)).sum(dim=-1)


# %% entropy · wrong · nan-after
# source: a learner: mends the NaN where it shows
# mistake: a row with a zero gets the entropy 0, since the NaN is replaced after the sum
def entropy(weights):
    h = -(weights * weights.log()).sum(-1)
    return torch.nan_to_num(h)


# %% entropy · wrong · perplexity
# source: a learner who thinks of the number of words that are looked at
# mistake: returns exp(H) in place of H
def entropy(weights):
    return torch.special.entr(weights).sum(-1).exp()


# %% four_patterns · right · indexing
# source: a language model: one-hot rows by index
import torch.nn.functional as F

def four_patterns(length):
    idx = torch.arange(length)
    itself = F.one_hot(idx, length).float()
    before = F.one_hot((idx - 1).clamp(min=0), length).float()
    ends = (itself[0] + itself[-1]).expand(length, length) / 2
    so_far = itself.cumsum(0)
    so_far = so_far / so_far.sum(-1, keepdim=True)
    return itself, before, ends, so_far


# %% four_patterns · right · loops
# source: a learner who fills the cells one by one
def four_patterns(length):
    itself = torch.zeros(length, length)
    before = torch.zeros(length, length)
    ends = torch.zeros(length, length)
    so_far = torch.zeros(length, length)
    for i in range(length):
        itself[i, i] = 1
        before[i, max(i - 1, 0)] = 1
        ends[i, 0] += 0.5
        ends[i, length - 1] += 0.5
        for j in range(i + 1):
            so_far[i, j] = 1 / (i + 1)
    return itself, before, ends, so_far


# %% four_patterns · wrong · excludes-itself
# source: a learner who reads "before" into so_far
# mistake: so_far leaves out the word itself, except in the first row
def four_patterns(length):
    eye = torch.eye(length)
    before = torch.cat([eye[:1], eye[:-1]])
    ends = (eye[:1] + eye[-1:]).repeat(length, 1) / 2
    so_far = torch.tril(torch.ones(length, length), -1)
    so_far[0, 0] = 1
    so_far = so_far / so_far.sum(-1, keepdim=True)
    return eye, before, ends, so_far


# %% four_patterns · wrong · roll
# source: a learner: rolls the identity
# mistake: the first word looks at the last one
def four_patterns(length):
    itself = torch.eye(length)
    before = torch.roll(itself, -1, dims=1)
    ends = torch.zeros(length, length)
    ends[:, [0, -1]] = 0.5 if length > 1 else 1.0
    so_far = torch.tril(torch.ones(length, length)) / torch.arange(1, length + 1)[:, None]
    return itself, before, ends, so_far


# %% four_patterns · wrong · so-far-columns
# source: a learner who divides along the wrong axis
# mistake: so_far is divided by column, so that rows do not sum to 1
def four_patterns(length):
    itself = torch.eye(length)
    before = torch.cat([itself[:1], itself[:-1]])
    ends = (itself[:1] + itself[-1:]).repeat(length, 1) / 2
    so_far = torch.tril(torch.ones(length, length))
    so_far = so_far / torch.arange(1, length + 1)
    return itself, before, ends, so_far


# %% four_sick_maps · right · healthy
# source: a learner who takes two good numbers for good health
four_sick_maps = {"a": "one token", "b": "future", "c": "frozen", "d": "padding", "numbers": "healthy"}


# %% four_sick_maps · wrong · frozen
# source: a learner who looked at the picture
# mistake: sharp rows that differ, all words looked at, are taken for frozen
four_sick_maps = dict(a="one token", b="future", c="frozen", d="padding", numbers="frozen")


# %% four_sick_maps · wrong · swapped
# source: a learner who mixes up two maps
# mistake: b and d change places, and a is taken for frozen
four_sick_maps = {"a": "frozen", "b": "padding", "c": "one token", "d": "future", "numbers": "one token"}


# %% gaussian_window · right · clamped
# source: a careful reader: the nearest of the positions that there are
def gaussian_window(scores, centres, half_width):
    src_len = scores.shape[-1]
    j = torch.arange(src_len)
    nearest = centres.detach().round().clamp(0, src_len - 1).unsqueeze(-1)
    window = (j - nearest).abs() <= half_width
    weights = masked_softmax(scores, window)
    sigma = half_width / 2
    return weights * torch.exp(-((j - centres.unsqueeze(-1)) ** 2) / (2 * sigma ** 2))


# %% gaussian_window · right · loop
# source: a learner who goes through the rows
def gaussian_window(scores, centres, half_width):
    B, T, S = scores.shape
    out = []
    for b in range(B):
        for t in range(T):
            p = centres[b, t]
            positions = torch.arange(S)
            middle = int((positions - p.detach()).abs().argmin())
            low, high = max(0, middle - half_width), min(S, middle + half_width + 1)
            soft = torch.softmax(scores[b, t, low:high], dim=0)
            gauss = torch.exp(-2 * (positions[low:high] - p) ** 2 / half_width ** 2)
            row = torch.cat([torch.zeros(low), soft * gauss, torch.zeros(S - high)])
            out.append(row)
    return torch.stack(out).view(B, T, S)


# %% gaussian_window · wrong · around-p
# source: a learner who takes the window around p itself
# mistake: the window holds the positions at most D from p, 2D of them as a rule
def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1])
    away = j - centres[..., None]
    weights = masked_softmax(scores, away.abs() <= half_width)
    return weights * torch.exp(-(away ** 2) / (2 * (half_width / 2) ** 2))


# %% gaussian_window · wrong · renormalised
# source: a language model that wants rows to sum to 1
# mistake: shares out again after the Gaussian
def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1])
    window = (j - centres.round()[..., None]).abs() <= half_width
    weights = masked_softmax(scores, window)
    weights = weights * torch.exp(-((j - centres[..., None]) ** 2) / (2 * (half_width / 2) ** 2))
    return weights / weights.sum(-1, keepdim=True)


# %% gaussian_window · wrong · two
# source: two slips at once
# mistake: sigma = D, and the Gaussian stands around the rounded position
def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1])
    away = j - centres.round()[..., None]
    weights = masked_softmax(scores, away.abs() <= half_width)
    return weights * torch.exp(-(away ** 2) / (2 * half_width ** 2))


# %% greedy_decoding · right · batch
# source: a language model, all sentences at once
def greedy_decoding(table, limit):
    batch = torch.arange(len(table))
    word = torch.full((len(table),), SOS)
    done = torch.zeros(len(table), dtype=torch.bool)
    ids = []
    for _ in range(limit):
        word = table[batch, word].argmax(-1)
        done = done | (word == EOS)
        ids.append(torch.where(done, PAD, word))
    ids = torch.stack(ids, dim=1)
    return ids, (ids != PAD).sum(1)


# %% greedy_decoding · right · loop
# source: a learner, sentence by sentence
def greedy_decoding(table, limit):
    ids = torch.full((len(table), limit), PAD)
    lengths = torch.zeros(len(table), dtype=torch.long)
    for b in range(len(table)):
        word = SOS
        for t in range(limit):
            word = int(table[b, word].argmax())
            if word == EOS:
                break
            ids[b, t] = word
            lengths[b] += 1
    return ids, lengths


# %% greedy_decoding · wrong · revives
# source: a learner who forgets that a sentence has ended
# mistake: goes on after <eos>, where the table says something else
def greedy_decoding(table, limit):
    batch = torch.arange(len(table))
    word = torch.full((len(table),), SOS)
    ids = []
    for _ in range(limit):
        word = table[batch, word].argmax(-1)
        ids.append(torch.where(word == EOS, PAD, word))
    ids = torch.stack(ids, dim=1)
    return ids, (ids != PAD).sum(1)


# %% greedy_decoding · wrong · sampled
# source: a language model that samples
# mistake: draws the next word by chance, from a very cold softmax
def greedy_decoding(table, limit):
    batch = torch.arange(len(table))
    word = torch.full((len(table),), SOS)
    done = torch.zeros(len(table), dtype=torch.bool)
    ids = []
    for _ in range(limit):
        chances = torch.softmax(table[batch, word] * 2, dim=-1)
        word = torch.multinomial(chances, 1).squeeze(1)
        done = done | (word == EOS)
        ids.append(torch.where(done, PAD, word))
    ids = torch.stack(ids, dim=1)
    return ids, (ids != PAD).sum(1)


# %% greedy_decoding · wrong · two
# source: two slips at once
# mistake: <eos> is written and counted
def greedy_decoding(table, limit):
    ids = torch.full((len(table), limit), PAD)
    lengths = torch.zeros(len(table), dtype=torch.long)
    for b in range(len(table)):
        word = SOS
        for t in range(limit):
            word = int(table[b, word].argmax())
            ids[b, t] = word
            lengths[b] += 1
            if word == EOS:
                break
    return ids, lengths


# %% hard_window · right · broadcast
# source: a language model: broadcasting
def hard_window(lengths, tgt_len, src_len, half_width):
    j = torch.arange(src_len)[None, None, :]
    t = torch.arange(tgt_len)[None, :, None]
    last = (lengths - 1)[:, None, None]
    centre = torch.minimum(t, last)
    return ((j - centre).abs() <= half_width) & (j <= last)


# %% hard_window · right · loop
# source: a learner with three loops
def hard_window(lengths, tgt_len, src_len, half_width):
    mask = torch.zeros(len(lengths), tgt_len, src_len, dtype=torch.bool)
    for b, length in enumerate(lengths.tolist()):
        for t in range(tgt_len):
            centre = min(t, length - 1)
            for j in range(length):
                mask[b, t, j] = centre - half_width <= j <= centre + half_width
    return mask


# %% hard_window · wrong · exclusive
# source: a learner: < in place of <=
# mistake: the window is one position narrower at each side
def hard_window(lengths, tgt_len, src_len, half_width):
    j = torch.arange(src_len)[None, None, :]
    t = torch.arange(tgt_len)[None, :, None]
    last = (lengths - 1)[:, None, None]
    centre = torch.minimum(t, last)
    return ((j - centre).abs() < half_width) & (j <= last)


# %% hard_window · wrong · two
# source: two slips at once
# mistake: looks back only, and the padding counts one word too many
def hard_window(lengths, tgt_len, src_len, half_width):
    j = torch.arange(src_len)[None, None, :]
    centre = torch.minimum(torch.arange(tgt_len)[None, :, None], (lengths - 1)[:, None, None])
    return (j <= centre) & (j >= centre - half_width) & (j <= lengths[:, None, None])


# %% hard_window · wrong · window-of-all
# source: a learner who clamps at the padded length
# mistake: the centre stops at the last column, not at the last word
def hard_window(lengths, tgt_len, src_len, half_width):
    j = torch.arange(src_len)
    centre = torch.arange(tgt_len).clamp(max=src_len - 1)
    window = (j[None] - centre[:, None]).abs() <= half_width
    return window[None] & (j < lengths[:, None])[:, None]


# %% head_ablation · right · loop
# source: a learner who sets one head to zero at a time
@torch.no_grad()
def head_ablation(contexts, w_o, b_o):
    def layer(c):
        return c.transpose(1, 2).flatten(2) @ w_o.T + b_o
    whole = layer(contexts)
    outputs, moved = [], []
    for h in range(contexts.shape[1]):
        without = contexts.clone()
        without[:, h] = 0
        outputs.append(layer(without))
        moved.append((outputs[-1] - whole).norm(dim=-1).mean())
    return torch.stack(outputs), torch.stack(moved)


# %% head_ablation · right · terms
# source: a language model: the term of each head
def head_ablation(contexts, w_o, b_o):
    heads, head_dim = contexts.shape[1], contexts.shape[-1]
    parts = w_o.view(-1, heads, head_dim)
    terms = torch.einsum("bhtd,ohd->hbto", contexts, parts)
    outputs = terms.sum(0) - terms + b_o
    return outputs, terms.norm(dim=-1).mean(dim=(1, 2)).detach()


# %% head_ablation · wrong · bias
# source: a learner who loses the bias
# mistake: the outputs have no bias
def head_ablation(contexts, w_o, b_o):
    heads, head_dim = contexts.shape[1], contexts.shape[-1]
    terms = torch.einsum("bhtd,ohd->hbto", contexts, w_o.view(-1, heads, head_dim))
    return terms.sum(0) - terms, terms.norm(dim=-1).mean(dim=(1, 2))


# %% head_ablation · wrong · only
# source: a learner who leaves one head in
# mistake: only head h remains
def head_ablation(contexts, w_o, b_o):
    heads, head_dim = contexts.shape[1], contexts.shape[-1]
    terms = torch.einsum("bhtd,ohd->hbto", contexts, w_o.view(-1, heads, head_dim))
    outputs = terms + b_o
    whole = terms.sum(0) + b_o
    return outputs, (outputs - whole).norm(dim=-1).mean(dim=(1, 2))


# %% head_ablation · wrong · two
# source: two slips at once
# mistake: the heads are joined without swapping the axes, and moved is the mean of absolute differences
def head_ablation(contexts, w_o, b_o):
    b, h, t, d = contexts.shape
    def layer(c):
        return c.reshape(b, t, h * d) @ w_o.T + b_o
    outputs = []
    for i in range(h):
        without = contexts.clone()
        without[:, i] = 0
        outputs.append(layer(without))
    outputs = torch.stack(outputs)
    return outputs, (outputs - layer(contexts)).abs().mean(dim=(1, 2, 3))


# %% invoice_check · right · loop
# source: a learner in plain Python
def invoice_check(weights, source, target, least):
    wrong, unsure = [], []
    for row, word in zip(weights.tolist(), target):
        value = number(word, ",")
        if value is None:
            wrong.append(False)
            unsure.append(False)
            continue
        largest = max(row)
        wrong.append(number(source[row.index(largest)], ".") != value)
        unsure.append(largest < least)
    return torch.tensor(wrong), torch.tensor(unsure)


# %% invoice_check · right · vector
# source: a language model
def invoice_check(weights, source, target, least):
    top, at = weights.max(dim=1)
    french = [number(word, ",") for word in target]
    english = [number(word, ".") for word in source]
    is_number = torch.tensor([value is not None for value in french])
    wrong = torch.tensor([f is not None and f != english[j] for f, j in zip(french, at.tolist())])
    return wrong, is_number & (top < least)


# %% invoice_check · wrong · text
# source: a learner who compares the texts
# mistake: compares words, not numbers
def invoice_check(weights, source, target, least):
    top, at = weights.max(dim=1)
    numbers = torch.tensor([number(word, ",") is not None for word in target])
    differs = torch.tensor([word != source[j] for word, j in zip(target, at.tolist())])
    return numbers & differs, numbers & (top < least)


# %% invoice_check · wrong · truth
# source: a learner: "if not value"
# mistake: a figure of 0 is taken for no number
def invoice_check(weights, source, target, least):
    top, at = weights.max(dim=1)
    wrong, unsure = [], []
    for i, word in enumerate(target):
        value = number(word, ",")
        if not value:
            wrong.append(False)
            unsure.append(False)
        else:
            wrong.append(number(source[at[i]], ".") != value)
            unsure.append(bool(top[i] < least))
    return torch.tensor(wrong), torch.tensor(unsure)


# %% invoice_check · wrong · two
# source: two slips at once
# mistake: both are read with the English sign, and right numbers are never unsure
def invoice_check(weights, source, target, least):
    top, at = weights.max(dim=1)
    values = [number(word, ".") for word in target]
    wrong = torch.tensor([v is not None and v != number(source[j], ".") for v, j in zip(values, at.tolist())])
    return wrong, wrong & (top < least)


# %% join_heads · right · annotated
# source: The Annotated Transformer: transpose, contiguous, view (MIT)
def join_heads(tensor):
    batch, heads, length, head_dim = tensor.shape
    return tensor.transpose(1, 2).contiguous().view(batch, length, heads * head_dim)


# %% join_heads · right · cat
# source: a learner who lays the heads end to end
def join_heads(tensor):
    return torch.cat([tensor[:, h] for h in range(tensor.shape[1])], dim=-1)


# %% join_heads · wrong · mean
# source: a language model that averages as graph attention does
# mistake: one head after the other, last head first
def join_heads(tensor):
    return torch.cat(tensor.flip(1).unbind(1), dim=-1)


# %% join_heads · wrong · reshape
# source: a learner who forgets to swap back
# mistake: reshapes without swapping the axes
def join_heads(tensor):
    batch, heads, length, head_dim = tensor.shape
    return tensor.reshape(batch, length, heads * head_dim)


# %% join_heads · wrong · reversed
# source: a learner with a permutation too many
# mistake: the numbers of the heads are interleaved
def join_heads(tensor):
    return tensor.permute(0, 2, 3, 1).flatten(2)


# %% layer_norm · right · annotated
# source: The Annotated Transformer's LayerNorm, with the biased variance and ε under the root (MIT)
def layer_norm(x, gamma, beta):
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, keepdim=True, unbiased=False)
    return gamma * (x - mean) / torch.sqrt(var + 1e-5) + beta


# %% layer_norm · right · moments
# source: a language model: mean of the squares less the square of the mean, in float64
def layer_norm(x, gamma, beta):
    y = x.double()
    y = y - y.mean(dim=2, keepdim=True)
    y = y * (y.square().mean(dim=2, keepdim=True) + 1e-5).rsqrt()
    return (y * gamma + beta).to(x.dtype)


# %% layer_norm · wrong · batch
# source: a learner who mixes it up with batch norm
# mistake: mean and variance over the words of the batch
def layer_norm(x, gamma, beta):
    mean = x.mean(dim=(0, 1), keepdim=True)
    var = x.var(dim=(0, 1), keepdim=True, unbiased=False)
    return gamma * (x - mean) / (var + 1e-5).sqrt() + beta


# %% layer_norm · wrong · rms
# source: a learner who knows newer models
# mistake: RMS norm: the mean is not taken out
def layer_norm(x, gamma, beta):
    return gamma * x / (x.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt() + beta


# %% layer_norm · wrong · std
# source: The Annotated Transformer's LayerNorm, as it stands there
# mistake: the sample's standard deviation, and ε beside the root
def layer_norm(x, gamma, beta):
    mean = x.mean(-1, keepdim=True)
    std = x.std(-1, keepdim=True)
    return gamma * (x - mean) / (std + 1e-5) + beta


# %% luong_step · right · bmm
# source: in the manner of the PyTorch chatbot tutorial's LuongAttnDecoderRNN
def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    rnn_output = torch.tanh(torch.cat((word, fed, state), 1) @ W_update.T)
    attn_energies = torch.bmm(encoder_states @ W.T, rnn_output.unsqueeze(2)).squeeze(2)
    attn_weights = masked_softmax(attn_energies, mask)
    context = attn_weights.unsqueeze(1).bmm(encoder_states).squeeze(1)
    concat_output = torch.tanh(torch.cat((context, rnn_output), 1) @ W_c.T)
    return concat_output @ W_out.T, rnn_output, concat_output, attn_weights


# %% luong_step · right · linear
# source: a language model: F.linear and einsum
from torch.nn.functional import linear

def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    s = linear(torch.cat([word, fed, state], dim=-1), W_update).tanh()
    a = masked_softmax(torch.einsum("bd,dk,bsk->bs", s, W, encoder_states), mask)
    c = torch.einsum("bs,bsk->bk", a, encoder_states)
    h = linear(torch.cat([c, s], dim=-1), W_c).tanh()
    return linear(h, W_out), s, h, a


# %% luong_step · wrong · bahdanau
# source: a learner who asks with the state that came in
# mistake: the old state asks
def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    s = torch.tanh(torch.cat([word, fed, state], -1) @ W_update.T)
    a = masked_softmax(torch.einsum("bd,dk,bsk->bs", state, W, encoder_states), mask)
    c = torch.einsum("bs,bsk->bk", a, encoder_states)
    h = torch.tanh(torch.cat([c, s], -1) @ W_c.T)
    return h @ W_out.T, s, h, a


# %% luong_step · wrong · order
# source: a learner who joins state and fed the other way round
# mistake: [y; s; h~] in the update
def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    s = torch.tanh(torch.cat([word, state, fed], -1) @ W_update.T)
    a = masked_softmax(torch.einsum("bd,dk,bsk->bs", s, W, encoder_states), mask)
    c = torch.einsum("bs,bsk->bk", a, encoder_states)
    h = torch.tanh(torch.cat([c, s], -1) @ W_c.T)
    return h @ W_out.T, s, h, a


# %% luong_step · wrong · two
# source: two slips at once
# mistake: no tanh around the attentional vector, and the mask is not used
def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    s = torch.tanh(torch.cat([word, fed, state], -1) @ W_update.T)
    a = torch.softmax(torch.einsum("bd,dk,bsk->bs", s, W, encoder_states), -1)
    c = torch.einsum("bs,bsk->bk", a, encoder_states)
    h = torch.cat([c, s], -1) @ W_c.T
    return h @ W_out.T, s, h, a


# %% masked_encoder · right · gather
# source: a language model: turns each sentence by an index
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    place = torch.arange(embedded.shape[1])
    mask = place < lengths.unsqueeze(1)
    turned = torch.where(mask, lengths.unsqueeze(1) - 1 - place, place)
    index = turned.unsqueeze(-1)
    forwards = read(embedded, w_forward, bias)
    reverse = embedded.gather(1, index.expand_as(embedded))
    backwards = read(reverse, w_backward, bias)
    backwards = backwards.gather(1, index.expand_as(backwards))
    states = torch.cat([forwards, backwards], dim=-1) * mask.unsqueeze(-1)
    return states, mask.unsqueeze(1)


# %% masked_encoder · right · loop
# source: a learner who reads each sentence alone
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    batch, src_len, _ = embedded.shape
    hidden = len(bias)
    states = torch.zeros(batch, src_len, 2 * hidden)
    mask = torch.zeros(batch, 1, src_len, dtype=torch.bool)
    for b, n in enumerate(lengths.tolist()):
        if n == 0:
            continue
        words = embedded[b : b + 1, :n]
        states[b, :n, :hidden] = read(words, w_forward, bias)[0]
        states[b, :n, hidden:] = read(words.flip(1), w_backward, bias).flip(1)[0]
        mask[b, 0, :n] = True
    return states, mask


# %% masked_encoder · wrong · only-zeroed
# source: a learner who hides the symptom
# mistake: zeros at padding, and the backward states as wrong as before
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    mask = torch.arange(embedded.shape[1]) < lengths.unsqueeze(1)
    forwards = read(embedded, w_forward, bias)
    backwards = read(embedded.flip(1), w_backward, bias).flip(1)
    states = torch.cat([forwards, backwards], dim=-1)
    return states.masked_fill(~mask.unsqueeze(-1), 0.0), mask.unsqueeze(1)


# %% masked_encoder · wrong · two
# source: two slips at once
# mistake: the backward states are not turned back, and the mask keeps the shape (batch, src_len)
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    mask = torch.arange(embedded.shape[1]) < lengths.unsqueeze(1)
    place = torch.arange(embedded.shape[1])
    index = torch.where(mask, lengths.unsqueeze(1) - 1 - place, place).unsqueeze(-1)
    forwards = read(embedded, w_forward, bias)
    backwards = read(embedded.gather(1, index.expand_as(embedded)), w_backward, bias)
    return torch.cat([forwards, backwards], -1) * mask.unsqueeze(-1), mask


# %% masked_encoder · wrong · zero-words
# source: a learner who sets the padding to zero before reading
# mistake: the bias still moves the state while it reads zeros
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    mask = torch.arange(embedded.shape[1]) < lengths.unsqueeze(1)
    embedded = embedded * mask.unsqueeze(-1)
    forwards = read(embedded, w_forward, bias)
    backwards = read(embedded.flip(1), w_backward, bias).flip(1)
    states = torch.cat([forwards, backwards], dim=-1) * mask.unsqueeze(-1)
    return states, mask.unsqueeze(1)


# %% masked_softmax · right · fill
# source: The Annotated Transformer's masked_fill, with minus infinity, and the NaN taken out
def masked_softmax(scores, mask):
    scores = scores.masked_fill(~mask, float("-inf"))
    return torch.nan_to_num(scores.softmax(dim=-1), nan=0.0)


# %% masked_softmax · right · loop
# source: a learner who goes row by row
def masked_softmax(scores, mask):
    mask = mask.broadcast_to(scores.shape)
    flat, allowed = scores.reshape(-1, scores.shape[-1]), mask.reshape(-1, scores.shape[-1])
    rows = []
    for row, keep in zip(flat, allowed):
        out = torch.zeros_like(row)
        if keep.any():
            out = out.masked_scatter(keep, torch.softmax(row[keep], 0))
        rows.append(out)
    return torch.stack(rows).reshape(scores.shape)


# %% masked_softmax · right · product
# source: a language model: exponentials times the mask
def masked_softmax(scores, mask):
    mask = mask.expand(scores.shape)
    low = torch.finfo(scores.dtype).min
    largest = torch.where(mask, scores, low).amax(-1, keepdim=True)
    e = torch.where(mask, scores - largest, 0.0).exp() * mask
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total > 0, total, torch.ones_like(total))


# %% masked_softmax · wrong · billion-zeroed
# source: a learner: -1e4 and the zeros put in afterwards
# mistake: -10000 is not far enough below scores that lie very far apart
def masked_softmax(scores, mask):
    w = scores.masked_fill(~mask, -1e4).softmax(dim=-1)
    return w * mask


# %% masked_softmax · wrong · billion
# source: The Annotated Transformer, attention: masked_fill with -1e9
# mistake: a row that is masked whole gets equal shares
def masked_softmax(scores, mask):
    return scores.masked_fill(mask == 0, -1e9).softmax(dim=-1)


# %% masked_softmax · wrong · pytorch-convention
# source: a user of nn.MultiheadAttention
# mistake: the mask the other way round
def masked_softmax(scores, mask):
    return scores.masked_fill(mask, float("-inf")).softmax(-1).nan_to_num(0.0)


# %% masked_softmax · wrong · two
# source: two slips at once
# mistake: scores times mask, and zeros afterwards without sharing out again
def masked_softmax(scores, mask):
    return torch.softmax(scores * mask, dim=-1) * mask


# %% my_translations · right · luong
# source: a learner who trains a Luong decoder with Adam
from utils.attention import DotProductAttention
from utils.seq2seq import Encoder, LuongDecoder, Seq2Seq
from utils.training import one_cycle

set_seed(0)
english = Vocabulary.build(pair.source for pair in training)
french = Vocabulary.build(pair.target for pair in training)
encoder = Encoder(len(english), 64, 96)
decoder = LuongDecoder(len(french), 64, DotProductAttention(encoder.output_dim))
model = Seq2Seq(encoder, decoder, english, french)
batches = Batches(training, english, french, batch_size=128)
optimizer = torch.optim.Adam(model.parameters())
steps, step, epochs = 4 * len(batches), 0, 4
for epoch in range(epochs):
    for batch in batches.shuffled(epoch):
        for group in optimizer.param_groups:
            group["lr"] = one_cycle(step, steps, 5e-3, 0.2)
        loss = model.losses(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1

def my_translations(sentences):
    return [detokenise(one.words) for one in model.translate_all(sentences)]


# %% my_translations · wrong · copies
# source: a learner who has no model yet
# mistake: gives back the English
def my_translations(sentences):
    return [sentence for sentence in sentences]


# %% my_translations · wrong · one-text
# source: a learner who joins what should be a list
# mistake: one text in place of a list
def my_translations(sentences):
    return "\n".join("le chat" for _ in sentences)


# %% my_translations · wrong · shorter
# source: a learner who leaves out what the model cannot do
# mistake: fewer texts than sentences
def my_translations(sentences):
    return ["le chat était assis"] * (len(sentences) - 1)


# %% next_letter · wrong · greater-rate
# source: a learner who raised the rate and the number of steps
# mistake: it does not learn: 35 of 100 letters are right
set_seed(1)
sorter = Sorter(MultiplicativeAttention(query_dim=48, key_dim=64, method="general"))
for parameter in sorter.attention.parameters():
    nn.init.normal_(parameter, std=0.3)
train(sorter, steps=600, peak=0.03)

@torch.no_grad()
def next_letter(words, written):
    states, keys = sorter.previous(written[:, None]), sorter.source(words)
    context, _ = sorter.attention(states, keys)
    return sorter.output(context)[:, 0].argmax(-1)


# %% next_letter · wrong · logits
# source: a learner who returns what the network says
# mistake: logits in place of letters
sorter = Sorter(MultiplicativeAttention(query_dim=48, key_dim=64, method="general"))

@torch.no_grad()
def next_letter(words, written):
    states, keys = sorter.previous(written[:, None]), sorter.source(words)
    return sorter.output(sorter.attention(states, keys)[0])[:, 0]


# %% next_letter · wrong · untrained
# source: a learner who forgot to train
# mistake: the network is not trained
sorter = Sorter(MultiplicativeAttention(query_dim=48, key_dim=64, method="general"))

@torch.no_grad()
def next_letter(words, written):
    states, keys = sorter.previous(written[:, None]), sorter.source(words)
    return sorter.output(sorter.attention(states, keys)[0])[:, 0].argmax(-1)


# %% next_word · right · loop
# source: a learner who walks along the line
def next_word(logits, temperature, k, uniform):
    chances, words = [], []
    for row, u in zip(logits / temperature, uniform.tolist()):
        keep = set(row.topk(k).indices.tolist())
        row = torch.stack([x if i in keep else x.new_tensor(-torch.inf) for i, x in enumerate(row)])
        p = row.softmax(-1)
        end, drawn = 0.0, None
        for i, share in enumerate(p.tolist()):
            end += share
            if share > 0:
                last = i
            if u < end:
                drawn = i
                break
        chances.append(p)
        words.append(last if drawn is None else drawn)
    return torch.stack(chances), torch.tensor(words)


# %% next_word · right · searchsorted
# source: a language model: searchsorted
def next_word(logits, temperature, k, uniform):
    logits = logits / temperature
    top = logits.topk(k, dim=-1)
    chances = torch.zeros_like(logits).scatter(1, top.indices, top.values.softmax(-1))
    word = torch.searchsorted(chances.cumsum(-1), uniform[:, None], right=True)[:, 0]
    return chances, word.clamp(max=logits.shape[1] - 1)


# %% next_word · wrong · not-shared
# source: a learner who cuts after the softmax
# mistake: the chances of the k words are not shared out again
def next_word(logits, temperature, k, uniform):
    p = (logits / temperature).softmax(-1)
    least = p.topk(k, dim=-1).values[:, -1:]
    chances = torch.where(p >= least, p, 0.0)
    word = (chances.cumsum(-1) <= uniform[:, None]).sum(-1)
    return chances, word.clamp(max=p.shape[1] - 1)


# %% next_word · wrong · order
# source: a learner who lays the likeliest first
# mistake: the pieces lie in the order of likelihood, not of the ids
def next_word(logits, temperature, k, uniform):
    top = (logits / temperature).topk(k, dim=-1)
    shares = top.values.softmax(-1)
    chances = torch.zeros_like(logits).scatter(1, top.indices, shares)
    piece = (shares.cumsum(-1) <= uniform[:, None]).sum(-1).clamp(max=k - 1)
    return chances, top.indices.gather(1, piece[:, None])[:, 0]


# %% next_word · wrong · two
# source: two slips at once
# mistake: multiplies by the temperature, and takes the likeliest word
def next_word(logits, temperature, k, uniform):
    top = (logits * temperature).topk(k, dim=-1)
    chances = torch.zeros_like(logits).scatter(1, top.indices, top.values.softmax(-1))
    return chances, chances.argmax(-1)


# %% normalised_heatmap · right · exp
# source: a learner who writes the softmax out
def normalised_heatmap(scores):
    shifted = scores - scores.amax(dim=1, keepdim=True)
    weights = shifted.exp()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights


# %% normalised_heatmap · right · transposed
# source: a learner who keeps dim=0 and turns the matrix instead
def normalised_heatmap(scores):
    return scores.T.softmax(dim=0).T


# %% normalised_heatmap · wrong · other-line
# source: a learner who changes the second line and not the first
# mistake: still the softmax over the rows
def normalised_heatmap(scores):
    weights = scores.softmax(dim=0)
    weights = weights / weights.sum(dim=0, keepdim=True)
    return weights


# %% normalised_heatmap · wrong · shares
# source: a learner who thinks that normalising is enough
# mistake: no exponential at all
def normalised_heatmap(scores):
    weights = scores - scores.min(dim=-1, keepdim=True).values
    return weights / weights.sum(dim=-1, keepdim=True)


# %% normalised_heatmap · wrong · twice
# source: a learner who keeps the first softmax and adds the right one
# mistake: softmax of a softmax
def normalised_heatmap(scores):
    weights = scores.softmax(dim=0)
    weights = weights.softmax(dim=-1)
    return weights


# %% packed_mask · right · cummax
# source: a language model: starts of documents by cummax
def packed_mask(documents):
    batch, length = documents.shape
    place = torch.arange(length)
    same = documents.unsqueeze(2) == documents.unsqueeze(1)
    mask = same & torch.ones(length, length, dtype=torch.bool).tril()
    mask = mask & (documents != 0).unsqueeze(2) | torch.eye(length, dtype=torch.bool)
    starts = torch.ones_like(documents, dtype=torch.bool)
    starts[:, 1:] = documents[:, 1:] != documents[:, :-1]
    begin = torch.where(starts, place, 0).cummax(1).values
    positions = torch.where(documents == 0, 0, place - begin)
    return mask, positions


# %% packed_mask · right · loops
# source: a learner in plain Python
def packed_mask(documents):
    B, L = documents.shape
    mask = torch.zeros(B, L, L, dtype=torch.bool)
    positions = torch.zeros(B, L, dtype=torch.long)
    for b in range(B):
        for i in range(L):
            mask[b, i, i] = True
            if documents[b, i] == 0:
                continue
            for j in range(i):
                if documents[b, j] == documents[b, i]:
                    mask[b, i, j] = True
                    positions[b, i] += 1
    return mask, positions


# %% packed_mask · wrong · global-places
# source: a learner who counts from the start of the row
# mistake: positions run on over the documents
def packed_mask(documents):
    length = documents.shape[1]
    real = documents != 0
    same = documents[:, :, None] == documents[:, None]
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    mask = same & causal & real[:, :, None] | torch.eye(length, dtype=torch.bool)
    return mask, (real.cumsum(1) - 1).clamp(min=0) * real


# %% packed_mask · wrong · padding-document
# source: a learner who takes padding for a document
# mistake: padding looks at the padding before it, and is counted
def packed_mask(documents):
    length = documents.shape[1]
    same = documents[:, :, None] == documents[:, None]
    mask = same & torch.ones(length, length, dtype=torch.bool).tril()
    return mask, mask.sum(-1) - 1


# %% packed_mask · wrong · two
# source: two slips at once
# mistake: not causal, and padding has an empty row
def packed_mask(documents):
    real = documents != 0
    same = (documents[:, :, None] == documents[:, None]) & real[:, :, None]
    positions = (same.tril().sum(-1) - 1).clamp(min=0)
    return same, positions


# %% read_alignment · right · bincount
# source: a language model
def read_alignment(weights):
    best = torch.argmax(weights, dim=1)
    counts = torch.bincount(best, minlength=weights.size(1))
    return best, counts == 0


# %% read_alignment · right · loop
# source: a learner in plain Python
def read_alignment(weights):
    best = []
    for row in weights.tolist():
        best.append(row.index(max(row)))
    unread = [j not in best for j in range(weights.shape[1])]
    return torch.tensor(best), torch.tensor(unread)


# %% read_alignment · wrong · columns
# source: a learner who reads the picture by its columns
# mistake: unread from the largest column sums
def read_alignment(weights):
    best = weights.argmax(-1)
    unread = weights.sum(0) < 1 / weights.shape[1]
    return best, unread


# %% read_alignment · wrong · read
# source: a learner who marks those that are read
# mistake: True for words that are somebody's best
def read_alignment(weights):
    best = weights.max(dim=1).indices
    unread = torch.zeros(weights.shape[1], dtype=torch.bool)
    unread[best] = True
    return best, unread


# %% read_alignment · wrong · two
# source: two slips at once
# mistake: positions from 1, and the marks are shifted with them
def read_alignment(weights):
    best = weights.argmax(dim=-1) + 1
    unread = torch.ones(weights.shape[1] + 1, dtype=torch.bool)
    unread[best] = False
    return best, unread[:-1]


# %% scaled_attention · right · annotated
# source: The Annotated Transformer's attention (MIT), made safe for rows without an open cell
def scaled_attention(query, keys, values, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, keys.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -math.inf)
    p_attn = scores.softmax(dim=-1)
    if mask is not None:
        p_attn = p_attn.masked_fill(mask == 0, 0.0)
    return torch.matmul(p_attn, values), p_attn


# %% scaled_attention · right · loop
# source: a learner who goes through the batch
def scaled_attention(query, keys, values, mask=None):
    contexts, tables = [], []
    for b in range(len(query)):
        scores = query[b] @ keys[b].T * query.shape[-1] ** -0.5
        if mask is None:
            keep = torch.ones_like(scores, dtype=torch.bool)
        else:
            keep = mask.expand(len(query), *scores.shape)[b]
        e = torch.exp(scores - scores.masked_fill(~keep, -1e30).max(dim=-1, keepdim=True).values.clamp(min=-1e29))
        e = torch.where(keep, e, 0.0)
        table = e / (e.sum(-1, keepdim=True) + (e.sum(-1, keepdim=True) == 0))
        tables.append(table)
        contexts.append(table @ values[b])
    return torch.stack(contexts), torch.stack(tables)


# %% scaled_attention · right · sdpa
# source: the fused function for the context, and again with the identity for the weights
import torch.nn.functional as F

def scaled_attention(query, keys, values, mask=None):
    batch, tgt_len, src_len = len(query), query.shape[1], keys.shape[1]
    if mask is None:
        mask = torch.ones(1, 1, 1, dtype=torch.bool)
    mask = mask.expand(batch, tgt_len, src_len)
    some = mask.any(-1, keepdim=True)
    open_ = mask | ~some
    eye = torch.eye(src_len, dtype=query.dtype).expand(batch, -1, -1)
    weights = F.scaled_dot_product_attention(query, keys, eye, attn_mask=open_)
    weights = weights * some
    return weights @ values, weights


# %% scaled_attention · wrong · after
# source: a learner who scales the weights
# mistake: divides after the softmax, and the mask as well comes after
def scaled_attention(query, keys, values, mask=None):
    weights = (query @ keys.mT).softmax(-1) / query.shape[-1] ** 0.5
    if mask is not None:
        weights = weights * mask
    return weights @ values, weights


# %% scaled_attention · wrong · batch-mean
# source: a language model that subtracts the wrong maximum
# mistake: exponentials without a safe maximum overflow
def scaled_attention(query, keys, values, mask=None):
    e = torch.exp(query @ keys.mT / query.shape[-1] ** 0.5)
    if mask is not None:
        e = e * mask
    weights = e / e.sum(-1, keepdim=True).clamp(min=1e-12)
    return weights @ values, weights


# %% scaled_attention · wrong · len
# source: a learner who scales by the wrong number
# mistake: the root of the number of keys in place of the width
def scaled_attention(query, keys, values, mask=None):
    scores = query @ keys.mT / keys.shape[1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1).nan_to_num()
    return weights @ values, weights


# %% scaled_attention · wrong · minus-billion
# source: The Annotated Transformer's attention, as it stands there
# mistake: rows without an open cell get equal shares
def scaled_attention(query, keys, values, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, keys.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    return torch.matmul(p_attn, values), p_attn


# %% score_variance · right · cumsum
# source: a language model under no_grad: all widths from one running sum
@torch.no_grad()
def score_variance(queries, keys, widths):
    running = (queries * keys).cumsum(1)[:, torch.tensor(widths) - 1]
    plain = running.var(0, correction=0)
    return plain, plain / torch.tensor(widths)


# %% score_variance · right · items
# source: a learner with .item(), as in a measuring instrument
def score_variance(queries, keys, widths):
    plain, scaled = [], []
    for d in widths:
        dots = (queries[:, :d] * keys[:, :d]).sum(-1)
        variance = ((dots - dots.mean()) ** 2).mean().item()
        plain.append(variance)
        scaled.append(variance / d)
    return torch.tensor(plain), torch.tensor(scaled)


# %% score_variance · right · numpy
# source: a NumPy learner
import numpy as np

def score_variance(queries, keys, widths):
    q, k = queries.detach().numpy(), keys.detach().numpy()
    plain = [np.var((q[:, :d] * k[:, :d]).sum(1)) for d in widths]
    scaled = [np.var((q[:, :d] * k[:, :d]).sum(1) / np.sqrt(d)) for d in widths]
    return torch.tensor(np.array(plain)), torch.tensor(np.array(scaled))


# %% score_variance · wrong · all-pairs
# source: a learner: the whole table of scores
# mistake: every row of queries against every row of keys
def score_variance(queries, keys, widths):
    tables = [queries[:, :d] @ keys[:, :d].T for d in widths]
    plain = torch.stack([table.var(correction=0) for table in tables])
    return plain, plain / torch.tensor(widths)


# %% score_variance · wrong · sample
# source: a learner: .var() as it comes
# mistake: divides by one less than the number of pairs
def score_variance(queries, keys, widths):
    dots = [(queries[:, :d] * keys[:, :d]).sum(-1) for d in widths]
    plain = torch.stack([x.var() for x in dots])
    scaled = torch.stack([(x / math.sqrt(d)).var() for x, d in zip(dots, widths)])
    return plain, scaled


# %% score_variance · wrong · second-moment
# source: a learner who knows that the mean is 0
# mistake: the mean of the squares, and scaled is divided by the root of d
def score_variance(queries, keys, widths):
    dots = torch.stack([(queries[:, :d] * keys[:, :d]).sum(-1) for d in widths])
    plain = (dots ** 2).mean(1)
    return plain, plain / torch.tensor(widths) ** 0.5


# %% scores_compared · right · dict
# source: a learner who looked at the formulas
scores_compared = dict(
    loud_general="one word takes all",
    loud_concat="equal shares",
    loud_keys="one row for all",
    silent_general="equal shares",
    silent_concat="one row for all",
    memory="concat",
)


# %% scores_compared · wrong · memory
# source: a learner who counts the scores
# mistake: a score for every pair is taken for a vector for every pair
scores_compared = {
    "loud_general": "one word takes all",
    "loud_concat": "equal shares",
    "loud_keys": "one row for all",
    "silent_general": "equal shares",
    "silent_concat": "equal shares",
    "memory": "neither",
}


# %% scores_compared · wrong · symmetric
# source: a learner who thinks that loud is loud
# mistake: concat grows sharp as well
scores_compared = {
    "loud_general": "one word takes all",
    "loud_concat": "one word takes all",
    "loud_keys": "one word takes all",
    "silent_general": "equal shares",
    "silent_concat": "equal shares",
    "memory": "concat",
}


# %% sick_run · right · dict
# source: a learner who compared the curves
sick_run = dict(
    a="padding counted", b="no clipping", c="not shuffled", d="sees the answer", e="rate too high"
)


# %% sick_run · wrong · overfits
# source: a learner who sees a gap and says overfits
# mistake: a is taken for overfitting
sick_run = {
    "a": "overfits", "b": "no clipping", "c": "not shuffled", "d": "sees the answer", "e": "rate too high",
}


# %% sick_run · wrong · two
# source: two slips at once
# mistake: b and e change places, and d is taken for overfitting
sick_run = {
    "a": "padding counted", "b": "rate too high", "c": "not shuffled", "d": "overfits", "e": "no clipping",
}


# %% sickness · right · batch
# source: a language model: whole batch, where by where
def sickness(weights, mask):
    total = mask.any(-1).float()
    choice = mask.sum(-1) > 1
    some = choice.any(-1)
    broken = (weights < 0).any((1, 2)) | ((weights.sum(-1) - total).abs() > 0.01).any(-1)
    leaks = ((weights != 0) & ~mask).any((1, 2))
    one = ((weights > 0.9) | ~choice[..., None]).all(1).any(-1) & some
    spread = weights.masked_fill(~mask, -9).amax(-1) - weights.masked_fill(~mask, 9).amin(-1)
    uniform = ((spread < 0.01) | ~choice).all(-1) & some
    codes = torch.zeros(len(weights), dtype=torch.long)
    for code, which in [(4, uniform), (3, one), (2, leaks), (1, broken)]:
        codes[which] = code
    return codes


# %% sickness · right · loop
# source: a learner who examines map by map
def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        sums = m.any(-1).to(w.dtype)
        choice = m.sum(-1) >= 2
        if (w < 0).any() or ((w.sum(-1) - sums).abs() > 0.01).any():
            codes.append(1)
        elif (w[~m] != 0).any():
            codes.append(2)
        elif choice.any() and (w[choice] > 0.9).all(0).any():
            codes.append(3)
        elif choice.any() and all((row[keep].max() - row[keep].min()) < 0.01 for row, keep in zip(w[choice], m[choice])):
            codes.append(4)
        else:
            codes.append(0)
    return torch.tensor(codes)


# %% sickness · wrong · any-row
# source: a learner: any in place of all
# mistake: one flat row makes a map uniform
def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        sums, choice = m.any(-1).to(w.dtype), m.sum(-1) >= 2
        if (w < 0).any() or ((w.sum(-1) - sums).abs() > 0.01).any():
            codes.append(1)
        elif (w[~m] != 0).any():
            codes.append(2)
        elif choice.any() and (w[choice] > 0.9).all(0).any():
            codes.append(3)
        elif choice.any() and any((row[keep].max() - row[keep].min()) < 0.01 for row, keep in zip(w[choice], m[choice])):
            codes.append(4)
        else:
            codes.append(0)
    return torch.tensor(codes)


# %% sickness · wrong · every-row
# source: a learner who counts every row
# mistake: rows without a choice count for one token and uniform
def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        sums = m.any(-1).to(w.dtype)
        if (w < 0).any() or ((w.sum(-1) - sums).abs() > 0.01).any():
            codes.append(1)
        elif (w[~m] != 0).any():
            codes.append(2)
        elif (w > 0.9).all(0).any():
            codes.append(3)
        elif all((row[keep].max() - row[keep].min()) < 0.01 for row, keep in zip(w, m) if keep.any()):
            codes.append(4)
        else:
            codes.append(0)
    return torch.tensor(codes)


# %% sickness · wrong · two
# source: two slips at once
# mistake: leaks are looked for before broken, and small leaks are forgiven
def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        sums, choice = m.any(-1).to(w.dtype), m.sum(-1) >= 2
        if (w[~m].abs() > 0.01).any():
            codes.append(2)
        elif (w < 0).any() or ((w.sum(-1) - sums).abs() > 0.01).any():
            codes.append(1)
        elif choice.any() and (w[choice] > 0.9).all(0).any():
            codes.append(3)
        elif choice.any() and all((row[keep].max() - row[keep].min()) < 0.01 for row, keep in zip(w[choice], m[choice])):
            codes.append(4)
        else:
            codes.append(0)
    return torch.tensor(codes)


# %% soft_lookup · right · loop
# source: a learner who goes through the queries one by one
def soft_lookup(query, keys, values):
    contexts, rows = [], []
    for q in query:
        scores = torch.stack([(q * k).sum() for k in keys])
        row = torch.softmax(scores, 0)
        rows.append(row)
        contexts.append(sum(w * v for w, v in zip(row, values)))
    return torch.stack(contexts), torch.stack(rows)


# %% soft_lookup · right · numpy
# source: a NumPy learner
import numpy as np

def soft_lookup(query, keys, values):
    q, k, v = query.detach().numpy(), keys.detach().numpy(), values.detach().numpy()
    scores = np.dot(q, k.T)
    e = np.exp(scores - scores.max(axis=1)[:, None])
    w = e / e.sum(axis=1)[:, None]
    return torch.tensor(w @ v), torch.tensor(w)


# %% soft_lookup · right · sdpa
# source: a language model: the fused function of PyTorch, without its scale
import torch.nn.functional as F

def soft_lookup(query, keys, values):
    context = F.scaled_dot_product_attention(query[None], keys[None], values[None], scale=1.0)[0]
    weights = F.softmax(torch.einsum("td,sd->ts", query, keys), dim=1)
    return context, weights


# %% soft_lookup · wrong · cosine
# source: a learner who knows similarity search
# mistake: scores by the cosine
def soft_lookup(query, keys, values):
    sim = torch.nn.functional.cosine_similarity(query[:, None], keys[None], dim=-1)
    weights = sim.softmax(dim=-1)
    return weights @ values, weights


# %% soft_lookup · wrong · hard
# source: a learner who takes "look-up" at its word
# mistake: takes the best value only
def soft_lookup(query, keys, values):
    weights = (query @ keys.T).softmax(-1)
    return values[weights.argmax(-1)], weights


# %% soft_lookup · wrong · scaled
# source: The Annotated Transformer's attention, used where the task has no scale
# mistake: divides by the root of the width
import math

def soft_lookup(query, keys, values):
    d_k = query.size(-1)
    scores = torch.matmul(query, keys.transpose(-2, -1)) / math.sqrt(d_k)
    p_attn = scores.softmax(dim=-1)
    return torch.matmul(p_attn, values), p_attn


# %% soft_lookup · wrong · two
# source: two slips at once
# mistake: softmax over the queries, and the results in the wrong order
def soft_lookup(query, keys, values):
    weights = torch.softmax(query @ keys.T, dim=0)
    return weights, weights @ values


# %% softmax_with_temperature · right · d2l
# source: in the manner of Dive into Deep Learning, softmax from scratch, made safe for large scores
def softmax_with_temperature(scores, temperature):
    X = scores / temperature
    X_exp = torch.exp(X - X.max(dim=-1, keepdim=True).values)
    partition = X_exp.sum(-1, keepdim=True)
    return X_exp / partition


# %% softmax_with_temperature · right · logsumexp
# source: a language model: log space first
def softmax_with_temperature(scores, temperature):
    logits = scores / temperature
    log_weights = logits - torch.logsumexp(logits, dim=-1, keepdim=True)
    return log_weights.exp()


# %% softmax_with_temperature · right · numpy
# source: a NumPy learner: computed in NumPy, handed back as a tensor
import numpy as np

def softmax_with_temperature(scores, temperature):
    e = scores.detach().numpy() / temperature
    e = e - e.max(axis=-1, keepdims=True)
    e = np.exp(e)
    return torch.from_numpy(e / e.sum(axis=-1, keepdims=True))


# %% softmax_with_temperature · wrong · after
# source: a learner: divides after the softmax
# mistake: the temperature divides the weights, and normalising takes it out again
def softmax_with_temperature(scores, temperature):
    weights = torch.softmax(scores, dim=-1) / temperature
    return weights / weights.sum(dim=-1, keepdim=True)


# %% softmax_with_temperature · wrong · naive
# source: Dive into Deep Learning, softmax from scratch, as it stands there
# mistake: overflows for large scores
def softmax_with_temperature(scores, temperature):
    X_exp = torch.exp(scores / temperature)
    return X_exp / X_exp.sum(-1, keepdim=True)


# %% softmax_with_temperature · wrong · squared
# source: a language model that mixes this up with another scale
# mistake: divides by the root of the temperature
def softmax_with_temperature(scores, temperature):
    return (scores / temperature ** 0.5).softmax(-1)


# %% softmax_with_temperature · wrong · two
# source: two slips at once, as a learner makes them
# mistake: multiplies by the temperature, and the softmax runs over the axis before the last
def softmax_with_temperature(scores, temperature):
    return torch.softmax(scores * temperature, dim=max(scores.dim() - 2, 0))


# %% split_heads · right · annotated
# source: The Annotated Transformer's view and transpose (MIT)
def split_heads(tensor, heads):
    nbatches, length, d_model = tensor.shape
    return tensor.reshape(nbatches, length, heads, d_model // heads).transpose(1, 2)


# %% split_heads · right · chunk
# source: a learner: chunks, stacked
def split_heads(tensor, heads):
    return torch.stack(tensor.chunk(heads, dim=-1), dim=1)


# %% split_heads · right · view
# source: The Annotated Transformer, as it stands: view
def split_heads(tensor, heads):
    batch, length, dim = tensor.shape
    return tensor.view(batch, length, heads, dim // heads).transpose(1, 2)


# %% split_heads · wrong · interleaved
# source: a learner: the axes of heads and numbers the other way round
# mistake: every heads-th number goes to a head
def split_heads(tensor, heads):
    batch, length, dim = tensor.shape
    return tensor.reshape(batch, length, dim // heads, heads).permute(0, 3, 1, 2)


# %% split_heads · wrong · view
# source: a learner who thinks that shapes are all there is
# mistake: reshapes without swapping the axes
def split_heads(tensor, heads):
    batch, length, dim = tensor.shape
    return tensor.reshape(batch, heads, length, dim // heads)


# %% streaming_attention · right · at-once
# source: a learner who reads all the keys at once: the results are the same
def streaming_attention(query, keys, values, mask, block):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    low = torch.finfo(scores.dtype).min
    hidden = scores.masked_fill(~mask, low)
    largest = hidden.max(-1, keepdim=True).values
    e = torch.where(mask, torch.exp(hidden - largest), 0.0)
    total = e.sum(-1)
    weights = e / torch.where(total == 0, 1.0, total)[..., None]
    return weights @ values, total


# %% streaming_attention · right · logaddexp
# source: a language model: blocks joined by logsumexp
def streaming_attention(query, keys, values, mask, block):
    scores = query @ keys.mT / math.sqrt(query.shape[-1])
    largest = torch.full(scores.shape[:2], -torch.inf)
    total = torch.zeros(scores.shape[:2])
    context = torch.zeros(*scores.shape[:2], values.shape[-1])
    for start in range(0, keys.shape[1], block):
        piece = slice(start, start + block)
        part = scores[:, :, piece].masked_fill(~mask[:, :, piece], -torch.inf)
        new = torch.maximum(largest, part.amax(-1))
        safe = torch.where(new == -torch.inf, 0.0, new)
        decay = torch.exp(largest - safe)
        e = torch.exp(part - safe[..., None])
        total = total * decay + e.sum(-1)
        context = context * decay[..., None] + e @ values[:, piece]
        largest = new
    some = total > 0
    return torch.where(some[..., None], context / total.clamp(min=1e-30)[..., None], 0.0), total


# %% streaming_attention · wrong · no-decay
# source: a learner who forgets what was summed before
# mistake: the sum and the context are not rescaled when a larger score comes
def streaming_attention(query, keys, values, mask, block):
    largest = torch.full(query.shape[:2], -1e30)
    total = torch.zeros(query.shape[:2])
    context = torch.zeros(*query.shape[:2], values.shape[-1])
    for start in range(0, keys.shape[1], block):
        k, v, m = (x[..., start : start + block, :] for x in (keys, values, mask.mT))
        scores = (query @ k.mT / query.shape[-1] ** 0.5).masked_fill(~m.mT, -torch.inf)
        largest = torch.maximum(largest, scores.amax(-1))
        e = torch.exp(scores - largest[..., None])
        total = total + e.sum(-1)
        context = context + e @ v
    return context / total.clamp(min=1e-30)[..., None], total


# %% streaming_attention · wrong · two
# source: two slips at once
# mistake: no scale, and total without the largest score taken out
def streaming_attention(query, keys, values, mask, block):
    scores = (query @ keys.mT).masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1).nan_to_num()
    return weights @ values, torch.exp(scores).sum(-1)


# %% streaming_attention · wrong · whole-blocks
# source: a learner who counts the blocks by whole division
# mistake: the last, shorter block is not read
def streaming_attention(query, keys, values, mask, block):
    end = keys.shape[1] // block * block
    keys, values, mask = keys[:, :end], values[:, :end], mask[:, :, :end]
    scores = (query @ keys.mT / query.shape[-1] ** 0.5).masked_fill(~mask, -1e30)
    largest = scores.amax(-1, keepdim=True)
    e = torch.exp(scores - largest) * mask
    total = e.sum(-1)
    return e @ values / total.clamp(min=1e-30)[..., None], total


# %% temperature_for · right · bisection
# source: a language model: bisection of all rows at once, on a logarithmic scale
def temperature_for(scores, words):
    scores = scores.double()
    low = torch.full(scores.shape[:-1], 1e-6, dtype=torch.float64)
    high = torch.full(scores.shape[:-1], 1e8, dtype=torch.float64)
    for _ in range(100):
        middle = (low * high).sqrt()
        p = torch.softmax(scores / middle.unsqueeze(-1), dim=-1)
        effective = torch.special.entr(p).sum(-1).exp()
        too_many = effective > words
        high = torch.where(too_many, middle, high)
        low = torch.where(too_many, low, middle)
    return (low * high).sqrt().float()


# %% temperature_for · wrong · entropy
# source: a learner who forgets the exponential
# mistake: the entropy itself equals words
def temperature_for(scores, words):
    low = torch.full(scores.shape[:-1], 1e-4)
    high = torch.full(scores.shape[:-1], 1e6)
    for _ in range(80):
        mid = (low * high) ** 0.5
        h = torch.special.entr((scores / mid[..., None]).softmax(-1)).sum(-1)
        low = torch.where(h < words, mid, low)
        high = torch.where(h < words, high, mid)
    return mid


# %% temperature_for · wrong · grid
# source: a learner who tries a thousand temperatures
# mistake: a grid that is too coarse, and ends at 100
def temperature_for(scores, words):
    grid = torch.linspace(0.01, 100, 1000)
    p = (scores[..., None, :] / grid[:, None]).softmax(-1)
    h = torch.special.entr(p).sum(-1).exp()
    return grid[(h - words).abs().argmin(-1)]


# %% temperature_for · wrong · one-for-all
# source: a learner who has one row in mind
# mistake: one temperature for all rows, from their mean
def temperature_for(scores, words):
    low, high = 1e-6, 1e8
    for _ in range(200):
        mid = (low * high) ** 0.5
        p = (scores.double() / mid).softmax(-1)
        many = torch.special.entr(p).sum(-1).exp().mean().item()
        if many > words:
            high = mid
        else:
            low = mid
    return torch.full(scores.shape[:-1], mid)


# %% temperature_prediction · right · keywords
# source: a learner who writes dict(…)
temperature_prediction = dict(
    colder="rises", hotter="rises", limit="equal shares", doubled="the same", favourite="never"
)


# %% temperature_prediction · wrong · mixed
# source: a learner who thinks of heat as energy
# mistake: hotter is sharper
temperature_prediction = {
    "colder": "falls",
    "hotter": "falls",
    "limit": "one word takes all",
    "doubled": "the same",
    "favourite": "never",
}


# %% temperature_prediction · wrong · one
# source: a learner who forgets that both double
# mistake: doubled scores make the row sharper
temperature_prediction = {
    "colder": "rises",
    "hotter": "rises",
    "limit": "equal shares",
    "doubled": "sharper",
    "favourite": "when hot",
}


# %% test_additive · right · reference
# source: a tester: against a slow reference, on random inputs and every kind of mask
def test_additive(additive):
    def reference(query, keys, values, mask, W_query, W_key, v):
        B, T, S = query.shape[0], query.shape[1], keys.shape[1]
        weights = torch.zeros(B, T, S)
        context = torch.zeros(B, T, values.shape[2])
        full = torch.ones(B, T, S, dtype=torch.bool) if mask is None else mask.expand(B, T, S)
        for b in range(B):
            for t in range(T):
                e = torch.stack([v @ torch.tanh(W_query @ query[b, t] + W_key @ keys[b, s]) for s in range(S)])
                keep = full[b, t]
                if keep.any():
                    weights[b, t, keep] = torch.softmax(e[keep], 0)
                context[b, t] = weights[b, t] @ values[b]
        return context, weights

    torch.manual_seed(3)
    for size in (1.0, 5.0):
        q, k, val = torch.randn(2, 3, 4) * size, torch.randn(2, 5, 6) * size, torch.randn(2, 5, 7)
        wq, wk, v = torch.randn(8, 4), torch.randn(8, 6), torch.randn(8) * size
        random = torch.rand(2, 3, 5) < 0.5
        random[0, 1] = False
        random[1, 2] = True
        pad = torch.tensor([[[True, True, True, False, False]], [[True, False, False, False, False]]])
        causal = torch.ones(3, 5).tril().bool()
        for mask in (None, random, pad, causal[None], random[:, :, :1]):
            context, weights = additive(q, k, val, mask, wq, wk, v)
            c, w = reference(q, k, val, mask, wq, wk, v)
            assert context.shape == c.shape and weights.shape == w.shape
            assert torch.allclose(context, c, atol=1e-4) and torch.allclose(weights, w, atol=1e-4)
            if mask is not None:
                assert (weights[~mask.expand_as(weights)] == 0).all()


# %% test_additive · wrong · exact
# source: a learner who compares with ==
# mistake: blames the right version for its last digits
def test_additive(additive):
    torch.manual_seed(0)
    q, k, val = torch.randn(2, 3, 4), torch.randn(2, 5, 6), torch.randn(2, 5, 7)
    wq, wk, v = torch.randn(8, 4), torch.randn(8, 6), torch.randn(8)
    c, w = additive(q, k, val, None, wq, wk, v)
    scores = torch.tanh((q @ wq.T)[:, :, None] + (k @ wk.T)[:, None]) @ v
    assert (w == scores.softmax(-1)).all()
    assert (c == w @ val).all()


# %% test_additive · wrong · mask-ones
# source: a learner whose mask masks nothing
# mistake: the mask is all True, so that no mask bug shows
def test_additive(additive):
    torch.manual_seed(1)
    q, k, val = torch.randn(2, 3, 4), torch.randn(2, 5, 6), torch.randn(2, 5, 7)
    wq, wk, v = torch.randn(8, 4), torch.randn(8, 6), torch.randn(8)
    c, w = additive(q, k, val, torch.ones(2, 3, 5, dtype=torch.bool), wq, wk, v)
    scores = torch.tanh((q @ wq.T)[:, :, None] + (k @ wk.T)[:, None]) @ v
    assert torch.allclose(w, scores.softmax(-1), atol=1e-5)
    assert torch.allclose(c, w @ val, atol=1e-5)


# %% test_additive · wrong · rows
# source: a learner who looks at the sums of the rows
# mistake: asserts that rows sum to 1 and no more
def test_additive(additive):
    torch.manual_seed(0)
    _, w = additive(torch.randn(2, 3, 4), torch.randn(2, 5, 6), torch.randn(2, 5, 7), None,
                    torch.randn(8, 4), torch.randn(8, 6), torch.randn(8))
    assert torch.allclose(w.sum(-1), torch.ones(2, 3))


# %% test_attend · right · reference
# source: a tester with a slow reference
def test_attend(attend):
    def reference(query, keys, values, mask):
        B, T, S = query.shape[0], query.shape[1], keys.shape[1]
        keep = torch.ones(B, T, S, dtype=torch.bool) if mask is None else mask.expand(B, T, S)
        w = torch.zeros(B, T, S)
        for b in range(B):
            for t in range(T):
                row = keep[b, t]
                if row.any():
                    w[b, t, row] = ((keys[b, row] @ query[b, t]) / query.shape[2] ** 0.5).softmax(0)
        return w @ values, w

    torch.manual_seed(5)
    for loud in (1.0, 8.0):
        q, k, v = torch.randn(2, 3, 4) * loud, torch.randn(2, 5, 4), torch.randn(2, 5, 7)
        random = torch.rand(2, 3, 5) < 0.6
        random[1, 0] = False
        padding = torch.tensor([[[1, 1, 1, 0, 0]], [[1, 1, 0, 0, 0]]]).bool()
        for mask in (None, random, padding, torch.ones(3, 5).tril().bool()):
            context, weights = attend(q, k, v, mask)
            c, w = reference(q, k, v, mask)
            assert context.shape == c.shape and weights.shape == w.shape
            assert torch.allclose(weights, w, atol=1e-4) and torch.allclose(context, c, atol=1e-4)
            assert (weights[w == 0] == 0).all() or mask is None
    big = torch.eye(4)[None] * 2000
    context, weights = attend(big, big, big)
    assert torch.allclose(weights, torch.eye(4)[None], atol=1e-5)


# %% test_attend · wrong · square
# source: a learner with one size for everything
# mistake: all sizes alike, no mask
def test_attend(attend):
    torch.manual_seed(0)
    q = k = v = torch.randn(3, 3, 3)
    c, w = attend(q, k, v)
    assert torch.allclose(w.sum(-1), torch.ones(3, 3))
    assert c.shape == (3, 3, 3)
    assert not torch.isnan(c).any()


# %% test_attend · wrong · zeros
# source: a learner whose queries are all zero
# mistake: equal scores everywhere show no fault of the scores
def test_attend(attend):
    q, k, v = torch.zeros(1, 2, 4), torch.randn(1, 3, 4), torch.arange(6.0).reshape(1, 3, 2)
    c, w = attend(q, k, v, torch.tensor([[[True, True, False]]]))
    assert torch.allclose(w, torch.tensor([0.5, 0.5, 0.0]).expand(1, 2, 3))
    assert torch.allclose(c, torch.tensor([1.0, 2.0]).expand(1, 2, 2))


# %% test_language_model · right · reference
# source: a tester with a reference, and changed words
def test_language_model(language_model):
    def norm(x):
        return nn.functional.layer_norm(x, x.shape[-1:])

    def reference(words, embedding, places, w_q, w_k, w_v, w_1, w_2):
        x = embedding[words] + places[: words.shape[1]]
        y = norm(x)
        scores = (y @ w_q) @ (y @ w_k).mT / w_q.shape[1] ** 0.5
        open_ = torch.ones(words.shape[1], words.shape[1]).tril().bool()
        x = x + scores.masked_fill(~open_, -torch.inf).softmax(-1) @ (y @ w_v)
        x = x + (norm(x) @ w_1).relu() @ w_2
        return (norm(x) @ embedding.T).softmax(-1)

    torch.manual_seed(0)
    for batch, length, dim, key_dim in [(2, 5, 6, 3), (3, 4, 4, 7), (1, 1, 5, 2), (2, 6, 8, 4)]:
        words = torch.randint(9, (batch, length))
        args = (torch.randn(9, dim), torch.randn(length + 2, dim), torch.randn(dim, key_dim),
                torch.randn(dim, key_dim), torch.randn(dim, dim), torch.randn(dim, 10), torch.randn(10, dim))
        got = language_model(words, *args)
        assert got.shape == (batch, length, 9)
        assert torch.allclose(got, reference(words, *args), atol=1e-4)


# %% test_language_model · wrong · causal
# source: a learner who tests that the future is not seen
# mistake: causality only
def test_language_model(language_model):
    torch.manual_seed(0)
    args = [torch.randn(7, 4), torch.randn(5, 4), torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 4), torch.randn(4, 6), torch.randn(6, 4)]
    words = torch.tensor([[1, 2, 3, 4, 5]])
    changed = torch.tensor([[1, 2, 3, 6, 0]])
    assert torch.allclose(language_model(words, *args)[:, :3], language_model(changed, *args)[:, :3], atol=1e-5)


# %% test_language_model · wrong · chances
# source: a learner who asserts that chances are chances
# mistake: rows sum to 1, and nothing else
def test_language_model(language_model):
    torch.manual_seed(0)
    args = [torch.randn(7, 4), torch.randn(5, 4), torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 4), torch.randn(4, 6), torch.randn(6, 4)]
    p = language_model(torch.randint(7, (2, 5)), *args)
    assert p.shape == (2, 5, 7)
    assert torch.allclose(p.sum(-1), torch.ones(2, 5))


# %% test_local_general · right · reference
# source: a tester with a slow reference
def test_local_general(local_general):
    def reference(query, keys, W, lengths, D):
        B, T, S = query.shape[0], query.shape[1], keys.shape[1]
        weights = torch.zeros(B, T, S)
        for b in range(B):
            n = int(lengths[b])
            for t in range(T):
                centre = min(t, n - 1)
                places = [j for j in range(n) if abs(j - centre) <= D]
                e = torch.stack([query[b, t] @ W @ keys[b, j] for j in places])
                weights[b, t, places] = torch.softmax(e, 0)
        return weights @ keys, weights

    torch.manual_seed(0)
    for T, S, lengths, D, loud in [(9, 6, [6, 4, 1], 1, 1.0), (5, 7, [7, 3, 5], 2, 1.0), (4, 4, [2, 4, 3], 3, 10.0), (8, 5, [5, 2, 1], 1, 0.3)]:
        q, k, W = torch.randn(3, T, 4) * loud, torch.randn(3, S, 5), torch.randn(4, 5)
        context, weights = local_general(q, k, W, torch.tensor(lengths), D)
        c, w = reference(q, k, W, torch.tensor(lengths), D)
        assert weights.shape == w.shape and context.shape == c.shape
        assert torch.allclose(weights, w, atol=1e-4)
        assert torch.allclose(context, c, atol=1e-4)
        assert (weights[w == 0] == 0).all()


# %% test_local_general · wrong · one-sentence
# source: a learner with one sentence and no padding
# mistake: a target as long as the source, nothing padded
def test_local_general(local_general):
    torch.manual_seed(0)
    q, k, W = torch.randn(1, 5, 4), torch.randn(1, 5, 3), torch.randn(4, 3)
    context, weights = local_general(q, k, W, torch.tensor([5]), 1)
    place = torch.arange(5)
    window = (place[:, None] - place).abs() <= 1
    w = masked_softmax(q @ W @ k.mT, window)
    assert torch.allclose(weights, w, atol=1e-5)
    assert torch.allclose(context, w @ k, atol=1e-5)


# %% test_local_general · wrong · sums
# source: a learner who asserts laws only
# mistake: rows sum to 1, and weights far away are 0
def test_local_general(local_general):
    torch.manual_seed(0)
    q, k, W = torch.randn(2, 6, 4), torch.randn(2, 6, 3), torch.randn(4, 3)
    context, weights = local_general(q, k, W, torch.tensor([6, 3]), 1)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 6))
    assert (weights[:, 0, 2:] == 0).all()


# %% test_luong_step · right · reference
# source: a tester with a reference and large padding
def test_luong_step(step):
    def reference(word, state, memory, mask, embedding, w_state, w_output):
        new = torch.tanh(torch.cat([embedding[word], state], 1) @ w_state)
        scores = (new[:, None] * memory).sum(-1).masked_fill(~mask, -torch.inf)
        weights = scores.softmax(-1)
        context = (weights[..., None] * memory).sum(1)
        return torch.cat([context, new], 1) @ w_output, weights, new

    torch.manual_seed(4)
    for batch, src, dim in [(3, 5, 4), (2, 6, 3), (1, 2, 5), (4, 3, 2)]:
        embedding = torch.randn(7, 6)
        word = torch.randint(7, (batch,))
        state, memory = torch.randn(batch, dim), torch.randn(batch, src, dim) * 2
        mask = torch.arange(src) < torch.randint(1, src + 1, (batch,))[:, None]
        mask[0] = torch.arange(src) < 1
        w_state, w_output = torch.randn(6 + dim, dim), torch.randn(2 * dim, 9)
        got = step(word, state, memory, mask, embedding, w_state, w_output)
        expected = reference(word, state, memory, mask, embedding, w_state, w_output)
        for g, e in zip(got, expected):
            assert g.shape == e.shape
            assert torch.allclose(g, e, atol=1e-4)
        assert (got[1][~mask] == 0).all()


# %% test_luong_step · wrong · no-mask
# source: a learner who never masks
# mistake: a mask of True only
def test_luong_step(step):
    torch.manual_seed(0)
    embedding, memory = torch.randn(5, 3), torch.randn(2, 4, 3)
    logits, weights, new = step(torch.tensor([1, 2]), torch.randn(2, 3), memory,
                                torch.ones(2, 4, dtype=torch.bool), embedding, torch.randn(6, 3), torch.randn(6, 5))
    assert torch.allclose(weights.sum(-1), torch.ones(2), atol=1e-5)
    assert logits.shape == (2, 5) and new.shape == (2, 3)


# %% test_luong_step · wrong · weights-only
# source: a learner who looks at the weights
# mistake: logits and state are not looked at
def test_luong_step(step):
    torch.manual_seed(0)
    embedding, memory = torch.randn(5, 3), torch.randn(2, 4, 3)
    word, state, w_state = torch.tensor([1, 2]), torch.randn(2, 3), torch.randn(6, 3)
    mask = torch.tensor([[True, True, False, False], [True, True, True, True]])
    _, weights, _ = step(word, state, memory, mask, embedding, w_state, torch.randn(6, 5))
    new = torch.tanh(torch.cat([embedding[word], state], 1) @ w_state)
    scores = (new[:, None] * memory).sum(-1)
    assert torch.allclose(weights, masked_softmax(scores, mask), atol=1e-5)


# %% test_multi_head · right · reference
# source: a tester with a slow reference
def test_multi_head(multi_head):
    def reference(x, w_q, w_k, w_v, w_o, heads, mask):
        B, L, D = x.shape
        d = D // heads
        joined, tables = [], []
        for h in range(heads):
            part = slice(h * d, (h + 1) * d)
            q, k, v = (x @ w_q)[..., part], (x @ w_k)[..., part], (x @ w_v)[..., part]
            scores = q @ k.mT / d ** 0.5
            keep = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
            w = masked_softmax(scores, keep)
            tables.append(w)
            joined.append(w @ v)
        return torch.cat(joined, -1) @ w_o, torch.stack(tables, 1)

    torch.manual_seed(2)
    for heads in (1, 2, 3):
        x = torch.randn(2, 5, 6)
        matrices = [torch.randn(6, 6) for _ in range(4)]
        rows = torch.rand(2, 5, 5) < 0.6
        rows[0, 2] = False
        pad = torch.tensor([[[1, 1, 1, 1, 0]], [[1, 1, 0, 0, 0]]]).bool()
        for mask in (None, rows, pad, torch.ones(2, 5, 5).tril().bool()):
            out, weights = multi_head(x, *matrices, heads, mask)
            o, w = reference(x, *matrices, heads, mask)
            assert out.shape == o.shape and weights.shape == w.shape
            assert torch.allclose(weights, w, atol=1e-4)
            assert torch.allclose(out, o, atol=1e-3)


# %% test_multi_head · wrong · identity
# source: a learner with identity matrices
# mistake: all four matrices alike, so that mixing them up does not show
def test_multi_head(multi_head):
    torch.manual_seed(0)
    x, eye = torch.randn(1, 4, 6), torch.eye(6)
    out, weights = multi_head(x, eye, eye, eye, eye, 2)
    parts = x.unflatten(-1, (2, 3)).transpose(1, 2)
    w = (parts @ parts.mT / 3 ** 0.5).softmax(-1)
    assert torch.allclose(weights, w, atol=1e-5)
    assert torch.allclose(out, (w @ parts).transpose(1, 2).flatten(2), atol=1e-5)


# %% test_multi_head · wrong · one-head
# source: a learner who tries one head
# mistake: with one head no bug of the heads shows
def test_multi_head(multi_head):
    torch.manual_seed(0)
    x = torch.randn(2, 4, 6)
    w_q, w_k, w_v, w_o = (torch.randn(6, 6) for _ in range(4))
    out, weights = multi_head(x, w_q, w_k, w_v, w_o, 1)
    w = ((x @ w_q) @ (x @ w_k).mT / 6 ** 0.5).softmax(-1)
    assert torch.allclose(weights[:, 0], w, atol=1e-5)
    assert torch.allclose(out, w @ (x @ w_v) @ w_o, atol=1e-4)


# %% training_loop · right · by-hand
# source: a learner who writes gradient descent by hand
def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    losses, validation = [], []
    def measure(which):
        target = targets[which]
        log_p = model(target[:, :-1], states[which]).log_softmax(-1)
        right = target[:, 1:]
        picked = log_p.gather(-1, right.unsqueeze(-1))[..., 0]
        return -picked[right != PAD].mean()
    for step in range(len(targets) - 1):
        model.train()
        loss = measure(step)
        parameters = list(model.parameters())
        gradients = torch.autograd.grad(loss, parameters)
        norm = torch.cat([g.flatten() for g in gradients]).norm()
        factor = min(1.0, 1.0 / norm.item())
        with torch.no_grad():
            for p, g in zip(parameters, gradients):
                p -= rate * factor * g
            model.eval()
            validation.append(measure(-1))
        losses.append(loss.detach())
    return torch.stack(losses), torch.stack(validation), model.embedding.data


# %% training_loop · right · sgd
# source: a learner with torch.optim.SGD and clip_grad_norm_
def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    def loss_of(target, state):
        logits = model(target[:, :-1], state)
        return F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)
    losses, validation = [], []
    for target, state in zip(targets[:-1], states[:-1]):
        model.train()
        optimizer.zero_grad()
        loss = loss_of(target, state)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            validation.append(loss_of(targets[-1], states[-1]).item())
    return torch.tensor(losses), torch.tensor(validation), model.embedding.detach()


# %% training_loop · wrong · adam-no-zero
# source: two slips at once
# mistake: gradients add up over the steps, and Adam in place of plain descent
def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    def loss_of(target, state):
        logits = model(target[:, :-1], state)
        return F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)
    losses, validation = [], []
    for target, state in zip(targets[:-1], states[:-1]):
        model.train()
        loss = loss_of(target, state)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            validation.append(loss_of(targets[-1], states[-1]).item())
    return torch.tensor(losses), torch.tensor(validation), model.embedding.detach()


# %% training_loop · wrong · clip-each
# source: a learner who clips each parameter by itself
# mistake: each gradient is clipped on its own
def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    def loss_of(target, state):
        logits = model(target[:, :-1], state)
        return F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)
    losses, validation = [], []
    for target, state in zip(targets[:-1], states[:-1]):
        model.train()
        optimizer.zero_grad()
        loss = loss_of(target, state)
        loss.backward()
        for p in model.parameters():
            torch.nn.utils.clip_grad_norm_([p], 1.0)
        optimizer.step()
        losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            validation.append(loss_of(targets[-1], states[-1]).item())
    return torch.tensor(losses), torch.tensor(validation), model.embedding.detach()


# %% training_loop · wrong · no-eval
# source: a learner who forgets model.eval()
# mistake: the held-out loss is measured in training mode
def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    def loss_of(target, state):
        logits = model(target[:, :-1], state)
        return F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)
    losses, validation = [], []
    for target, state in zip(targets[:-1], states[:-1]):
        optimizer.zero_grad()
        loss = loss_of(target, state)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        with torch.no_grad():
            validation.append(loss_of(targets[-1], states[-1]).item())
    return torch.tensor(losses), torch.tensor(validation), model.embedding.detach()
