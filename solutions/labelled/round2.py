# %% BahdanauStep · right · einsum
# source: an einsum person, with everything inline
class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        hidden = torch.tanh(self.W_key(keys) + self.W_query(state).unsqueeze(1))
        scores = torch.einsum("bsa,oa->bs", hidden, self.v.weight)
        lowest = torch.finfo(scores.dtype).min
        weights = torch.where(mask, scores, lowest).softmax(-1)
        weights = torch.where(mask, weights, 0)
        context = torch.einsum("bs,bsk->bk", weights, keys)
        new_state = self.rnn(torch.hstack((embedded, context)), state)
        logits = self.output(torch.hstack((new_state, context, embedded)))
        return context, weights, new_state, logits


# %% BahdanauStep · right · empty-guard
# source: a defensive learner: -inf, with the empty rows put right before the softmax
class BahdanauStep(BahdanauLayers):
    def look(self, state, keys, mask):
        scores = self.v((self.W_query(state)[:, None] + self.W_key(keys)).tanh())[..., 0]
        nobody = ~mask.any(1, keepdim=True)
        weights = scores.masked_fill(~mask & ~nobody, -torch.inf).softmax(1)
        weights = weights.masked_fill(nobody, 0.0)
        return torch.bmm(weights.unsqueeze(1), keys).squeeze(1), weights

    def forward(self, state, embedded, keys, mask):
        context, weights = self.look(state, keys, mask)
        new_state = self.rnn(torch.cat([embedded, context], -1), state)
        logits = self.output(torch.cat([new_state, context, embedded], -1))
        return context, weights, new_state, logits


# %% BahdanauStep · wrong · log-softmax-output
# source: the PyTorch seq2seq tutorial, whose decoder ends in log_softmax
# mistake: log-probabilities are returned where logits are asked for
class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        scores = self.v(torch.tanh(self.W_query(state).unsqueeze(1) + self.W_key(keys))).squeeze(-1)
        weights = scores.masked_fill(~mask, -1e30).softmax(-1) * mask
        context = (weights.unsqueeze(1) @ keys).squeeze(1)
        new_state = self.rnn(torch.cat([embedded, context], dim=1), state)
        logits = self.output(torch.cat([new_state, context, embedded], dim=1)).log_softmax(-1)
        return context, weights, new_state, logits


# %% BahdanauStep · wrong · mixed-inputs-order
# source: a learner who joins alphabetically: context, embedded, state
# mistake: rnn reads [c; y] and output reads [c; y; s], which the given weights do not expect
class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        scores = self.v(torch.tanh(self.W_query(state).unsqueeze(1) + self.W_key(keys))).squeeze(-1)
        weights = scores.masked_fill(~mask, -1e30).softmax(-1) * mask
        context = torch.einsum("bs,bsk->bk", weights, keys)
        new_state = self.rnn(torch.cat([context, embedded], dim=1), state)
        logits = self.output(torch.cat([context, embedded, new_state], dim=1))
        return context, weights, new_state, logits


# %% BahdanauStep · wrong · squeeze-everything
# source: a learner who gets rid of axes with a bare squeeze()
# mistake: squeeze() without an axis also removes the batch of one, or a source of one word
class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        scores = self.v(torch.tanh(self.W_query(state).unsqueeze(1) + self.W_key(keys))).squeeze()
        weights = scores.masked_fill(~mask.squeeze(), -1e30).softmax(-1) * mask.squeeze()
        context = (weights.unsqueeze(1) @ keys).squeeze(1)
        new_state = self.rnn(torch.cat([embedded, context], dim=1), state)
        logits = self.output(torch.cat([new_state, context, embedded], dim=1))
        return context, weights, new_state, logits


# %% DecoderBlock · right · loop-over-layers
# source: a functional programmer: three layers in a list, one loop
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        layers = [
            lambda y: self.attention(y, y, mask=causal_mask(y.shape[1]))[0],
            lambda y: self.cross(y, source, mask=source_mask)[0],
            self.feed_forward,
        ]
        for norm, layer in zip(self.norms, layers):
            x = x + layer(norm(x))
        return x


# %% DecoderBlock · right · tri-and-names
# source: a learner of The Annotated Transformer: m for memory, subsequent mask by triu
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        """The states (batch, tgt_len, dim) after the block."""
        m, n = source, x.size(1)
        tgt_mask = torch.triu(torch.ones(1, n, n), diagonal=1) == 0
        y = self.norms[0](x)
        x = self.attention(y, y, y, tgt_mask)[0] + x
        x = self.cross(self.norms[1](x), m, m, source_mask)[0] + x
        return self.feed_forward(self.norms[2](x)) + x


# %% DecoderBlock · wrong · in-place-residual
# source: a memory saver: x += …
# mistake: the caller's x is overwritten (and where it is a leaf that learns, this raises)
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        y = self.norms[0](x)
        x += self.attention(y, y, mask=causal_mask(x.shape[1]))[0]
        x += self.cross(self.norms[1](x), source, mask=source_mask)[0]
        x += self.feed_forward(self.norms[2](x))
        return x


# %% DecoderBlock · wrong · keys-not-normalised
# source: a learner who normalises the query only
# mistake: the self-attention's keys and values are x, without the norm
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        x = x + self.attention(self.norms[0](x), x, mask=causal_mask(x.shape[1]))[0]
        x = x + self.cross(self.norms[1](x), source, mask=source_mask)[0]
        return x + self.feed_forward(self.norms[2](x))


# %% DecoderBlock · wrong · source-normalised
# source: a learner who normalises everything that goes into attention
# mistake: the source is normalised a second time, with the norm of the cross-attention
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


# %% MultiHead · right · head-by-head
# source: the paper's formula read aloud: head by head, summed through slices of the output matrix
class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.dim, self.heads = dim, heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) / dim**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        d, width = self.dim, self.dim // self.heads
        output, tables = self.out_proj.bias, []
        for h in range(self.heads):
            mine = slice(h * width, (h + 1) * width)
            q, k, v = (
                x @ self.in_proj_weight[i * d : (i + 1) * d][mine].T
                + self.in_proj_bias[i * d : (i + 1) * d][mine]
                for i, x in enumerate((query, keys, values))
            )
            tables.append(masked_softmax(torch.bmm(q, k.mT) * width**-0.5, mask))
            output = output + torch.bmm(tables[-1], v) @ self.out_proj.weight[:, mine].T
        return output, torch.stack(tables, dim=1)


# %% MultiHead · right · mha-forward-functions
# source: a PyTorch person: F.linear on the packed projection, and unflatten
class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(3 * dim, dim)))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        w, b = self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        q, k, v = (
            F.linear(x, *wb).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for x, wb in zip((query, keys, values), zip(w, b))
        )
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        weights = masked_softmax(scores, None if mask is None else mask.unsqueeze(1))
        joined = (weights @ v).transpose(1, 2).flatten(2)
        return self.out_proj(joined), weights


# %% MultiHead · wrong · bias-dropped-with-row
# source: a learner who sets the output of empty rows to zero
# mistake: rows that may look at nothing get an output of 0 with the output's bias taken away, where only weights and contexts are 0
class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.dim, self.heads = dim, heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) / dim**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        q, k, v = (
            F.linear(x, w, b).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for x, w, b in zip(
                (query, keys, values), self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
            )
        )
        scores = q @ k.mT / math.sqrt(self.dim // self.heads)
        weights = masked_softmax(scores, None if mask is None else mask[:, None])
        output = self.out_proj((weights @ v).transpose(1, 2).flatten(2))
        if mask is not None:
            output = output * mask.any(-1, keepdim=True)
        return output, weights


# %% MultiHead · wrong · mean-weights
# source: nn.MultiheadAttention habits: average_attn_weights=True
# mistake: the weights are averaged over the heads
class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.dim, self.heads = dim, heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) / dim**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        q, k, v = (
            F.linear(x, w, b).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for x, w, b in zip(
                (query, keys, values), self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
            )
        )
        scores = q @ k.mT / math.sqrt(self.dim // self.heads)
        weights = masked_softmax(scores, None if mask is None else mask[:, None])
        return self.out_proj((weights @ v).transpose(1, 2).flatten(2)), weights.mean(1)


# %% MultiHead · wrong · self-attention-only
# source: nanoGPT: one projection of x, split in three
# mistake: keys and values are projected from the query, so cross-attention is lost
class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.dim, self.heads = dim, heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) / dim**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        b, n, c = query.shape
        q, k, v = F.linear(query, self.in_proj_weight, self.in_proj_bias).split(self.dim, dim=2)
        q, k, v = (x.view(b, n, self.heads, c // self.heads).transpose(1, 2) for x in (q, k, v))
        att = q @ k.mT / math.sqrt(k.shape[-1])
        att = masked_softmax(att, None if mask is None else mask[:, None])
        y = (att @ v).transpose(1, 2).reshape(b, n, c)
        return self.out_proj(y), att


# %% MyAdditiveAttention · right · loop-over-targets
# source: a decoder person: a step for each target word, then a stack
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        if values is None:
            values = keys
        projected = self.W_key(keys)
        columns = [
            self.v(torch.tanh(projected + self.W_query(q).unsqueeze(1))).squeeze(-1)
            for q in query.unbind(1)
        ]
        scores = torch.stack(columns, dim=1)
        if mask is None:
            mask = torch.ones_like(scores, dtype=torch.bool)
        top = torch.where(mask, scores, -torch.inf).amax(-1, keepdim=True) if keys.shape[1] else 0
        safe = torch.where(mask.expand_as(scores), scores - torch.nan_to_num(torch.as_tensor(top), neginf=0.0), 0.0)
        e = safe.exp() * mask
        weights = e / e.sum(-1, keepdim=True).clamp(min=1e-30)
        return torch.einsum("bts,bsv->btv", weights, values), weights


# %% MyAdditiveAttention · right · own-helper-methods
# source: an object-oriented learner: small methods
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.v = nn.Linear(attention_dim, 1, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)

    def scores(self, query, keys):
        q, k = self.W_query(query), self.W_key(keys)
        return self.v(torch.tanh(q[:, :, None] + k[:, None])).squeeze(-1)

    def normalise(self, scores, mask):
        if mask is None:
            return scores.softmax(-1)
        mask = torch.broadcast_to(mask, scores.shape)
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        return scores.softmax(-1).masked_fill(~mask, 0)

    def forward(self, query, keys, values=None, mask=None):
        weights = self.normalise(self.scores(query, keys), mask)
        return weights.matmul(keys if values is None else values), weights


# %% MyAdditiveAttention · wrong · padding-mask-only
# source: a learner whose masks were always (batch, src_len)
# mistake: the mask gets an axis that it has already, so (batch, tgt_len, src_len) does not fit
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        values = keys if values is None else values
        scores = self.v(torch.tanh(self.W_query(query)[:, :, None] + self.W_key(keys)[:, None]))[..., 0]
        if mask is not None:
            mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = scores.softmax(dim=-1)
        if mask is not None:
            weights = weights * mask
        return torch.bmm(weights, values), weights


# %% MyAdditiveAttention · wrong · projected-keys-as-values
# source: a language model that overwrites the variable `keys`
# mistake: where no values are given, the context is a mixture of the projected keys
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        query, keys = self.W_query(query), self.W_key(keys)
        scores = self.v(torch.tanh(query[:, :, None] + keys[:, None])).squeeze(-1)
        values = keys if values is None else values
        if mask is None:
            mask = scores.new_ones(scores.shape, dtype=torch.bool)
        weights = scores.masked_fill(~mask, -1e30).softmax(-1).masked_fill(~mask, 0)
        return weights @ values, weights


# %% MyAdditiveAttention · wrong · values-or-keys
# source: a Python person: `values or keys`
# mistake: `values or keys` asks a tensor with many entries for its truth, which raises as soon as values are given
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        values = values or keys
        scores = self.v(torch.tanh(self.W_query(query).unsqueeze(2) + self.W_key(keys).unsqueeze(1)))
        scores = scores.squeeze(-1)
        if mask is None:
            mask = torch.ones_like(scores, dtype=torch.bool)
        weights = scores.masked_fill(~mask, -1e30).softmax(-1) * mask
        return weights @ values, weights


# %% PatchClassifier · right · nested-slices
# source: a C programmer: two loops over the image, slices
class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        p, (_, height, width) = self.patch, images.shape
        pieces = [
            images[:, y : y + p, x : x + p].flatten(1)
            for y in range(0, height, p)
            for x in range(0, width, p)
        ]
        states = torch.relu(self.embed(torch.stack(pieces, dim=1)) + self.places)
        weights = torch.softmax(states @ self.query / self.query.numel() ** 0.5, dim=-1)
        return self.answer((weights.unsqueeze(-1) * states).sum(1)), weights


# %% PatchClassifier · right · unfold-function
# source: a vision person: F.unfold with a stride
class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        """Logits (batch, classes) and weights (batch, patches) of images (batch, height, width)."""
        columns = nn.functional.unfold(images[:, None], self.patch, stride=self.patch)
        states = nn.functional.relu(self.embed(columns.transpose(1, 2)) + self.places)
        scores = torch.einsum("bnd,d->bn", states, self.query).div(states.size(-1) ** 0.5)
        weights = scores.softmax(1)
        context = torch.bmm(weights[:, None], states)[:, 0]
        return self.answer(context), weights


# %% PatchClassifier · wrong · answers-averaged
# source: a learner who answers for each patch and scales by the number of patches
# mistake: the scores are divided by the root of the number of patches, not of dim
class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        patches = nn.functional.unfold(images.unsqueeze(1), self.patch, stride=self.patch).mT
        states = torch.relu(self.embed(patches) + self.places)
        weights = (states @ self.query / states.shape[1] ** 0.5).softmax(-1)
        return (self.answer(states) * weights[..., None]).sum(1), weights


# %% PatchClassifier · wrong · columns-first
# source: a Fortran programmer
# mistake: patches are counted column by column, and the pixels inside a patch as well
class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        p = self.patch
        squares = images.mT.unfold(1, p, p).unfold(2, p, p)
        states = torch.relu(self.embed(squares.flatten(3).flatten(1, 2)) + self.places)
        weights = (states @ self.query / self.query.shape[0] ** 0.5).softmax(-1)
        return self.answer((weights[..., None] * states).sum(1)), weights


# %% PatchClassifier · wrong · relu-before-places
# source: a learner who closes the bracket too early
# mistake: ReLU is taken of the embedding alone, and the places are added afterwards
class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        patches = nn.functional.unfold(images.unsqueeze(1), self.patch, stride=self.patch).mT
        states = torch.relu(self.embed(patches)) + self.places
        weights = (states @ self.query / self.query.shape[0] ** 0.5).softmax(-1)
        return self.answer((weights[..., None] * states).sum(1)), weights


# %% PrecomputedKeys · right · closure
# source: a functional programmer: memory is a function that attends
class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        projected = self.W_key(keys)

        def look(state):
            weights = self.v((projected + self.W_query(state).unsqueeze(1)).tanh()).squeeze(-1).softmax(-1)
            return torch.einsum("bs,bsk->bk", weights, keys), weights

        return look

    def attend(self, state, memory):
        return memory(state)


# %% PrecomputedKeys · right · dict-memory
# source: a Python person: the memory is a dictionary
class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        return {"values": keys, "questions": self.W_key(keys)}

    def attend(self, state, memory):
        bar = self.W_query(state)[:, None, :]
        scores = self.v(torch.tanh(memory["questions"] + bar))[:, :, 0]
        weights = torch.softmax(scores, dim=1)
        return (weights[:, :, None] * memory["values"]).sum(1), weights


# %% PrecomputedKeys · wrong · context-of-projected
# source: a learner who stores one thing only
# mistake: the memory holds the projected keys alone, and the context is a mixture of these
class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        return self.W_key(keys)

    def attend(self, state, memory):
        scores = self.v(torch.tanh(self.W_query(state).unsqueeze(1) + memory)).squeeze(-1)
        weights = scores.softmax(-1)
        return torch.bmm(weights.unsqueeze(1), memory).squeeze(1), weights


# %% PrecomputedKeys · wrong · first-sentence-kept
# source: a learner who caches on the module
# mistake: the projected keys are kept on the module and never renewed, so a second batch is answered with the first one's
class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        if not hasattr(self, "cache"):
            self.cache = self.W_key(keys)
        return keys, self.cache

    def attend(self, state, memory):
        keys, projected = memory
        scores = self.v(torch.tanh(projected + self.W_query(state)[:, None])).squeeze(-1)
        weights = scores.softmax(-1)
        return (weights[..., None] * keys).sum(1), weights


# %% PrecomputedKeys · wrong · no-grad-memory
# source: inference habits: what is remembered needs no gradient
# mistake: the projection runs under no_grad, so W_key never learns
class PrecomputedKeys(StepByStep):
    @torch.no_grad()
    def remember(self, keys):
        return keys, self.W_key(keys)

    def attend(self, state, memory):
        keys, projected = memory
        scores = self.v(torch.tanh(projected + self.W_query(state)[:, None])).squeeze(-1)
        weights = scores.softmax(-1)
        return (weights[:, None] @ keys)[:, 0], weights


# %% additive_scores · right · einsum-all
# source: an einsum person
def additive_scores(query, keys, W_query, W_key, v):
    q = torch.einsum("btq,aq->bta", query, W_query)
    k = torch.einsum("bsk,ak->bsa", keys, W_key)
    return torch.einsum("btsa,a->bts", torch.tanh(q[:, :, None, :] + k[:, None, :, :]), v)


# %% additive_scores · right · tanh-sum-formula
# source: a mathematician: tanh(a + b) by exponentials, in one sigmoid
import torch.nn.functional as F
def additive_scores(query, keys, W_query, W_key, v):
    pairs = F.linear(query, W_query).unsqueeze(-2) + F.linear(keys, W_key).unsqueeze(-3)
    return ((2 * torch.sigmoid(2 * pairs) - 1) * v).sum(dim=-1)


# %% additive_scores · wrong · batch-mixed
# source: a learner who flattens the batch away to get rid of an axis
# mistake: every query is scored with the keys of the first sentence only
def additive_scores(query, keys, W_query, W_key, v):
    q = query @ W_query.T
    k = keys @ W_key.T
    out = torch.stack([torch.tanh(q[:, t : t + 1] + k[0]) @ v for t in range(q.shape[1])], 1)
    return out


# %% additive_scores · wrong · cached-projection
# source: a performance-minded learner who caches the projected keys in a dictionary
# mistake: the cache goes by the shape of the keys, so a second batch of that shape gets the first one's keys; and it is cut off from the gradient
_projected = {}
def additive_scores(query, keys, W_query, W_key, v):
    if keys.shape not in _projected:
        _projected[keys.shape] = (keys @ W_key.T).detach()
    k = _projected[keys.shape]
    return torch.tanh((query @ W_query.T)[:, :, None] + k[:, None]) @ v


# %% additive_scores · wrong · tanh-before-sum
# source: a learner who closes the bracket too early
# mistake: tanh is taken of each projection, before the two are added
def additive_scores(query, keys, W_query, W_key, v):
    q = torch.tanh(query @ W_query.T).unsqueeze(2)
    k = torch.tanh(keys @ W_key.T).unsqueeze(1)
    return (q + k) @ v


# %% additive_scores_loop · right · cartesian
# source: a functional programmer: itertools.product instead of nested loops
from itertools import product
def additive_scores_loop(states, keys, W_joined, v):
    pairs = torch.stack([torch.cat(pair) for pair in product(states, keys)])
    return ((pairs @ W_joined.T).tanh() @ v).reshape(len(states), len(keys))


# %% additive_scores_loop · right · matrix-of-lists
# source: a C programmer: two loops, and a stack at the end
def additive_scores_loop(states, keys, W_joined, v):
    """Scores (tgt_len, src_len) of every state with every key of one sentence."""
    table = []
    for s in states:
        row = []
        for h in keys:
            hidden = torch.tanh(torch.mv(W_joined, torch.cat((s, h))))
            row.append(torch.dot(v, hidden))
        table.append(torch.stack(row))
    return torch.stack(table)


# %% additive_scores_loop · wrong · filled-without-grad
# source: a learner who met 'a leaf Variable that requires grad ... in-place' once and now uses .data
# mistake: the cells are filled through .data, so the scores carry no gradient
def additive_scores_loop(states, keys, W_joined, v):
    scores = torch.zeros(states.shape[0], keys.shape[0])
    for t in range(states.shape[0]):
        for j in range(keys.shape[0]):
            pair = torch.cat([states[t], keys[j]])
            scores.data[t, j] = v @ torch.tanh(W_joined @ pair)
    return scores


# %% additive_scores_loop · wrong · reshaped-turned
# source: a learner with the loops the other way round
# mistake: the outer loop runs over keys, and reshape instead of a transpose scrambles the table
def additive_scores_loop(states, keys, W_joined, v):
    out = []
    for k in keys:
        for s in states:
            out.append(v @ torch.tanh(W_joined @ torch.cat([s, k])))
    return torch.stack(out).reshape(states.size(0), keys.size(0))


# %% additive_scores_loop · wrong · tensor-of-numbers
# source: a numpy person: torch.tensor([...]) around everything
# mistake: torch.tensor makes a new leaf of the scores, so no gradient reaches any input
def additive_scores_loop(states, keys, W_joined, v):
    return torch.tensor(
        [[(v * torch.tanh(W_joined @ torch.cat([s, k]))).sum() for k in keys] for s in states]
    )


# %% alignment_picture · right · index-lists
# source: a Python person: lists of places, then np.ix_-like indexing
def alignment_picture(weights, source, target):
    special = {"<sos>", "<eos>", "<pad>"}
    columns = [j for j, word in enumerate(source) if word not in special]
    rows = [i for i, word in enumerate(target[1:]) if word not in special]
    trimmed = weights[torch.tensor(rows, dtype=torch.long)][:, torch.tensor(columns, dtype=torch.long)]
    links = torch.zeros_like(trimmed, dtype=torch.bool)
    links[torch.arange(len(rows)), trimmed.argmax(dim=1)] = True
    return trimmed, links


# %% alignment_picture · right · one-hot
# source: a PyTorch person: boolean masks and one_hot
def alignment_picture(weights, source, target):
    """Trimmed weights (target words, source words) and links of the same shape."""
    real = lambda words: torch.tensor([w not in ("<sos>", "<eos>", "<pad>") for w in words])
    trimmed = weights[real(target[1:])][:, real(source)]
    links = F.one_hot(trimmed.argmax(-1), trimmed.shape[-1]).bool()
    return trimmed, links


# %% alignment_picture · wrong · links-before-trimming
# source: a learner who links first and trims afterwards
# mistake: the largest entry is looked for in the whole row, so a row whose largest weight lies on <eos> or padding has no link
def alignment_picture(weights, source, target):
    special = ("<sos>", "<eos>", "<pad>")
    links = weights == weights.max(dim=1, keepdim=True).values
    rows = torch.tensor([w not in special for w in target[1:]])
    columns = torch.tensor([w not in special for w in source])
    return weights[rows][:, columns], links[rows][:, columns]


# %% alignment_picture · wrong · rows-normalised
# source: a learner who wants tidy rows
# mistake: the trimmed rows are divided by their sum, though the numbers are to be left as they are
def alignment_picture(weights, source, target):
    special = ("<sos>", "<eos>", "<pad>")
    rows = torch.tensor([w not in special for w in target[1:]])
    columns = torch.tensor([w not in special for w in source])
    trimmed = weights[rows][:, columns]
    trimmed = trimmed / trimmed.sum(-1, keepdim=True)
    return trimmed, F.one_hot(trimmed.argmax(-1), trimmed.shape[1]).bool()


# %% alignment_picture · wrong · unknown-dropped
# source: a learner who drops everything in angle brackets
# mistake: <unk> is a word of the sentence, and it is dropped
def alignment_picture(weights, source, target):
    rows = torch.tensor([not w.startswith("<") for w in target[1:]])
    columns = torch.tensor([not w.startswith("<") for w in source])
    trimmed = weights[rows][:, columns]
    links = torch.zeros_like(trimmed).scatter_(1, trimmed.argmax(1, keepdim=True), 1.0).bool()
    return trimmed, links


# %% attend_with_mask · right · log-of-mask
# source: a mathematician who keeps the plus sign: the logarithm of the mask is added
def attend_with_mask(query, keys, values, mask):
    """Context (batch, tgt_len, value_dim) and weights (batch, tgt_len, src_len)."""
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    empty = ~mask.any(-1, keepdim=True)
    weights = (scores + (mask | empty).to(scores.dtype).log()).softmax(-1) * ~empty
    context = torch.bmm(weights, values)
    return context, weights


# %% attend_with_mask · right · where-lowest
# source: a learner with torch.where, twice
def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    weights = torch.where(mask, scores, torch.finfo(scores.dtype).min).softmax(-1)
    weights = torch.where(mask, weights, torch.zeros(()))
    context = torch.einsum("bts,bsv->btv", weights, values)
    return context, weights


# %% attend_with_mask · wrong · big-bonus
# source: a learner who makes the bonus large: + 1e4 * mask
# mistake: the sum eats up the digits of the scores, a hidden word stays in the race if its score is 10,000 higher, and empty rows are not 0
def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    weights = (scores + 1e4 * mask).softmax(-1)
    context = torch.bmm(weights, values)
    return context, weights


# %% attend_with_mask · wrong · multiplied-scores
# source: a learner who replaces + by *
# mistake: hidden scores become 0, not minus infinity, and keep their share
def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    weights = (scores * mask).softmax(-1)
    context = torch.bmm(weights, values)
    return context, weights


# %% attend_with_mask · wrong · zero-to-minus-inf
# source: a learner who masks the scores that are 0 after the product
# mistake: an open score that happens to be exactly 0 is hidden, too
def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    scores = scores * mask
    scores = scores.masked_fill(scores == 0, -1e30)
    weights = scores.softmax(-1) * mask
    context = torch.bmm(weights, values)
    return context, weights


# %% beam_step · right · python-sort
# source: a Python person: a list of candidates, sorted
def beam_step(scores, log_probs, finished):
    candidates = []
    for i, score in enumerate(scores.tolist()):
        if finished[i]:
            candidates.append((score, i, EOS))
        else:
            candidates += [(score + p, i, w) for w, p in enumerate(log_probs[i].tolist())]
    candidates.sort(key=lambda c: -c[0])
    best, parents, words = zip(*candidates[: len(scores)])
    return torch.tensor(best), torch.tensor(parents), torch.tensor(words)


# %% beam_step · right · where-and-divmod
# source: a PyTorch person: torch.where, topk on the flat table, unravel_index
def beam_step(scores, log_probs, finished):
    """Scores, parents and words of the best `beam` continuations."""
    stay = torch.full_like(log_probs, -torch.inf)
    stay[:, EOS] = 0
    totals = scores[:, None] + torch.where(finished[:, None], stay, log_probs)
    best, flat = totals.flatten().sort(descending=True)
    parents, words = torch.unravel_index(flat[: len(scores)], totals.shape)
    return best[: len(scores)], parents, words


# %% beam_step · wrong · best-of-each
# source: a learner who continues each hypothesis once
# mistake: each hypothesis keeps its own best word, so a bad one is never pushed out
def beam_step(scores, log_probs, finished):
    step, words = log_probs.max(-1)
    step = torch.where(finished, 0.0, step)
    words = torch.where(finished, EOS, words)
    best, parents = (scores + step).sort(descending=True)
    return best, parents, words[parents]


# %% beam_step · wrong · divided-by-beam
# source: a learner who divides the flat index by the wrong width
# mistake: parent and word are taken from the flat index by the size of the beam, not of the vocabulary
def beam_step(scores, log_probs, finished):
    beam = len(scores)
    stay = torch.full_like(log_probs, -1e9)
    stay[:, EOS] = 0
    totals = scores[:, None] + torch.where(finished[:, None], stay, log_probs)
    best, flat = totals.view(-1).topk(beam)
    return best, flat // beam, flat % beam


# %% beam_step · wrong · probability-mixed
# source: a learner who thinks in probabilities and forgets the logarithm on the way back
# mistake: the new scores come back as probabilities
def beam_step(scores, log_probs, finished):
    chances = log_probs.exp()
    chances = torch.where(finished[:, None], F.one_hot(torch.tensor(EOS), log_probs.shape[1]).float(), chances)
    totals = scores.exp()[:, None] * chances
    best, flat = totals.flatten().topk(len(scores))
    return best, flat // log_probs.shape[1], flat % log_probs.shape[1]


# %% block_parameters · right · layer-by-layer
# source: a bookkeeper: a function for a linear layer, one for a norm
def block_parameters(dim, heads, hidden, layers, words):
    linear = lambda inputs, outputs: inputs * outputs + outputs
    norm = 2 * dim
    attention = 4 * linear(dim, dim)
    encoder_block = attention + linear(dim, hidden) + linear(hidden, dim) + 2 * norm
    decoder_block = encoder_block + attention + norm
    language_model = words * dim + words + layers * encoder_block + norm
    return encoder_block, decoder_block, language_model


# %% block_parameters · right · polynomial
# source: an algebra person: everything multiplied out
def block_parameters(dim, heads, hidden, layers, words):
    """The numbers of parameters `encoder_block`, `decoder_block` and `language_model`."""
    e = 4 * dim**2 + (2 * hidden + 9) * dim + hidden
    return e, e + 4 * dim**2 + 6 * dim, e * layers + (words + 2) * dim + words


# %% block_parameters · wrong · cross-shares-norm
# source: a learner whose decoder has two norms as well
# mistake: the third norm of the decoder block is forgotten, and the cross-attention has no biases
def block_parameters(dim, heads, hidden, layers, words):
    encoder = 4 * (dim * dim + dim) + 2 * dim * hidden + hidden + dim + 4 * dim
    decoder = encoder + 4 * dim * dim
    return encoder, decoder, words * dim + words + layers * encoder + 2 * dim


# %% block_parameters · wrong · last-norm-forgotten
# source: a learner who counts embedding, blocks and output
# mistake: pre-norm has one more norm behind the last block
def block_parameters(dim, heads, hidden, layers, words):
    encoder = 4 * (dim * dim + dim) + 2 * dim * hidden + hidden + dim + 4 * dim
    decoder = encoder + 4 * (dim * dim + dim) + 2 * dim
    return encoder, decoder, words * dim + words + layers * encoder


# %% block_parameters · wrong · learned-places
# source: a GPT-2 person
# mistake: a table of learned places of 512 rows is counted; the notebook's places are sines and cosines
def block_parameters(dim, heads, hidden, layers, words):
    encoder = 4 * (dim * dim + dim) + 2 * dim * hidden + hidden + dim + 4 * dim
    decoder = encoder + 4 * (dim * dim + dim) + 2 * dim
    model = words * dim + 512 * dim + words + layers * encoder + 2 * dim
    return encoder, decoder, model


# %% both_ways · right · einsum
# source: an einsum person, whose transposes are letters
def both_ways(left, right, left_mask, right_mask):
    scores = torch.einsum("bld,brd->blr", left, right) / left.shape[-1] ** 0.5
    forth = masked_softmax(scores, right_mask[:, None, :])
    back = masked_softmax(torch.einsum("blr->brl", scores), left_mask[:, None, :])
    left_reads = torch.einsum("blr,brd->bld", forth, right)
    right_reads = torch.einsum("brl,bld->brd", back, left)
    return left_reads, right_reads, forth, back


# %% both_ways · right · helper-called-twice
# source: a learner who sees that it is the same thing twice
import math
def both_ways(left, right, left_mask, right_mask):
    """`left_reads`, `right_reads`, `forth` and `back`: see the table."""

    def look(asks, answers, real):
        scores = torch.bmm(asks / math.sqrt(asks.size(-1)), answers.transpose(1, 2))
        weights = masked_softmax(scores, real.unsqueeze(1))
        return torch.bmm(weights, answers), weights

    left_reads, forth = look(left, right, right_mask)
    right_reads, back = look(right, left, left_mask)
    return left_reads, right_reads, forth, back


# %% both_ways · wrong · both-masks-at-once
# source: a learner who builds one mask of real pairs
# mistake: words of padding may not look either, so their rows are 0
def both_ways(left, right, left_mask, right_mask):
    pairs = left_mask[:, :, None] & right_mask[:, None, :]
    scores = left @ right.mT / left.shape[-1] ** 0.5
    forth = masked_softmax(scores, pairs)
    back = masked_softmax(scores.mT, pairs.mT)
    return forth @ right, back @ left, forth, back


# %% both_ways · wrong · renormalised-forth
# source: a learner who turns forth and makes its rows sum to 1
# mistake: back is forth turned and divided by its sums, not a softmax of the scores
def both_ways(left, right, left_mask, right_mask):
    scores = left @ right.mT / left.shape[-1] ** 0.5
    forth = masked_softmax(scores, right_mask[:, None, :])
    back = forth.mT * left_mask[:, None, :]
    back = back / back.sum(-1, keepdim=True).clamp(min=1e-9)
    return forth @ right, back @ left, forth, back


# %% both_ways · wrong · scale-of-length
# source: a learner who takes shape[1] for the width
# mistake: the scores are divided by the root of the left sentence's length
def both_ways(left, right, left_mask, right_mask):
    scores = left @ right.mT / left.shape[1] ** 0.5
    forth = masked_softmax(scores, right_mask[:, None, :])
    back = masked_softmax(scores.mT, left_mask[:, None, :])
    return forth @ right, back @ left, forth, back


# %% cached_step · right · fused
# source: a practitioner: F.scaled_dot_product_attention with one query
def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat((past_keys, (x @ w_k)[:, None]), dim=1)
    values = torch.cat((past_values, (x @ w_v)[:, None]), dim=1)
    context = nn.functional.scaled_dot_product_attention((x @ w_q)[:, None], keys, values)
    return context.squeeze(1), keys, values


# %% cached_step · right · preallocated
# source: an inference engineer: allocate, copy, write the last row
def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    """`context`, `keys` and `values`: see the table."""
    b, n, _ = past_keys.shape
    keys = past_keys.new_empty(b, n + 1, w_k.shape[1])
    values = past_values.new_empty(b, n + 1, w_v.shape[1])
    keys[:, :n], keys[:, n] = past_keys, x @ w_k
    values[:, :n], values[:, n] = past_values, x @ w_v
    scores = (keys @ (x @ w_q).unsqueeze(-1)).squeeze(-1) / w_q.shape[1] ** 0.5
    context = (scores.softmax(-1).unsqueeze(-1) * values).sum(dim=1)
    return context, keys, values


# %% cached_step · wrong · causal-flag
# source: a practitioner who passes is_causal=True since it is causal
# mistake: is_causal aligns the mask at the upper left, so the one query sees the first key only
def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([past_keys, (x @ w_k).unsqueeze(1)], dim=1)
    values = torch.cat([past_values, (x @ w_v).unsqueeze(1)], dim=1)
    query = (x @ w_q).unsqueeze(1)
    context = torch.nn.functional.scaled_dot_product_attention(query, keys, values, is_causal=True)
    return context.squeeze(1), keys, values


# %% cached_step · wrong · new-word-in-front
# source: a learner who joins the other way round
# mistake: the new key and value stand in front of the old ones in the cache
def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([(x @ w_k).unsqueeze(1), past_keys], dim=1)
    values = torch.cat([(x @ w_v).unsqueeze(1), past_values], dim=1)
    weights = ((x @ w_q).unsqueeze(1) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1)
    return (weights @ values).squeeze(1), keys, values


# %% cached_step · wrong · scaled-twice
# source: a learner who scales the query and the scores
# mistake: the query is divided by the root of the width, and the scores once more
def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([past_keys, (x @ w_k).unsqueeze(1)], dim=1)
    values = torch.cat([past_values, (x @ w_v).unsqueeze(1)], dim=1)
    query = (x @ w_q).unsqueeze(1) / keys.shape[-1] ** 0.5
    context = torch.nn.functional.scaled_dot_product_attention(query, keys, values)
    return context.squeeze(1), keys, values


# %% clip_together · right · hypot
# source: a mathematician: the length of a vector of lengths
@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    length = torch.hypot(of_keys.norm(), of_queries.norm())
    shrink = limit / torch.clamp(length, min=limit)
    return of_keys * shrink, of_queries * shrink, length


# %% clip_together · right · one-long-vector
# source: somebody who takes 'one long vector' by its word
@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    """The two gradients, clipped together, and their length before."""
    long = torch.cat([of_keys.flatten(), of_queries.flatten()])
    length = long.norm()
    if length > limit:
        long = long / length * limit
    n = of_keys.numel()
    return long[:n].view_as(of_keys), long[n:].view_as(of_queries), length


# %% clip_together · wrong · clipped-entries
# source: a learner who knows clip_grad_value_
# mistake: every entry is clipped to ±limit, which turns the direction, and the length goes by entries
@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    length = (of_keys.pow(2).sum() + of_queries.pow(2).sum()).sqrt()
    return of_keys.clamp(-limit, limit), of_queries.clamp(-limit, limit), length


# %% clip_together · wrong · length-after
# source: a learner who logs at the end
# mistake: the length that is returned is that after clipping
@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    length = torch.sqrt((of_keys**2).sum() + (of_queries**2).sum())
    shrink = torch.clamp(limit / length, max=1.0)
    length = length * shrink
    return of_keys * shrink, of_queries * shrink, length


# %% clip_together · wrong · norm-of-stacked-matrix
# source: a learner with torch.linalg.norm(ord=2)
# mistake: of a matrix this is the largest singular value, not the length of its numbers as a vector
@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    norms = [torch.linalg.norm(g, ord=2) for g in (of_keys, of_queries)]
    length = torch.stack(norms).square().sum().sqrt()
    shrink = (limit / length).clamp(max=1)
    return of_keys * shrink, of_queries * shrink, length


# %% combined_mask · right · minimum
# source: a thinker: a key is open if its place is below the smaller of two bounds
def combined_mask(lengths, positions, src_len):
    bound = torch.minimum(lengths[:, None], positions[None, :] + 1)
    return torch.arange(src_len) < bound[..., None]


# %% combined_mask · right · outer-product
# source: a linear-algebra person: an outer product of booleans
def combined_mask(lengths, positions, src_len):
    """Booleans (batch, tgt_len, src_len), True = may be attended to."""
    place = torch.arange(src_len)
    real = torch.lt(place, lengths.unsqueeze(-1)).float()
    not_later = torch.ge(positions.unsqueeze(-1), place).float()
    return torch.einsum("bs,ts->bts", real, not_later).bool()


# %% combined_mask · wrong · inclusive-length
# source: a Fortran programmer, whose places begin at 1
# mistake: the first place of padding counts as a real word
def combined_mask(lengths, positions, src_len):
    j = torch.arange(src_len)
    return (j <= lengths.view(-1, 1, 1)) & (j <= positions.view(1, -1, 1))


# %% combined_mask · wrong · queries-hidden-too
# source: a learner who squares the padding mask
# mistake: the rows of queries that stand beyond the length are closed as well
def combined_mask(lengths, positions, src_len):
    j = torch.arange(src_len)
    real = j < lengths[:, None]
    causal = j <= positions[:, None]
    return real[:, None] & causal & (positions < lengths[:, None])[:, :, None]


# %% combined_mask · wrong · tril-of-tail
# source: a language model: the last rows of a causal mask
# mistake: the rows are the last ones of the causal square, whatever the positions say
def combined_mask(lengths, positions, src_len):
    causal = torch.ones(src_len, src_len, dtype=torch.bool).tril()[src_len - len(positions) :]
    real = torch.arange(src_len) < lengths[:, None]
    return causal[None] & real[:, None, :]


# %% compare_scores · right · gain-axis
# source: a vectoriser: the gains become an axis of the batch
def compare_scores(query, keys, W, W_joined, v, gains):
    g, b = len(gains), len(query)
    loud = (gains[:, None, None, None] * query).flatten(0, 1)
    every = keys.expand(g, *keys.shape).flatten(0, 1)
    general = (loud @ W) @ every.mT
    of_query, of_key = W_joined.split([query.shape[-1], keys.shape[-1]], dim=1)
    concat = torch.tanh((loud @ of_query.T)[:, :, None] + (every @ of_key.T)[:, None]) @ v
    largest = torch.stack([general, concat]).softmax(-1).amax(-1)
    return largest.unflatten(1, (g, b)).flatten(2).mean(-1)


# %% compare_scores · right · list-comprehension
# source: a Python person: one number after the other
def compare_scores(query, keys, W, W_joined, v, gains):
    def mean_largest(scores):
        return torch.max(torch.softmax(scores, dim=2), dim=2)[0].mean().item()

    def concat(q):
        a = q.unsqueeze(2).repeat(1, 1, keys.shape[1], 1)
        b = keys.unsqueeze(1).repeat(1, q.shape[1], 1, 1)
        return torch.tanh(torch.cat((a, b), 3) @ W_joined.T) @ v

    gains = gains.tolist()
    first = [mean_largest(g * query @ W @ keys.mT) for g in gains]
    second = [mean_largest(concat(g * query)) for g in gains]
    return torch.tensor([first, second])


# %% compare_scores · wrong · gain-on-scores
# source: a learner who takes a gain for a temperature
# mistake: the scores are multiplied, not the query; for concat that is not the same
def compare_scores(query, keys, W, W_joined, v, gains):
    a = query.unsqueeze(2).expand(-1, -1, keys.shape[1], -1)
    b = keys.unsqueeze(1).expand(-1, query.shape[1], -1, -1)
    general = query @ W @ keys.mT
    concat = torch.tanh(torch.cat([a, b], -1) @ W_joined.T) @ v
    rows = [[(g * s).softmax(-1).amax(-1).mean() for g in gains] for s in (general, concat)]
    return torch.tensor(rows)


# %% compare_scores · wrong · largest-of-mean
# source: a learner who averages first
# mistake: the rows are averaged before the largest weight is taken
def compare_scores(query, keys, W, W_joined, v, gains):
    table = torch.zeros(2, len(gains))
    for i, g in enumerate(gains):
        q = g * query
        general = q @ W @ keys.mT
        wq, wk = W_joined[:, : q.shape[-1]], W_joined[:, q.shape[-1] :]
        concat = torch.tanh((q @ wq.T).unsqueeze(2) + (keys @ wk.T).unsqueeze(1)) @ v
        for r, scores in enumerate((general, concat)):
            table[r, i] = scores.softmax(-1).mean(dim=(0, 1)).max()
    return table


# %% compare_scores · wrong · running-gain
# source: a C programmer who scales in place
# mistake: the query is multiplied in place, so each gain acts on top of those before, and the caller's query is spoilt
def compare_scores(query, keys, W, W_joined, v, gains):
    table = torch.empty(2, gains.numel())
    n = query.size(-1)
    for i in range(gains.numel()):
        query *= gains[i]
        general = query @ W @ keys.mT
        hidden = torch.tanh((query @ W_joined[:, :n].T)[:, :, None] + (keys @ W_joined[:, n:].T)[:, None])
        table[0, i] = general.softmax(-1).max(-1).values.mean()
        table[1, i] = (hidden @ v).softmax(-1).max(-1).values.mean()
    return table


# %% counterfactual · right · one-probability-function
# source: a scientist: one function, called four times
def counterfactual(start, states, other_start, other_states, out, place, word):
    here = nn.functional.one_hot(place, states.shape[1]).bool()

    def chance(s, h, hidden=None):
        e = (h @ s.unsqueeze(-1)).squeeze(-1) / s.shape[-1] ** 0.5
        if hidden is not None:
            e = e.masked_fill(hidden, -torch.inf)
        a = e.softmax(-1).nan_to_num(0.0)
        c = (a.unsqueeze(-1) * h).sum(1)
        p = (torch.cat([c, s], -1) @ out.T).softmax(-1)
        return p.gather(1, word[:, None])[:, 0]

    before = chance(start, states)
    replaced = torch.where(here[..., None], other_states, states)
    return (
        before - chance(other_start, states),
        before - chance(start, replaced),
        before - chance(start, states, hidden=here),
    )


# %% counterfactual · right · sentence-by-sentence
# source: a C programmer: one sentence at a time, the state really taken out of the list
import math
def counterfactual(start, states, other_start, other_states, out, place, word):
    """`spliced`, `replaced` and `forbidden`, each (batch,)."""

    def chance(s, h, w):
        c = torch.zeros_like(s)
        if len(h):
            c = torch.softmax(h @ s / math.sqrt(len(s)), 0) @ h
        return torch.softmax(out @ torch.cat([c, s]), 0)[w]

    falls = []
    for b in range(len(start)):
        s, h, j, w = start[b], states[b], int(place[b]), int(word[b])
        p = chance(s, h, w)
        swapped = h.clone()
        swapped[j] = other_states[b, j]
        without = torch.cat([h[:j], h[j + 1 :]])
        falls.append(
            torch.stack([p - chance(other_start[b], h, w), p - chance(s, swapped, w), p - chance(s, without, w)])
        )
    return tuple(torch.stack(falls).T)


# %% counterfactual · wrong · all-batch-places
# source: a learner who indexes [:, place]
# mistake: states[:, place] replaces the places of ALL sentences in every sentence
def counterfactual(start, states, other_start, other_states, out, place, word):
    b = torch.arange(len(start))

    def chance(s, h, mask):
        e = torch.einsum("bd,bsd->bs", s, h) / s.shape[-1] ** 0.5
        c = torch.einsum("bs,bsd->bd", masked_softmax(e, mask), h)
        return (torch.cat([c, s], -1) @ out.T).softmax(-1)[b, word]

    everything = torch.ones(states.shape[:2], dtype=torch.bool)
    swapped, closed = states.clone(), everything.clone()
    swapped[:, place] = other_states[:, place]
    closed[:, place] = False
    p = chance(start, states, everything)
    return (
        p - chance(other_start, states, everything),
        p - chance(start, swapped, everything),
        p - chance(start, states, closed),
    )


# %% counterfactual · wrong · spliced-query-only
# source: a learner for whom the start state only asks
# mistake: the spliced start state asks, but the old one still stands behind the context in [c; s]
def counterfactual(start, states, other_start, other_states, out, place, word):
    b = torch.arange(len(start))

    def chance(asks, h, closed=False):
        e = torch.einsum("bd,bsd->bs", asks, h) / asks.shape[-1] ** 0.5
        mask = torch.ones_like(e, dtype=torch.bool)
        if closed:
            mask[b, place] = False
        c = torch.einsum("bs,bsd->bd", masked_softmax(e, mask), h)
        return (torch.cat([c, start], -1) @ out.T).softmax(-1)[b, word]

    swapped = states.clone()
    swapped[b, place] = other_states[b, place]
    p = chance(start, states)
    return p - chance(other_start, states), p - chance(start, swapped), p - chance(start, states, True)


# %% counterfactual · wrong · value-zeroed
# source: a learner who forbids by wiping out
# mistake: to forbid a place its state is set to zero, which keeps a score of 0 and a share of the weights
def counterfactual(start, states, other_start, other_states, out, place, word):
    b = torch.arange(len(start))

    def chance(s, h):
        a = (torch.einsum("bd,bsd->bs", s, h) / s.shape[-1] ** 0.5).softmax(-1)
        c = torch.einsum("bs,bsd->bd", a, h)
        return (torch.cat([c, s], -1) @ out.T).softmax(-1)[b, word]

    swapped, wiped = states.clone(), states.clone()
    swapped[b, place] = other_states[b, place]
    wiped[b, place] = 0
    p = chance(start, states)
    return p - chance(other_start, states), p - chance(start, swapped), p - chance(start, wiped)


# %% decode_loop · right · nll-by-hand
# source: a learner who writes -log p himself
def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights, total, count = [], [], 0.0, 0
    for t in range(target.shape[1] - 1):
        l, w, state = luong_step(target[:, t], state, memory, embedding, w_state, w_output)
        logits.append(l)
        weights.append(w)
        gold = target[:, t + 1]
        real = gold != PAD
        total = total - l.log_softmax(-1).gather(1, gold[:, None])[real].sum()
        count += int(real.sum())
    return torch.stack(logits, 1), torch.stack(weights, 1), total / count


# %% decode_loop · right · reduce-none
# source: a JAX person: scan-like, then a masked mean
def decode_loop(target, state, memory, embedding, w_state, w_output):
    """Logits, weights and loss; the matrices are handed on to `luong_step`."""
    read, labels = target[:, :-1], target[:, 1:]
    outputs = []
    for words in read.T:
        *output, state = luong_step(words, state, memory, embedding, w_state, w_output)
        outputs.append(output)
    logits, weights = (torch.stack(x).movedim(0, 1) for x in zip(*outputs))
    each = F.cross_entropy(logits.movedim(-1, 1), labels, reduction="none")
    real = (labels != PAD).float()
    loss = (each * real).sum() / real.sum()
    return logits, weights, loss


# %% decode_loop · wrong · eos-left-out
# source: a learner who counts words only
# mistake: <eos> is left out of the loss together with the padding
def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights = [], []
    for word in target[:, :-1].unbind(1):
        l, w, state = luong_step(word, state, memory, embedding, w_state, w_output)
        logits.append(l)
        weights.append(w)
    logits, weights = torch.stack(logits, 1), torch.stack(weights, 1)
    labels = target[:, 1:]
    words = (labels != PAD) & (labels != EOS)
    loss = F.cross_entropy(logits[words], labels[words])
    return logits, weights, loss


# %% decode_loop · wrong · mean-of-sentences
# source: a learner who averages twice
# mistake: the loss is the mean over sentences of each sentence's mean, so words of short sentences count more
def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights = [], []
    for t in range(target.shape[1] - 1):
        l, w, state = luong_step(target[:, t], state, memory, embedding, w_state, w_output)
        logits.append(l)
        weights.append(w)
    logits, weights = torch.stack(logits, 1), torch.stack(weights, 1)
    labels = target[:, 1:]
    each = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none", ignore_index=PAD)
    loss = (each.sum(1) / (labels != PAD).sum(1)).mean()
    return logits, weights, loss


# %% decode_loop · wrong · mean-of-steps
# source: a learner who adds up the loss of each step and divides by the steps
# mistake: each step's mean counts alike, however few sentences are still going on; and a step of padding only gives NaN
def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights, loss = [], [], 0
    for t in range(target.shape[1] - 1):
        l, w, state = luong_step(target[:, t], state, memory, embedding, w_state, w_output)
        logits.append(l)
        weights.append(w)
        loss = loss + F.cross_entropy(l, target[:, t + 1], ignore_index=PAD)
    return torch.stack(logits, 1), torch.stack(weights, 1), loss / len(logits)


# %% decoder_step · right · bmm
# source: the PyTorch seq2seq tutorial's habits: unsqueeze, bmm, squeeze
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    """Context, weights, the new state and the readout, in this order."""
    query = torch.mm(state, w_score).unsqueeze(2)
    weights = masked_softmax(torch.bmm(memory, query).squeeze(2), mask)
    context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
    new_state = torch.mm(torch.cat((embedded, context, state), dim=1), w_state).tanh()
    readout = torch.mm(torch.cat((context, new_state), dim=1), w_readout).tanh()
    return context, weights, new_state, readout


# %% decoder_step · right · cut-matrices
# source: a C programmer's economy: the matrices are cut, nothing is joined
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    e, m = embedded.shape[1], memory.shape[2]
    scores = torch.einsum("bs,sm,blm->bl", state, w_score, memory)
    weights = masked_softmax(scores, mask)
    context = torch.einsum("bl,blm->bm", weights, memory)
    new_state = torch.tanh(
        embedded @ w_state[:e] + context @ w_state[e : e + m] + state @ w_state[e + m :]
    )
    readout = torch.tanh(context @ w_readout[:m] + new_state @ w_readout[m:])
    return context, weights, new_state, readout


# %% decoder_step · wrong · linear-readout
# source: a learner who takes the readout for logits
# mistake: the tanh of the readout is missing
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    scores = ((state @ w_score)[:, None] * memory).sum(-1)
    weights = masked_softmax(scores, mask)
    context = (weights[..., None] * memory).sum(1)
    new_state = torch.tanh(torch.cat([embedded, context, state], -1) @ w_state)
    readout = torch.cat([context, new_state], -1) @ w_readout
    return context, weights, new_state, readout


# %% decoder_step · wrong · readout-of-old-state
# source: a learner with two states and one name
# mistake: the readout reads the state that came in
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    scores = ((state @ w_score)[:, None] * memory).sum(-1)
    weights = masked_softmax(scores, mask)
    context = (weights[..., None] * memory).sum(1)
    new_state = torch.tanh(torch.cat([embedded, context, state], -1) @ w_state)
    readout = torch.tanh(torch.cat([context, state], -1) @ w_readout)
    return context, weights, new_state, readout


# %% decoder_step · wrong · scored-by-new-state
# source: a Luong person, who updates first with what there is
# mistake: the state is updated with a context of zeros before it asks, and the scores are those of that state
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    nothing = memory.new_zeros(len(memory), memory.shape[2])
    early = torch.tanh(torch.cat([embedded, nothing, state], -1) @ w_state)
    scores = ((early @ w_score)[:, None] * memory).sum(-1)
    weights = masked_softmax(scores, mask)
    context = (weights[..., None] * memory).sum(1)
    new_state = torch.tanh(torch.cat([embedded, context, state], -1) @ w_state)
    readout = torch.tanh(torch.cat([context, new_state], -1) @ w_readout)
    return context, weights, new_state, readout


# %% encode_positions · right · complex
# source: a signal-processing person: a complex wave, seen as pairs of numbers
def encode_positions(positions, dim, base):
    i = torch.arange(0, dim, 2, dtype=torch.float64)
    angles = positions.double().unsqueeze(-1) / base ** (i / dim)
    wave = torch.polar(torch.ones_like(angles), angles)  # cos + i sin
    return torch.view_as_real(wave).flip(-1).flatten(-2).float()


# %% encode_positions · right · phase
# source: a physicist: a cosine is a sine a quarter of a turn ahead
def encode_positions(positions, dim, base):
    """Codes (..., dim) of positions (...)."""
    column = torch.arange(dim)
    rate = torch.exp(-math.log(base) * (column - column % 2) / dim)
    angles = positions[..., None] * rate
    return torch.where(column % 2 == 0, angles.sin(), angles.cos())


# %% encode_positions · wrong · exponent-halved
# source: a learner who reads arange(dim / 2) / dim
# mistake: the exponent is i/dim and not 2i/dim
def encode_positions(positions, dim, base):
    i = torch.arange(dim // 2)
    angles = positions.unsqueeze(-1) / base ** (i / dim)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(-2)


# %% encode_positions · wrong · exponent-of-each-column
# source: a learner who lets the exponent go on with the column
# mistake: the cosine's exponent is (2i + 1)/dim, so it does not share the sine's frequency
def encode_positions(positions, dim, base):
    column = torch.arange(dim)
    angles = positions.unsqueeze(-1) / base ** (column / dim)
    codes = torch.empty(*positions.shape, dim)
    codes[..., 0::2] = angles[..., 0::2].sin()
    codes[..., 1::2] = angles[..., 1::2].cos()
    return codes


# %% encode_positions · wrong · whole-places
# source: a C programmer: a table that is looked up
# mistake: the places are cut to whole numbers for the look-up, so place 2.5 gets the code of place 2
def encode_positions(positions, dim, base):
    longest = int(positions.max()) + 1
    angles = torch.arange(longest)[:, None] / base ** (torch.arange(0, dim, 2) / dim)
    table = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
    return table[positions.long()]


# %% entropy · right · only-positive
# source: a numpy person with np.where, who makes the logarithm safe first
def entropy(weights):
    """Entropies (...) of weights (..., src_len), in nats."""
    positive = weights > 0
    safe = torch.where(positive, weights, torch.ones_like(weights))
    return torch.sum(-weights * torch.log(safe), dim=-1)


# %% entropy · right · xlogy
# source: a statistician used to scipy.special.xlogy
def entropy(weights):
    return torch.xlogy(weights, weights).sum(dim=-1).neg()


# %% entropy · wrong · added-epsilon-inside
# source: Keras habits, K.epsilon() everywhere
# mistake: 0.001 is added to every weight, which moves every entropy visibly
def entropy(weights):
    eps = 1e-3
    return -((weights + eps) * torch.log(weights + eps)).sum(dim=-1)


# %% entropy · wrong · log2-then-e
# source: somebody from information theory, bits first, and the conversion the wrong way
# mistake: bits are divided by ln 2 again instead of multiplied by it
import math
def entropy(weights):
    bits = -torch.where(weights > 0, weights * torch.log2(weights), 0.0).sum(-1)
    return bits / math.log(2)


# %% entropy · wrong · nan-to-num-row
# source: a learner who patches NaN after the fact
# mistake: NaN is replaced after the sum, so a row with a single zero gets entropy 0
def entropy(weights):
    h = -(weights * weights.log()).sum(dim=-1)
    return torch.nan_to_num(h)


# %% four_patterns · right · index-put
# source: a numpy person with fancy indexing
def four_patterns(length):
    i = torch.arange(length)
    itself = torch.zeros(length, length)
    itself[i, i] = 1
    before = torch.zeros(length, length)
    before[i, (i - 1).clamp(min=0)] = 1
    ends = torch.zeros(length, length)
    ends[:, 0] += 0.5
    ends[:, -1] += 0.5
    so_far = (i[None, :] <= i[:, None]) / (i[:, None] + 1)
    return itself, before, ends, so_far


# %% four_patterns · right · softmax-of-masks
# source: a Transformer person: everything is a softmax under a mask
def four_patterns(length):
    row, column = torch.arange(length)[:, None], torch.arange(length)[None, :]

    def share(allowed):
        return torch.zeros(length, length).masked_fill(~allowed, float("-inf")).softmax(-1)

    return (
        share(row == column),
        share(column == torch.clamp(row - 1, min=0)),
        share(((column == 0) | (column == length - 1)).expand(length, length)),
        share(column <= row),
    )


# %% four_patterns · wrong · before-both
# source: a learner who sets the first row by hand and forgets the rest of it
# mistake: in `before`, the diagonal stays for all words beside the word before
def four_patterns(length):
    itself = torch.eye(length)
    before = torch.eye(length)
    for i in range(1, length):
        before[i, i - 1] = 1
    before = before / before.sum(dim=1, keepdim=True)
    ends = torch.zeros(length, length)
    for i in range(length):
        ends[i, 0] += 0.5
        ends[i, length - 1] += 0.5
    so_far = torch.tril(torch.ones(length, length)) / torch.arange(1, length + 1)[:, None]
    return itself, before, ends, so_far


# %% four_patterns · wrong · integers
# source: a C programmer, whose division is that of whole numbers
# mistake: the matrices hold whole numbers and // rounds the shares down to 0
def four_patterns(length):
    itself = torch.eye(length, dtype=torch.long)
    before = torch.zeros(length, length, dtype=torch.long)
    for i in range(length):
        before[i, max(i - 1, 0)] = 1
    ends = torch.zeros(length, length, dtype=torch.long)
    ends[:, 0] += 1
    ends[:, -1] += 1
    so_far = torch.tril(torch.ones(length, length, dtype=torch.long))
    return itself, before, ends // 2, so_far // so_far.sum(-1, keepdim=True)


# %% four_patterns · wrong · so-far-by-column
# source: a learner who divides by a vector and trusts broadcasting
# mistake: so_far is divided by the counts along the columns, so rows do not sum to 1
def four_patterns(length):
    itself = torch.eye(length)
    before = torch.zeros(length, length)
    before[0, 0] = 1.0
    before[1:, :-1] = torch.eye(length - 1)
    ends = torch.zeros(length, length)
    ends[:, 0] = 0.5
    ends[:, -1] = 0.5 if length > 1 else 1.0
    lower = torch.ones(length, length).tril()
    so_far = lower / lower.sum(1)
    return itself, before, ends, so_far


# %% four_sick_maps · right · assigned-late
# source: a learner who starts with the clearest map
four_sick_maps = dict(zip("abcd", ("one token", "future", "frozen", "padding")))
four_sick_maps.update(numbers="healthy")


# %% four_sick_maps · wrong · encoder-future
# source: a learner who looks for upper triangles everywhere
# mistake: map d is an encoder's, which may see words that come later; what is wrong there is the padding
four_sick_maps = {
    "a": "one token",
    "b": "uniform",
    "c": "frozen",
    "d": "future",
    "numbers": "healthy",
}


# %% four_sick_maps · wrong · frozen-numbers
# source: a learner who sees 1.1 and thinks of collapse
# mistake: rows that choose by chance would not reach nearly all of the 12 together; a clean alignment does, so it is healthy
four_sick_maps = {
    "a": "one token",
    "b": "future",
    "c": "frozen",
    "d": "padding",
    "numbers": "frozen",
}


# %% gaussian_window · right · gathered
# source: a performance-minded person: only the 2D + 1 scores of each window are looked at
def gaussian_window(scores, centres, half_width):
    """Weights (batch, tgt_len, src_len) of local-p."""
    b, t, s = scores.shape
    offsets = torch.arange(-half_width, half_width + 1)
    places = centres.round().long()[..., None] + offsets
    inside = (places >= 0) & (places < s)
    index = places.clamp(0, s - 1)
    window = masked_softmax(scores.gather(2, index), inside)
    sigma = half_width / 2
    gauss = torch.exp(-((places - centres[..., None]) ** 2) / (2 * sigma**2))
    return torch.zeros_like(scores).scatter_add(2, index, window * gauss)


# %% gaussian_window · right · log-space
# source: a numerical person: the Gaussian is added to the log-weights
def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1], dtype=scores.dtype)
    nearest = centres.detach().round().clamp(max=scores.shape[-1])
    mask = (j - nearest.unsqueeze(-1)).abs() <= half_width
    weights = masked_softmax(scores, mask)
    exponent = -2 * ((j - centres.unsqueeze(-1)) / half_width) ** 2
    return weights * exponent.exp()


# %% gaussian_window · wrong · floor
# source: a C programmer: (int) p
# mistake: the window stands around p rounded down, not around the nearest position
def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.size(-1))
    mask = (j - centres.long().unsqueeze(-1)).abs() <= half_width
    gauss = torch.exp(-((j - centres.unsqueeze(-1)) ** 2) / (half_width**2 / 2))
    return masked_softmax(scores, mask) * gauss


# %% gaussian_window · wrong · gaussian-before-softmax
# source: a learner who biases the scores, as in later models
# mistake: the Gaussian's exponent is added to the scores before the softmax, which shares it out anew
def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.size(-1))
    mask = (j - centres.round().unsqueeze(-1)).abs() <= half_width
    bias = -((j - centres.unsqueeze(-1)) ** 2) / (2 * (half_width / 2) ** 2)
    return masked_softmax(scores + bias, mask)


# %% gaussian_window · wrong · gaussian-renormalised
# source: a learner who wants rows that sum to 1
# mistake: the rows are divided by their sum after the Gaussian, which equation 10 does not do
def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1])
    mask = (j - centres.round().unsqueeze(-1)).abs() <= half_width
    w = masked_softmax(scores, mask)
    w = w * torch.exp(-((j - centres[..., None]) ** 2) / (2 * (half_width / 2) ** 2))
    return w / w.sum(-1, keepdim=True)


# %% greedy_decoding · right · next-word-map
# source: a functional programmer: the best next word is a map, followed `limit` times
def greedy_decoding(table, limit):
    following = table.argmax(-1)
    word = torch.full((len(table), 1), SOS)
    columns = []
    for _ in range(limit):
        word = following.gather(1, word)
        columns.append(word)
    ids = torch.cat(columns, dim=1)
    going = (ids == EOS).cumsum(1) == 0
    return torch.where(going, ids, PAD), going.sum(1)


# %% greedy_decoding · right · sentence-by-sentence
# source: a Python person: a while loop for each sentence
def greedy_decoding(table, limit):
    ids = torch.full((len(table), limit), PAD)
    lengths = torch.zeros(len(table), dtype=torch.long)
    for b, scores in enumerate(table):
        word, written = SOS, []
        while len(written) < limit:
            word = int(scores[word].argmax())
            if word == EOS:
                break
            written.append(word)
        ids[b, : len(written)] = torch.tensor(written, dtype=torch.long)
        lengths[b] = len(written)
    return ids, lengths


# %% greedy_decoding · wrong · eos-only-hidden
# source: a learner who replaces <eos> by padding and goes on
# mistake: only the <eos> itself becomes padding; the noise behind it is written on
def greedy_decoding(table, limit):
    b = torch.arange(len(table))
    word = torch.full((len(table),), SOS)
    steps = []
    for _ in range(limit):
        word = table[b, word].argmax(-1)
        steps.append(word)
    ids = torch.stack(steps, 1)
    ids = ids.masked_fill(ids == EOS, PAD)
    return ids, (ids != PAD).sum(1)


# %% greedy_decoding · wrong · limit-includes-eos
# source: a learner with one place kept for <eos>
# mistake: the loop takes one step too few, so a sentence that never ends has limit - 1 words
def greedy_decoding(table, limit):
    b = torch.arange(len(table))
    word = torch.full((len(table),), SOS)
    ids = torch.full((len(table), limit), PAD)
    done = torch.zeros(len(table), dtype=torch.bool)
    for t in range(limit - 1):
        word = table[b, word].argmax(-1)
        done = done | (word == EOS)
        ids[:, t] = torch.where(done, PAD, word)
    return ids, (ids != PAD).sum(1)


# %% greedy_decoding · wrong · stops-with-the-first
# source: a learner whose loop breaks at the first <eos> of the batch
# mistake: as soon as one sentence ends, all others are cut off
def greedy_decoding(table, limit):
    b = torch.arange(len(table))
    word = torch.full((len(table),), SOS)
    ids = torch.full((len(table), limit), PAD)
    for t in range(limit):
        word = table[b, word].argmax(-1)
        if (word == EOS).any():
            break
        ids[:, t] = word
    return ids, (ids != PAD).sum(1)


# %% hard_window · right · broadcast
# source: a JAX person: broadcasted iotas
def hard_window(lengths, tgt_len, src_len, half_width):
    """Mask (batch, tgt_len, src_len) for sources of lengths (batch,), padded to src_len."""
    source = torch.arange(src_len)[None, None, :]
    last = (lengths - 1).clamp(min=0)[:, None, None]
    centre = torch.minimum(torch.arange(tgt_len)[None, :, None], last)
    inside = (source >= centre - half_width) & (source <= centre + half_width)
    return inside & (source < lengths[:, None, None])


# %% hard_window · right · min-max-bounds
# source: a C programmer: a lower and an upper bound for each row
def hard_window(lengths, tgt_len, src_len, half_width):
    b = len(lengths)
    allowed = torch.zeros(b, tgt_len, src_len, dtype=torch.bool)
    for i, n in enumerate(lengths.tolist()):
        for t in range(tgt_len):
            centre = min(t, n - 1)
            allowed[i, t, max(centre - half_width, 0) : max(min(centre + half_width + 1, n), 0)] = True
    return allowed


# %% hard_window · wrong · centre-clamped-to-batch
# source: a learner who clamps with src_len
# mistake: the centre stops at the last column of the batch, not at the last word of the sentence
def hard_window(lengths, tgt_len, src_len, half_width):
    centre = torch.arange(tgt_len).clamp(max=src_len - 1)
    source = torch.arange(src_len)
    near = (source[None] - centre[:, None]).abs() <= half_width
    real = source[None] < lengths[:, None]
    return near[None] & real[:, None]


# %% hard_window · wrong · stops-one-behind
# source: an off-by-one learner: length instead of length minus one
# mistake: the centre of late target words stops behind the last word, so their windows are one word too narrow
def hard_window(lengths, tgt_len, src_len, half_width):
    source = torch.arange(src_len)
    centre = torch.arange(tgt_len)[None, :].minimum(lengths[:, None])
    mask = (source - centre[:, :, None]).abs() <= half_width
    return mask & (source < lengths[:, None, None])


# %% hard_window · wrong · window-clamped
# source: a learner who moves the window back into the sentence
# mistake: near the end the window is shifted to the left to keep its width instead of being cut off
def hard_window(lengths, tgt_len, src_len, half_width):
    source = torch.arange(src_len)
    last = lengths[:, None] - 1 - half_width
    centre = torch.minimum(torch.arange(tgt_len)[None], last.clamp(min=0))
    near = (source - centre[..., None]).abs() <= half_width
    return near & (source < lengths[:, None, None])


# %% head_ablation · right · clone-loop
# source: an experimenter: clone, zero, run again
import torch.nn.functional as F
def head_ablation(contexts, w_o, b_o):
    """Outputs without each head, and how far each absence moves the output."""

    def layer(c):
        return F.linear(torch.cat(c.unbind(1), -1), w_o, b_o)

    whole, outputs = layer(contexts), []
    for h in range(contexts.size(1)):
        without = contexts.clone()
        without[:, h] = 0
        outputs.append(layer(without))
    outputs = torch.stack(outputs)
    moved = torch.stack([torch.linalg.vector_norm(o - whole, dim=-1).mean() for o in outputs])
    return outputs, moved


# %% head_ablation · right · subtract-the-term
# source: an algebra person: the output is a sum of terms, so one is taken away
def head_ablation(contexts, w_o, b_o):
    terms = torch.einsum("bhtd,ohd->hbto", contexts, w_o.unflatten(1, contexts.shape[1::2]))
    whole = terms.sum(0) + b_o
    outputs = whole - terms
    moved = terms.norm(dim=-1).flatten(1).mean(1)
    return outputs, moved


# %% head_ablation · wrong · mean-head
# source: an interpretability person: mean ablation
# mistake: the head is replaced by the mean of the other heads, not by zero
def head_ablation(contexts, w_o, b_o):
    heads = contexts.shape[1]
    whole = contexts.transpose(1, 2).flatten(2) @ w_o.T + b_o
    outputs = []
    for h in range(heads):
        c = contexts.clone()
        c[:, h] = (contexts.sum(1) - contexts[:, h]) / max(heads - 1, 1)
        outputs.append(c.transpose(1, 2).flatten(2) @ w_o.T + b_o)
    outputs = torch.stack(outputs)
    return outputs, (outputs - whole).norm(dim=-1).mean((1, 2))


# %% head_ablation · wrong · removed-after-projection
# source: a learner who zeroes a slice of the output
# mistake: a slice of the output's columns is set to zero, not the head's context before the projection
def head_ablation(contexts, w_o, b_o):
    heads, width = contexts.shape[1], contexts.shape[3]
    whole = contexts.transpose(1, 2).flatten(2) @ w_o.T + b_o
    outputs = whole.repeat(heads, 1, 1, 1)
    for h in range(heads):
        outputs[h, ..., h * width : (h + 1) * width] = 0
    return outputs, (outputs - whole).norm(dim=-1).mean((1, 2))


# %% head_ablation · wrong · zeroed-in-place
# source: a learner who forgets clone
# mistake: the heads are zeroed in place one after the other, so each output lacks all heads before, too
def head_ablation(contexts, w_o, b_o):
    whole = contexts.transpose(1, 2).flatten(2) @ w_o.T + b_o
    outputs = []
    for h in range(contexts.shape[1]):
        contexts[:, h] = 0
        outputs.append(contexts.transpose(1, 2).flatten(2) @ w_o.T + b_o)
    outputs = torch.stack(outputs)
    return outputs, (outputs - whole).norm(dim=-1).mean((1, 2))


# %% invoice_check · right · nan-for-no-number
# source: a pandas person: NaN stands for 'no number' and equals nothing
def invoice_check(weights, source, target, least):
    """Marks `wrong` and `unsure`, each (tgt_len,), from weights (tgt_len, src_len)."""

    def column(words, decimal):
        values = [number(word, decimal) for word in words]
        return torch.tensor([float("nan") if v is None else v for v in values], dtype=torch.float64)

    theirs, ours = column(source, "."), column(target, ",")
    numeric = ~ours.isnan()
    wrong = numeric & (theirs[weights.argmax(-1)] != ours)
    unsure = numeric & (weights.amax(-1) < least)
    return wrong, unsure


# %% invoice_check · right · torch-lists
# source: a data person: two lists of numbers, then comparisons
def invoice_check(weights, source, target, least):
    largest, place = weights.max(dim=-1)
    wrong, unsure = [], []
    for t, word in enumerate(target):
        value = number(word, ",")
        is_number = value is not None
        wrong.append(is_number and number(source[place[t]], ".") != value)
        unsure.append(is_number and bool(largest[t] < least))
    return torch.tensor(wrong), torch.tensor(unsure)


# %% invoice_check · wrong · best-number-only
# source: a learner who looks among the numbers of the source only
# mistake: the largest weight is looked for among the source's numbers, not in the whole row
def invoice_check(weights, source, target, least):
    theirs = [number(word, ".") for word in source]
    columns = [j for j, n in enumerate(theirs) if n is not None]
    wrong, unsure = [], []
    for row, word in zip(weights, target):
        ours = number(word, ",")
        if ours is None or not columns:
            wrong.append(ours is not None)
            unsure.append(False)
            continue
        best = columns[int(row[columns].argmax())]
        wrong.append(theirs[best] != ours)
        unsure.append(bool(row[best] < least))
    return torch.tensor(wrong), torch.tensor(unsure)


# %% invoice_check · wrong · only-number-against-number
# source: a learner who compares numbers with numbers only
# mistake: a number whose source word is no number is not marked as wrong
def invoice_check(weights, source, target, least):
    wrong = torch.zeros(len(target), dtype=torch.bool)
    unsure = torch.zeros(len(target), dtype=torch.bool)
    for t, word in enumerate(target):
        ours = number(word, ",")
        theirs = number(source[int(weights[t].argmax())], ".")
        if ours is not None and theirs is not None:
            wrong[t] = ours != theirs
        if ours is not None:
            unsure[t] = weights[t].max() < least
    return wrong, unsure


# %% invoice_check · wrong · zero-is-nothing
# source: a Python person: `if value:`
# mistake: 0 is taken for no number, and unsure holds only for numbers that are right
def invoice_check(weights, source, target, least):
    wrong, unsure = [], []
    for row, word in zip(weights, target):
        value = number(word, ",")
        other = number(source[row.argmax().item()], ".")
        wrong.append(bool(value) and other != value)
        unsure.append(bool(value) and other == value and row.max().item() < least)
    return torch.tensor(wrong), torch.tensor(unsure)


# %% join_heads · right · cat
# source: a learner who thinks of 'end to end' as cat
def join_heads(tensor):
    return torch.cat(tensor.unbind(dim=1), dim=-1)


# %% join_heads · right · einops-like
# source: an einops person without einops
def join_heads(tensor):
    b, h, n, d = tensor.shape
    return torch.einsum("bhnd->bnhd", tensor).contiguous().view(b, n, h * d)


# %% join_heads · wrong · head-dim-outside
# source: a learner who permutes until the shape fits
# mistake: the numbers of the heads are interleaved, head_dim outside and heads inside
def join_heads(tensor):
    return tensor.permute(0, 2, 3, 1).flatten(2)


# %% join_heads · wrong · summed
# source: somebody who read that heads are 'combined'
# mistake: the heads are added up, so the result is only head_dim wide
def join_heads(tensor):
    return tensor.sum(dim=1)


# %% join_heads · wrong · view-of-transposed
# source: the tutorial bug: transpose, then view
# mistake: view raises for a transposed tensor that does not lie in one piece (where there is more than one head and word)
def join_heads(tensor):
    b, h, n, d = tensor.shape
    return tensor.transpose(1, 2).view(b, n, h * d)


# %% layer_norm · right · double-inside
# source: a numerical person: double precision within, the caller's type outside
def layer_norm(x, gamma, beta):
    """Normalised words (batch, len, dim), from x (batch, len, dim)."""
    d = x.double()
    d = d - d.mean(-1, keepdim=True)
    sigma = (torch.einsum("...i,...i->...", d, d) / d.shape[-1] + 1e-5).sqrt()
    return gamma * (d / sigma[..., None]).to(x.dtype) + beta


# %% layer_norm · right · var-mean
# source: a PyTorch person who found torch.var_mean
def layer_norm(x, gamma, beta):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(beta, gamma, (x - mean) * torch.rsqrt(variance + 1e-5))


# %% layer_norm · wrong · epsilon-outside
# source: The Annotated Transformer, which adds eps to the deviation
# mistake: ε is added to the deviation and not to the variance below the root
def layer_norm(x, gamma, beta):
    mean = x.mean(-1, keepdim=True)
    std = (x - mean).pow(2).mean(-1, keepdim=True).sqrt()
    return gamma * (x - mean) / (std + 1e-5) + beta


# %% layer_norm · wrong · rms
# source: a Llama reader
# mistake: the mean is not taken away (RMS norm)
def layer_norm(x, gamma, beta):
    mean_square = x.pow(2).mean(-1, keepdim=True)
    return gamma * x * torch.rsqrt(mean_square + 1e-5) + beta


# %% layer_norm · wrong · statistics-detached
# source: a learner who takes mean and variance for constants, as in batch norm's evaluation
# mistake: mean and variance are computed under no_grad, so the gradient that reaches x is wrong
def layer_norm(x, gamma, beta):
    with torch.no_grad():
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, unbiased=False)
    return gamma * (x - mean) / torch.sqrt(variance + 1e-5) + beta


# %% luong_step · right · baddbmm
# source: a BLAS person: bmm everywhere, the matrices cut instead of the vectors joined
def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    e, n = word.shape[1], state.shape[1]
    new = torch.tanh(
        word @ W_update[:, :e].T + fed @ W_update[:, e : e + n].T + state @ W_update[:, e + n :].T
    )
    scores = torch.bmm(encoder_states, (new @ W).unsqueeze(2)).squeeze(2)
    weights = masked_softmax(scores, mask)
    context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1)
    k = encoder_states.shape[2]
    attentional = torch.tanh(context @ W_c[:, :k].T + new @ W_c[:, k:].T)
    return attentional @ W_out.T, new, attentional, weights


# %% luong_step · right · functional-linear
# source: a PyTorch person: F.linear for every formula
import torch.nn.functional as F
def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    """Logits, the new state, the attentional vector and the weights, in this order."""
    s = F.linear(torch.cat([word, fed, state], dim=-1), W_update).tanh()
    e = (F.linear(encoder_states, W) * s.unsqueeze(1)).sum(dim=-1)
    alpha = masked_softmax(e, mask)
    c = (alpha.unsqueeze(-1) * encoder_states).sum(dim=1)
    h = F.linear(torch.cat([c, s], dim=-1), W_c).tanh()
    return F.linear(h, W_out), s, h, alpha


# %% luong_step · wrong · fed-detached
# source: a language model that detaches what comes from the step before
# mistake: input feeding is cut off from the gradient, so nothing is learned through the attentional vector fed in
def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    s = torch.tanh(torch.cat([word, fed.detach(), state], -1) @ W_update.T)
    weights = masked_softmax(torch.einsum("bn,nk,bsk->bs", s, W, encoder_states), mask)
    c = torch.einsum("bs,bsk->bk", weights, encoder_states)
    h = torch.tanh(torch.cat([c, s], -1) @ W_c.T)
    return h @ W_out.T, s, h, weights


# %% luong_step · wrong · softmax-over-vocabulary
# source: a language model that finishes the job
# mistake: chances come back where logits are asked for
def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    s = torch.tanh(torch.cat([word, fed, state], -1) @ W_update.T)
    weights = masked_softmax(torch.einsum("bn,nk,bsk->bs", s, W, encoder_states), mask)
    c = torch.einsum("bs,bsk->bk", weights, encoder_states)
    h = torch.tanh(torch.cat([c, s], -1) @ W_c.T)
    return (h @ W_out.T).softmax(-1), s, h, weights


# %% luong_step · wrong · state-and-fed-swapped
# source: a learner used to [y; s; h]
# mistake: the old state stands before the attentional vector in the update
def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    s = torch.tanh(torch.cat([word, state, fed], -1) @ W_update.T)
    weights = masked_softmax(torch.einsum("bn,nk,bsk->bs", s, W, encoder_states), mask)
    c = torch.einsum("bs,bsk->bk", weights, encoder_states)
    h = torch.tanh(torch.cat([c, s], -1) @ W_c.T)
    return h @ W_out.T, s, h, weights


# %% masked_encoder · right · reversed-by-index
# source: a numpy person: each sentence is turned round by fancy indexing
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    place = torch.arange(embedded.shape[1])
    mask = place < lengths.unsqueeze(1)
    turned = torch.where(mask, lengths.unsqueeze(1) - 1 - place, place)
    row = torch.arange(len(embedded)).unsqueeze(1)
    forwards = read(embedded, w_forward, bias)
    backwards = read(embedded[row, turned], w_backward, bias)[row, turned]
    states = torch.cat([forwards, backwards], dim=-1).masked_fill(~mask.unsqueeze(-1), 0.0)
    return states, mask.unsqueeze(1)


# %% masked_encoder · right · rolled-into-place
# source: a thinker: flip everything, then roll the padding to the end, and back
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    n = embedded.shape[1]
    mask = torch.arange(n) < lengths.unsqueeze(1)

    def turn(x):
        return torch.stack([row.flip(0).roll(-(n - int(k)), 0) for row, k in zip(x, lengths)])

    forwards = read(embedded, w_forward, bias)
    backwards = turn(read(turn(embedded), w_backward, bias))
    return torch.cat([forwards, backwards], -1) * mask.unsqueeze(-1), mask.unsqueeze(1)


# %% masked_encoder · right · sentence-by-sentence
# source: a C programmer: each sentence alone, copied into its place
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    """States and mask of a padded batch (batch, src_len, embedding_dim)."""
    rows = []
    for vectors, n in zip(embedded, lengths.tolist()):
        row = vectors.new_zeros(len(vectors), 2 * len(bias))
        if n:
            own = vectors[:n].unsqueeze(0)
            both = torch.cat([read(own, w_forward, bias), read(own.flip(1), w_backward, bias).flip(1)], -1)
            row = torch.cat([both[0], row[n:]])
        rows.append(row)
    mask = torch.arange(embedded.shape[1])[None, None] < lengths[:, None, None]
    return torch.stack(rows), mask


# %% masked_encoder · wrong · mask-of-padding
# source: a Keras person in doubt about what True means
# mistake: the states are right, and the mask that is returned is True for padding
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    place = torch.arange(embedded.shape[1])
    mask = place < lengths.unsqueeze(1)
    turned = torch.where(mask, lengths.unsqueeze(1) - 1 - place, place)
    row = torch.arange(len(embedded)).unsqueeze(1)
    forwards = read(embedded, w_forward, bias)
    backwards = read(embedded[row, turned], w_backward, bias)[row, turned]
    states = torch.cat([forwards, backwards], dim=-1) * mask.unsqueeze(-1)
    return states, (place >= lengths.unsqueeze(1)).unsqueeze(1)


# %% masked_encoder · wrong · not-turned-back
# source: a learner who reverses each sentence and forgets the way back
# mistake: the backward states stay in the reversed order
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    place = torch.arange(embedded.shape[1])
    mask = place < lengths.unsqueeze(1)
    turned = (lengths.unsqueeze(1) - 1 - place) % embedded.shape[1]
    index = turned.unsqueeze(-1).expand_as(embedded)
    forwards = read(embedded, w_forward, bias)
    backwards = read(embedded.gather(1, index), w_backward, bias)
    states = torch.cat([forwards, backwards], dim=-1) * mask.unsqueeze(-1)
    return states, mask.unsqueeze(1)


# %% masked_encoder · wrong · rolled-the-other-way
# source: a learner who gets the sign of roll wrong
# mistake: after the flip the padding is rolled by +pad instead of -pad, so it still stands before the words
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    n = embedded.shape[1]
    mask = torch.arange(n) < lengths.unsqueeze(1)

    def turn(x, sign):
        return torch.stack([row.flip(0).roll(sign * (n - int(k)), 0) for row, k in zip(x, lengths)])

    forwards = read(embedded, w_forward, bias)
    backwards = turn(read(turn(embedded, 1), w_backward, bias), 1)
    return torch.cat([forwards, backwards], -1) * mask.unsqueeze(-1), mask.unsqueeze(1)


# %% masked_softmax · right · exp-by-hand
# source: a numpy person: exp, mask, divide, and mind the empty rows
def masked_softmax(scores, mask):
    mask = mask.expand(scores.shape)
    shifted = torch.where(mask, scores, torch.full_like(scores, torch.finfo(scores.dtype).min))
    top = shifted.amax(-1, keepdim=True).detach()
    e = torch.where(mask, torch.where(mask, scores - top, torch.zeros_like(scores)).exp(), 0.0)
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total > 0, total, torch.ones_like(total))


# %% masked_softmax · right · nan-to-num
# source: the answer that forums give: minus infinity, and torch.nan_to_num for the empty rows
def masked_softmax(scores, mask):
    scores = scores.masked_fill(~mask, float("-inf"))
    return torch.nan_to_num(scores.softmax(-1), nan=0.0)


# %% masked_softmax · right · open-empty-rows
# source: a careful practitioner: rows without a word are opened for the softmax and closed afterwards
def masked_softmax(scores, mask):
    """Weights (..., tgt_len, src_len) from scores of that shape and a boolean mask."""
    empty = ~mask.any(dim=-1, keepdim=True)
    weights = scores.masked_fill(~(mask | empty), float("-inf")).softmax(dim=-1)
    return weights.masked_fill(~mask, 0.0)


# %% masked_softmax · wrong · fill-with-float-min
# source: a learner who confuses the smallest float with the lowest
# mistake: hidden scores are set to the smallest positive number (about 0), not to the lowest, so they take part in the sum
def masked_softmax(scores, mask):
    tiny = torch.finfo(scores.dtype).tiny
    weights = torch.softmax(torch.where(mask, scores, tiny), dim=-1)
    return torch.where(mask, weights, 0.0)


# %% masked_softmax · wrong · in-place-fill
# source: a learner who saves memory
# mistake: the caller's scores are overwritten by the fill in place
def masked_softmax(scores, mask):
    with torch.no_grad():
        scores.masked_fill_(~mask, -1e30)
    return scores.softmax(-1) * mask


# %% masked_softmax · wrong · renormalised-after
# source: a learner: softmax, zero, divide by what is left plus a little
# mistake: where the open scores are far below the hidden ones, the open weights have underflowed and the row gives zeros
def masked_softmax(scores, mask):
    weights = scores.softmax(dim=-1) * mask
    return weights / (weights.sum(dim=-1, keepdim=True) + 1e-12)


# %% my_translations · right · one-by-one
# source: a learner who trains with the course's Trainer, and translates one sentence after the other
from utils.attention import DotProductAttention
from utils.seq2seq import Encoder, LuongDecoder, Seq2Seq

from utils.training import Trainer

vocabularies = [Vocabulary.build([getattr(p, side) for p in training]) for side in ("source", "target")]
set_seed(1)
encoder = Encoder(len(vocabularies[0]), 64, 48)
model = Seq2Seq(
    encoder,
    LuongDecoder(len(vocabularies[1]), 64, DotProductAttention(encoder.output_dim)),
    *vocabularies,
)
trainer = Trainer(
    model, Batches(training, *vocabularies, batch_size=64), steps=1000, learning_rate=1e-2,
    label_smoothing=0.0, progress=False,
)
trainer.fit()


def my_translations(sentences):
    texts = []
    for sentence in sentences:
        words = model.translate(sentence).words
        texts.append(detokenise(words))
    return texts


# %% my_translations · right · plain-loop
# source: a learner who reuses the loop of task 3, with Adam and one_cycle
from utils.attention import DotProductAttention
from utils.seq2seq import Encoder, LuongDecoder, Seq2Seq
from utils.training import one_cycle

set_seed(0)
source_words = Vocabulary.build(pair.source for pair in training)
target_words = Vocabulary.build(pair.target for pair in training)
batches = Batches(training, source_words, target_words, batch_size=64)
encoder = Encoder(len(source_words), embedding_dim=64, hidden_dim=48)
decoder = LuongDecoder(len(target_words), 64, DotProductAttention(encoder.output_dim))
model = Seq2Seq(encoder, decoder, source_words, target_words)
optimizer = torch.optim.Adam(model.parameters())
STEPS, step = 1000, 0
while step < STEPS:
    for batch in batches.shuffled(step):
        loss = model.losses(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = one_cycle(step, STEPS, 0.008, 0.2)
        optimizer.step()
        step += 1
        if step == STEPS:
            break
model.eval()
def my_translations(sentences):
    """One French text for each English text."""
    return [detokenise(one.words) for one in model.translate_all(sentences)]


# %% my_translations · wrong · free-running-from-scratch
# source: a learner who wants no exposure bias, and few steps
# mistake: sixty steps that read its own words are far too few: hardly a sentence is right
from utils.attention import DotProductAttention
from utils.seq2seq import Encoder, LuongDecoder, Seq2Seq

set_seed(0)
source_words = Vocabulary.build(pair.source for pair in training)
target_words = Vocabulary.build(pair.target for pair in training)
batches = Batches(training, source_words, target_words, batch_size=64)
encoder = Encoder(len(source_words), 48, 48)
model = Seq2Seq(encoder, LuongDecoder(len(target_words), 48, DotProductAttention(96)), source_words, target_words)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for _, batch in zip(range(60), batches.shuffled(0)):
    loss = model.losses(batch, teacher_forcing=0.0).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
def my_translations(sentences):
    return [detokenise(one.words) for one in model.translate_all(sentences)]


# %% my_translations · wrong · lists-of-words
# source: a learner who forgets that texts are asked for
# mistake: lists of words come back, not texts
from utils.attention import DotProductAttention
from utils.seq2seq import Encoder, LuongDecoder, Seq2Seq

set_seed(0)
source_words = Vocabulary.build(pair.source for pair in training)
target_words = Vocabulary.build(pair.target for pair in training)
batches = Batches(training, source_words, target_words, batch_size=64)
encoder = Encoder(len(source_words), 48, 48)
model = Seq2Seq(encoder, LuongDecoder(len(target_words), 48, DotProductAttention(96)), source_words, target_words)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for batch in batches.shuffled(0):
    loss = model.losses(batch).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
def my_translations(sentences):
    return [one.words for one in model.translate_all(sentences)]


# %% my_translations · wrong · sorted-by-length
# source: a learner who sorts for speed
# mistake: the translations come back in the order of the sentences' lengths, not in the order that was given
from utils.attention import DotProductAttention
from utils.seq2seq import Encoder, LuongDecoder, Seq2Seq

set_seed(0)
source_words = Vocabulary.build(pair.source for pair in training)
target_words = Vocabulary.build(pair.target for pair in training)
batches = Batches(training, source_words, target_words, batch_size=64)
encoder = Encoder(len(source_words), 48, 48)
model = Seq2Seq(encoder, LuongDecoder(len(target_words), 48, DotProductAttention(96)), source_words, target_words)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for batch in batches.shuffled(0):
    loss = model.losses(batch).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
def my_translations(sentences):
    by_length = sorted(sentences, key=lambda text: len(text.split()))
    return [detokenise(one.words) for one in model.translate_all(by_length)]


# %% next_letter · right · quiet-start
# source: a learner who suspects that the embeddings start too loud
set_seed(1)
sorter = Sorter(MultiplicativeAttention(query_dim=48, key_dim=64, method="general"))
for table in (sorter.previous, sorter.source):
    nn.init.normal_(table.weight, std=0.1)
train(sorter)
def next_letter(words, written):
    """The next letter (batch,) of each word (batch, length), after those written (batch,)."""
    with torch.no_grad():
        context, _ = sorter.attention(sorter.previous(written), sorter.source(words))
        return sorter.output(context).argmax(-1)


# %% next_letter · right · through-forward
# source: a learner who asks the whole network and reads the second step
class QuietSorter(Sorter):
    def __init__(self, attention):
        super().__init__(attention)
        self.previous.weight.data *= 0.1
        self.source.weight.data *= 0.1


set_seed(1)
sorter = QuietSorter(MultiplicativeAttention(query_dim=48, key_dim=64, method="general"))
train(sorter)


@torch.inference_mode()
def next_letter(words, written):
    target = torch.stack([written, torch.zeros_like(written)], dim=1)  # the second step reads it
    logits, _ = sorter(words, target)
    return logits[:, 1].argmax(dim=-1).clone()


# %% next_letter · wrong · louder-matrix
# source: a learner who suspects that general's scores are too small
# mistake: the attention's matrix starts four times as large, which makes it worse: far below 85 % of the letters are right
set_seed(1)
sorter = Sorter(MultiplicativeAttention(query_dim=48, key_dim=64, method="general"))
with torch.no_grad():
    sorter.attention.W.weight *= 4
train(sorter)
def next_letter(words, written):
    with torch.no_grad():
        context, _ = sorter.attention(sorter.previous(written), sorter.source(words))
        return sorter.output(context).argmax(-1)


# %% next_letter · wrong · place-not-letter
# source: a pointer-network person
# mistake: the place that the network looks at most comes back, and not the letter
set_seed(1)
sorter = Sorter(MultiplicativeAttention(query_dim=48, key_dim=64, method="general"))
with torch.no_grad():
    sorter.previous.weight *= 0.1
    sorter.source.weight *= 0.1
train(sorter)
@torch.no_grad()
def next_letter(words, written):
    _, weights = sorter.attention(sorter.previous(written), sorter.source(words))
    return weights.argmax(-1)


# %% next_letter · wrong · shifted-away
# source: a learner who hands the letter to forward and forgets that forward shifts
# mistake: forward puts a 0 in front and drops the letter, so the first letter of the word comes back each time
set_seed(1)
sorter = Sorter(MultiplicativeAttention(query_dim=48, key_dim=64, method="general"))
with torch.no_grad():
    sorter.previous.weight *= 0.1
    sorter.source.weight *= 0.1
train(sorter)
def next_letter(words, written):
    with torch.no_grad():
        logits, _ = sorter(words, written.unsqueeze(1))
    return logits[:, 0].argmax(-1)


# %% next_word · right · count-the-ends
# source: a numpy person: the word's id is the number of pieces that end at or before the number
def next_word(logits, temperature, k, uniform):
    """`chances` (batch, vocab) and `word` (batch,)."""
    vocab = logits.shape[1]
    rank = logits.argsort(dim=1, descending=True, stable=True).argsort(dim=1)
    chances = (logits / temperature).masked_fill(rank >= k, float("-inf")).softmax(dim=1)
    ends = chances.cumsum(dim=1)
    word = (ends <= uniform[:, None]).sum(dim=1)
    last = vocab - 1 - (chances > 0).flip(1).int().argmax(dim=1)  # where rounding ends below 1
    return chances, word.minimum(last)


# %% next_word · right · python-loop
# source: a C programmer: walk along the line until the number is passed
def next_word(logits, temperature, k, uniform):
    kept = torch.full_like(logits, -torch.inf)
    top = logits.topk(k, dim=-1)
    kept.scatter_(1, top.indices, top.values / temperature)
    chances = kept.softmax(-1)
    words = []
    for row, u in zip(chances.double().tolist(), uniform.tolist()):
        end, drawn = 0.0, 0
        for i, p in enumerate(row):
            if p == 0:
                continue
            drawn = i
            end += p
            if u < end:
                break
        words.append(drawn)
    return chances, torch.tensor(words)


# %% next_word · wrong · order-of-chance
# source: the usual top-p code, which sorts
# mistake: the pieces lie in the order of their size, not of the ids
def next_word(logits, temperature, k, uniform):
    values, ids = (logits / temperature).topk(k, dim=-1)
    p = values.softmax(-1)
    place = (p.cumsum(-1) <= uniform[:, None]).sum(-1).clamp(max=k - 1)
    chances = torch.zeros_like(logits).scatter(1, ids, p)
    return chances, ids.gather(1, place[:, None])[:, 0]


# %% next_word · wrong · right-end-included
# source: a learner with searchsorted's default
# mistake: a piece includes its right end instead of its left one, so 0 can draw a word without a chance
def next_word(logits, temperature, k, uniform):
    lowest = logits.topk(k).values[:, -1:]
    chances = (logits / temperature).masked_fill(logits < lowest, -torch.inf).softmax(-1)
    word = torch.searchsorted(chances.cumsum(-1), uniform[:, None])[:, 0]
    return chances, word.clamp(max=logits.shape[1] - 1)


# %% next_word · wrong · threshold-of-the-batch
# source: a learner with a bare topk over the flattened table
# mistake: the k likeliest of the whole batch are kept, so some rows keep none or too many
def next_word(logits, temperature, k, uniform):
    lowest = logits.flatten().topk(k * len(logits)).values[-1]
    chances = (logits / temperature).masked_fill(logits < lowest, -1e9).softmax(-1)
    word = (chances.cumsum(-1) <= uniform[:, None]).sum(-1).clamp(max=logits.shape[1] - 1)
    return chances, word


# %% normalised_heatmap · right · by-hand
# source: a learner who no longer trusts softmax and writes it out
def normalised_heatmap(scores):
    """Weights (tgt_len, src_len) from scores (tgt_len, src_len)."""
    weights = (scores - scores.amax(dim=1, keepdim=True)).exp()
    weights = weights / weights.sum(dim=-1, keepdim=True)  # so that rows sum to 1
    return weights


# %% normalised_heatmap · right · kept-second-line
# source: somebody who mends the axis and leaves the harmless division in place
def normalised_heatmap(scores):
    weights = scores.T.softmax(dim=0).T
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights


# %% normalised_heatmap · wrong · both-axes
# source: a language model that normalises both ways to be safe
# mistake: the softmax over the rows is taken first, and a second one over the columns of its result
def normalised_heatmap(scores):
    weights = scores.softmax(dim=0)
    weights = weights.softmax(dim=-1)
    return weights


# %% normalised_heatmap · wrong · flat-softmax
# source: a learner who divides a joint softmax by its row sums
# mistake: one softmax over the whole table underflows where rows lie far apart, and 0/0 makes NaN
def normalised_heatmap(scores):
    weights = scores.flatten().softmax(0).view_as(scores)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights


# %% normalised_heatmap · wrong · scores-normalised
# source: a learner who concludes that the softmax was the culprit
# mistake: the scores are shifted and divided by their sum; there is no exponential
def normalised_heatmap(scores):
    weights = scores - scores.min(dim=-1, keepdim=True).values
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights


# %% packed_mask · right · count-the-mask
# source: an elegant learner: a word's place is how many it may look at, minus one
def packed_mask(documents):
    length = documents.shape[1]
    same = documents[:, :, None] == documents[:, None, :]
    before = torch.tril(torch.ones(length, length, dtype=torch.bool))
    word = (documents != 0)[:, :, None]
    mask = torch.where(word, same & before, torch.eye(length, dtype=torch.bool))
    return mask, mask.sum(-1) - 1


# %% packed_mask · right · loops
# source: a C programmer
def packed_mask(documents):
    batch, length = documents.shape
    mask = torch.zeros(batch, length, length, dtype=torch.bool)
    positions = torch.zeros(batch, length, dtype=torch.long)
    for b, row in enumerate(documents.tolist()):
        start = 0
        for i, name in enumerate(row):
            if i and name != row[i - 1]:
                start = i
            if name == 0:
                mask[b, i, i] = True
            else:
                mask[b, i, start : i + 1] = True
                positions[b, i] = i - start
    return mask, positions


# %% packed_mask · wrong · document-numbers-in-order
# source: a learner who believes that documents are numbered 1, 2, 3
# mistake: starts are looked up for the numbers 1, 2, 3 … in order, and the first row's starts serve the whole batch
def packed_mask(documents):
    n = documents.shape[1]
    mask = (documents[:, :, None] == documents[:, None]) & torch.ones(n, n).tril().bool()
    mask &= (documents != 0)[:, :, None]
    mask |= torch.eye(n, dtype=torch.bool)
    _, counts = torch.unique_consecutive(documents[0], return_counts=True)
    positions = torch.cat([torch.arange(int(c)) for c in counts])
    return mask, (positions * (documents != 0)).long()


# %% packed_mask · wrong · float-positions
# source: a learner whose places come from a division
# mistake: a row's padding row is empty (it does not look at itself), and the places are fractions of the document's length
def packed_mask(documents):
    n = documents.shape[1]
    word = documents != 0
    same = (documents[:, :, None] == documents[:, None]) & word[:, :, None]
    mask = same & torch.ones(n, n).tril().bool()
    positions = (mask.sum(-1) - 1).clamp(min=0) / same.sum(-1).clamp(min=1)
    return mask, positions


# %% packed_mask · wrong · padding-is-a-document
# source: a learner who treats 0 like any number
# mistake: padding looks at the padding before it, and its places are counted up
def packed_mask(documents):
    n = documents.shape[1]
    mask = (documents[:, :, None] == documents[:, None]) & torch.ones(n, n).tril().bool()
    return mask, mask.sum(-1) - 1


# %% read_alignment · right · bincount
# source: a numpy person with np.bincount
def read_alignment(weights):
    """Best source positions (tgt_len,) and marks (src_len,), from weights (tgt_len, src_len)."""
    best = torch.max(weights, dim=1).indices
    unread = torch.bincount(best, minlength=weights.size(1)) == 0
    return best, unread


# %% read_alignment · right · python-sets
# source: a Python person: enumerate, max with a key, sets
def read_alignment(weights):
    rows = weights.tolist()
    best = [max(range(len(row)), key=row.__getitem__) for row in rows]
    read = set(best)
    unread = [j not in read for j in range(weights.shape[1])]
    return torch.tensor(best), torch.tensor(unread)


# %% read_alignment · wrong · bincount-short
# source: a numpy person with np.bincount and without minlength
# mistake: the marks end at the last word that is somebody's best, so they are too short where the last words are unread
def read_alignment(weights):
    best = weights.argmax(dim=-1)
    unread = torch.bincount(best) == 0
    return best, unread


# %% read_alignment · wrong · column-below-average
# source: somebody who reads unread as 'gets little attention'
# mistake: a source word counts as unread if its column's mean is below the average, not if it is nobody's best
def read_alignment(weights):
    best = weights.argmax(-1)
    unread = weights.mean(0) < 1 / weights.shape[1]
    return best, unread


# %% read_alignment · wrong · threshold-half
# source: a learner for whom 'best' means above one half
# mistake: words are counted as read only where a weight is above 0.5; in flat rows the best word stays unread
def read_alignment(weights):
    best = weights.argmax(dim=1)
    unread = ~(weights > 0.5).any(dim=0)
    return best, unread


# %% scaled_attention · right · fused
# source: a practitioner: PyTorch's fused function, called with the identity to get the weights
import torch.nn.functional as F
def scaled_attention(query, keys, values, mask=None):
    eye = torch.eye(keys.shape[1], dtype=query.dtype).expand(len(keys), -1, -1)
    if mask is None:
        weights = F.scaled_dot_product_attention(query, keys, eye)
    else:
        shape = (len(query), query.shape[1], keys.shape[1])
        mask = mask.expand(shape)
        empty = ~mask.any(-1, keepdim=True)
        weights = F.scaled_dot_product_attention(query, keys, eye, attn_mask=mask | empty)
        weights = weights.masked_fill(empty, 0.0)
    return weights @ values, weights


# %% scaled_attention · right · keyword-loop
# source: a C programmer: sentence by sentence
def scaled_attention(query, keys, values, mask=None):
    contexts, tables = [], []
    shape = torch.Size([query.shape[0], query.shape[1], keys.shape[1]])
    allowed = torch.ones(shape, dtype=torch.bool) if mask is None else torch.broadcast_to(mask, shape)
    for q, k, v, a in zip(query, keys, values, allowed):
        s = q @ k.T / math.sqrt(q.shape[-1])
        w = torch.softmax(s.masked_fill(~a, -3e38), -1).masked_fill(~a, 0)
        contexts.append(w @ v)
        tables.append(w)
    return torch.stack(contexts), torch.stack(tables)


# %% scaled_attention · right · scaled-both-sides
# source: a numerical person: query and keys each get a fourth root of the width
def scaled_attention(query, keys, values, mask=None):
    root = query.size(-1) ** 0.25
    scores = torch.baddbmm(query.new_zeros(1, 1, 1), query / root, (keys / root).mT, beta=0)
    if mask is None:
        weights = scores.softmax(dim=-1)
        return weights.bmm(values), weights
    log_open = torch.where(mask, 0.0, -1e30)
    weights = (scores + log_open).softmax(dim=-1) * mask
    return weights.bmm(values), weights


# %% scaled_attention · wrong · empty-row-by-sum
# source: a learner who finds empty rows by the sum of the mask along the wrong axis
# mistake: rows are taken for empty where the mask has no open cell in the COLUMN of the same number
def scaled_attention(query, keys, values, mask=None):
    scores = query @ keys.transpose(1, 2) / math.sqrt(keys.shape[-1])
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    mask = mask.expand_as(scores)
    weights = scores.masked_fill(~mask, -1e30).softmax(-1)
    n = min(scores.shape[1:])
    empty = torch.zeros(scores.shape[:2], dtype=torch.bool)
    empty[:, :n] = ~mask.any(1)[:, :n]
    weights = weights.masked_fill(empty[..., None], 0)
    return weights @ values, weights


# %% scaled_attention · wrong · mask-of-one-shape
# source: a learner whose masks are (batch, src_len)
# mistake: the mask is given an axis in the middle, which is wrong for every mask that broadcasts already
def scaled_attention(query, keys, values, mask=None):
    scores = torch.bmm(query, keys.transpose(1, 2)) / query.shape[-1] ** 0.5
    if mask is None:
        mask = torch.ones(scores.shape[0], scores.shape[2], dtype=torch.bool)
    if mask.dim() == 2:
        mask = mask[:, None, :]
    weights = scores.masked_fill(~mask, -1e30).softmax(-1) * mask
    return torch.bmm(weights, values), weights


# %% scaled_attention · wrong · masked-before-scale
# source: a learner who masks with a modest number and scales afterwards
# mistake: hidden scores are set to -1000 and then divided by the root of the width, which scores in the thousands undercut
def scaled_attention(query, keys, values, mask=None):
    scores = query @ keys.mT
    if mask is not None:
        scores = torch.where(mask, scores, -1000.0)
    weights = torch.softmax(scores / math.sqrt(query.size(-1)), dim=-1)
    if mask is not None:
        weights = weights * mask.any(-1, keepdim=True)
    return weights @ values, weights


# %% score_variance · right · correction-argument
# source: a PyTorch person who knows torch.var's correction
def score_variance(queries, keys, widths):
    """Variances plain (widths,) and scaled (widths,), from queries and keys (pairs, dim)."""
    plain, scaled = [], []
    for d in widths:
        scores = torch.einsum("nd,nd->n", queries[:, :d], keys[:, :d])
        plain.append(torch.var(scores, correction=0))
        scaled.append(torch.var(scores / math.sqrt(d), correction=0))
    return torch.stack(plain), torch.stack(scaled)


# %% score_variance · right · moments
# source: a statistician: E[x²] - E[x]², in double precision
def score_variance(queries, keys, widths):
    products = (queries.double() * keys.double()).cumsum(-1)
    scores = products[:, torch.as_tensor(list(widths)) - 1]
    plain = (scores**2).mean(0) - scores.mean(0) ** 2
    scaled = plain / torch.as_tensor(list(widths))
    return plain.to(queries.dtype), scaled.to(queries.dtype)


# %% score_variance · wrong · all-pairs
# source: a learner who writes queries @ keys.T as always
# mistake: every query is scored with every key, not row n with row n
def score_variance(queries, keys, widths):
    plain = torch.stack([(queries[:, :d] @ keys[:, :d].T).var(unbiased=False) for d in widths])
    scaled = plain / torch.tensor(widths)
    return plain, scaled


# %% score_variance · wrong · mean-square
# source: a physicist whose fluctuations have mean 0
# mistake: the mean of the squares is taken, without taking the mean away first
def score_variance(queries, keys, widths):
    plain, scaled = [], []
    for d in widths:
        s = (queries[:, :d] * keys[:, :d]).sum(-1)
        plain.append((s**2).mean())
        scaled.append(((s / d**0.5) ** 2).mean())
    return torch.stack(plain), torch.stack(scaled)


# %% score_variance · wrong · sorted-widths
# source: a learner who builds the sums step by step
# mistake: the widths are sorted on the way, so the results come in another order than was asked
def score_variance(queries, keys, widths):
    plain, scaled, total, before = [], [], 0, 0
    for d in sorted(widths):
        total = total + (queries[:, before:d] * keys[:, before:d]).sum(1)
        before = d
        plain.append(((total - total.mean()) ** 2).mean())
        scaled.append(plain[-1] / d)
    return torch.stack(plain), torch.stack(scaled)


# %% scores_compared · right · assigned
# source: a learner who answers from the formulas, row by row
scores_compared = dict.fromkeys(["loud_concat", "silent_concat"], "one row for all")
scores_compared["loud_concat"] = "equal shares"
scores_compared |= {"loud_general": "one word takes all", "silent_general": "equal shares"}
scores_compared |= {"loud_keys": "one row for all", "memory": "concat"}


# %% scores_compared · wrong · loud-keys-takes-all
# source: a learner for whom loud always means sharp
# mistake: loud keys saturate the tanh for every query alike: one row for all, not one word takes all
scores_compared = {
    "loud_general": "one word takes all",
    "loud_concat": "equal shares",
    "loud_keys": "one word takes all",
    "silent_general": "equal shares",
    "silent_concat": "one row for all",
    "memory": "concat",
}


# %% scores_compared · wrong · memory-neither
# source: somebody who knows the split form and concludes that it needs no pairs
# mistake: even split, the tanh needs a vector for every pair; the answer is concat
scores_compared = {
    "loud_general": "one word takes all",
    "loud_concat": "equal shares",
    "loud_keys": "one row for all",
    "silent_general": "equal shares",
    "silent_concat": "one row for all",
    "memory": "neither",
}


# %% scores_compared · wrong · symmetric
# source: a learner who takes query and key for symmetric in concat
# mistake: loud keys are said to give equal shares, as loud queries do; and a silent query too, though the keys still speak
scores_compared = {
    "loud_general": "one word takes all",
    "loud_concat": "equal shares",
    "loud_keys": "equal shares",
    "silent_general": "equal shares",
    "silent_concat": "equal shares",
    "memory": "concat",
}


# %% sick_run · right · by-elimination
# source: a learner who ticks off a list
sick_run = {
    "e": "rate too high",
    "d": "sees the answer",
    "c": "not shuffled",
    "b": "no clipping",
    "a": "padding counted",
}


# %% sick_run · wrong · best-run-praised
# source: a learner who looks at the loss alone
# mistake: run d, the lowest loss and 0 of the words right by itself, sees the answer; it does not overfit
sick_run = {
    "a": "padding counted",
    "b": "no clipping",
    "c": "not shuffled",
    "d": "overfits",
    "e": "rate too high",
}


# %% sick_run · wrong · jumps-confused
# source: a learner who takes every jump for a high rate
# mistake: run c goes up and down with the epoch (not shuffled), and e, which never comes down, is the one whose rate is too high
sick_run = {
    "a": "padding counted",
    "b": "no clipping",
    "c": "rate too high",
    "d": "sees the answer",
    "e": "not shuffled",
}


# %% sick_run · wrong · overfits-for-a
# source: a learner for whom a validation loss above the training loss is overfitting
# mistake: in run a both losses fall to the end; the training loss is low from the first step, as padding is counted
sick_run = {
    "a": "overfits",
    "b": "no clipping",
    "c": "not shuffled",
    "d": "sees the answer",
    "e": "rate too high",
}


# %% sickness · right · loop-and-return
# source: a C programmer: map by map, row by row
def sickness(weights, mask):
    def code(w, m):
        if (w < 0).any():
            return 1
        expected = m.any(-1).float()
        if ((w.sum(-1) - expected).abs() > 0.01).any():
            return 1
        if (w[~m] != 0).any():
            return 2
        rows = [i for i in range(len(w)) if m[i].sum() >= 2]
        if rows and (w[rows] > 0.9).all(0).any():
            return 3
        if rows and all(float(w[i][m[i]].max() - w[i][m[i]].min()) < 0.01 for i in rows):
            return 4
        return 0

    return torch.tensor([code(w, m) for w, m in zip(weights, mask)])


# %% sickness · right · table-of-conditions
# source: a vectoriser: four conditions, the first true one by argmax
def sickness(weights, mask):
    """Codes (batch,), whole numbers, from weights and mask, both (batch, tgt_len, src_len)."""
    sums_off = (weights.sum(-1) - mask.any(-1).to(weights.dtype)).abs() > 0.01
    broken = sums_off.any(-1) | (weights < 0).flatten(1).any(-1)
    leaks = ((weights != 0) & ~mask).flatten(1).any(-1)
    choice = mask.sum(-1) > 1
    some = choice.any(-1)
    one = ((weights > 0.9) | ~choice.unsqueeze(-1)).all(1).any(-1) & some
    high = weights.masked_fill(~mask, -torch.inf).amax(-1)
    low = weights.masked_fill(~mask, torch.inf).amin(-1)
    flat = ((high - low < 0.01) | ~choice).all(-1) & some
    conditions = torch.stack([broken, leaks, one, flat, torch.ones_like(flat)], dim=1)
    return torch.tensor([1, 2, 3, 4, 0])[conditions.int().argmax(1)]


# %% sickness · wrong · last-line-wins
# source: a learner who fills the codes one after the other
# mistake: later lines of the table overwrite earlier ones, so the last that applies is the answer
def sickness(weights, mask):
    codes = torch.zeros(len(weights), dtype=torch.long)
    for i, (w, m) in enumerate(zip(weights, mask)):
        choice = m.sum(-1) > 1
        if (w < 0).any() or ((w.sum(-1) - m.any(-1).float()).abs() > 0.01).any():
            codes[i] = 1
        if (w[~m] != 0).any():
            codes[i] = 2
        if choice.any() and (w[choice] > 0.9).all(0).any():
            codes[i] = 3
        if choice.any() and all(r[o].max() - r[o].min() < 0.01 for r, o in zip(w[choice], m[choice])):
            codes[i] = 4
    return codes


# %% sickness · wrong · mean-of-column
# source: a learner who looks at the mean of each column
# mistake: 'one token' goes by a column's mean over the rows, so one row that disagrees is outvoted
def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        choice = m.sum(-1) > 1
        if (w < 0).any() or ((w.sum(-1) - m.any(-1).float()).abs() > 0.01).any():
            codes.append(1)
        elif (w * ~m != 0).any():
            codes.append(2)
        elif choice.any() and w[choice].mean(0).max() > 0.9:
            codes.append(3)
        elif choice.any() and all(r[o].max() - r[o].min() < 0.01 for r, o in zip(w[choice], m[choice])):
            codes.append(4)
        else:
            codes.append(0)
    return torch.tensor(codes)


# %% sickness · wrong · rounded-leaks
# source: a learner who never compares floats with ==
# mistake: a leak has to be larger than 1e-6 to count, and exactly 0 is asked for
def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        choice = m.sum(-1) > 1
        if (w < 0).any() or ((w.sum(-1) - m.any(-1).float()).abs() > 0.01).any():
            codes.append(1)
        elif (w[~m].abs() > 1e-6).any():
            codes.append(2)
        elif choice.any() and (w[choice] > 0.9).all(0).any():
            codes.append(3)
        elif choice.any() and all(r[o].max() - r[o].min() < 0.01 for r, o in zip(w[choice], m[choice])):
            codes.append(4)
        else:
            codes.append(0)
    return torch.tensor(codes)


# %% soft_lookup · right · row-by-row
# source: a C programmer: one query at a time
def soft_lookup(query, keys, values):
    rows = [torch.softmax(keys.mv(q), 0) for q in query]
    weights = torch.stack(rows)
    context = torch.stack([(w[:, None] * values).sum(0) for w in rows])
    return context, weights


# %% soft_lookup · right · sdpa
# source: a practitioner who knows PyTorch's fused function and its scale argument
import torch.nn.functional as F
def soft_lookup(query, keys, values):
    eye = torch.eye(keys.shape[0], dtype=query.dtype)
    weights = F.scaled_dot_product_attention(query[None], keys[None], eye[None], scale=1.0)[0]
    return weights @ values, weights


# %% soft_lookup · wrong · keys-as-a-dictionary
# source: a Python person who thinks of dict look-up
# mistake: keys that are alike are made one, so their values are lost and the weights have fewer columns
def soft_lookup(query, keys, values):
    store = {tuple(k.tolist()): v for k, v in zip(keys, values)}
    k = torch.tensor(list(store))
    v = torch.stack(list(store.values()))
    weights = (query @ k.T).softmax(-1)
    return weights @ v, weights


# %% soft_lookup · wrong · unnormalised-mix
# source: a learner with exp by hand, for large scores too
# mistake: the context is mixed with exp(score - max) before these are divided by their sum
def soft_lookup(query, keys, values):
    scores = query @ keys.T
    e = (scores - scores.max(-1, keepdim=True).values).exp()
    context = e @ values
    weights = e / e.sum(-1, keepdim=True)
    return context, weights


# %% soft_lookup · wrong · values-cut
# source: a learner who allocates the context like the query
# mistake: the context is as wide as the query, so wider values are cut (or it raises where they are narrower)
def soft_lookup(query, keys, values):
    weights = torch.softmax(torch.einsum("td,sd->ts", query, keys), dim=-1)
    context = torch.zeros_like(query)
    for i in range(len(query)):
        for j in range(len(keys)):
            context[i] += weights[i, j] * values[j, : query.shape[1]]
    return context, weights


# %% softmax_with_temperature · right · logsumexp
# source: a JAX person (jax.nn.log_softmax by hand)
def softmax_with_temperature(scores, temperature):
    logits = torch.true_divide(scores, temperature)
    return torch.exp(logits - torch.logsumexp(logits, dim=-1, keepdim=True))


# %% softmax_with_temperature · right · pairwise
# source: a physicist, who knows the Boltzmann factor of a difference of energies
def softmax_with_temperature(scores, temperature):
    """Weights (..., src_len) from scores (..., src_len) and a number above 0."""
    # 1 / sum_k exp((e_k - e_j) / tau): an infinite sum gives a weight of 0, as it should
    differences = (scores.unsqueeze(-2) - scores.unsqueeze(-1)) / temperature
    return 1 / differences.exp().sum(-1)


# %% softmax_with_temperature · wrong · flattened
# source: a C programmer who reshapes everything to rows and forgets the last line
# mistake: the weights come back as a matrix of rows, not in the shape of the scores
def softmax_with_temperature(scores, temperature):
    n = scores.shape[-1]
    rows = scores.reshape(-1, n)
    return torch.softmax(rows / temperature, dim=1)


# %% softmax_with_temperature · wrong · one-maximum-for-all
# source: a numpy person, np.max without axis
# mistake: the largest score of the whole tensor is taken away, so rows far below it underflow to 0/0
def softmax_with_temperature(scores, temperature):
    shifted = (scores - scores.max()) / temperature
    exps = shifted.exp()
    return exps / exps.sum(-1, keepdim=True)


# %% softmax_with_temperature · wrong · power-of-softmax
# source: a language model that remembers that temperature is a power of the chances
# mistake: the softmax at temperature 1 has underflowed before the power is taken, so hot rows of large scores come out one-hot or sharper than they are
def softmax_with_temperature(scores, temperature):
    p = torch.softmax(scores, dim=-1)
    p = p ** (1.0 / temperature)
    return p / p.sum(dim=-1, keepdim=True)


# %% split_heads · right · chunk-and-stack
# source: a learner who cuts with chunk and stacks
def split_heads(tensor, heads):
    return torch.stack(tensor.chunk(heads, dim=-1), dim=1)


# %% split_heads · right · unflatten
# source: a PyTorch person with the newer verbs
def split_heads(tensor, heads):
    """Heads beside the batch, (batch, heads, len, head_dim), from (batch, len, dim)."""
    return torch.movedim(torch.unflatten(tensor, 2, (heads, -1)), -2, 1)


# %% split_heads · wrong · axis-order
# source: a JAX person, whose heads stand behind the length
# mistake: the result is (batch, len, heads, head_dim)
def split_heads(tensor, heads):
    return tensor.reshape(*tensor.shape[:2], heads, tensor.shape[2] // heads)


# %% split_heads · wrong · heads-of-length
# source: a learner who cuts the wrong axis
# mistake: the words are shared out among the heads, and the result is then forced into the shape
def split_heads(tensor, heads):
    b, n, d = tensor.shape
    return tensor.reshape(b, heads, n, d // heads)


# %% split_heads · wrong · strided
# source: a C programmer with as_strided
# mistake: the strides are made up for a tensor that lies in memory row by row, so a transposed view is read wrongly
def split_heads(tensor, heads):
    b, n, d = tensor.shape
    h = d // heads
    return torch.as_strided(tensor, (b, heads, n, h), (n * d, h, d, 1))


# %% streaming_attention · right · flash-style
# source: the FlashAttention paper's loop, with a finite lowest number for rows not yet opened
def streaming_attention(query, keys, values, mask, block):
    b, t, d = query.shape
    lowest = torch.finfo(query.dtype).min
    m = query.new_full((b, t, 1), lowest)
    l = query.new_zeros(b, t, 1)
    acc = query.new_zeros(b, t, values.shape[-1])
    for start in range(0, keys.shape[1], block):
        part = slice(start, start + block)
        s = (query @ keys[:, part].mT) / math.sqrt(d)
        s = s.masked_fill(~mask[:, :, part], lowest)
        new = torch.maximum(m, s.amax(-1, keepdim=True).detach())
        p = (s - new).exp() * mask[:, :, part]
        alpha = (m - new).exp()
        l = l * alpha + p.sum(-1, keepdim=True)
        acc = acc * alpha + p @ values[:, part]
        m = new
    context = acc / torch.where(l > 0, l, 1.0)
    return context, l.squeeze(-1)


# %% streaming_attention · right · two-passes
# source: a careful learner: one pass for the largest score, another for the sums
def streaming_attention(query, keys, values, mask, block):
    pieces = list(
        zip(keys.split(block, dim=1), values.split(block, dim=1), mask.split(block, dim=2))
    )
    root = math.sqrt(query.shape[-1])

    largest = query.new_full(query.shape[:2], -math.inf)
    for k, _, a in pieces:
        s = (query @ k.mT / root).masked_fill(~a, -math.inf)
        largest = largest.maximum(s.amax(-1))
    largest = largest.masked_fill(largest == -math.inf, 0.0).detach().unsqueeze(-1)

    total = query.new_zeros(query.shape[:2])
    context = 0
    for k, v, a in pieces:
        s = (query @ k.mT / root).masked_fill(~a, -math.inf)
        e = (s - largest).exp()
        total = total + e.sum(-1)
        context = context + e @ v
    return context / total.clamp(min=1e-30).unsqueeze(-1), total


# %% streaming_attention · wrong · context-not-rescaled
# source: a learner who rescales the sum and forgets the context
# mistake: when a larger score turns up, only the total is scaled down, not the context gathered so far
def streaming_attention(query, keys, values, mask, block):
    m = torch.full(query.shape[:2], -1e30)
    total = torch.zeros(query.shape[:2])
    context = torch.zeros(*query.shape[:2], values.shape[-1])
    for i in range(0, keys.shape[1], block):
        k, v, a = keys[:, i : i + block], values[:, i : i + block], mask[:, :, i : i + block]
        s = torch.where(a, query @ k.mT / math.sqrt(query.shape[-1]), -1e30)
        new = torch.maximum(m, s.amax(-1))
        p = (s - new[..., None]).exp() * a
        total = total * (m - new).exp() + p.sum(-1)
        context = context + p @ v
        m = new
    return context / total.clamp(min=1e-30)[..., None], total


# %% streaming_attention · wrong · largest-from-hidden
# source: a learner who takes the maximum before the mask
# mistake: the largest score is that of all keys, hidden ones too, so the total is too small (or 0, and the context with it)
def streaming_attention(query, keys, values, mask, block):
    m = torch.full(query.shape[:2], -1e30)
    total = torch.zeros(query.shape[:2])
    context = torch.zeros(*query.shape[:2], values.shape[-1])
    for i in range(0, keys.shape[1], block):
        k, v, a = keys[:, i : i + block], values[:, i : i + block], mask[:, :, i : i + block]
        s = query @ k.mT / math.sqrt(query.shape[-1])
        new = torch.maximum(m, s.amax(-1))
        p = (s - new[..., None]).exp() * a
        alpha = (m - new).exp()
        total = total * alpha + p.sum(-1)
        context = context * alpha[..., None] + p @ v
        m = new
    return context / total.clamp(min=1e-30)[..., None], total


# %% streaming_attention · wrong · mean-of-blocks
# source: a learner who attends block by block and averages
# mistake: each block gets its own softmax, and the contexts are averaged without regard to the blocks' sums; the total is a sum of sums that belong to different largest scores
def streaming_attention(query, keys, values, mask, block):
    contexts, totals = [], []
    for k, v, a in zip(keys.split(block, 1), values.split(block, 1), mask.split(block, 2)):
        s = (query @ k.mT / math.sqrt(query.shape[-1])).masked_fill(~a, -1e30)
        e = (s - s.amax(-1, keepdim=True)).exp() * a
        totals.append(e.sum(-1))
        contexts.append(e @ v / totals[-1].clamp(min=1e-30)[..., None])
    return torch.stack(contexts).mean(0), torch.stack(totals).sum(0)


# %% temperature_for · right · bisection-double
# source: a numerical analyst: bisection of the logarithm, in double precision
import math
def temperature_for(scores, words):
    e = scores.double()
    e = e - e.amax(-1, keepdim=True)
    low = torch.full(e.shape[:-1], -30.0, dtype=torch.float64)
    high = torch.full(e.shape[:-1], 30.0, dtype=torch.float64)
    for _ in range(80):
        mid = (low + high) / 2
        log_p = (e / mid.exp().unsqueeze(-1)).log_softmax(-1)
        h = -(log_p.exp() * log_p.clamp(min=-1e300)).sum(-1)
        too_many = h > math.log(words)
        high = torch.where(too_many, mid, high)
        low = torch.where(too_many, low, mid)
    return ((low + high) / 2).exp().to(scores.dtype)


# %% temperature_for · right · row-loop
# source: a C programmer: one row at a time in plain Python floats
import math
def temperature_for(scores, words):
    def looked_at(row, t):
        top = max(row)
        e = [math.exp((s - top) / t) for s in row]
        z = sum(e)
        return math.exp(-sum(x / z * math.log(x / z) for x in e if x > 0))

    answers = []
    for row in scores.double().reshape(-1, scores.shape[-1]).tolist():
        low, high = 1.0, 1.0
        while looked_at(row, low) > words:
            low /= 2
        while looked_at(row, high) < words:
            high *= 2
        for _ in range(60):
            mid = 0.5 * (low + high)
            if looked_at(row, mid) < words:
                low = mid
            else:
                high = mid
        answers.append(0.5 * (low + high))
    return torch.tensor(answers, dtype=scores.dtype).reshape(scores.shape[:-1])


# %% temperature_for · wrong · few-newton-steps
# source: a mathematician: Newton's method from a temperature of 1
# mistake: twenty undamped steps with a clamp diverge or stop short where the start is far from the answer
import math
def temperature_for(scores, words):
    e = scores.double()
    t = torch.ones(e.shape[:-1], dtype=torch.float64)
    for _ in range(20):
        p = (e / t[..., None]).softmax(-1)
        h = torch.special.entr(p).sum(-1)
        mean = (p * e).sum(-1)
        var = (p * e * e).sum(-1) - mean**2
        slope = var / t**3
        t = (t - (h - math.log(words)) / slope.clamp(min=1e-9)).clamp(1e-3, 1e3)
    return t.float()


# %% temperature_for · wrong · grid
# source: a learner with a grid of temperatures
# mistake: the nearest of 2,000 temperatures between 0.01 and 20 is not right to a thousandth, and rows of scores in the hundreds need hotter ones
def temperature_for(scores, words):
    grid = torch.linspace(0.01, 20, 2000)
    w = (scores.unsqueeze(-1) / grid).softmax(-2)
    h = torch.special.entr(w).sum(-2)
    return grid[(h.exp() - words).abs().argmin(-1)]


# %% temperature_for · wrong · one-for-all
# source: a learner whose loop has a single temperature
# mistake: one temperature is searched at which the mean over all rows fits, instead of one for each row
def temperature_for(scores, words):
    low, high = 1e-6, 1e6
    for _ in range(100):
        mid = (low * high) ** 0.5
        w = (scores.double() / mid).softmax(-1)
        n = torch.special.entr(w).sum(-1).exp().mean()
        if n > words:
            high = mid
        else:
            low = mid
    return torch.full(scores.shape[:-1], mid)


# %% temperature_prediction · right · any-order
# source: a learner who answers the easy ones first
temperature_prediction = {"doubled": "the same"}
temperature_prediction["favourite"] = "never"
temperature_prediction["limit"] = "equal shares"
temperature_prediction["hotter"] = "rises"
temperature_prediction["colder"] = "rises"


# %% temperature_prediction · right · zipped
# source: a Python person
temperature_prediction = dict(
    zip(
        ["colder", "hotter", "limit", "doubled", "favourite"],
        ["rises", "rises", "equal shares", "the same", "never"],
    )
)


# %% temperature_prediction · wrong · doubled-sharper
# source: a learner who sees 'doubled' and stops reading
# mistake: scores and temperature are both doubled, which cancels out
temperature_prediction = {
    "colder": "rises",
    "hotter": "rises",
    "limit": "equal shares",
    "doubled": "sharper",
    "favourite": "never",
}


# %% temperature_prediction · wrong · hot-favourite
# source: a user of chatbots: high temperature writes surprising words
# mistake: a high temperature is said to make another word the favourite; sampling may draw it, but the order of the weights stays
temperature_prediction = {
    "colder": "rises",
    "hotter": "rises",
    "limit": "equal shares",
    "doubled": "the same",
    "favourite": "when hot",
}


# %% temperature_prediction · wrong · zeros
# source: a learner who thinks that dividing by infinity leaves nothing
# mistake: the limit is said to be all zeros; the scores go to 0, and the weights to equal shares
temperature_prediction = {
    "colder": "rises",
    "hotter": "rises",
    "limit": "all zeros",
    "doubled": "the same",
    "favourite": "never",
}


# %% test_additive · right · double-reference
# source: a tester: a reference in double precision, many shapes, masks and sizes of scores
def test_additive(additive):
    generator = torch.Generator().manual_seed(3)

    def draw(*shape):
        return torch.randn(*shape, generator=generator)

    def reference(query, keys, values, mask, W_query, W_key, v):
        query, keys, values, W_query, W_key, v = (
            x.double() for x in (query, keys, values, W_query, W_key, v)
        )
        scores = torch.tanh((query @ W_query.T)[:, :, None] + (keys @ W_key.T)[:, None]) @ v
        if mask is None:
            weights = scores.softmax(-1)
        else:
            mask = mask.expand_as(scores)
            weights = scores.masked_fill(~mask, -1e300).softmax(-1).masked_fill(~mask, 0)
        return weights @ values, weights

    def sized(b, t, s, q, k, x, a, loud, mask):
        query, keys, values = draw(b, t, q), draw(b, s, k), draw(b, s, x)
        inputs = [query, keys, values, mask, draw(a, q), draw(a, k), loud * draw(a)]
        kept = [None if one is None else one.clone() for one in inputs]
        context, weights = additive(*inputs)
        for one, before in zip(inputs, kept):
            assert one is None or torch.equal(one, before)
        right_context, right_weights = reference(*kept)
        assert context.shape == right_context.shape
        assert weights.shape == right_weights.shape
        assert not context.isnan().any() and not weights.isnan().any()
        assert torch.allclose(weights.double(), right_weights, atol=1e-4)
        assert torch.allclose(context.double(), right_context, atol=1e-3)
        if mask is not None:
            assert (weights[~mask.expand_as(weights)] == 0).all()

    for loud in (1.0, 30.0):
        sized(2, 3, 4, 5, 6, 7, 8, loud, None)
        mask = torch.rand(2, 3, 4, generator=generator) > 0.4
        mask[0, 0], mask[1, 1] = False, True
        mask[1, 2] = torch.tensor([True, False, False, False])
        sized(2, 3, 4, 5, 6, 7, 8, loud, mask)
        sized(2, 3, 4, 5, 6, 7, 8, loud, torch.tensor([4, 2])[:, None, None] > torch.arange(4))
        sized(2, 3, 4, 5, 6, 7, 8, loud, torch.tensor([0, 1])[:, None, None] > torch.arange(4))
        sized(2, 4, 4, 3, 3, 3, 3, loud, torch.ones(4, 4, dtype=torch.bool).tril())
        sized(1, 1, 5, 2, 3, 4, 6, loud, torch.tensor([False, True, True, False, True]))
        sized(3, 2, 1, 4, 2, 5, 3, loud, None)


# %% test_additive · wrong · empty-rows-sum-to-one
# source: a learner who asserts that every row sums to 1
# mistake: the mask has a row that is masked whole, whose right sum is 0, so the right version is blamed
def test_additive(additive):
    torch.manual_seed(2)
    query, keys = torch.randn(2, 3, 4), torch.randn(2, 5, 6)
    W_query, W_key, v = torch.randn(8, 4), torch.randn(8, 6), torch.randn(8)
    mask = torch.tensor([[[1, 1, 0, 0, 1]], [[0, 0, 0, 0, 0]]]).bool()
    context, weights = additive(query, keys, keys, mask, W_query, W_key, v)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3), atol=1e-5)
    assert torch.allclose(context, weights @ keys, atol=1e-5)


# %% test_additive · wrong · inverted-reference
# source: somebody used to nn.MultiheadAttention, where True hides
# mistake: its own reference reads the mask the other way round, so the right version is blamed
def test_additive(additive):
    torch.manual_seed(3)
    query, keys, values = torch.randn(2, 3, 4), torch.randn(2, 5, 6), torch.randn(2, 5, 7)
    W_query, W_key, v = torch.randn(8, 4), torch.randn(8, 6), torch.randn(8)
    mask = torch.rand(2, 3, 5) > 0.5
    mask[..., 0] = False
    scores = torch.tanh((query @ W_query.T)[:, :, None] + (keys @ W_key.T)[:, None]) @ v
    weights = scores.masked_fill(mask, -1e9).softmax(-1)
    context, found = additive(query, keys, values, mask, W_query, W_key, v)
    assert torch.allclose(found, weights, atol=1e-5)
    assert torch.allclose(context, weights @ values, atol=1e-5)


# %% test_additive · wrong · shapes-only
# source: a language model that tests what is easy to test
# mistake: only shapes and row sums are looked at; a wrong score or a mixture of the wrong values passes
def test_additive(additive):
    torch.manual_seed(1)
    query, keys, values = torch.randn(2, 3, 4), torch.randn(2, 5, 6), torch.randn(2, 5, 7)
    W_query, W_key, v = torch.randn(8, 4), torch.randn(8, 6), torch.randn(8)
    context, weights = additive(query, keys, values, None, W_query, W_key, v)
    assert context.shape == (2, 3, 7)
    assert weights.shape == (2, 3, 5)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3))
    assert (weights >= 0).all()


# %% test_attend · right · own-loops
# source: a tester with a slow reference in plain double precision
def test_attend(attend):
    generator = torch.Generator().manual_seed(5)

    def slow(query, keys, values, mask):
        query, keys, values = query.double(), keys.double(), values.double()
        b, t, s = len(query), query.shape[1], keys.shape[1]
        allowed = torch.ones(b, t, s, dtype=torch.bool) if mask is None else mask.expand(b, t, s)
        weights = torch.zeros(b, t, s, dtype=torch.float64)
        for n in range(b):
            for i in range(t):
                open_keys = allowed[n, i].nonzero()[:, 0]
                if len(open_keys):
                    scores = keys[n, open_keys] @ query[n, i] / math.sqrt(query.shape[-1])
                    weights[n, i, open_keys] = scores.softmax(0)
        return weights @ values, weights

    for b, t, s, d, v, loud in [
        (2, 3, 4, 5, 6, 1), (2, 4, 4, 9, 3, 1), (1, 1, 6, 2, 2, 1), (2, 5, 3, 4, 4, 60), (3, 2, 1, 4, 5, 1),
    ]:
        query, keys = loud * torch.randn(b, t, d, generator=generator), torch.randn(b, s, d, generator=generator)
        values = torch.randn(b, s, v, generator=generator)
        some = torch.rand(b, t, s, generator=generator) > 0.4
        some[0, 0] = False
        some[-1, -1] = True
        for mask in (None, some, some[:, -1:], some[-1]):
            before = [None if x is None else x.clone() for x in (query, keys, values, mask)]
            context, weights = attend(query, keys, values, mask)
            for x, y in zip((query, keys, values, mask), before):
                assert x is None or torch.equal(x, y)
            right_context, right_weights = slow(query, keys, values, mask)
            assert weights.shape == right_weights.shape and context.shape == right_context.shape
            assert torch.allclose(weights.double(), right_weights, atol=1e-4)
            assert torch.allclose(context.double(), right_context, atol=1e-4)
            assert (weights[right_weights == 0] == 0).all() or loud > 1


# %% test_attend · wrong · nan-expected
# source: somebody who knows that an empty row is NaN in older PyTorch
# mistake: an empty row is expected to be NaN, where the course's version gives zeros
def test_attend(attend):
    torch.manual_seed(0)
    q, k, v = torch.randn(1, 2, 4), torch.randn(1, 3, 4), torch.randn(1, 3, 5)
    mask = torch.tensor([[[True, False, True], [False, False, False]]])
    _, weights = attend(q, k, v, mask)
    scores = (q @ k.mT / 2).masked_fill(~mask, -math.inf)
    assert torch.allclose(weights, scores.softmax(-1), atol=1e-5, equal_nan=True)


# %% test_attend · wrong · no-mask-given
# source: a learner who compares with PyTorch's function, and forgets the optional argument
# mistake: no mask is ever passed, so none of the bugs in masking is caught
import torch.nn.functional as F
def test_attend(attend):
    for seed in range(5):
        torch.manual_seed(seed)
        q, k, v = torch.randn(2, 3, 8), torch.randn(2, 5, 8), torch.randn(2, 5, 4)
        context, weights = attend(q, k, v)
        assert torch.allclose(context, F.scaled_dot_product_attention(q, k, v), atol=1e-5)
        assert torch.allclose(weights @ v, context, atol=1e-5)


# %% test_attend · wrong · one-query
# source: a learner with the smallest example
# mistake: with a batch of one, a single query, equal widths and a mask that hides nothing, most bugs cannot show
def test_attend(attend):
    q, k, v = torch.ones(1, 1, 4), torch.eye(4)[None], torch.eye(4)[None]
    context, weights = attend(q, k, v, torch.ones(1, 1, 4, dtype=torch.bool))
    assert torch.allclose(weights, torch.full((1, 1, 4), 0.25))
    assert torch.allclose(context, torch.full((1, 1, 4), 0.25))


# %% test_language_model · right · word-by-word
# source: a tester: each prefix by itself in double precision
def test_language_model(language_model):
    generator = torch.Generator().manual_seed(17)

    def norm(x):
        x = x - x.mean(-1, keepdim=True)
        return x / (x.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt()

    def slow(words, embedding, places, w_q, w_k, w_v, w_1, w_2):
        embedding, places, w_q, w_k, w_v, w_1, w_2 = (
            m.double() for m in (embedding, places, w_q, w_k, w_v, w_1, w_2)
        )
        table = torch.zeros(*words.shape, len(embedding), dtype=torch.float64)
        for b in range(len(words)):
            for t in range(words.shape[1]):
                x = embedding[words[b, : t + 1]] + places[: t + 1]
                y = norm(x)
                a = ((y @ w_k) @ (y[-1] @ w_q) / w_q.shape[1] ** 0.5).softmax(0)
                z = x[-1] + a @ (y @ w_v)
                z = z + (norm(z) @ w_1).clamp(min=0) @ w_2
                table[b, t] = (embedding @ norm(z)).softmax(0)
        return table

    for b, n, vocab, dim, key, hidden, more, loud in [
        (2, 5, 7, 6, 4, 9, 0, 1), (3, 4, 6, 8, 3, 5, 3, 1), (1, 1, 5, 4, 6, 3, 2, 1),
        (2, 6, 9, 5, 5, 5, 1, 0.5), (2, 6, 6, 6, 6, 6, 0, 3), (2, 5, 8, 4, 2, 7, 2, 10),
    ]:
        def draw(*shape):
            return torch.randn(*shape, generator=generator)

        words = torch.randint(vocab, (b, n), generator=generator)
        words[:, -1] = words[:, 0]
        inputs = (
            words, loud * draw(vocab, dim), loud * draw(n + more, dim), draw(dim, key), draw(dim, key),
            loud * draw(dim, dim), draw(dim, hidden), loud * draw(hidden, dim),
        )
        if loud == 0.5:  # place and word nearly cancel, so that epsilon counts
            words[:] = 2
            inputs[2][:] = 0.003 * draw(n + more, dim) - inputs[1][2]
        before = [x.clone() for x in inputs]
        found = language_model(*inputs)
        for x, y in zip(inputs, before):
            assert torch.equal(x, y)
        right = slow(*before)
        assert found.shape == right.shape
        assert (found.double() - right).abs().max() < 1e-3


# %% test_language_model · wrong · last-place-only
# source: a learner who looks at the next word of the whole text only
# mistake: only the last place is compared, which sees everything with and without a causal mask
def test_language_model(language_model):
    torch.manual_seed(0)

    def norm(x):
        return nn.functional.layer_norm(x, x.shape[-1:])

    words = torch.tensor([[1, 4, 2, 0]])
    embedding, places = torch.randn(5, 6), torch.randn(4, 6)
    w_q, w_k, w_v, w_1, w_2 = torch.randn(6, 3), torch.randn(6, 3), torch.randn(6, 6), torch.randn(6, 8), torch.randn(8, 6)
    x = embedding[words] + places
    y = norm(x)
    x = x + ((y @ w_q) @ (y @ w_k).mT / 3**0.5).softmax(-1) @ (y @ w_v)
    x = x + (norm(x) @ w_1).relu() @ w_2
    expected = (norm(x) @ embedding.T).softmax(-1)
    found = language_model(words, embedding, places, w_q, w_k, w_v, w_1, w_2)
    assert torch.allclose(found[:, -1], expected[:, -1], atol=1e-4)


# %% test_language_model · wrong · post-norm-reference
# source: a reader of the paper of 2017
# mistake: the reference normalises after each layer, where the model is in pre-norm, so the right version is blamed
def test_language_model(language_model):
    torch.manual_seed(2)

    def norm(x):
        return nn.functional.layer_norm(x, x.shape[-1:])

    words = torch.tensor([[1, 4, 2, 0]])
    embedding, places = torch.randn(5, 6), torch.randn(4, 6)
    w_q, w_k, w_v, w_1, w_2 = torch.randn(6, 3), torch.randn(6, 3), torch.randn(6, 6), torch.randn(6, 8), torch.randn(8, 6)
    x = embedding[words] + places
    hidden = torch.ones(4, 4).triu(1).bool()
    scores = ((x @ w_q) @ (x @ w_k).mT / 3**0.5).masked_fill(hidden, -torch.inf)
    x = norm(x + scores.softmax(-1) @ (x @ w_v))
    x = norm(x + (x @ w_1).relu() @ w_2)
    expected = (x @ embedding.T).softmax(-1)
    found = language_model(words, embedding, places, w_q, w_k, w_v, w_1, w_2)
    assert torch.allclose(found, expected, atol=1e-4)


# %% test_language_model · wrong · sums-and-causality
# source: a property tester: sums to 1, and later words change nothing
# mistake: two properties only: a wrong norm, scale or residual passes
def test_language_model(language_model):
    torch.manual_seed(1)
    rest = [torch.randn(*s) for s in ((7, 6), (5, 6), (6, 4), (6, 4), (6, 6), (6, 9), (9, 6))]
    words = torch.tensor([[1, 4, 2, 0, 3]])
    other = torch.tensor([[1, 4, 2, 6, 5]])
    one, two = language_model(words, *rest), language_model(other, *rest)
    assert torch.allclose(one.sum(-1), torch.ones(1, 5), atol=1e-5)
    assert torch.allclose(one[:, :3], two[:, :3], atol=1e-5)


# %% test_local_general · right · many-lengths
# source: a tester with an own reference in double precision, and every edge in a loop
def test_local_general(local_general):
    torch.manual_seed(11)

    def expected(query, keys, W, lengths, half_width):
        query, keys, W = query.double(), keys.double(), W.double()
        weights = torch.zeros(len(query), query.shape[1], keys.shape[1], dtype=torch.float64)
        for b, n in enumerate(lengths.tolist()):
            for t in range(query.shape[1]):
                centre = min(t, n - 1)
                low, high = max(centre - half_width, 0), min(centre + half_width + 1, n)
                scores = keys[b, low:high] @ (query[b, t] @ W)
                weights[b, t, low:high] = scores.softmax(0)
        return weights @ keys, weights

    cases = [
        (3, 9, 6, 4, 5, [6, 3, 1], 1, 1.0),
        (3, 8, 7, 3, 2, [7, 5, 2], 2, 1.0),
        (2, 4, 9, 5, 3, [9, 4], 3, 1.0),
        (2, 6, 6, 4, 4, [6, 2], 1, 1.0),
        (2, 6, 5, 3, 4, [5, 1], 9, 1.0),
        (1, 1, 5, 3, 4, [3], 1, 1.0),
        (3, 9, 6, 4, 5, [2, 6, 4], 2, 40.0),
        (2, 7, 1, 2, 3, [1, 1], 1, 1.0),
    ]
    for b, t, s, q, k, lengths, d, loud in cases:
        query, keys, W = loud * torch.randn(b, t, q), torch.randn(b, s, k), torch.randn(q, k)
        lengths = torch.tensor(lengths)
        kept = query.clone(), keys.clone(), W.clone(), lengths.clone()
        context, weights = local_general(query, keys, W, lengths, d)
        for now, before in zip((query, keys, W, lengths), kept):
            assert torch.equal(now, before)
        right_context, right_weights = expected(*kept, d)
        assert context.shape == right_context.shape and weights.shape == right_weights.shape
        assert (weights[right_weights == 0] == 0).all() or loud > 1
        assert (weights.double() - right_weights).abs().max() < 1e-3
        assert (context.double() - right_context).abs().max() < 1e-3


# %% test_local_general · wrong · centre-not-stopped
# source: a learner whose reference forgets the last word
# mistake: the reference lets the centre run past the sentence, so long targets look at nothing there, and right versions are blamed
def test_local_general(local_general):
    torch.manual_seed(1)
    query, keys, W = torch.randn(2, 7, 3), torch.randn(2, 5, 4), torch.randn(3, 4)
    lengths = torch.tensor([5, 3])
    j = torch.arange(5)
    near = (j - torch.arange(7)[:, None]).abs() <= 1
    mask = near & (j < lengths[:, None, None])
    weights = masked_softmax(query @ W @ keys.mT, mask)
    context, found = local_general(query, keys, W, lengths, 1)
    assert torch.allclose(found, weights, atol=1e-4)
    assert torch.allclose(context, weights @ keys, atol=1e-4)


# %% test_local_general · wrong · no-padding
# source: a learner who tests with full sentences only
# mistake: all sentences fill the batch, so a forgotten padding mask or a centre that runs into the padding is never seen
def test_local_general(local_general):
    torch.manual_seed(0)
    query, keys, W = torch.randn(2, 4, 3), torch.randn(2, 6, 5), torch.randn(3, 5)
    lengths = torch.tensor([6, 6])
    j = torch.arange(6)
    mask = (j[None] - torch.arange(4)[:, None]).abs() <= 1
    weights = (query @ W @ keys.mT).masked_fill(~mask, -1e30).softmax(-1)
    context, found = local_general(query, keys, W, lengths, 1)
    assert torch.allclose(found, weights, atol=1e-4)
    assert torch.allclose(context, weights @ keys, atol=1e-4)


# %% test_local_general · wrong · tight-tolerance
# source: a scientist who asks for 1e-9
# mistake: single precision differs in the seventh digit, so right versions are blamed for their rounding
def test_local_general(local_general):
    torch.manual_seed(2)
    query, keys, W = torch.randn(2, 7, 16), torch.randn(2, 5, 16), torch.randn(16, 16)
    lengths = torch.tensor([5, 3])
    context, found = local_general(query, keys, W, lengths, 1)
    for b in range(2):
        for t in range(7):
            c = min(t, int(lengths[b]) - 1)
            low, high = max(c - 1, 0), min(c + 2, int(lengths[b]))
            w = (keys[b, low:high].double() @ (query[b, t].double() @ W.double())).softmax(0)
            assert (found[b, t, low:high] - w).abs().max() < 1e-9
            assert (context[b, t] - w @ keys[b, low:high].double()).abs().max() < 1e-9


# %% test_luong_step · right · double-reference
# source: a tester: sentence by sentence in double precision
def test_luong_step(step):
    generator = torch.Generator().manual_seed(21)

    def slow(word, state, memory, mask, embedding, w_state, w_output):
        rows = []
        for b in range(len(word)):
            new = torch.tanh(torch.cat([embedding[word[b]], state[b]]).double() @ w_state.double())
            own = memory[b][mask[b]].double()
            some = (own @ new).softmax(0)
            weights = torch.zeros(memory.shape[1], dtype=torch.float64)
            weights[mask[b]] = some
            rows.append((torch.cat([some @ own, new]) @ w_output.double(), weights, new))
        return [torch.stack(column) for column in zip(*rows)]

    for b, s, dim, e, vocab, loud in [(3, 5, 4, 3, 7, 1), (1, 4, 6, 2, 5, 1), (4, 6, 4, 4, 6, 1), (2, 1, 3, 5, 4, 1), (3, 5, 4, 6, 8, 20)]:
        word = torch.randint(vocab, (b,), generator=generator)
        state = torch.randn(b, dim, generator=generator)
        memory = loud * torch.randn(b, s, dim, generator=generator)
        embedding = torch.randn(vocab, e, generator=generator)
        w_state = torch.randn(e + dim, dim, generator=generator)
        w_output = torch.randn(2 * dim, vocab, generator=generator)
        ragged = torch.arange(s) < torch.randint(1, s + 1, (b, 1), generator=generator)
        holes = torch.rand(b, s, generator=generator) > 0.5
        holes[:, s // 2] = True
        for mask in (ragged, holes, torch.ones(b, s, dtype=torch.bool)):
            inputs = word, state, memory, mask, embedding, w_state, w_output
            before = [x.clone() for x in inputs]
            found = step(*inputs)
            for x, y in zip(inputs, before):
                assert torch.equal(x, y)
            for one, right in zip(found, slow(*before)):
                assert one.shape == right.shape
                assert (one.double() - right).abs().max() < 1e-4 * loud
            assert (found[1][~mask] == 0).all()


# %% test_luong_step · wrong · bahdanau-order
# source: a Bahdanau person
# mistake: the test expects the old state to ask, so the right version is blamed
def test_luong_step(step):
    torch.manual_seed(2)
    word, state, memory = torch.tensor([1, 2]), torch.randn(2, 4), torch.randn(2, 5, 4)
    rest = torch.randn(6, 3), torch.randn(7, 4), torch.randn(8, 6)
    mask = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]).bool()
    _, weights, _ = step(word, state, memory, mask, *rest)
    expected = masked_softmax(torch.einsum("bd,bsd->bs", state, memory), mask)
    assert torch.allclose(weights, expected, atol=1e-5)


# %% test_luong_step · wrong · mask-all-true
# source: a learner who compares with the given luong_step
# mistake: the mask is all True, so a bug in the masking never shows
def test_luong_step(step):
    torch.manual_seed(0)
    word, state, memory = torch.tensor([1, 2]), torch.randn(2, 4), torch.randn(2, 5, 4)
    rest = torch.randn(6, 3), torch.randn(7, 4), torch.randn(8, 6)
    mask = torch.ones(2, 5, dtype=torch.bool)
    for found, right in zip(step(word, state, memory, mask, *rest), luong_step(word, state, memory, *rest)):
        assert torch.allclose(found, right, atol=1e-5)


# %% test_luong_step · wrong · masked-after-expected
# source: a learner whose reference renormalises
# mistake: the test expects the given weights with zeros under the mask, which do not sum to 1, so the right version is blamed
def test_luong_step(step):
    torch.manual_seed(1)
    word, state, memory = torch.tensor([1, 2]), torch.randn(2, 4), torch.randn(2, 5, 4)
    rest = torch.randn(6, 3), torch.randn(7, 4), torch.randn(8, 6)
    mask = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]).bool()
    _, weights, _ = luong_step(word, state, memory, *rest)
    _, found, _ = step(word, state, memory, mask, *rest)
    assert torch.allclose(found, weights * mask, atol=1e-5)


# %% test_multi_head · right · slow-reference
# source: a tester: head by head in double precision
def test_multi_head(multi_head):
    generator = torch.Generator().manual_seed(8)

    def slow(x, w_q, w_k, w_v, w_o, heads, mask):
        x, w_q, w_k, w_v, w_o = (m.double() for m in (x, w_q, w_k, w_v, w_o))
        width = x.shape[-1] // heads
        contexts, tables = [], []
        for h in range(heads):
            cut = slice(h * width, (h + 1) * width)
            q, k, v = x @ w_q[:, cut], x @ w_k[:, cut], x @ w_v[:, cut]
            tables.append(masked_softmax(q @ k.mT / math.sqrt(width), mask))
            contexts.append(tables[-1] @ v)
        return torch.cat(contexts, -1) @ w_o, torch.stack(tables, 1)

    for b, n, dim, heads, loud in [
        (2, 3, 8, 2, 1), (3, 5, 12, 4, 1), (2, 4, 12, 3, 1), (1, 6, 6, 1, 1), (2, 1, 4, 4, 1), (2, 5, 8, 2, 6),
    ]:
        x = loud * torch.randn(b, n, dim, generator=generator)
        w = torch.randn(4, dim, dim, generator=generator) / 2
        some = torch.rand(b, n, n, generator=generator) > 0.4
        some[0, 0] = False
        for mask in (None, some, some[:, -1:]):
            before = x.clone(), w.clone()
            output, weights = multi_head(x, *w, heads, mask)
            assert torch.equal(x, before[0]) and torch.equal(w, before[1])
            right_output, right_weights = slow(x, *w, heads, mask)
            assert output.shape == right_output.shape and weights.shape == right_weights.shape
            assert torch.allclose(weights.double(), right_weights, atol=2e-3)
            assert torch.allclose(output.double(), right_output, atol=2e-2)
            if loud == 1:
                assert torch.allclose(weights.double(), right_weights, atol=1e-5)
                assert torch.allclose(output.double(), right_output, atol=1e-4)


# %% test_multi_head · wrong · identity-matrices
# source: a learner who simplifies with identities
# mistake: with identity matrices for all four, swapped or transposed projections give the same
def test_multi_head(multi_head):
    torch.manual_seed(1)
    x, eye = torch.randn(2, 5, 8), torch.eye(8)
    output, weights = multi_head(x, eye, eye, eye, eye, 2)
    h = x.unflatten(-1, (2, 4)).transpose(1, 2)
    expected = (h @ h.mT / 2).softmax(-1)
    assert torch.allclose(weights, expected, atol=1e-5)
    assert torch.allclose(output, (expected @ h).transpose(1, 2).flatten(2), atol=1e-5)


# %% test_multi_head · wrong · one-head-only
# source: a learner who tests with heads=1, where the formula is easy
# mistake: with one head all bugs of splitting, joining and scale stay hidden
def test_multi_head(multi_head):
    torch.manual_seed(0)
    x, w = torch.randn(2, 4, 6), torch.randn(4, 6, 6)
    mask = torch.rand(2, 4, 4) > 0.3
    weights = masked_softmax((x @ w[0]) @ (x @ w[1]).mT / math.sqrt(6), mask)
    output, found = multi_head(x, *w, 1, mask)
    assert torch.allclose(found[:, 0], weights, atol=1e-5)
    assert torch.allclose(output, weights @ x @ w[2] @ w[3], atol=1e-3)


# %% test_multi_head · wrong · torch-orientation
# source: a practitioner who compares with nn.MultiheadAttention
# mistake: nn.MultiheadAttention multiplies by the transposed matrices, and they were not turned, so right versions are blamed
def test_multi_head(multi_head):
    torch.manual_seed(2)
    x, w = torch.randn(2, 5, 8), torch.randn(4, 8, 8)
    theirs = nn.MultiheadAttention(8, 2, bias=False, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat(list(w[:3])))
        theirs.out_proj.weight.copy_(w[3])
        expected, tables = theirs(x, x, x, average_attn_weights=False)
    output, weights = multi_head(x, *w, 2)
    assert torch.allclose(weights, tables, atol=1e-4)
    assert torch.allclose(output, expected, atol=1e-3)


# %% training_loop · right · autograd-by-hand
# source: a JAX person: gradients as values, clipped by the global norm, a functional update
def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    parameters = list(model.parameters())

    def loss_of(target, state):
        labels = target[:, 1:]
        log_p = model(target[:, :-1], state).log_softmax(-1).gather(2, labels[..., None])[..., 0]
        real = labels != PAD
        return -log_p[real].mean()

    losses, validation = [], []
    for target, state in zip(targets[:-1], states[:-1]):
        model.train()
        loss = loss_of(target, state)
        gradients = torch.autograd.grad(loss, parameters)
        norm = torch.stack([g.pow(2).sum() for g in gradients]).sum().sqrt()
        shrink = (1 / norm).clamp(max=1.0)
        with torch.no_grad():
            for p, g in zip(parameters, gradients):
                p -= rate * shrink * g
            model.eval()
            validation.append(loss_of(targets[-1], states[-1]))
        losses.append(loss.detach())
    return torch.stack(losses), torch.stack(validation), model.embedding.detach()


# %% training_loop · right · sgd
# source: a PyTorch tutorial reader: optimiser, clip_grad_norm_, two helper functions
def training_loop(targets, states, embedding, w_state, w_output, rate):
    """Losses, held-out losses, and the trained embedding."""
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    criterion = torch.nn.CrossEntropyLoss(ignore_index=PAD)
    losses, validation = [], []

    def run(i):
        logits = model(targets[i][:, :-1], states[i])
        return criterion(logits.reshape(-1, logits.size(-1)), targets[i][:, 1:].reshape(-1))

    for i in range(len(targets) - 1):
        model.train()
        optimizer.zero_grad(set_to_none=True)
        loss = run(i)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        losses.append(loss.item())
        model.eval()
        with torch.inference_mode():
            validation.append(run(-1).item())
    return torch.tensor(losses), torch.tensor(validation), model.embedding.data


# %% training_loop · wrong · embedding-snapshot
# source: a learner who keeps a reference to the argument
# mistake: the embedding that was given comes back; the model trained a copy of it
def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)

    def loss_of(i):
        logits = model(targets[i][:, :-1], states[i])
        return F.cross_entropy(logits.flatten(0, 1), targets[i][:, 1:].flatten(), ignore_index=PAD)

    losses, validation = torch.zeros(len(targets) - 1), torch.zeros(len(targets) - 1)
    for i in range(len(losses)):
        model.train()
        loss = loss_of(i)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses[i] = loss.item()
        model.eval()
        validation[i] = loss_of(-1).item()
    return losses, validation, embedding


# %% training_loop · wrong · train-mode-only-once
# source: a learner who calls train() before the loop
# mistake: after the first validation the model stays in evaluation mode, so from the second step on it trains without dropout
def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    model.train()
    losses, validation = [], []
    for i in range(len(targets) - 1):
        model.zero_grad()
        logits = model(targets[i][:, :-1], states[i])
        loss = F.cross_entropy(logits.flatten(0, 1), targets[i][:, 1:].flatten(), ignore_index=PAD)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        model.eval()
        with torch.no_grad():
            for p in model.parameters():
                p -= rate * p.grad
            logits = model(targets[-1][:, :-1], states[-1])
            held = F.cross_entropy(logits.flatten(0, 1), targets[-1][:, 1:].flatten(), ignore_index=PAD)
        losses.append(loss.detach())
        validation.append(held)
    return torch.stack(losses), torch.stack(validation), model.embedding.detach()


# %% training_loop · wrong · validated-before-the-step
# source: a learner who measures both losses first
# mistake: the held-out loss is taken before the step instead of after it
def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)

    def loss_of(i):
        logits = model(targets[i][:, :-1], states[i])
        return F.cross_entropy(logits.flatten(0, 1), targets[i][:, 1:].flatten(), ignore_index=PAD)

    losses, validation = [], []
    for i in range(len(targets) - 1):
        model.eval()
        with torch.no_grad():
            validation.append(loss_of(-1))
        model.train()
        loss = loss_of(i)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses), torch.stack(validation), model.embedding.detach()
