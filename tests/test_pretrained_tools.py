"""Tests of what notebook 11 does with a model: faults, comparisons, heads. The model is small."""

import pytest
import torch

from utils.masks import causal_mask
from utils.positions import RotaryPositions
from utils.pretrained import Architecture, CausalLM, look, losses_of, switched_off
from utils.pretrained.comparing import compare, states_behind, with_yours
from utils.pretrained.faults import FAULTS, IN_ALL_LAYERS, twin, with_fault
from utils.pretrained.heads import (
    best,
    same_layers,
    share_behind_twin,
    share_on_first,
    share_one_back,
)
from utils.pretrained.texts import said_twice

SIZES = Architecture(
    vocab_size=50,
    dim=24,
    layers=3,
    hidden=40,
    heads=4,
    kv_heads=2,
    head_dim=6,
    eps=1e-5,
    base=100_000.0,
    rotary_dim=6,
    windows=(None,) * 3,
    layout="pairs",
)
TOKENS = torch.arange(12)[None] * 7 % 50


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    made = CausalLM(SIZES).requires_grad_(False)
    for block in made.blocks:  # larger than at the start of training, so that faults show
        for weight in block.parameters():
            weight.mul_(3)
    return made


def attend(queries, keys, values, mask):
    keys, values = (kept.repeat_interleave(2, dim=1) for kept in (keys, values))
    scores = queries @ keys.mT / keys.shape[-1] ** 0.5
    return scores.masked_fill(~mask, -torch.inf).softmax(-1) @ values


def extend(past_keys, past_values, keys, values):
    joined = [torch.cat(pair, dim=2) for pair in ((past_keys, keys), (past_values, values))]
    return *joined, causal_mask(joined[0].shape[2])[-keys.shape[2] :]


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_changes_the_model_that_has_it_and_no_other(model, name):
    before = model(TOKENS)
    wrong = with_fault(model, name)
    assert (wrong(TOKENS) - before).abs().max() > 1e-3
    assert torch.equal(model(TOKENS), before)
    assert next(wrong.parameters()) is next(model.parameters())


# The states of the small model are so large that an ε changes nothing in a single layer.
@pytest.mark.parametrize("name", sorted(FAULTS.keys() - IN_ALL_LAYERS - {"ε = 0.01 in the norms"}))
def test_a_fault_in_one_layer_is_found_there(model, name):
    layer, _ = compare(model, with_fault(model, name, layer=1), TOKENS).first
    assert layer == 1


def test_what_cannot_be_in_one_layer_is_refused(model):
    with pytest.raises(ValueError, match="in all layers or in none"):
        with_fault(model, "no mask", layer=1)
    with pytest.raises(ValueError, match="there is no fault 'tired'"):
        with_fault(model, "tired")


def test_a_twin_is_the_same_model(model):
    assert compare(model, twin(model), TOKENS).same


def test_your_functions_give_the_same_states_at_once_and_in_pieces(model):
    turn = RotaryPositions(6, layout="pairs", base=100_000.0).turn
    yours = with_yours(model, attend, turn, extend)
    assert compare(model, yours, TOKENS).same
    for piece in (1, 5, 12):
        assert compare(model, yours, TOKENS, piece=piece).same
    assert "attend_heads" not in vars(model.blocks[0].attention)


def test_a_function_that_is_wrong_is_found_by_its_states(model):
    other = with_yours(model, lambda q, k, v, mask: attend(q, k.flip(1), v, mask))
    apart = compare(model, other, TOKENS)
    assert apart.first == (0, 1)  # at place 0 there is one key, whichever it is
    assert str(apart).startswith("layer 0 is the first that differs, from token 1 on")
    assert apart.powers.shape == (3, 12)


def test_what_is_not_written_yet_or_fails_is_told_in_one_line(model):
    def attend_in_groups(queries, keys, values, mask): ...

    apart = compare(model, with_yours(model, attend_in_groups), TOKENS)
    assert str(apart) == "`attend_in_groups` returns nothing yet; the fold above has an answer."
    assert not apart.same
    failing = with_yours(model, turn=lambda x, places: x @ x)
    assert str(compare(model, failing, TOKENS)).startswith("It stopped with RuntimeError: ")


def test_states_in_pieces_are_those_at_once(model):
    at_once = states_behind(model, TOKENS)
    assert torch.allclose(states_behind(model, TOKENS, piece=5), at_once, rtol=1e-3, atol=1e-3)


def test_a_look_sees_what_the_model_computes(model):
    seen = look(model, TOKENS)
    assert torch.allclose(seen.logits, model(TOKENS)[0], atol=1e-4)
    states = states_behind(model, TOKENS)
    assert torch.allclose(seen.states[1:], states, rtol=1e-3, atol=1e-3)
    assert torch.allclose(seen.weights.sum(-1), torch.ones(3, 4, 12), atol=1e-5)
    assert seen.values.shape == (3, 2, 12, 6)


def test_a_head_that_is_off_adds_nothing_and_is_back_afterwards(model):
    before = model(TOKENS)
    with switched_off(model, [(1, 2), (2, 0)]):
        off = model(TOKENS)
    other = twin(model)
    for layer, head in ((1, 2), (2, 0)):
        join = torch.nn.Linear(24, 24, bias=False).requires_grad_(False)
        join.weight.copy_(model.blocks[layer].attention.W_o.weight)
        join.weight[:, head * 6 : head * 6 + 6] = 0
        other.blocks[layer].attention.W_o = join
    assert torch.allclose(off, other(TOKENS), atol=1e-4)
    with pytest.raises(RuntimeError, match="on purpose"), switched_off(model, [(0, 0)]):
        raise RuntimeError("on purpose")
    assert torch.equal(model(TOKENS), before)
    with pytest.raises(ValueError, match=r"there is no head 3.0"), switched_off(model, [(3, 0)]):
        pass


def test_scores_of_heads_are_shares_of_weights():
    first, back, evenly = torch.zeros(3, 24, 24)
    first[:, 0] = 1
    back[torch.arange(1, 24), torch.arange(23)] = 1
    evenly += 1 / 24
    weights = torch.stack([first, back, evenly])
    assert share_on_first(weights).tolist() == pytest.approx([1, 0, 1 / 24])
    assert share_one_back(weights).tolist() == pytest.approx([0, 1, 1 / 24])
    induction = torch.zeros(24, 24)
    induction[torch.arange(12, 24), torch.arange(1, 13)] = 1
    assert share_behind_twin(induction).item() == pytest.approx(1)
    assert share_behind_twin(evenly).item() == pytest.approx(1 / 24)


def test_controls_are_other_heads_of_the_same_layers():
    scores = torch.zeros(5, 9)
    scores[3, 4], scores[3, 5], scores[1, 0] = 3, 2, 1
    chosen = best(scores, 3)
    assert chosen == [(3, 4), (3, 5), (1, 0)]
    drawn = same_layers(chosen, among=9, seed=0)
    assert [layer for layer, _ in drawn] == [3, 3, 1]
    assert len({*drawn, *chosen}) == 6


def test_tokens_said_twice_can_be_copied_and_not_predicted():
    tokens = said_twice(5_000, seed=1)
    assert torch.equal(tokens[:, :30], tokens[:, 30:])
    assert tokens.min() >= 1_000
    assert not torch.equal(tokens, said_twice(5_000, seed=2))


def test_losses_are_those_of_the_next_tokens(model):
    by_hand = -model(TOKENS).log_softmax(-1)[0, torch.arange(11), TOKENS[0, 1:]]
    assert torch.allclose(losses_of(model, TOKENS)[0], by_hand, atol=1e-5)
