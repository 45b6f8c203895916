"""Which of two models runs out of memory first."""

from solutions.specification import Exercise, WrongAnswer
from utils.checks.tasks import Case

PAIRS = {
    "tiny_or_giant": ["qwen3-0.6b", "deepseek-v3"],
    "window_or_groups": ["mistral-7b", "llama-3.2-1b"],
    "old_or_new": ["olmo-3-7b", "llama-3.1-8b"],
    "window_in_the_file": ["olmo-3-7b", "qwen2.5-72b"],
    "half_a_window": ["gpt-oss-20b", "mistral-7b"],
    "three_quarters": ["tiny-aya", "llama-3.2-1b"],
}
_RIGHT = {
    "tiny_or_giant": "qwen3-0.6b",
    "window_or_groups": "llama-3.2-1b",
    "old_or_new": "olmo-3-7b",
    "window_in_the_file": "qwen2.5-72b",
    "half_a_window": "gpt-oss-20b",
    "three_quarters": "llama-3.2-1b",
}


def in_capitals():
    return {question: answer.upper() for question, answer in _RIGHT.items()}


def in_another_order():
    return dict(reversed(_RIGHT.items()))


def with_spaces():
    return {question: f" {answer} " for question, answer in _RIGHT.items()} | {"note": "guessed"}


exercise = Exercise(
    id="which_runs_out",
    title="Which runs out first?",
    points=2,
    difficulty=2,
    minutes=10,
    section="09.6",
    answer_type="choices",
    outputs=list(PAIRS),
    choices=PAIRS,
    cases=lambda draw: [Case("your choice")],
    hints=[
        "Does the number of parameters stand in the formula?",
        "For each model: numbers a token leaves in a layer, times the layers that keep "
        "everything. A window of 4,096 keeps an eighth of 32,768, one of 128 next to nothing.",
        "In thousands of numbers a token, with a windowed layer counted at the share that it "
        "keeps: Qwen3 57, DeepSeek-V3 35, Mistral 8, Llama 3.2 16, Llama 3.1 66, Qwen2.5 164, "
        "gpt-oss 12. OLMo 3 and Tiny Aya are left to you.",
    ],
    mistakes={
        "the larger model": WrongAnswer(
            _RIGHT | {"tiny_or_giant": "deepseek-v3"},
            "You choose DeepSeek-V3. A token leaves 57,344 numbers in the small Qwen3, and 35,136 "
            "in a model a thousand times its size, which keeps one latent vector of 576 a layer.",
            "What is kept of a token in each layer of the two?",
            misconception="card-at-face-value",
        ),
        "the larger again": WrongAnswer(
            _RIGHT | {"window_or_groups": "mistral-7b"},
            "You choose Mistral. All of its layers stop at 4,096 tokens, an eighth of the text; "
            "those of the small Llama keep everything.",
            "At what length does the cache of Mistral 7B v0.1 stop growing?",
            misconception="input-unused",
        ),
        "windows save everything": WrongAnswer(
            _RIGHT | {"old_or_new": "llama-3.1-8b"},
            "You choose Llama 3.1. A quarter of OLMo's layers keep everything, and they keep it "
            "for 32 heads, four times as many as Llama's: together just as much as all of Llama's "
            "layers. What the windows keep comes on top.",
            "How many KV heads has each of the two?",
            misconception="one-for-all",
        ),
        "a window that is off": WrongAnswer(
            _RIGHT | {"window_in_the_file": "olmo-3-7b"},
            "You choose OLMo 3. Qwen2.5 has a window in its file and it is switched off; even if "
            "it were on, it would be longer than the text.",
            "What does `use_sliding_window` say?",
            misconception="card-at-face-value",
        ),
        "a window in half of the layers": WrongAnswer(
            _RIGHT | {"half_a_window": "mistral-7b"},
            "You choose Mistral. The twelve full layers of gpt-oss keep 32,768 tokens each, which "
            "is more than 4,096 in all 32 of Mistral's with twice the numbers.",
            "How many tokens do the full layers of gpt-oss keep, all together?",
            misconception="one-for-all",
        ),
        "more layers": WrongAnswer(
            _RIGHT | {"three_quarters": "tiny-aya"},
            "You choose Tiny Aya. It has more layers, but only nine of its 36 keep everything; all "
            "16 of the small Llama do, with as many numbers a token.",
            "How many layers of each keep all tokens?",
            misconception="input-unused",
        ),
    },
    variants=[in_capitals, in_another_order, with_spaces],
)
