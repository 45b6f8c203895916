# source: a learner who deals once, before the loop
# mistake: it trains on the same 64 hands in every step, learns them by heart, and is wrong on others
set_seed(0)
reader = OneHead(nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 2 * NUMBERS)))
optimizer = torch.optim.Adam(reader.parameters(), lr=5e-3)
hands = deal(64)
right = answers(*hands).flatten()
for _ in range(300):
    loss = F.cross_entropy(reader(*hands).flatten(0, 2), right)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
def one_head(colours, numbers):
    with torch.no_grad():
        return reader(colours, numbers).argmax(-1)
