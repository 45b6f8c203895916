import random
import signal
import threading

import pytest
import torch

import utils.training
from utils.attention import DotProductAttention
from utils.corpora import Batches, Pair, Vocabulary
from utils.metrics import alignment_error_rate, alignment_links, exact_match, forced_weights
from utils.seq2seq import Encoder, LuongDecoder, Seq2Seq
from utils.training import Trainer, one_cycle

LETTERS = "abcdefgh"
WORDS = Vocabulary(LETTERS)


def backwards(count, seed=0, longest=6):
    """Return random pairs of some letters and the same letters backwards, with their alignment."""
    dice = random.Random(seed)
    pairs = []
    for _ in range(count):
        source = tuple(dice.choices(LETTERS, k=dice.randint(1, longest)))
        links = frozenset((len(source) - 1 - place, place) for place in range(len(source)))
        pairs.append(Pair(source, source[::-1], "", "", links, links))
    return pairs


def make_trainer(steps=12, model_seed=0, dropout=0.2, **settings):
    """Return the trainer of a new small model, with 5 batches an epoch, and 2 for validation."""
    torch.manual_seed(model_seed)
    encoder = Encoder(len(WORDS), 8, 8, dropout=dropout)
    decoder = LuongDecoder(len(WORDS), 8, DotProductAttention(16), dropout=dropout)
    model = Seq2Seq(encoder, decoder, WORDS, WORDS)
    batches = Batches(backwards(36), WORDS, WORDS, batch_size=8)
    validation = Batches(backwards(12, seed=1), WORDS, WORDS, batch_size=8)
    settings = {"validation": validation, "progress": False, **settings}
    return Trainer(model, batches, steps=steps, **settings)


def before_each_step(trainer, action):
    """From now on, call `action(batch)` in every training step, before the losses are computed."""
    losses = trainer.model.losses

    def losses_after_action(batch, *args):
        if trainer.model.training:  # not in validation
            action(batch)
        return losses(batch, *args)

    trainer.model.losses = losses_after_action


def interrupt_at(trainer, step):
    """Make a training step, counted from 1, be interrupted by Ctrl-C."""

    def interrupt(batch):
        if trainer.step + 1 == step:
            signal.raise_signal(signal.SIGINT)

    before_each_step(trainer, interrupt)


def assert_same_outcome(actual, expected):
    assert actual.losses == expected.losses
    assert actual.validations == expected.validations
    for name, tensor in actual.model.state_dict().items():
        assert torch.equal(tensor, expected.model.state_dict()[name]), name


@pytest.mark.slow
def test_a_small_model_learns_to_spell_backwards():
    torch.manual_seed(0)
    encoder = Encoder(len(WORDS), 16, 32)
    decoder = LuongDecoder(len(WORDS), 16, DotProductAttention(64))
    model = Seq2Seq(encoder, decoder, WORDS, WORDS)
    batches = Batches(backwards(2000, longest=5), WORDS, WORDS, batch_size=64)
    Trainer(model, batches, steps=150, learning_rate=1e-2, progress=False).fit()
    known = {pair.source for pair in backwards(2000, longest=5)}
    test = [pair for pair in backwards(300, seed=2, longest=5) if pair.source not in known]
    translations = model.translate_all([pair.source for pair in test])
    words = [translation.words for translation in translations]
    assert exact_match(words, [pair.target for pair in test]) > 0.9
    pairs, weights = forced_weights(model, Batches(test, WORDS, WORDS))
    links, gold = [alignment_links(matrix) for matrix in weights], [pair.sure for pair in pairs]
    assert alignment_error_rate(links, gold, gold) < 0.1


def test_the_learning_rate_rises_to_its_peak_and_falls_to_zero():
    rates = [one_cycle(step, steps=100, peak=2.0, warmup=0.1) for step in range(100)]
    assert rates[:3] == pytest.approx([0.2, 0.4, 0.6])
    assert rates[9] == rates[10] == max(rates) == 2.0
    assert rates[55] == pytest.approx(1.0)  # half of the way down
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert 0 < rates[-1] < 0.002
    assert one_cycle(0, steps=1, peak=2.0, warmup=0.1) == 2.0


def test_the_budget_is_a_number_of_steps_over_any_number_of_epochs():
    trainer = make_trainer(steps=12)
    seen = []
    before_each_step(trainer, seen.append)
    trainer.fit()
    assert trainer.finished
    assert trainer.step == len(trainer.losses) == len(seen) == 12
    epochs = [[pair.source for batch in seen[i : i + 5] for pair in batch.pairs] for i in (0, 5)]
    everything = sorted(pair.source for pair in backwards(36))
    assert sorted(epochs[0]) == sorted(epochs[1]) == everything
    assert epochs[0] != epochs[1]
    assert [step for step, _ in trainer.validations] == [5, 10, 12]
    trainer.fit()  # there is nothing left to do
    assert trainer.step == 12


@pytest.mark.parametrize("step", [1, 5, 7, 11])
def test_ctrl_c_keeps_what_was_learned_and_resumes_to_the_same_end(step, capsys):
    straight = make_trainer(teacher_forcing=0.9)
    straight.fit()

    trainer = make_trainer(teacher_forcing=0.9)
    interrupt_at(trainer, step)
    handler = signal.getsignal(signal.SIGINT)
    trainer.fit()
    assert trainer.step == step
    assert trainer.losses == straight.losses[:step]
    assert not trainer.finished
    assert signal.getsignal(signal.SIGINT) is handler
    assert f"Stopped after step {step} of 12" in capsys.readouterr().err
    trainer.model.translate("a b c")  # can be used meanwhile
    torch.rand(3)  # and so can random numbers

    trainer.fit()
    assert_same_outcome(trainer, straight)


def test_the_weights_of_the_best_validation_are_kept(monkeypatch):
    trainer = make_trainer()
    perplexities = iter([5.0, 3.0, 4.0])
    snapshots = []

    def measure(model, batches):
        snapshots.append({name: tensor.clone() for name, tensor in model.state_dict().items()})
        return next(perplexities)

    monkeypatch.setattr(utils.training, "teacher_forced_perplexity", measure)
    trainer.fit()
    assert trainer.validations == [(5, 5.0), (10, 3.0), (12, 4.0)]
    weights = trainer.model.state_dict()
    assert all(torch.equal(weights[name], best) for name, best in snapshots[1].items())
    assert any(not torch.equal(weights[name], last) for name, last in snapshots[2].items())


def test_without_validation_the_last_weights_are_kept():
    with_validation, without = make_trainer(), make_trainer(validation=None)
    with_validation.fit()
    without.fit()
    assert without.validations == []
    assert without.losses == with_validation.losses


def test_a_loss_that_is_no_number_stops_and_says_what_to_try():
    trainer = make_trainer()
    losses = trainer.model.losses
    trainer.model.losses = lambda *args: losses(*args) * (1 if trainer.step < 3 else float("nan"))
    with pytest.raises(
        FloatingPointError, match=r"loss is nan .* at step 4; .*lower learning_rate"
    ):
        trainer.fit()
    assert trainer.step == 3
    assert all(tensor.isfinite().all() for tensor in trainer.model.parameters())
    trainer.model.losses = losses
    trainer.fit()  # after the cause is mended it goes on, as if nothing had happened
    straight = make_trainer()
    straight.fit()
    assert_same_outcome(trainer, straight)


def test_gradients_are_clipped():
    lengths = {}
    for clip in (1e9, 0.01):
        trainer = make_trainer(steps=1, clip=clip)
        trainer.fit()
        gradients = [parameter.grad.flatten() for parameter in trainer.model.parameters()]
        lengths[clip] = torch.cat(gradients).norm().item()
    assert lengths[1e9] > 0.1
    assert lengths[0.01] == pytest.approx(0.01, rel=1e-3)


def test_the_random_numbers_of_others_are_left_alone():
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    trainer = make_trainer()  # seeds, to make its model
    torch.manual_seed(3)
    trainer.fit()
    assert torch.equal(torch.rand(4), expected)


def test_another_seed_is_another_training():
    trainers = [make_trainer(seed=seed) for seed in (0, 0, 1)]
    for trainer in trainers:
        trainer.fit()
    assert trainers[0].losses == trainers[1].losses != trainers[2].losses


def test_the_bar_shows_loss_and_tokens_per_second(capsys):
    make_trainer(progress=True).fit()
    shown = capsys.readouterr()
    assert "12/12" in shown.err
    assert "loss" in shown.err
    assert "tokens/s" in shown.err
    assert shown.out == ""
    make_trainer(progress=False).fit()
    shown = capsys.readouterr()
    assert shown.out == shown.err == ""


def test_it_trains_in_a_thread_which_signals_do_not_reach():
    trainer = make_trainer()
    thread = threading.Thread(target=trainer.fit)
    thread.start()
    thread.join()
    assert trainer.finished
