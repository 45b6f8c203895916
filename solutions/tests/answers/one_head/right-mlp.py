# source: a learner: two layers and Adam
set_seed(0)
reader = OneHead(nn.Sequential(nn.Linear(32, 128), nn.GELU(), nn.Linear(128, 2 * NUMBERS)))
optimizer = torch.optim.Adam(reader.parameters(), lr=5e-3)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=1500)
for step in range(1500):
    colours, numbers = deal(128)
    loss = F.cross_entropy(reader(colours, numbers).flatten(0, 2), answers(colours, numbers).flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()

@torch.no_grad()
def one_head(colours, numbers):
    return reader(colours, numbers).argmax(-1)
