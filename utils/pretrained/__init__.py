"""A real language model through the course's attention.

    model, tokens = open_model()  # SmolLM2-135M-Instruct, after `make real`
    print(write(model, tokens, "The capital of France is", 20))
    model, tokens = open_model("a/folder")  # Llama, Mistral, Qwen 2 or 3, SmolLM, from anywhere

| module | what it holds |
|---|---|
| `architecture.py` | the model: a block around `MultiHeadAttention`, and a stack of blocks |
| `folder.py` | open a folder as `transformers` writes it |
| `gguf.py` | make such a folder from a GGUF file |
| `store.py` | where the course's real model comes from, and where it is kept |
| `tokens.py` | the tokeniser |
| `writing.py` | write on, with a cache |
| `looking.py` | weights, states and values of all heads; heads switched off |
| `record.py` | record what the explorer of the heads shows where the model is not |
"""

from utils.pretrained.architecture import Architecture, Block, CausalLM, SwiGLU
from utils.pretrained.folder import CannotOpenError
from utils.pretrained.looking import Looks, look, loss_of, losses_of, switched_off
from utils.pretrained.store import NotHereError, is_here, open_model
from utils.pretrained.writing import next_tokens, write, write_on

__all__ = [
    "Architecture",
    "Block",
    "CannotOpenError",
    "CausalLM",
    "Looks",
    "NotHereError",
    "SwiGLU",
    "is_here",
    "look",
    "loss_of",
    "losses_of",
    "next_tokens",
    "open_model",
    "switched_off",
    "write",
    "write_on",
]
