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
