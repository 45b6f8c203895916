# source: a learner who joins the other way round
# mistake: the new key and value stand in front of the old ones in the cache
def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([(x @ w_k).unsqueeze(1), past_keys], dim=1)
    values = torch.cat([(x @ w_v).unsqueeze(1), past_values], dim=1)
    weights = ((x @ w_q).unsqueeze(1) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1)
    return (weights @ values).squeeze(1), keys, values
