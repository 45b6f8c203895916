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
