# source: written from the task's text, 2026-11
import torch

def additive_parameters(query_dim, key_dim, attention_dim):
    def linear(n_in, n_out, bias):
        return n_in * n_out + (n_out if bias else torch.zeros_like(attention_dim))

    one = torch.ones_like(attention_dim)
    plain = sum(linear(i, o, False) for i, o in [(query_dim, attention_dim), (key_dim, attention_dim), (attention_dim, one)])
    split = sum(linear(i, o, True) for i, o in [(query_dim, attention_dim), (key_dim, attention_dim), (attention_dim, one)])
    joined = sum(linear(i, o, True) for i, o in [(query_dim + key_dim, attention_dim), (attention_dim, one)])
    return plain, split, joined
