"""How configurations of models call what `utils.model_card` reads: tables of fields and of types.

A field or a type of layer that is met for the first time is entered here, and the benchmark `cards`
compares what is read then with the caches of all models in *transformers*.
"""

import re

FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"
NOTHING = "nothing"  # the type of a layer that keeps nothing, such as an encoder's
PARTS = ("thinker_config", "text_config", "language_config", "llm_config", "decoder")  # that write
ALIASES = {  # other names of the same fields, a decoder's before those of the whole
    "num_hidden_layers": (
        *("decoder_layers", "num_decoder_layers", "decoder_num_hidden_layers", "num_hidden_layers"),
        *("n_layer", "n_layers", "num_layers", "layers"),
    ),
    "num_attention_heads": (
        *("decoder_attention_heads", "num_decoder_attention_heads", "decoder_num_attention_heads"),
        *("num_attention_heads", "n_head", "n_heads", "num_heads", "attention_heads"),
    ),
    "num_key_value_heads": (
        *("decoder_num_key_value_heads", "num_key_value_heads", "num_kv_heads", "n_head_kv"),
    ),
    "hidden_size": ("hidden_size", "n_embd", "d_model", "dim", "emb_dim", "embed_dim"),
    "head_dim": ("head_dim", "attention_head_dim", "kv_channels", "d_kv", "dim_head"),
    "max_position_embeddings": ("max_position_embeddings", "n_positions"),
    "sliding_window": ("sliding_window", "sliding_window_size"),
    "layer_types": ("layer_types", "layers_block_type"),
    "mamba_d_state": ("mamba_d_state", "ssm_state_size", "state_size"),
    "mamba_d_conv": ("mamba_d_conv", "conv_kernel"),
    "mamba_expand": ("mamba_expand", "expand"),
    "mamba_n_heads": ("mamba_n_heads", "mamba_num_heads", "n_mamba_heads", "num_heads"),
    "mamba_d_head": ("mamba_d_head", "mamba_head_dim", "mamba_headdim", "head_dim"),
    "mamba_n_groups": ("mamba_n_groups", "mamba_ngroups", "n_groups"),
}
ENCODERS = (  # types of model that read a text at once, and keep nothing of it
    *("albert", "bert", "big_bird", "camembert", "convbert", "data2vec-text", "deberta"),
    *("deberta-v2", "distilbert", "electra", "ernie", "esm", "esmc", "eurobert", "flaubert"),
    *("fnet", "funnel", "gte", "ibert", "jina_embeddings_v3", "layoutlm", "longformer", "luke"),
    *("megatron-bert", "mobilebert", "modernbert", "modernvbert", "mpnet", "mra", "neomme"),
    *("nomic_bert", "nystromformer", "perceiver", "rembert", "roberta", "roberta-prelayernorm"),
    *("roc_bert", "roformer", "squeezebert", "tapas", "ultrabert", "ultravbert", "xlm"),
    *("xlm-roberta", "xlm-roberta-xl", "xmod", "yoso"),
)
IN_EVERY_LAYER = {  # types of model whose layers are all of one type, which the file leaves out
    **dict.fromkeys(("mistral", "mixtral", "moshi", "phi3", "starcoder2"), SLIDING),
    **dict.fromkeys(("falcon_mamba", "mamba", "mamba2"), LINEAR),
    **dict.fromkeys(("falcon_h1",), "hybrid"),
}
WINDOWS = {  # types of layer with a window → the field that holds it
    SLIDING: "sliding_window",
    "hybrid_sliding": "sliding_window",
    "chunked_attention": "attention_chunk_size",
}
FULL_TOO = (FULL, "attention", "indexed_attention", "hybrid")  # keep keys of all tokens
STATES = (LINEAR, "mamba", "conv", "hybrid", "hybrid_sliding")  # have a state, besides keys or not
EMPTY = (NOTHING, "moe", "mlp")
DELTA_RULE = ("linear_num_value_heads", "linear_key_head_dim", "linear_value_head_dim")
LETTERS = {"M": LINEAR, "*": FULL, "-": "mlp", "E": "moe"}  # of `hybrid_override_pattern`
# Beginnings of types of model whose heads have a width of their own if the file names none.
OWN_WIDTH = ("gemma", "qwen3", "gpt_oss")
OWN_HEADS = ("mimo_v2",)  # and those whose layers with a window have heads of their own
NOT_COUNTED = {  # fields that change what is kept, in ways that this card does not count
    "block_configs": "each layer has a number of heads with keys of its own",
    "num_kv_shared_layers": "later layers read the keys and values of earlier ones",
    "use_cla": "neighbouring layers share keys and values",
    "global_head_dim": "full layers have heads of another width",
    "attention_k_eq_v": "keys and values are the same",
    "cross_attention_layers": "some layers look at another source, and keep its keys and values",
    "compress_rates": "keys are compressed",
    "prompt_length": "a prompt that belongs to the model is kept as well",
    "recurrent_kv_cache_mode": "layers that run more than once may keep keys for each time",
    "window_size": "some layers may look at the last tokens alone",
}

SUSPICIOUS = re.compile("attn|attention|kv|cache|window|latent|compress|head")  # may change it
HARMLESS = re.compile(  # names like these that do not, and those that are read here
    r"_?(attn|attention)_(bias|dropout|pdrop|implementation|output_gate|logit_softcapping"
    r"|multiplier)(_internal)?|output_attentions|scale_attn_.+|reorder_and_upcast_attn"
    r"|(num_ln_in_)?parallel_attn|attention_(probs_dropout_prob|softmax_in_fp32)"
    r"|((num_)?(en|de)coder_)?attention_heads|decoder_num_\w+_heads|encoder_attention_type"
    r"|d_kv|kv_channels|dim_head|n_heads|num_heads|relative_attention_\w+|attn_layer_\w+"
    r"|mamba_(n_heads|num_heads|d_head|head_dim|headdim|ssm_cache_dtype)|n_mamba_heads|swa_\w+"
    r"|num_attention_heads_per_layer|_sliding_window_pattern|sliding_window_size|conv_L_cache"
    r"|attention_head_dim|attention_(in|out)_multiplier|cross_attention_hidden_size"
    r"|attention_chunk_size|attention_window|global_attn_every_n_layers|attention_value_scale"
    r"|add_cross_attention|use_bidirectional_attention|use_cache|cache_implementation|lm_head\w*"
    r"|(pruned|init)_?heads|n_head(_kv)?|num_(attention|kv|key_value)_heads|head_dim|sliding_window"
    r"|sliding_window_pattern|use_sliding_window|max_window_layers|full_attention_interval"
    r"|kv_lora_rank|(qk_(nope|rope)|v|qk)_head_dim|linear_\w+|query_pre_attn_scalar"
)
