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
