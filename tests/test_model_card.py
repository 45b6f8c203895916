"""Test the cards of real models against published figures, and the reading of broken files."""

import json
import struct

import pytest
import torch
from safetensors.torch import save_file

from tests import needs
from tests.bench.cards import outcomes
from utils.attention import MultiHeadAttention
from utils.model_card import LONG, WIDTH, CardError, in_units, main, read_card, stored_cards

SMALL = {"num_hidden_layers": 4, "num_attention_heads": 8, "hidden_size": 64}
STORED = {name: read_card(stored["config"]) for name, stored in stored_cards().items()}
PER_TOKEN_AND_LONG = {  # bytes a token, GiB of 131,072: worked out apart from this module
    "GPT-2": (36_864, 4.5),
    "Llama 3.1 8B": (131_072, 16),
    "Llama 3.2 1B": (32_768, 4),
    "Mistral 7B v0.1": (131_072, 0.5),
    "Qwen3 0.6B": (114_688, 14),
    "Qwen2.5 72B": (327_680, 40),
    "Gemma 3 270M": (18_432, 0.38),
    "gpt-oss-20b": (49_152, 3.0),
    "OLMo 3 7B": (524_288, 17.5),
    "Tiny Aya": (73_728, 2.46),
    "DeepSeek-V3": (70_272, 8.58),
    "Qwen3-Next 80B": (24_576, 3.04),
}


@pytest.mark.parametrize("name", PER_TOKEN_AND_LONG)
def test_the_bytes_of_twelve_models(name):
    per_token, long = PER_TOKEN_AND_LONG[name]
    assert STORED[name].per_token == per_token
    assert STORED[name].kept(LONG) / 2**30 == pytest.approx(long, abs=0.006)


def test_published_figures_are_met():
    published = {
        name: stored["published"]["bytes"]
        for name, stored in stored_cards().items()
        if "published" in stored
    }
    assert len(published) >= 8
    for name, count in published.items():
        assert STORED[name].per_token == count, name


def test_each_stored_model_names_its_source():
    for stored in stored_cards().values():
        assert stored["source"]
        assert {"config", "source", "second"} <= stored.keys()


def test_the_cache_of_a_module_is_as_large_as_its_card_says():
    attention = MultiHeadAttention(64, heads=8, kv_heads=2)
    memory = attention.remember(torch.zeros(1, 10, 64))
    card = read_card(SMALL | {"num_hidden_layers": 1, "num_key_value_heads": 2})
    assert card.kept(10) == WIDTH * (memory.keys.numel() + memory.values.numel())


TRAPS = {  # model → what its traps say, one for each of the seven, and of those alone
    "Qwen3 0.6B": ["head_dim is 128, not"],
    "Qwen2.5 72B": ["no layer uses it"],
    "Mistral 7B v0.1": ["counts the present token: it and 4,095 before it"],
    "Gemma 3 270M": ["head_dim is 256, not", "in 15 of 18 layers only", "511 before it"],
    "DeepSeek-V3": [
        "num_key_value_heads = 128 says nothing",
        "the rotary 64",
        "scores by 1.874",
        "do not multiply it by the factor 40",
    ],
    "GPT-2": [],
}


@pytest.mark.parametrize("name", TRAPS)
def test_traps_are_flagged_where_they_are(name):
    traps = STORED[name].traps
    assert len(traps) == len(TRAPS[name])
    for trap, words in zip(traps, TRAPS[name], strict=True):
        assert words in trap


def test_scales_that_are_not_one_over_the_root_of_the_width():
    (trap,) = read_card(SMALL | {"query_pre_attn_scalar": 168}).traps
    assert "√168" in trap
    (trap,) = read_card(SMALL | {"attention_multiplier": 0.5}).traps
    assert "0.5" in trap
    yarn = {"rope_type": "yarn", "factor": 8.0, "attention_factor": 2.0}
    (trap,) = read_card(SMALL | {"rope_parameters": {"full_attention": yarn}}).traps
    assert "by 4 " in trap


def test_windows_in_the_layers_that_the_fields_say():
    def windows(**fields):
        card = read_card(SMALL | {"sliding_window": 16} | fields)
        return [layer.window for layer in card.layers]

    assert windows(sliding_window_pattern=2) == [16, None, 16, None]
    assert windows(use_sliding_window=True, max_window_layers=3) == [None, None, None, 16]
    assert windows(use_sliding_window=False) == [None] * 4
    assert windows(model_type="mistral") == [16] * 4
    kinds = ["sliding_attention", "full_attention"] * 2
    assert windows(layer_types=kinds) == [16, None, 16, None]
    assert windows(layer_types=kinds, use_sliding_window=False) == [None] * 4


def test_what_is_not_said_is_told():
    card = read_card(SMALL | {"sliding_window": 16})
    assert "upper bound" in card.told[0]
    assert card.kept(100) == 100 * card.per_token
    for fields in ({"num_kv_shared_layers": 2}, {"use_cla": True, "cla_share_factor": 2}):
        (sentence,) = read_card(SMALL | fields).told
        assert f"`{next(iter(fields))}`" in sentence
        assert "not counted" in sentence
    assert not read_card(SMALL | {"use_cla": False, "cla_share_factor": 2}).told


def test_a_field_that_nobody_knows_is_told():
    (sentence,) = read_card(SMALL | {"kv_moon_phase": 3, "vocab_size": 7}).told
    assert "`kv_moon_phase`" in sentence
    assert not read_card(SMALL | {"kv_moon_phase": None, "attention_bias": True}).told
    for name, card in STORED.items():
        told = ["linear_conv_kernel_dim"] if name == "Qwen3-Next 80B" else []
        assert [sentence.split("`")[1] for sentence in card.told] == told


def test_a_width_that_the_file_leaves_to_the_program_is_told():
    sparse = SMALL | {"model_type": "gemma3_text"}  # as in the files of Gemma 3 12B and 27B
    (sentence,) = read_card({"text_config": sparse}).told
    assert "`head_dim`" in sentence
    assert "64 / 8 = 8" in sentence
    assert not read_card(sparse | {"head_dim": 16}).told
    assert not read_card(SMALL | {"model_type": "llama"}).told


def test_other_names_and_models_of_several_senses():
    old = {"n_layer": 4, "n_head": 8, "n_embd": 64}
    assert read_card(old) == read_card(SMALL)
    assert read_card({"text_config": SMALL, "vision_config": {}}) == read_card(SMALL)
    assert read_card(old | {"multi_query": True}).per_token == read_card(SMALL).per_token / 8


def test_a_linear_layer_keeps_its_state_and_nothing_of_a_token():
    sizes = {"linear_num_value_heads": 2, "linear_key_head_dim": 3, "linear_value_head_dim": 5}
    card = read_card(SMALL | sizes | {"full_attention_interval": 4})
    assert card.per_token == 2 * 2 * 64
    assert card.kept(7) == 7 * card.per_token + 2 * 3 * 30


def test_a_state_in_float32_counts_double_and_its_convolution_is_counted():
    sizes = {"linear_num_value_heads": 2, "linear_key_head_dim": 3, "linear_value_head_dim": 5}
    linear = {"layer_types": ["linear_attention"] * 4, "linear_conv_kernel_dim": 4}
    config = SMALL | sizes | linear | {"linear_num_key_heads": 1}
    state, inputs = 2 * 3 * 5, 4 * (2 * 1 * 3 + 2 * 5)
    card = read_card(config | {"mamba_ssm_dtype": "float32"})
    assert not card.told
    assert card.kept(7) == 4 * WIDTH * (2 * state + inputs)
    half = read_card(config)
    assert half.kept(7) == 4 * WIDTH * state
    assert f"{card.kept(7) - half.kept(7):,} bytes in all" in half.told[0]


def layers_of(**fields):
    return [layer[1:] for layer in read_card(SMALL | {"num_hidden_layers": 2} | fields).layers]


def test_a_layer_has_the_fields_that_are_its_own():
    kinds = ["sliding_attention", "full_attention"]
    window = {"layer_types": kinds, "sliding_window": 16}
    assert layers_of(per_layer_config={"01": {"head_dim": 16}}) == [(128, None, 0), (256, None, 0)]
    assert layers_of(**window, swa_num_key_value_heads=2) == [(32, 16, 0), (128, None, 0)]
    assert layers_of(v_head_dim=4) == [(8 * (8 + 4), None, 0)] * 2
    assert layers_of(layer_types=["mlp", "chunked_attention"], attention_chunk_size=32) == [
        (0, None, 0),
        (128, 32, 0),
    ]
    assert layers_of(cross_attention_layers=[1])[1] == (0, None, 0)
    indexed = {"layer_types": ["indexed_attention"] * 2, "index_head_dim": 8}
    assert layers_of(**indexed, indexer_types=["full", "shared"]) == [
        (136, None, 0),
        (128, None, 0),
    ]


def test_the_states_of_other_linear_layers():
    mamba = {"mamba_d_state": 16, "mamba_d_conv": 4, "mamba_expand": 2}
    first = 2 * 64 * (2 * 16 + 4)  # float32 for each channel, and the last inputs
    assert layers_of(**mamba, attn_layer_period=2) == [(128, None, 0), (0, None, first)]
    second = {"mamba_n_groups": 1, "mamba_n_heads": 4, "mamba_d_head": 8}
    assert layers_of(**mamba, **second, hybrid_override_pattern="M-") == [
        (0, None, 2 * 32 * 16 + 4 * (32 + 2 * 16)),
        (0, None, 0),
    ]
    assert layers_of(conv_L_cache=3, layer_types=["conv", "full_attention"])[0] == (0, None, 192)
    kimi = {"linear_num_heads": 2, "linear_head_dim": 8, "linear_conv_kernel_dim": 4}
    assert layers_of(**kimi, layer_types=["linear_attention"] * 2)[0][2] == 16 * (2 * 8 + 3 * 4)


def test_windows_that_a_switch_or_a_program_sets():
    card = read_card(SMALL | {"sliding_window": 16, "use_sliding_window": True})
    assert [layer.window for layer in card.layers] == [None] * 4
    assert "`max_window_layers`" in card.told[0]
    assert read_card(SMALL | {"sliding_window": 0, "use_sliding_window": False}).layers


def test_an_encoder_keeps_nothing_and_a_decoder_has_layers_of_its_own():
    encoder = read_card(SMALL | {"model_type": "bert"})
    assert encoder.kept(LONG) == 0
    assert "keeps nothing" in str(encoder)
    assert read_card(SMALL | {"model_type": "bert", "is_decoder": True}).per_token
    bart = {"num_hidden_layers": 12, "decoder_layers": 2, "decoder_attention_heads": 4}
    card = read_card(bart | {"d_model": 32, "is_encoder_decoder": True, "encoder_layers": 12})
    assert card.per_token == 2 * WIDTH * 2 * 32
    (sentence,) = card.told
    assert "of the decoder keeps keys and values of what the encoder read" in sentence
    inner = {"decoder": SMALL, "encoder": SMALL | {"num_hidden_layers": 9}}
    assert read_card(inner | {"is_encoder_decoder": True}).layers == read_card(SMALL).layers


@needs.transformers
@pytest.mark.slow
def test_no_card_is_wrong_without_a_word_beside_the_caches_of_transformers():
    found = outcomes()
    assert not found["quietly wrong"]
    assert len(found["refused"]) <= 25
    assert len(found["wrong, with a remark"]) <= 20
    assert len(found["right"]) >= 180


def a_tensor(*shape):
    return torch.zeros(shape)


def test_shapes_tell_what_is_kept_without_any_configuration(tmp_path):
    layer = "model.layers.{}.self_attn."
    shapes = {"q_proj.weight": (64, 32), "k_proj.weight": (16, 32), "v_proj.weight": (16, 32)}
    tensors = {
        layer.format(number) + name: a_tensor(*shape)
        for number in range(3)
        for name, shape in shapes.items()
    }
    file = tmp_path / "model.safetensors"
    save_file(tensors, file)
    card = read_card(file)
    assert card.per_token == 2 * 3 * 32
    assert any("windows" in sentence for sentence in card.told)
    file.write_bytes(file.read_bytes()[:-100])  # the header is enough
    assert read_card(file) == card
    save_file(tensors | {layer.format(0) + "k_norm.weight": a_tensor(8)}, file)
    assert read_card(file).facts["heads"] == "2 for keys and values"
    latent = {layer.format(0) + "kv_a_proj_with_mqa.weight": a_tensor(20, 32)}
    save_file(latent, file)
    assert read_card(file).per_token == 2 * 20


LATENT = {"kv_lora_rank": 8, "qk_nope_head_dim": 4}
BROKEN = {  # content of a config.json → words of the line
    "cut off": ('{"num_hidden_layers": 4,', "no JSON file"),
    "a list": ("[1, 2]", "holds a list"),
    "no layers": (json.dumps({"hidden_size": 64}), "`num_hidden_layers` is missing"),
    "words for numbers": (json.dumps(SMALL | {"num_attention_heads": "8"}), "is '8'"),
    "no whole width": (json.dumps(SMALL | {"hidden_size": 65}), "65 / 8 is no whole number"),
    "no whole groups": (json.dumps(SMALL | {"num_key_value_heads": 3}), "cannot share 3"),
    "too few types": (json.dumps(SMALL | {"layer_types": ["full_attention"]}), "names 1 layers"),
    "types in one word": (json.dumps(SMALL | {"layer_types": "full_attention"}), "be a list"),
    "a layer too many": (json.dumps(SMALL | {"num_hidden_layers": 10**12}), "no model has so many"),
    "lists without end": ("[" * 100_000, "no JSON file"),
    "an unknown type": (json.dumps(SMALL | {"layer_types": ["mamba"] * 4}), "'mamba'"),
    "half a latent": (json.dumps(SMALL | LATENT), "`qk_rope_head_dim` is missing"),
    "rope is a word": (json.dumps(SMALL | {"rope_scaling": "yarn"}), "`rope_scaling` is 'yarn'"),
    "a window of 0": (json.dumps(SMALL | {"sliding_window": 0}), "`sliding_window` is 0"),
    "too many digits": ('{"num_hidden_layers": ' + "9" * 5000 + "}", "no JSON file"),
    "not a number": ('{"num_hidden_layers": NaN}', "`num_hidden_layers` is nan"),
    "no heads": (json.dumps(SMALL | {"num_attention_heads": 0}), "`num_attention_heads` is 0"),
    "true heads": (json.dumps(SMALL | {"num_attention_heads": True}), "is True"),
    "fewer than no heads": (json.dumps(SMALL | {"num_key_value_heads": -1}), "is -1"),
    "heads without end": (json.dumps(SMALL | {"head_dim": 10**30}), "no model has so many"),
    "a width that is an object": (json.dumps(SMALL | {"head_dim": {}}), "`head_dim` is {}"),
    "a context below 0": (
        json.dumps(SMALL | {"max_position_embeddings": -1}),
        "`max_position_embeddings` is -1",
    ),
    "no latent vector": (json.dumps(SMALL | LATENT | {"kv_lora_rank": 0}), "`kv_lora_rank` is 0"),
    "a switch that is a word": (
        json.dumps(SMALL | {"sliding_window": 16, "use_sliding_window": "false"}),
        "has to be true or false",
    ),
    "layers of a window in a list": (
        json.dumps(
            SMALL | {"sliding_window": 16, "use_sliding_window": True, "max_window_layers": []}
        ),
        "`max_window_layers` is []",
    ),
    "types in lists": (json.dumps(SMALL | {"layer_types": [["full_attention"]] * 4}), "has ['full"),
    "windows without a width": (
        json.dumps(SMALL | {"layer_types": ["sliding_attention"] * 4}),
        "`sliding_window` is missing",
    ),
    "states without a size": (
        json.dumps(SMALL | {"layer_types": ["linear_attention"] * 4}),
        "`linear_num_value_heads` is missing",
    ),
    "every 0th layer": (json.dumps(SMALL | {"full_attention_interval": 0}), "is 0"),
    "a factor that is a word": (
        json.dumps(SMALL | {"rope_scaling": {"factor": "8"}}),
        "`factor` has to be a number above 0",
    ),
    "a factor that is no number": (
        json.dumps(SMALL | {"rope_scaling": {"factor": float("nan")}}),
        "above 0",
    ),
    "a divisor below 0": (json.dumps(SMALL | {"query_pre_attn_scalar": -1}), "above 0"),
    "a multiplier without end": (json.dumps(SMALL | {"attention_multiplier": 1e30}), "above 0"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_configuration_gets_one_clear_line(kind, tmp_path):
    content, words = BROKEN[kind]
    file = tmp_path / "config.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(CardError) as error:
        read_card(file)
    assert words in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_broken_tensors_and_missing_files_get_one_clear_line(tmp_path):
    file = tmp_path / "model.safetensors"
    header = json.dumps({"lm_head.weight": {"shape": [2, 2]}}).encode()
    for content, words in (
        (b"", "does not begin"),
        (struct.pack("<Q", 4) + b"{{{{", "no JSON"),
        (struct.pack("<Q", 2**63) + b"{}", "does not begin"),
        (struct.pack("<Q", len(header)) + header[:-3], "does not begin"),
        (struct.pack("<Q", 4) + b'{"\xff"', "no JSON"),
        (struct.pack("<Q", 100_000) + b"[" * 100_000, "no JSON"),
        (struct.pack("<Q", len(header)) + header, "no tensor is called"),
    ):
        file.write_bytes(content)
        with pytest.raises(CardError, match=words) as error:
            read_card(file)
        assert len(str(error.value).splitlines()) == 1
    with pytest.raises(CardError, match="no such file"):
        read_card(tmp_path / "config.json")
    with pytest.raises(CardError, match="directory"):
        read_card(tmp_path)


def test_the_command_prints_a_card_or_one_line(tmp_path, monkeypatch, capsys):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(stored_cards()["DeepSeek-V3"]["config"]), encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["model_card", str(file)])
    assert main() == 0
    printed = capsys.readouterr().out
    assert "61 × 576 numbers (one latent vector) of all tokens" in printed
    assert "70,272 bytes (68.62 KiB)" in printed
    file.write_text("{}", encoding="utf-8")
    assert main() == 1
    assert capsys.readouterr().err.count("\n") == 1
    monkeypatch.setattr("sys.argv", ["model_card"])
    assert main() == 0
    assert len(capsys.readouterr().out.splitlines()) == len(STORED)


def test_units_are_those_that_people_use():
    assert in_units(131_072) == "128 KiB"
    assert in_units(0) == "0 bytes"
    assert in_units(5 * 2**40) == "5,120 GiB"


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ([1, 2, 3], "lists no shapes"),
        ({"k_proj.weight": {"dtype": "BF16", "shape": []}}, "cannot be counted"),
        ({"k_proj.weight": {"dtype": "U8", "shape": [2097152, 1]}}, "packed"),
        ({}, "no tensor is called"),
        ({"__metadata__": {"format": "pt"}}, "no tensor is called"),
        ({"k_proj.weight": {"dtype": "BF16"}}, "lists no shapes"),
        ({"k_proj.weight": {"dtype": 16, "shape": [16, 32]}}, "lists no shapes"),
        ({"k_proj.weight": {"dtype": "BF16", "shape": 16}}, "lists no shapes"),
        ({"k_proj.weight": {"dtype": "BF16", "shape": [-16, 32]}}, "no list of sizes"),
        ({"k_proj.weight": {"dtype": "BF16", "shape": [True, 32]}}, "no list of sizes"),
        ({"k_proj.weight": {"dtype": "BF16", "shape": [10**13, 32]}}, "no list of sizes"),
        ({"k_proj.weight": {"dtype": "BF16", "shape": [0, 32]}}, "cannot be counted"),
    ],
)
def test_a_header_without_shapes_or_with_packed_weights_is_refused(tmp_path, header, words):
    with pytest.raises(CardError, match=words):
        read_card(_written(tmp_path, header))


@pytest.mark.parametrize(("keys", "norm"), [(4096, 4096), (16, 5)])
def test_a_norm_over_all_keys_or_no_whole_part_does_not_say_how_they_are_cut(keys, norm, tmp_path):
    shapes = {"k_proj": [keys, 32], "v_proj": [keys, 32], "k_norm": [norm]}
    entries = {f"0.{name}.weight": {"dtype": "F16", "shape": each} for name, each in shapes.items()}
    card = read_card(_written(tmp_path, entries))
    assert card.per_token == 2 * 2 * keys
    assert "heads" not in card.facts
    assert any("cut into heads" in sentence for sentence in card.told)


@pytest.mark.parametrize("part", ["k_proj", "v_proj"])
def test_keys_without_values_in_the_file_are_told(part, tmp_path):
    whole = {"0.k_proj.weight": {"shape": [16, 32]}, "0.v_proj.weight": {"shape": [16, 32]}}
    assert not any("other half" in told for told in read_card(_written(tmp_path, whole)).told)
    card = read_card(_written(tmp_path, whole | {f"1.{part}.weight": {"shape": [16, 32]}}))
    assert any("other half of 1 layers" in sentence for sentence in card.told)


def _written(folder, header):
    file, text = folder / "model.safetensors", json.dumps(header).encode()
    file.write_bytes(struct.pack("<Q", len(text)) + text)
    return file


OWN = {"model.layers.0.self_attn.k_proj.weight": 16, "model.layers.0.self_attn.v_proj.weight": 16}
NOT_OF_THE_TEXT = {  # rows of other tensors → words of what is told of them
    "vision_tower.layers.0.self_attn.k_proj.weight": "1 other layers",
    "model.encoder.layers.0.self_attn.v_proj.weight": "1 other layers",
    "model.decoder.layers.0.encoder_attn.k_proj.weight": "1 other layers",
    "model.layers.1.linear_attn.k_proj.weight": "the states of 1 linear layers",
    "model.layers.0.self_attn.indexer.wk.weight": "the key of an indexer",
    "model.layers.1.self_attn.qkv_proj.weight": "",
}


@pytest.mark.parametrize("name", NOT_OF_THE_TEXT)
def test_keys_of_something_else_are_not_counted(name, tmp_path):
    rows = {**OWN, name: 99, "model.layers.1.linear_attn.A_log": 2}
    header = {each: {"dtype": "F16", "shape": [count, 32]} for each, count in rows.items()}
    card = read_card(_written(tmp_path, header))
    assert card.per_token == WIDTH * 32
    assert NOT_OF_THE_TEXT[name] in " ".join(card.told)


@pytest.mark.parametrize(
    ("name", "words"),
    [("0.qkv_proj.weight", "one matrix"), ("vision_model.0.k_proj.weight", "of another sense")],
)
def test_a_header_without_keys_of_its_own_says_where_to_look(name, words, tmp_path):
    with pytest.raises(CardError, match=f"{words}.*config.json"):
        read_card(_written(tmp_path, {name: {"dtype": "F16", "shape": [48, 32]}}))


def test_a_recipe_for_longer_texts_is_not_taken_for_a_stretched_context():
    rope = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32_768}
    config = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4}
    for longest, told in ((40_960, False), (131_072, True)):
        card = read_card(config | {"max_position_embeddings": longest, "rope_scaling": rope})
        assert any("stretched" in trap for trap in card.traps) == told


def test_falcons_newer_layout_has_the_heads_that_it_names():
    config = {"num_hidden_layers": 1, "hidden_size": 64, "num_attention_heads": 8}
    config |= {"multi_query": True, "new_decoder_architecture": True, "num_kv_heads": 2}
    assert read_card(config).layers[0].numbers == 2 * 2 * 8
