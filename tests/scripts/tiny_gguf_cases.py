"""Which GGUF files make_tiny_gguf.py converts from which folder of tests/data/models, and how.

  folder       the Hugging Face folder, or with `options` the name in tiny_configs.py whose options are changed:
               GGUF cannot say everything that config.json can, and then the file needs a reference of its own
  type         what the converter stores matrices in; it must hold the folder's weights exactly
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
    "gpt_oss_mxfp4": dict(folder="gpt_oss_mxfp4", vocabulary="gpt-4o"),
}
