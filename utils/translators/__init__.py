"""Load and store trained translators, of notebook 06 and of everyday words.

    load_translator("dot").translate("The cat sat on the mat").words
    load_translator("everyday dot").translate("Where is my old cat?").words

Those of notebook 06 know the words of its corpus. The two everyday ones know some 3,000, for
the front page of the reading site, where visitors type what they like; their embeddings are
narrower, and their matrices are rounded to 6 bits a weight, so that they are smaller all the same.

Each translator is a .safetensors file in this folder, with the weights as float16 (or as int8, with
a scale for each row, float16, under the name of the matrix and `.scale`) and the metadata entry
`about`, in JSON: both vocabularies, data and settings of the training, and the exact match on
the test sentences after rounding. `SHA256SUMS` has the checksum of each file.
`python -m utils.translators` makes all files.
"""

import hashlib
import json
from pathlib import Path

import safetensors.torch
import torch
from torch import Tensor

from utils.attention import AdditiveAttention, DotProductAttention
from utils.corpora import Vocabulary
from utils.seq2seq import BahdanauDecoder, Encoder, FixedVectorDecoder, LuongDecoder, Seq2Seq

FOLDER = Path(__file__).parent
SUMS = "SHA256SUMS"  # a checksum of each file, in the format of `sha256sum --check`
TIED = "decoder.output.weight"  # not stored: the decoder's embedding under another name
SCALE = ".scale"  # behind the name of a matrix of whole numbers
BITS = 6  # of each of these; the file takes 8, and a page gets it deflated
DECODERS = {  # of vocabulary size and width of the embedding
    "dot": lambda size, dim: LuongDecoder(size, dim, DotProductAttention(128)),
    "additive": lambda size, dim: BahdanauDecoder(size, dim, AdditiveAttention(128, 128, 64)),
    "no attention": lambda size, dim: FixedVectorDecoder(size, dim, 128, 128),
}
EVERYDAY = {"everyday dot": "dot", "everyday no attention": "no attention"}  # name: its decoder
STORED = (*DECODERS, *EVERYDAY)


def build(name: str, source_vocabulary: Vocabulary, target_vocabulary: Vocabulary) -> Seq2Seq:
    """Make an untrained translator, one of `STORED`; those of `DECODERS` as notebook 06 does."""
    dim = 40 if name in EVERYDAY else 64
    decoder = DECODERS[EVERYDAY.get(name, name)](len(target_vocabulary), dim)
    encoder = Encoder(len(source_vocabulary), dim, 64)
    return Seq2Seq(encoder, decoder, source_vocabulary, target_vocabulary)


def file_of(name: str) -> Path:
    """Return the path of the file in which a translator is stored."""
    return FOLDER / f"{name.replace(' ', '-')}.safetensors"


def read_translator(name: str) -> bytes:
    """Return the bytes of a stored translator's file, which a web page also gets.

    Raises:
        ValueError: the name is unknown, or the file is missing or fails its checksum.
    """
    if name not in STORED:
        raise ValueError(f"there is no translator {name!r}, only {', '.join(STORED)}")
    path = file_of(name)
    sums = (FOLDER / SUMS).read_text(encoding="utf-8").splitlines() if path.is_file() else []
    data = path.read_bytes() if path.is_file() else b""
    if f"{hashlib.sha256(data).hexdigest()}  {path.name}" not in sums:
        state = "damaged" if data else "missing"
        raise ValueError(
            f"the stored translator {path.name} is {state}: get it anew with "
            f"`git checkout utils/translators`, or train it with `python -m utils.translators`"
        )
    return data


def about_translator(data: bytes) -> dict:
    """Return the description in the bytes of a translator's file: words, training, exact match."""
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return json.loads(header["__metadata__"]["about"])


def load_translator(name: str) -> Seq2Seq:
    """Load a stored translator, ready to translate.

    Args:
        name: "dot", "additive" (Bahdanau's decoder), "no attention", "everyday dot" or
            "everyday no attention".

    Raises:
        ValueError: the name is unknown, or the file is missing or damaged.
    """
    data = read_translator(name)
    about = about_translator(data)
    model = build(name, *(Vocabulary(about[side]) for side in ("source_words", "target_words")))
    fill(model, safetensors.torch.load(data))
    return model.eval()


def packed(name: str, model: Seq2Seq) -> dict[str, Tensor]:
    """Return a translator's weights as its file holds them: float16, or few bits in a matrix."""
    weights = {key: tensor for key, tensor in model.state_dict().items() if key != TIED}
    stored = {key: tensor.half() for key, tensor in weights.items()}
    matrices = [key for key, tensor in weights.items() if tensor.dim() == 2]
    for key in matrices if name in EVERYDAY else []:
        stored[key], stored[key + SCALE] = _rounded(weights[key])
    return stored


def _rounded(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """Return a matrix in whole numbers of 6 bits, and each row's scale, of 17 the closest."""
    most = 2 ** (BITS - 1) - 1
    largest = matrix.abs().amax(1, keepdim=True)
    scales = [
        (share * largest / most).clamp_min(1e-6).half() for share in torch.linspace(0.6, 1, 17)
    ]
    steps = [(matrix / scale.float()).round().clamp(-most, most) for scale in scales]
    errors = [
        (step * scale.float() - matrix).square().sum(1)
        for step, scale in zip(steps, scales, strict=True)
    ]
    best, rows = torch.stack(errors).argmin(0), torch.arange(len(matrix))
    return torch.stack(steps)[best, rows].to(torch.int8), torch.stack(scales)[best, rows]


def fill(model: Seq2Seq, stored: dict[str, Tensor]) -> None:
    """Give a model the weights that `packed` returned, rounded as they are."""
    weights = {
        key: tensor.float() * (stored[key + SCALE].float() if key + SCALE in stored else 1)
        for key, tensor in stored.items()
        if not key.endswith(SCALE)
    }
    model.load_state_dict({**weights, TIED: weights["decoder.embedding.weight"]})


def store_translator(name: str, model: Seq2Seq, **about) -> None:
    """Write the file of a translator, and the checksums of all stored translators.

    Args:
        name: one of `STORED`.
        model: the translator.
        about: further entries of the file's description, in types that JSON can hold.
    """
    about |= {
        "name": name,
        **({"decoder": EVERYDAY[name]} if name in EVERYDAY else {}),
        "source_words": model.source_vocabulary.words[4:],
        "target_words": model.target_vocabulary.words[4:],
    }
    # A single entry, because safetensors writes several in any order, and the same model has to
    # give the same file.
    data = safetensors.torch.save(
        packed(name, model), {"about": json.dumps(about, ensure_ascii=False)}
    )
    file_of(name).write_bytes(data)
    stored = [path for path in map(file_of, STORED) if path.is_file()]
    lines = (f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in stored)
    (FOLDER / SUMS).write_text("".join(lines), encoding="utf-8")
