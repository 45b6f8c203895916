# source: a learner with a linear readout, trained for a moment
# mistake: a linear readout cannot answer both
set_seed(0)
reader = OneHead(nn.Linear(32, 2 * NUMBERS))
optimizer = torch.optim.Adam(reader.parameters(), lr=1e-2)
for step in range(200):
    colours, numbers = deal(64)
    loss = F.cross_entropy(reader(colours, numbers).flatten(0, 2), answers(colours, numbers).flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

@torch.no_grad()
def one_head(colours, numbers):
    return reader(colours, numbers).argmax(-1)
