"""Puts a GGUF file's tensors back into a transformers model: the proof that a file and its reference belong together.

It is also the shortest statement of what conversion did to names, orders and values.
"""

import re

import torch

LAYER_NAMES = {
    "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
    "post_attention_norm": "post_attention_layernorm", "post_ffw_norm": "post_feedforward_layernorm",
    "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
    "attn_qkv": "self_attn.qkv_proj", "attn_output": "self_attn.o_proj", "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj", "ffn_gate_inp": "mlp.gate", "attn_sinks": "self_attn.sinks",
}
GLOBAL_NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
SPECIAL_NAMES = {
    "gemma2": {"ffn_norm": "pre_feedforward_layernorm"}, "gemma3": {"ffn_norm": "pre_feedforward_layernorm"},
    "deepseek2": {
        "attn_q_a": "self_attn.q_a_proj", "attn_q_a_norm": "self_attn.q_a_layernorm", "attn_q_b": "self_attn.q_b_proj",
        "attn_kv_a_mqa": "self_attn.kv_a_proj_with_mqa", "attn_kv_a_norm": "self_attn.kv_a_layernorm",
        "ffn_gate_shexp": "mlp.shared_experts.gate_proj", "ffn_up_shexp": "mlp.shared_experts.up_proj",
        "ffn_down_shexp": "mlp.shared_experts.down_proj"},
    "phi3": {"ffn_up": "mlp.gate_up_proj"}, "gpt-oss": {"ffn_gate_inp": "mlp.router"},
}
PERMUTED = ["llama", "granite", "smollm3"]


def unpermute(rows, heads):
    """Adjacent pairs of rotated dimensions back to halves; also for biases."""
    return rows.reshape(heads, -1, 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def permute(rows, heads):
    return rows.reshape(heads, 2, -1, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def read_tensors(paths):
    import gguf
    out = {}
    for path in paths:
        for tensor in gguf.GGUFReader(path).tensors:
            values = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
            shape = [int(extent) for extent in reversed(tensor.shape)]
            out[tensor.name] = torch.from_numpy(values.copy()).float().reshape(shape)
    return out


def fuse_experts(state, architecture):
    """ffn_gate_exps and ffn_up_exps (E, F, C) as transformers holds them: one matrix."""
    for name in [name for name in state if "ffn_gate_exps" in name]:
        gate, up = state.pop(name), state.pop(name.replace("gate", "up"))
        prefix = name.split("ffn_gate_exps")[0] + "mlp.experts."
        if architecture != "gpt-oss":
            state[prefix + "gate_up_proj"] = torch.cat([gate, up], dim=1)
        elif name.endswith("bias"):
            state[prefix + "gate_up_proj_bias"] = torch.stack([gate, up], dim=-1).flatten(-2)
        else:
            state[prefix + "gate_up_proj"] = torch.stack([gate, up], dim=2).flatten(1, 2).transpose(1, 2)
    for name in [name for name in state if "ffn_down_exps" in name]:
        down = state.pop(name)
        prefix = name.split("ffn_down_exps")[0] + "mlp.experts.down_proj"
        transposed = architecture == "gpt-oss" and name.endswith("weight")
        state[prefix + ("_bias" if name.endswith("bias") else "")] = down.transpose(1, 2) if transposed else down


def join_latent_projections(state):
    """attn_k_b (H, L, Dn) and attn_v_b (H, Dv, L) as transformers holds them: a head's keys, then its values."""
    for name in [name for name in state if "attn_k_b" in name]:
        keys, values = state.pop(name).transpose(1, 2), state.pop(name.replace("attn_k_b", "attn_v_b"))
        state[name.replace("attn_k_b", "self_attn.kv_b_proj")] = torch.cat([keys, values], dim=1).flatten(0, 1)


def transformers_state(tensors, architecture, heads, kv_heads):
    names, state = {**LAYER_NAMES, **SPECIAL_NAMES.get(architecture, {})}, {}
    for name, values in tensors.items():
        if name.startswith("rope_f"):
            continue
        if architecture in PERMUTED and re.search(r"attn_[qk]\.", name):
            values = unpermute(values, heads if "attn_q" in name else kv_heads)
        if architecture.startswith("gemma") and "norm" in name:
            values = values - 1.0
        layer, stem, kind = re.fullmatch(r"(?:blk\.(\d+)\.)?(\w+)\.(weight|bias)", name).groups()
        prefix = f"model.layers.{layer}." if layer else ""
        mapped = GLOBAL_NAMES.get(stem) if layer is None else names.get(stem, stem)
        if stem == "exp_probs_b":
            mapped, kind = "mlp.gate", "e_score_correction_bias"
        state[prefix + mapped + ("" if stem == "attn_sinks" else f".{kind}")] = values
    fuse_experts(state, architecture)
    join_latent_projections(state)
    return state


def load_into(model, paths, architecture):
    """Copies what the files hold into `model`, all of it, with nothing left over."""
    config = model.config
    state = transformers_state(read_tensors(paths), architecture, config.num_attention_heads,
                               config.num_key_value_heads)
    missing, unexpected = model.load_state_dict(state, strict=False)
    tied = ["lm_head.weight"] if config.tie_word_embeddings else []
    assert list(missing) == tied and not unexpected, (missing, unexpected)
    return model
