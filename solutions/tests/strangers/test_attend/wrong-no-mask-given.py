# source: a learner who compares with PyTorch's function, and forgets the optional argument
# mistake: no mask is ever passed, so none of the bugs in masking is caught
import torch.nn.functional as F
def test_attend(attend):
    for seed in range(5):
        torch.manual_seed(seed)
        q, k, v = torch.randn(2, 3, 8), torch.randn(2, 5, 8), torch.randn(2, 5, 4)
        context, weights = attend(q, k, v)
        assert torch.allclose(context, F.scaled_dot_product_attention(q, k, v), atol=1e-5)
        assert torch.allclose(weights @ v, context, atol=1e-5)
