# source: a learner who forgets zero_grad, and reads off the numbers in the other order
# mistake: gradients pile up from step to step, so it learns badly; and twin comes back before left
set_seed(0)
reader = OneHead(nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 2 * NUMBERS)))
optimizer = torch.optim.Adam(reader.parameters(), lr=5e-3)
for _ in range(300):
    hands = deal(64)
    loss = F.cross_entropy(reader(*hands).flatten(0, 2), answers(*hands).flatten())
    loss.backward()
    optimizer.step()
def one_head(colours, numbers):
    with torch.no_grad():
        return reader(colours, numbers).argmax(-1).flip(-1)
