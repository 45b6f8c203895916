# source: a learner who stacks two linear layers
# mistake: two linear layers without a nonlinearity are one linear layer: about 64 % right
set_seed(0)
reader = OneHead(nn.Sequential(nn.Linear(32, 128), nn.Linear(128, 2 * NUMBERS)))
optimizer = torch.optim.Adam(reader.parameters(), lr=3e-3)
for _ in range(400):
    hands = deal(64)
    loss = F.cross_entropy(reader(*hands).flatten(0, 2), answers(*hands).flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
def one_head(colours, numbers):
    with torch.no_grad():
        return reader(colours, numbers).argmax(-1)
