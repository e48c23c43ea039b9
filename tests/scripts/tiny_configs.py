"""The tiny models of tests/data/models: what each folder's configuration says.

Keys in lower case that are no configuration keys:
  family         transformers' class prefix (default Llama)
  text           the class of the text's configuration within a multimodal model's
  dtype          what weights are stored in; they are exactly representable in it
  prompts        lengths of the prompts (default PROMPT_LENGTHS); a window is always shorter than the longest
  served         the context that the reference assumes to be served: see references() in tiny_reference.py
  style          functions that rewrite config.json as other writers of such files do
  end_tokens     what generation_config.json names besides config.json's own
  mxfp4          experts are stored as blocks and scales
  exact          the reference is computed in float64: the norm after a recurrence amplifies float32's rounding
  choice_margin  the least gap between chosen experts and others on prompts, so that a GPU's halves choose as float32
  varied         the last norm has random signs and greedy runs must have many different tokens: else tied
                 embeddings make them one token again and again
"""

PROMPT_LENGTHS = [1, 17, 50]

BASE = dict(
    vocab_size=160, hidden_size=48, intermediate_size=96, num_hidden_layers=3, num_attention_heads=6,
    num_key_value_heads=2, max_position_embeddings=256, rms_norm_eps=1e-5, initializer_range=0.12,
    tie_word_embeddings=False, bos_token_id=1, eos_token_id=2, attn_implementation="eager",
)

LLAMA = {
    "gqa_f32": dict(),
    "gqa_bf16_tied": dict(dtype="bf16", tie_word_embeddings=True),
    "mha_f16": dict(dtype="f16", num_attention_heads=4, num_key_value_heads=4),
    "mqa_bias": dict(dtype="bf16", num_key_value_heads=1, attention_bias=True, mlp_bias=True),
    "head_dim": dict(dtype="bf16", head_dim=16, num_hidden_layers=2),
    "rope_linear": dict(
        dtype="bf16", style=["rope_before_5"], num_hidden_layers=2,
        rope_parameters=dict(rope_type="linear", factor=4.0, rope_theta=10000.0)),
    "rope_llama3": dict(
        dtype="bf16", num_hidden_layers=2, head_dim=16,
        rope_parameters=dict(
            rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
            original_max_position_embeddings=64, rope_theta=500000.0)),
    "sharded": dict(dtype="bf16", num_hidden_layers=2, max_shard_size="40KB"),
    "mistral_window": dict(family="Mistral", dtype="bf16", num_hidden_layers=2, sliding_window=11),
}

YARN = dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=64, rope_theta=10000.0)
TINY_ROPE = dict(dtype="bf16", num_hidden_layers=2, head_dim=16, intermediate_size=80)

ROPE = {
    # transformers stretches theta for the sequence at hand, Quire for the context that is served. They agree
    # on a prompt that fills the context: max_position_embeddings (48, the original one) times factor.
    "rope_dynamic": dict(
        TINY_ROPE, max_position_embeddings=48, prompts=[1, 17, 96], served=96,
        rope_parameters=dict(rope_type="dynamic", factor=2.0, rope_theta=10000.0)),
    "rope_yarn": dict(TINY_ROPE, rope_parameters=YARN),
    "rope_yarn_mscale": dict(
        TINY_ROPE,
        rope_parameters=dict(YARN, rope_theta=100.0, beta_fast=4.0, beta_slow=0.5, mscale=1.3, mscale_all_dim=0.6)),
    "rope_yarn_factor": dict(
        TINY_ROPE, style=["rope_before_5"],
        rope_parameters=dict(YARN, attention_factor=1.25, beta_fast=2.0, truncate=False)),
}

GEMMA = dict(
    dtype="bf16", hidden_activation="gelu_pytorch_tanh", num_attention_heads=4, num_key_value_heads=2, head_dim=16,
    tie_word_embeddings=True, rms_norm_eps=1e-6, pad_token_id=0, bos_token_id=2, eos_token_id=1, sliding_window=11)

DENSE = {
    "qwen2": dict(family="Qwen2", dtype="bf16", rms_norm_eps=1e-6, num_attention_heads=4,
                  rope_parameters=dict(rope_type="default", rope_theta=1000000.0)),
    # Files of before transformers 5 have no layer_types: layers from max_window_layers on have the window.
    "qwen2_window": dict(family="Qwen2", dtype="bf16", use_sliding_window=True, sliding_window=11,
                         max_window_layers=1, num_attention_heads=4, style=["no_layer_types"]),
    "qwen3": dict(family="Qwen3", dtype="bf16", head_dim=16, num_attention_heads=4, rms_norm_eps=1e-6,
                  end_tokens=[2, 5, 9], tie_word_embeddings=True,
                  rope_parameters=dict(rope_type="default", rope_theta=1000000.0)),
    # Caps are low, so that they bend what these small weights give; the scale is not head_dim's.
    "gemma2": dict(GEMMA, family="Gemma2", num_hidden_layers=4, intermediate_size=80, query_pre_attn_scalar=6,
                   attn_logit_softcapping=4.0, final_logit_softcapping=6.0),
    "gemma3": dict(
        GEMMA, family="Gemma3", num_hidden_layers=7, intermediate_size=56, query_pre_attn_scalar=24,
        end_tokens=[1, 106],
        rope_parameters=dict(
            full_attention=dict(rope_type="linear", factor=8.0, rope_theta=1000000.0),
            sliding_attention=dict(rope_type="default", rope_theta=10000.0))),
    # As the published Gemma 3 files say it.
    "gemma3_pattern": dict(
        GEMMA, family="Gemma3", num_hidden_layers=3, intermediate_size=56, query_pre_attn_scalar=16,
        sliding_window_pattern=2, style=["gemma3_before_5"], prompts=[1, 30],
        rope_parameters=dict(
            full_attention=dict(rope_type="linear", factor=8.0, rope_theta=1000000.0),
            sliding_attention=dict(rope_type="default", rope_theta=10000.0))),
    "phi3": dict(family="Phi3", dtype="bf16", sliding_window=11, pad_token_id=0, end_tokens=[2, 7, 8],
                 original_max_position_embeddings=256),
    # Every token of these prompts lies in the original context: transformers picks the short factors, as Quire
    # does when it serves no more than that.
    "phi3_longrope": dict(
        family="Phi3", dtype="bf16", num_attention_heads=3, num_key_value_heads=1, pad_token_id=0,
        original_max_position_embeddings=96, max_position_embeddings=384, served=96, style=["rope_before_5"],
        rope_parameters=dict(
            rope_type="longrope", rope_theta=10000.0, short_factor=[1.0, 1.05, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5],
            long_factor=[1.0, 1.5, 2.0, 3.0, 4.5, 6.0, 7.0, 8.0])),
    # Every prompt is longer than the original context, so that transformers picks the long factors for all of it.
    "phi3_longrope_long": dict(
        family="Phi3", dtype="bf16", num_attention_heads=3, num_key_value_heads=1, pad_token_id=0,
        original_max_position_embeddings=16, max_position_embeddings=128, served=128, prompts=[17, 40, 97],
        num_hidden_layers=2,
        rope_parameters=dict(
            rope_type="longrope", rope_theta=10000.0, short_factor=[1.0, 1.05, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5],
            long_factor=[1.0, 1.5, 2.0, 3.0, 4.5, 6.0, 7.0, 8.0])),
    "phi4_mini": dict(
        family="Phi3", dtype="bf16", num_attention_heads=3, num_key_value_heads=1, pad_token_id=0,
        tie_word_embeddings=True, original_max_position_embeddings=96, max_position_embeddings=384, served=96,
        rope_parameters=dict(
            rope_type="longrope", rope_theta=10000.0, partial_rotary_factor=0.75,
            short_factor=[1.0, 1.0, 1.1, 1.2, 1.3, 1.4], long_factor=[1.0, 1.5, 2.5, 4.0, 6.0, 8.0])),
    "smollm3": dict(family="SmolLM3", dtype="bf16", num_hidden_layers=5, num_attention_heads=4, intermediate_size=80,
                    tie_word_embeddings=True, pad_token_id=0,
                    rope_parameters=dict(rope_type="default", rope_theta=5000.0)),
    "olmo2": dict(family="Olmo2", dtype="bf16", pad_token_id=0, rms_norm_eps=1e-6,
                  rope_parameters=dict(rope_type="default", rope_theta=500000.0)),
    "granite": dict(family="Granite", dtype="bf16", embedding_multiplier=3.5, attention_multiplier=0.55,
                    residual_multiplier=0.45, logits_scaling=0.4, tie_word_embeddings=True),
    "mistral": dict(family="Mistral", dtype="bf16", head_dim=16, num_attention_heads=4, sliding_window=None,
                    rope_parameters=dict(rope_type="default", rope_theta=1000000.0)),
}

MOE = dict(dtype="bf16", num_hidden_layers=2, num_attention_heads=4, num_experts_per_tok=2)
GPT_OSS = dict(
    MOE, family="GptOss", num_hidden_layers=3, head_dim=16, num_local_experts=4, sliding_window=11,
    end_tokens=[2, 6, 12], max_position_embeddings=256,
    rope_parameters=dict(rope_type="yarn", factor=8.0, beta_fast=8.0, beta_slow=1.0, truncate=False,
                         original_max_position_embeddings=32, rope_theta=150000.0))

EXPERTS = {
    "mixtral": dict(MOE, family="Mixtral", num_local_experts=4, intermediate_size=56, sliding_window=None),
    "qwen3_moe": dict(MOE, family="Qwen3Moe", head_dim=16, num_experts=6, num_experts_per_tok=3,
                      moe_intermediate_size=40, norm_topk_prob=True, rms_norm_eps=1e-6, style=["experts_before_5"]),
    "qwen3_moe_raw": dict(MOE, family="Qwen3Moe", head_dim=16, num_experts=5, num_hidden_layers=3,
                          moe_intermediate_size=40, norm_topk_prob=False, mlp_only_layers=[1],
                          intermediate_size=72),
    "gpt_oss": dict(GPT_OSS, intermediate_size=40),
    # Rows of blocks hold whole blocks of 32; OpenAI's files have the experts so.
    "gpt_oss_mxfp4": dict(GPT_OSS, hidden_size=96, intermediate_size=32, num_hidden_layers=2, mxfp4=True,
                          end_tokens=[2, 6, 12]),
}

DEFAULT_ROPE = dict(rope_type="default", rope_theta=10000.0)
SIGMOID = dict(MOE, num_hidden_layers=3, n_routed_experts=8, num_experts_per_tok=3, moe_intermediate_size=24, first_k_dense_replace=1,
               norm_topk_prob=True, routed_scaling_factor=1.7)

ROUTED = {
    "qwen2_moe": dict(MOE, family="Qwen2Moe", num_experts=6, num_experts_per_tok=2, moe_intermediate_size=24,
                      shared_expert_intermediate_size=40, rms_norm_eps=1e-6),
    "glm4_moe": dict(SIGMOID, family="Glm4Moe", head_dim=16, n_group=4, topk_group=2, n_shared_experts=1, use_qk_norm=True,
                     attention_bias=True, rope_parameters=dict(DEFAULT_ROPE, partial_rotary_factor=0.5)),
    "minimax_m2": dict(MOE, family="MiniMaxM2", num_local_experts=6, num_experts_per_tok=3, intermediate_size=24,
                       head_dim=16, rope_parameters=dict(DEFAULT_ROPE, partial_rotary_factor=0.5)),
    "ernie4_5_moe": dict(MOE, family="Ernie4_5_Moe", moe_num_experts=6, moe_k=2, moe_intermediate_size=24, head_dim=16,
                         moe_num_shared_experts=2, num_hidden_layers=3, moe_layer_start_index=1,
                         moe_layer_end_index=2),
    "granitemoe": dict(MOE, family="GraniteMoe", num_local_experts=5, intermediate_size=24, embedding_multiplier=3.5,
                       attention_multiplier=0.55, residual_multiplier=0.45, logits_scaling=0.4),
}

VARIED = {
    "glm4": dict(family="Glm4", dtype="bf16", head_dim=16, attention_bias=True, pad_token_id=0,
                 rope_parameters=dict(DEFAULT_ROPE, partial_rotary_factor=0.5)),
    "seed_oss": dict(family="SeedOss", dtype="bf16", head_dim=16, attention_bias=True, attention_out_bias=False),
    "olmo3": dict(family="Olmo3", dtype="bf16", pad_token_id=0, num_hidden_layers=4, sliding_window=11,
                  rope_parameters=dict(
                      full_attention=dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=64,
                                          rope_theta=500000.0),
                      sliding_attention=dict(rope_type="default", rope_theta=500000.0))),
    "exaone4": dict(family="Exaone4", dtype="bf16", num_hidden_layers=4, sliding_window=11, sliding_window_pattern=4),
    "ernie4_5": dict(family="Ernie4_5", dtype="bf16", head_dim=16, use_bias=True, pad_token_id=0),
    "muse_glimmer": dict(family="MuseGlimmer", dtype="bf16", head_dim=16, num_hidden_layers=5, sliding_window=11,
                         output_multiplier=0.7, final_logit_softcapping=6.0, qk_scale_factor=2.5),
    "cohere2": dict(family="Cohere2", dtype="bf16", head_dim=16, num_attention_heads=4, num_hidden_layers=4,
                    sliding_window=11, logit_scale=0.7, layer_norm_eps=1e-5, pad_token_id=0),
    "phi": dict(family="Phi", dtype="bf16", num_attention_heads=3, num_key_value_heads=1, layer_norm_eps=1e-5,
                rope_parameters=dict(DEFAULT_ROPE, partial_rotary_factor=0.5)),
    "stablelm": dict(family="StableLm", dtype="bf16", num_attention_heads=3, num_key_value_heads=3, use_qkv_bias=True,
                     layer_norm_eps=1e-5, rope_parameters=dict(DEFAULT_ROPE, partial_rotary_factor=0.25)),
    "starcoder2": dict(family="Starcoder2", dtype="bf16", norm_epsilon=1e-5, sliding_window=11),
    "gpt_neox": dict(family="GPTNeoX", dtype="bf16", num_attention_heads=3, num_key_value_heads=3, layer_norm_eps=1e-5,
                     rope_parameters=dict(DEFAULT_ROPE, partial_rotary_factor=0.25)),
    "gpt2": dict(family="GPT2", dtype="bf16", n_embd=48, n_head=4, n_layer=3, n_positions=256),
    "opt": dict(family="OPT", dtype="bf16", ffn_dim=80, num_attention_heads=4, word_embed_proj_dim=48, pad_token_id=0,
                init_std=0.12),
}

# The norm after the delta rule divides by what is sometimes tiny, where queries and keys are nearly orthogonal: a
# wide epsilon keeps float32's rounding from deciding the result.
DELTA = dict(exact=True, dtype="bf16", head_dim=32, num_attention_heads=2, num_key_value_heads=1, num_hidden_layers=3,
             linear_conv_kernel_dim=4, linear_key_head_dim=24, linear_value_head_dim=20, linear_num_key_heads=2,
             linear_num_value_heads=4, rms_norm_eps=1e-3, pad_token_id=0,
             layer_types=["linear_attention", "full_attention", "linear_attention"])
MROPE = dict(DEFAULT_ROPE, partial_rotary_factor=0.25, mrope_section=[2, 1, 1], mrope_interleaved=True)
DELTA_MOE = dict(DELTA, num_experts=6, num_experts_per_tok=2, moe_intermediate_size=24, shared_expert_intermediate_size=40)
SCAN = dict(exact=True, dtype="bf16", num_attention_heads=4, num_key_value_heads=2, num_hidden_layers=4, mamba_n_heads=6, mamba_d_head=16,
            mamba_d_state=20, mamba_n_groups=2, mamba_d_conv=4, mamba_expand=2, shared_intermediate_size=72,
            embedding_multiplier=3.5, attention_multiplier=0.55, residual_multiplier=0.45, logits_scaling=0.4,
            layer_types=["linear_attention", "linear_attention", "full_attention", "linear_attention"])

RECURRENT = {
    "lfm2": dict(family="Lfm2", dtype="bf16", num_attention_heads=4, num_hidden_layers=5, norm_eps=1e-5, pad_token_id=0,
                 block_multiple_of=16, intermediate_size=120,
                 layer_types=["conv", "full_attention", "conv", "conv", "full_attention"]),
    "lfm2_moe": dict(MOE, family="Lfm2Moe", num_hidden_layers=4, num_experts=6, num_experts_per_tok=2, norm_eps=1e-5,
                     moe_intermediate_size=24, num_dense_layers=1, pad_token_id=0, conv_L_cache=4,
                     layer_types=["conv", "full_attention", "conv", "conv"]),
    "lfm3": dict(family="Lfm3", dtype="bf16", hidden_size=44, num_attention_heads=3, num_key_value_heads=1, head_dim=20,
                 num_hidden_layers=5, intermediate_size=72, norm_eps=1e-5, pad_token_id=0, sliding_window=11,
                 tie_word_embeddings=True,
                 layer_types=["conv", "sliding_attention", "full_attention", "conv", "sliding_attention"]),
    "lfm3_plain": dict(family="Lfm3", dtype="bf16", hidden_size=44, num_attention_heads=4, head_dim=16,
                       num_hidden_layers=3, intermediate_size=72, norm_eps=1e-5, pad_token_id=0, sliding_window=11,
                       conv_L_cache=5, conv_bias=True, attention_bias=True, use_sandwich_norm=False,
                       use_attention_gate=False, layer_types=["conv", "sliding_attention", "full_attention"]),
    "qwen3_5": dict(DELTA, family="Qwen3_5", rope_parameters=MROPE),
    "qwen3_5_moe": dict(DELTA_MOE, family="Qwen3_5Moe", rope_parameters=MROPE),
    "qwen3_next": dict(DELTA_MOE, family="Qwen3Next", linear_num_value_heads=6, norm_topk_prob=True,
                       rope_parameters=dict(DEFAULT_ROPE, partial_rotary_factor=0.25)),
    "granite_hybrid": dict(SCAN, family="GraniteMoeHybrid", num_local_experts=0),
    "granite_hybrid_moe": dict(SCAN, family="GraniteMoeHybrid", num_local_experts=5, num_experts_per_tok=2,
                               intermediate_size=24, position_embedding_type="rope"),
}

# Multi-head latent attention: odd numbers of heads, values wider and narrower than the rest of a head.
LATENT = dict(MOE, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=4, q_lora_rank=20, kv_lora_rank=24,
              qk_nope_head_dim=12, qk_rope_head_dim=8, v_head_dim=16, n_routed_experts=8, moe_intermediate_size=24,
              num_experts_per_tok=3, first_k_dense_replace=1)
LATENT_YARN = dict(rope_type="yarn", factor=8.0, original_max_position_embeddings=32, rope_theta=10000.0, beta_fast=32.0,
                   beta_slow=1.0)

MLA = {
    # As V2-Lite: queries without a latent, yarn whose mscale multiplies scores.
    "deepseek_v2": dict(LATENT, family="DeepseekV2", q_lora_rank=None, n_shared_experts=2, topk_method="greedy",
                        rope_parameters=dict(LATENT_YARN, mscale=0.707, mscale_all_dim=0.707)),
    "deepseek_v2_groups": dict(LATENT, family="DeepseekV2", num_attention_heads=3, num_key_value_heads=3, v_head_dim=8,
                               n_shared_experts=1, topk_method="group_limited_greedy", n_group=4, topk_group=2,
                               routed_scaling_factor=1.7, num_hidden_layers=2),
    "deepseek_v3": dict(LATENT, family="DeepseekV3", num_attention_heads=5, num_key_value_heads=5, n_shared_experts=1,
                        n_group=4, topk_group=2, routed_scaling_factor=1.7, norm_topk_prob=True,
                        rope_parameters=dict(LATENT_YARN, mscale=1.0, mscale_all_dim=1.0)),
    "deepseek_v3_halves": dict(LATENT, family="DeepseekV3", rope_interleave=False, attention_bias=True, n_group=1,
                               topk_group=1, n_shared_experts=1, num_hidden_layers=2, norm_topk_prob=False,
                               initializer_range=0.2),
    "glm4_moe_lite": dict({k: v for k, v in LATENT.items() if k != "first_k_dense_replace"}, family="Glm4MoeLite",
                          num_attention_heads=3, num_key_value_heads=3, qk_nope_head_dim=24, v_head_dim=32,
                          n_shared_experts=1, routed_scaling_factor=1.8, attention_bias=True,
                          initializer_range=0.2, num_hidden_layers=2),
    "mistral4": dict(LATENT, family="Mistral4", first_k_dense_replace=0, n_shared_experts=1, num_hidden_layers=2,
                     n_group=1, topk_group=1, norm_topk_prob=True, kv_lora_rank=32, qk_nope_head_dim=8, v_head_dim=16,
                     max_position_embeddings=512,
                     rope_parameters=dict(LATENT_YARN, original_max_position_embeddings=256, factor=2.0, mscale=1.0,
                                          mscale_all_dim=1.0, llama_4_scaling_beta=0.1, partial_rotary_factor=0.5)),
}

# Layers of one block each. The references' prefill raises time steps to time_step_min, which their decoding, the models'
# own code and llama.cpp do not.
ONE_BLOCK = dict(exact=True, family="NemotronH", dtype="bf16", num_attention_heads=3, num_key_value_heads=1, head_dim=20,
                 mamba_num_heads=6, mamba_head_dim=12, ssm_state_size=20, n_groups=3, conv_kernel=4, time_step_min=1e-30,
                 intermediate_size=80, layer_norm_epsilon=1e-5, moe_intermediate_size=24,
                 moe_shared_expert_intermediate_size=40, n_routed_experts=8, num_experts_per_tok=3,
                 routed_scaling_factor=1.7, style=["nemotron_names"])

NEMOTRON = {
    "nemotron_h": dict(ONE_BLOCK, mlp_bias=True,
                       layers_block_type=["linear_attention", "mlp", "full_attention", "linear_attention", "mlp"],
                       style=["nemotron_names", "nemotron_pattern"]),
    # As Nemotron 3 Super: experts between a projection down and one up.
    "nemotron_h_moe": dict(ONE_BLOCK, choice_margin=1.5e-3, moe_latent_size=32, num_attention_heads=4,
                           num_key_value_heads=2, n_groups=2,
                           layers_block_type=["linear_attention", "moe", "full_attention", "moe"]),
    # The first layer does not mix, and the last one attends.
    "nemotron_h_groups": dict(ONE_BLOCK, n_group=4, topk_group=2, norm_topk_prob=False, mlp_bias=True, use_bias=True,
                              conv_kernel=3, use_conv_bias=False,
                              layers_block_type=["moe", "mlp", "linear_attention", "full_attention"]),
}

# Two mixers in each layer, and as many factors as there are.
FALCON = dict(exact=True, family="FalconH1", dtype="bf16", num_attention_heads=3, num_key_value_heads=1, head_dim=20,
              intermediate_size=80, mamba_d_ssm=72, mamba_n_heads=6, mamba_d_head=12, mamba_d_state=20, mamba_n_groups=2,
              mamba_d_conv=4, embedding_multiplier=3.5, lm_head_multiplier=0.4, attention_in_multiplier=1.3,
              attention_out_multiplier=0.9, key_multiplier=0.6, ssm_in_multiplier=1.25, ssm_out_multiplier=0.7,
              ssm_multipliers=[0.8, 1.4, 0.9, 1.2, 0.5], mlp_multipliers=[1.5, 0.6])

FALCONS = {
    "falcon_h1": dict(FALCON, mamba_rms_norm=False),
    "falcon_h1_norm": dict(FALCON, mamba_rms_norm=True, mamba_norm_before_gate=True, mamba_n_groups=3,
                           num_hidden_layers=2, mlp_bias=True, mamba_conv_bias=False, mamba_d_conv=3),
}

LATER = {
    "arcee": dict(family="Arcee", dtype="bf16", head_dim=16, num_attention_heads=3, num_key_value_heads=1, mlp_bias=True,
                  rope_parameters=dict(YARN, factor=2.0)),
    "dots1": dict(SIGMOID, family="Dots1", choice_margin=5e-3, head_dim=16, num_attention_heads=3,
                  num_key_value_heads=3, n_shared_experts=2, n_group=4, topk_group=2, sliding_window=11, max_window_layers=1,
                  num_hidden_layers=2),
}

# Chunks and intervals of no whole pages, several of them in the longest prompt.
LLAMA4 = dict(dtype="bf16", head_dim=16, num_hidden_layers=4, num_local_experts=5, num_experts_per_tok=1, intermediate_size=24,
              intermediate_size_mlp=72, attention_chunk_size=13, floor_scale=7, attn_scale=0.5)
LLAMA4_ROPE = dict(rope_type="llama3", factor=16.0, low_freq_factor=1.0, high_freq_factor=1.0,
                   original_max_position_embeddings=64, rope_theta=500000.0)
SCALED_YARN = dict(rope_type="yarn", factor=16.0, original_max_position_embeddings=16, rope_theta=10000.0, beta_fast=4.0,
                   beta_slow=1.0, mscale=1.0, mscale_all_dim=1.0, llama_4_scaling_beta=0.3)

VARIANTS = {
    "apertus": dict(family="Apertus", dtype="bf16", pad_token_id=0,
                    rope_parameters=dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                                         original_max_position_embeddings=64, rope_theta=12000000.0)),
    "hunyuan_dense": dict(family="HunYuanDenseV1", dtype="bf16", head_dim=16, pad_token_id=0, tie_word_embeddings=True,
                          rope_parameters=dict(rope_type="dynamic", alpha=50.0, factor=1.0, rope_theta=10000.0)),
    "hunyuan_moe": dict(family="HunYuanMoEV1", dtype="bf16", head_dim=16, pad_token_id=0, num_hidden_layers=2, num_experts=6,
                        moe_topk=2, intermediate_size=40, style=["counts_by_layer"],
                        rope_parameters=dict(rope_type="dynamic", alpha=1000.0, factor=1.0, rope_theta=10000.0)),
    "hy_v3": dict(MOE, family="HYV3", head_dim=16, num_hidden_layers=3, num_experts=8, num_experts_per_tok=3,
                  moe_intermediate_size=24, num_shared_experts=2, router_scaling_factor=1.7,
                  rope_parameters=dict(DEFAULT_ROPE)),
    "llama4": dict(LLAMA4, family="Llama4", no_rope_layer_interval=3, interleave_moe_layer_step=2, rope_parameters=LLAMA4_ROPE),
    # As Maverick: within a multimodal model, without norms of queries and keys, experts in listed layers.
    "llama4_multimodal": dict(LLAMA4, family="Llama4Multimodal", use_qk_norm=False, moe_layers=[0, 3], attention_chunk_size=16,
                              num_experts_per_tok=2, rope_parameters=dict(DEFAULT_ROPE, rope_theta=500000.0)),
    "mistral3": dict(family="Mistral3", text="MistralConfig", dtype="bf16", head_dim=16, sliding_window=None),
    "mistral3_ministral3": dict(family="Mistral3", text="Ministral3Config", dtype="bf16", head_dim=16,
                                rope_parameters=SCALED_YARN),
    "mistral3_mistral4": dict(MLA["mistral4"], family="Mistral3", text="Mistral4Config",
                              rope_parameters=dict(SCALED_YARN, partial_rotary_factor=0.5, llama_4_scaling_beta=0.1)),
}

# Gemma 4: heads of local and of global layers differ, and its last layers read caches of earlier ones.
GEMMA4 = dict(
    dtype="bf16", tie_word_embeddings=True, rms_norm_eps=1e-6, pad_token_id=0, bos_token_id=2, eos_token_id=1, sliding_window=11,
    final_logit_softcapping=6.0)
LOCAL, GLOBAL = "sliding_attention", "full_attention"

SHARED = {
    # As E2B: per-layer embeddings, and wider MLPs where caches are shared.
    "gemma4": dict(
        GEMMA4, family="Gemma4Text", hidden_size=44, intermediate_size=52, num_hidden_layers=7, num_attention_heads=3,
        num_key_value_heads=1, head_dim=20, global_head_dim=36, num_kv_shared_layers=3, use_double_wide_mlp=True,
        hidden_size_per_layer_input=12, vocab_size_per_layer_input=160,
        layer_types=[LOCAL, LOCAL, GLOBAL, LOCAL, LOCAL, GLOBAL, GLOBAL]),
    # As 26B-A4B: values from keys, experts beside the MLP, and the published sizes of heads.
    "gemma4_moe": dict(
        GEMMA4, family="Gemma4", hidden_size=40, intermediate_size=52, num_hidden_layers=3, num_attention_heads=2,
        num_key_value_heads=2, num_global_key_value_heads=1, head_dim=256, global_head_dim=512, attention_k_eq_v=True,
        hidden_size_per_layer_input=0, enable_moe_block=True, num_experts=5, top_k_experts=2, moe_intermediate_size=20,
        layer_types=[LOCAL, LOCAL, GLOBAL]),
    # Layers compute the second stream, so that it is not taken for the first.
    "gemma3n": dict(
        GEMMA4, family="Gemma3nText", intermediate_size=[52, 52, 44, 60, 52, 52, 52], num_hidden_layers=7, num_attention_heads=3,
        num_key_value_heads=1, head_dim=20, num_kv_shared_layers=3, hidden_size_per_layer_input=10,
        vocab_size_per_layer_input=150, laurel_rank=6, altup_active_idx=1,
        activation_sparsity_pattern=[0.9, 0.6, 0.0, 0.4, 0.0, 0.0, 0.0],
        layer_types=[LOCAL, LOCAL, GLOBAL, LOCAL, LOCAL, GLOBAL, GLOBAL]),
}

NEWER = {**RECURRENT, **ROPE, **DENSE, **EXPERTS, **ROUTED, **VARIED, **MLA, **NEMOTRON, **FALCONS, **LATER, **VARIANTS,
         **SHARED}
MODELS = {**LLAMA, **{name: dict(options, varied=True) for name, options in NEWER.items()}}
OWN_KEYS = ["family", "text", "dtype", "prompts", "served", "style", "end_tokens", "mxfp4", "varied", "exact", "choice_margin",
            "max_shard_size"]


def split_options(options):
    """(own, config): what this module defines, and what goes to transformers' configuration."""
    own = {key: options[key] for key in OWN_KEYS if key in options}
    config = {key: value for key, value in options.items() if key not in OWN_KEYS}
    return own, {**BASE, **config}


def rope_before_5(config):
    rope = config.pop("rope_parameters")
    config["rope_theta"] = rope.pop("rope_theta")
    kind = rope.pop("rope_type")
    if config.get("original_max_position_embeddings"):
        rope.pop("original_max_position_embeddings", None)
    if rope.pop("partial_rotary_factor", 1.0) != 1.0:
        raise ValueError("partial_rotary_factor stands outside rope_scaling; not needed so far")
    config["rope_scaling"] = {"type": kind, **rope}


def no_layer_types(config):
    del config["layer_types"]


def experts_before_5(config):
    config["num_experts"] = config.pop("num_local_experts")


def gemma3_before_5(config):
    rope = config.pop("rope_parameters")
    del config["layer_types"]
    config["rope_theta"] = rope["full_attention"]["rope_theta"]
    config["rope_local_base_freq"] = rope["sliding_attention"]["rope_theta"]
    config["rope_scaling"] = {"rope_type": "linear", "factor": rope["full_attention"]["factor"]}


def nemotron_names(config):
    del config["rms_norm_eps"]


def nemotron_pattern(config):
    for key in [key for key in config if "expert" in key or key.startswith(("moe_", "mtp_"))]:
        del config[key]
    letters = dict(linear_attention="M", full_attention="*", mlp="-", moe="E")
    types = config.pop("layers_block_type")
    config["hybrid_override_pattern"] = "".join(letters[kind] for kind in types)
    config["num_hidden_layers"] = len(types)


def counts_by_layer(config):
    layers = config["num_hidden_layers"]
    config["moe_topk"] = [config["moe_topk"]] * layers
    config["moe_intermediate_size"] = [config["intermediate_size"]] * layers
    config["num_shared_expert"] = [1] * layers


STYLES = {style.__name__: style for style in (counts_by_layer, rope_before_5, no_layer_types, experts_before_5, gemma3_before_5,
                                              nemotron_names, nemotron_pattern)}
