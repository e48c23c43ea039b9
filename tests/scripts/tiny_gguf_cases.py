"""Which GGUF files make_tiny_gguf.py converts from which folder of tests/data/models, and how.

  folder       the Hugging Face folder, or with `options` the name in tiny_configs.py whose options are changed:
               GGUF cannot say everything that config.json can, and then the file needs a reference of its own
  type         what the converter stores matrices in; it must hold the folder's weights exactly (q8_0: with options, the weights are rounded to it)
  fields       that published config.json files have and transformers 5 does not keep
  config       fields of config.json that the converter reads under other names or with other values
  without      tensors that published files lack and transformers 5 writes
  added        tensors of zeros, and their shapes, that published folders have and transformers 5 does not write
  no_mtp       that the folder has no layers for speculation
  own_fields   that the converter reads config.json without what transformers adds
  zeros        tensors of zeros, and their shapes, that are added
  vocabulary   see tiny_vocabulary.write_vocabulary
"""

CASES = {
    "llama": dict(folder="gqa_f32", type="f32", vocabulary="llama", template=True),
    "llama_f16": dict(folder="mha_f16", type="f16", vocabulary="llama"),
    "llama_bias": dict(folder="mqa_bias", vocabulary="llama"),
    "llama_split": dict(folder="head_dim", vocabulary="llama", split_max_tensors=7),
    "rope_linear": dict(folder="rope_linear", vocabulary="llama"),
    "rope_llama3": dict(folder="rope_llama3", vocabulary="llama-bpe"),
    "rope_yarn": dict(folder="rope_yarn", vocabulary="llama"),
    "qwen2": dict(folder="qwen2", vocabulary="qwen2"),
    "qwen3": dict(folder="qwen3", vocabulary="qwen2", template=True),
    # GGUF has no key for query_pre_attn_scalar; readers take head_dim (but for Gemma 2 and 3 27B).
    "gemma2": dict(folder="gemma2", options=dict(query_pre_attn_scalar=16), vocabulary="gemma"),
    "gemma3": dict(folder="gemma3", options=dict(query_pre_attn_scalar=16), vocabulary="gemma"),
    "phi3": dict(folder="phi3", vocabulary="llama"),
    "phi3_longrope": dict(folder="phi3_longrope", vocabulary="llama"),
    "phi3_longrope_long": dict(folder="phi3_longrope_long", vocabulary="llama"),
    "phi4_mini": dict(folder="phi4_mini", vocabulary="gpt-4o"),
    "smollm3": dict(folder="smollm3", vocabulary="llama-bpe"),
    "olmo2": dict(folder="olmo2", vocabulary="dbrx"),
    "granite": dict(folder="granite", vocabulary="refact"),
    "mixtral": dict(folder="mixtral", vocabulary="llama"),
    "qwen3_moe": dict(folder="qwen3_moe", vocabulary="qwen2"),
    "gpt_oss": dict(folder="gpt_oss", vocabulary="gpt-4o"),
    "deepseek2": dict(folder="deepseek_v3", vocabulary="llama-bpe"),
    "deepseek2_lite": dict(folder="deepseek_v2", vocabulary="llama-bpe"),
    "gpt_oss_mxfp4": dict(folder="gpt_oss_mxfp4", vocabulary="gpt-4o"),
}

# Some of a layer for speculation, which transformers does not write; the folder's block_count includes it.
NEXTN = {"blk.3.nextn.eh_proj.weight": (48, 96), "blk.3.nextn.enorm.weight": (48,), "blk.3.attn_norm.weight": (48,),
         "blk.3.attn_q.weight": (64, 48)}

# Those whose tensors tiny_gguf_check.py does not put back into transformers: tst_gguf_models compares what Quire
# makes of the file with the folder's reference.
UNCHECKED = {
    # The converter takes hidden_size / num_attention_heads for head_dim.
    "cohere2": dict(folder="cohere2", options=dict(head_dim=12, tie_word_embeddings=True), vocabulary="llama-bpe", without=["lm_head.weight"], fields=dict(rotary_pct=1.0)),
    "ernie4_5": dict(folder="ernie4_5", vocabulary="llama"),
    "ernie4_5_moe": dict(folder="ernie4_5_moe", vocabulary="llama"),
    "exaone4": dict(folder="exaone4", vocabulary="llama-bpe"),
    "glm4": dict(folder="glm4", vocabulary="llama-bpe"),
    "glm4_moe": dict(folder="glm4_moe", vocabulary="llama-bpe", zeros=NEXTN),
    "gpt2": dict(folder="gpt2", vocabulary="gpt-2", fields=dict(n_ctx=256)),
    "gpt_neox": dict(folder="gpt_neox", vocabulary="olmo", fields=dict(rotary_pct=0.25)),
    "granitemoe": dict(folder="granitemoe", vocabulary="refact"),
    "minimax_m2": dict(folder="minimax_m2", vocabulary="gpt-4o", fields=dict(rotary_dim=8, scoring_func="sigmoid")),
    "muse_glimmer": dict(folder="muse_glimmer", vocabulary="gpt-4o"),
    "olmo3": dict(folder="olmo3", vocabulary="dbrx"),
    # The converter writes 4 * hidden_size for the MLP's size, and as many keys as heads.
    "phi": dict(folder="phi", options=dict(intermediate_size=192, num_key_value_heads=3), vocabulary="gpt-2"),
    "qwen2_moe": dict(folder="qwen2_moe", vocabulary="qwen2"),
    "seed_oss": dict(folder="seed_oss", vocabulary="gpt-2"),
    "stablelm": dict(folder="stablelm", vocabulary="gpt-2"),
    # The converter does not write the window.
    "starcoder2": dict(folder="starcoder2", options=dict(sliding_window=None, initializer_range=0.2),
                       vocabulary="refact"),
}

# A layer for speculation, as Qwen publishes it and transformers does not write it.
MTP = {"mtp.fc.weight": (48, 96), "mtp.norm.weight": (48,), "mtp.pre_fc_norm_embedding.weight": (48,),
       "mtp.pre_fc_norm_hidden.weight": (48,), "mtp.layers.0.input_layernorm.weight": (48,),
       "mtp.layers.0.self_attn.q_proj.weight": (128, 48)}
Q8_0 = dict(dtype="f32", hidden_size=64, linear_value_head_dim=32)
GRANITE_LAYERS = ["mamba", "mamba", "attention", "mamba"]

# Models with recurrent layers.
RECURRENT = {
    "qwen3_5": dict(folder="qwen3_5", vocabulary="qwen2", added=MTP, config=dict(mtp_num_hidden_layers=1)),
    "qwen3_5_moe": dict(folder="qwen3_5_moe", vocabulary="qwen2", no_mtp=True),
    "lfm2": dict(folder="lfm2", vocabulary="llama-bpe"),
    # The converter knows no head that is not the embedding.
    "lfm2_moe": dict(folder="lfm2_moe", options=dict(tie_word_embeddings=True), vocabulary="llama-bpe",
                     without=["lm_head.weight"]),
    "granite_hybrid": dict(folder="granite_hybrid", vocabulary="refact", config=dict(layer_types=GRANITE_LAYERS)),
    # The converter always writes that no layer rotates.
    "granite_hybrid_moe": dict(folder="granite_hybrid_moe", options=dict(position_embedding_type=None),
                               vocabulary="refact", config=dict(layer_types=GRANITE_LAYERS)),
    # A head's values fill blocks, as in published models, so that those can be reordered.
    "qwen3_5_q8_0": dict(folder="qwen3_5", options=dict(Q8_0), type="q8_0", vocabulary="qwen2", no_mtp=True),
    "qwen3_next": dict(folder="qwen3_next", vocabulary="qwen2", no_mtp=True),
}
# Some of a layer for speculation, as NVIDIA publishes it.
NEMOTRON_MTP = {"mtp.layers.0.eh_proj.weight": (48, 96), "mtp.layers.0.enorm.weight": (48,),
                "mtp.layers.0.hnorm.weight": (48,), "mtp.layers.0.norm.weight": (48,),
                "mtp.layers.0.mixer.q_proj.weight": (80, 48)}
RECURRENT |= {
    # The converter checks the heads' size by another name.
    "nemotron_h": dict(folder="nemotron_h", vocabulary="llama-bpe", own_fields=True,
                       config=dict(mamba_d_head=12, rms_norm_eps=1e-5)),
    "nemotron_h_moe": dict(folder="nemotron_h_moe", vocabulary="llama-bpe", added=NEMOTRON_MTP,
                           config=dict(mamba_d_head=12, num_nextn_predict_layers=1)),
}
# The converter multiplies the weights with their factors.
RECURRENT |= {
    "falcon_h1": dict(folder="falcon_h1", type="f32", vocabulary="llama-bpe"),
    "falcon_h1_norm": dict(folder="falcon_h1", type="f32", vocabulary="llama-bpe",
                           options=dict(mamba_rms_norm=True, mamba_norm_before_gate=False)),
}
UNCHECKED |= {
    "arcee": dict(folder="arcee", vocabulary="llama-bpe"),
    # GGUF has no key for its window.
    "dots1": dict(folder="dots1", options=dict(sliding_window=None, layer_types=None), vocabulary="gpt-2"),
}
UNCHECKED |= RECURRENT

VARIANTS = {
    "apertus": dict(folder="apertus", vocabulary="llama-bpe"),
    "arcee": dict(folder="arcee", vocabulary="llama-bpe"),
    # The converter does not write windows.
    "dots1": dict(folder="dots1", options=dict(sliding_window=None), vocabulary="qwen2"),
    # It takes this rotation with these contexts alone.
    "hunyuan_dense": dict(folder="hunyuan_dense", vocabulary="gpt-4o", config=dict(max_position_embeddings=32768)),
    # And with heads of 128 alone, which are large for a fixture.
    "hunyuan_moe": dict(folder="hunyuan_moe", vocabulary="gpt-4o",
                        options=dict(rope_parameters=dict(rope_type="default", rope_theta=10000.0)),
                        config=dict(moe_topk=[2, 2], moe_intermediate_size=[40, 40], num_shared_expert=[1, 1])),
    "hy_v3": dict(folder="hy_v3", vocabulary="gpt-4o"),
    # GGUF has no keys for the sizes of chunks and for temperatures.
    "llama4": dict(folder="llama4", vocabulary="gpt-4o",
                   options=dict(attention_chunk_size=8192, floor_scale=8192, attn_scale=0.1, no_rope_layer_interval=4)),
    "mistral3": dict(folder="mistral3_ministral3", vocabulary="gpt-4o"),
    # The converter leaves out the scale of queries, which readers take to be the published models'.
    "mistral4": dict(folder="mistral3_mistral4", vocabulary="gpt-4o"),
}
UNCHECKED |= VARIANTS

# Published files also have what the layers that share caches do not use.
UNUSED_KEYS = {"blk.4.attn_k.weight": (20, 44), "blk.4.attn_v.weight": (20, 44), "blk.4.attn_k_norm.weight": (20,)}

# Models whose layers share caches.
UNCHECKED |= {
    "gemma4": dict(folder="gemma4", vocabulary="gemma4", template=True, zeros=UNUSED_KEYS),
    "gemma4_moe": dict(folder="gemma4_moe", vocabulary="gemma4"),
    # The converter pads the table of per-layer embeddings with zeros.
    "gemma3n": dict(folder="gemma3n", options=dict(vocab_size_per_layer_input=160), vocabulary="gemma"),
}
CASES |= {name: dict(case, unchecked=True) for name, case in UNCHECKED.items()}
