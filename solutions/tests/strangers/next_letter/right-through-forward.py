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
