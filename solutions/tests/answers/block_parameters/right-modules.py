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
