# source: a learner of the 1990s: one hidden layer of tanh
set_seed(3)
reader = OneHead(nn.Sequential(nn.Linear(32, 128), nn.Tanh(), nn.Linear(128, 2 * NUMBERS)))
optimizer = torch.optim.Adam(reader.parameters())
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.01, total_steps=900)
for _ in range(900):
    hands = deal(64)
    loss = F.cross_entropy(reader(*hands).flatten(0, 2), answers(*hands).flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
def one_head(colours, numbers):
    """The guesses of your network, whole numbers (hands, cards, 2): left, then twin."""
    with torch.no_grad():
        return reader(colours, numbers).argmax(-1)
