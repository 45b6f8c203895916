# source: an einsum person, whose transposes are letters
def both_ways(left, right, left_mask, right_mask):
    scores = torch.einsum("bld,brd->blr", left, right) / left.shape[-1] ** 0.5
    forth = masked_softmax(scores, right_mask[:, None, :])
    back = masked_softmax(torch.einsum("blr->brl", scores), left_mask[:, None, :])
    left_reads = torch.einsum("blr,brd->bld", forth, right)
    right_reads = torch.einsum("brl,bld->brd", back, left)
    return left_reads, right_reads, forth, back
