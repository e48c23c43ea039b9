#!/usr/bin/env python3
"""Writes tests/data/models: tiny random models and what transformers computes with them.

Needs torch and transformers 5. Run from the repository's root: python3 tests/scripts/make_tiny_models.py
Each folder gets config.json, generation_config.json, the weights, and reference.safetensors (f32, i32):
  inv_freq            (R)     the rotation frequencies
  prompt_<i>.tokens   (T)     a prompt
  prompt_<i>.logits   (T, V)  logits after each of its tokens, float32, eager attention
  greedy.prompt       (T)     greedy.tokens (64): greedy decoding of it
Seeds are tried until the greedy run is unambiguous: the two likeliest logits always differ by more than
2e-3, far above the rounding of any order of summation.
"""

import json
import pathlib
import shutil

import torch
import transformers
from safetensors.torch import save_file
from transformers import LlamaConfig, LlamaForCausalLM, MistralConfig, MistralForCausalLM

ROOT = pathlib.Path("tests/data/models")
PROMPT_LENGTHS = [1, 17, 50]
GREEDY_TOKENS = 64
MIN_MARGIN = 2e-3

BASE = dict(
    vocab_size=160, hidden_size=48, intermediate_size=96, num_hidden_layers=3, num_attention_heads=6,
    num_key_value_heads=2, max_position_embeddings=256, rms_norm_eps=1e-5, initializer_range=0.12,
    tie_word_embeddings=False, bos_token_id=1, eos_token_id=2, attn_implementation="eager",
)

MODELS = {
    "gqa_f32": dict(),
    "gqa_bf16_tied": dict(dtype="bf16", tie_word_embeddings=True),
    "mha_f16": dict(dtype="f16", num_attention_heads=4, num_key_value_heads=4),
    "mqa_bias": dict(dtype="bf16", num_key_value_heads=1, attention_bias=True, mlp_bias=True),
    "head_dim": dict(dtype="bf16", head_dim=16, num_hidden_layers=2),
    "rope_linear": dict(
        dtype="bf16", legacy_rope=True, num_hidden_layers=2,
        rope_parameters=dict(rope_type="linear", factor=4.0, rope_theta=10000.0)),
    "rope_llama3": dict(
        dtype="bf16", num_hidden_layers=2, head_dim=16,
        rope_parameters=dict(
            rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
            original_max_position_embeddings=64, rope_theta=500000.0)),
    "sharded": dict(dtype="bf16", num_hidden_layers=2, max_shard_size="40KB"),
    "mistral_window": dict(mistral=True, dtype="bf16", num_hidden_layers=2, sliding_window=11),
}
DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def make_model(options, seed):
    """A random model whose weights are exactly those of its storage dtype, in float32."""
    options = dict(options)
    dtype = DTYPES[options.pop("dtype", "f32")]
    options.pop("legacy_rope", None)
    options.pop("max_shard_size", None)
    mistral = options.pop("mistral", False)
    config = (MistralConfig if mistral else LlamaConfig)(**{**BASE, **options})
    torch.manual_seed(seed)
    model = (MistralForCausalLM if mistral else LlamaForCausalLM)(config).float().eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "norm" in name:
                weight.copy_(1.0 + 0.2 * torch.randn_like(weight))
            if name.endswith("bias"):
                weight.copy_(0.3 * torch.randn_like(weight))
            weight.copy_(weight.to(dtype).float())
    return model, dtype


@torch.no_grad()
def greedy(model, prompt):
    """The greedy tokens, and the smallest gap between the two likeliest logits on the way."""
    ids, margin = prompt.clone(), float("inf")
    for _ in range(GREEDY_TOKENS):
        top = model(ids[None], use_cache=False).logits[0, -1].topk(2)
        margin = min(margin, (top.values[0] - top.values[1]).item())
        ids = torch.cat([ids, top.indices[:1]])
    return ids[len(prompt):], margin


def references(model, seed):
    generator = torch.Generator().manual_seed(seed)
    out = {"inv_freq": model.model.rotary_emb.inv_freq.clone()}
    for i, length in enumerate(PROMPT_LENGTHS):
        ids = torch.randint(3, model.config.vocab_size, (length,), generator=generator)
        with torch.no_grad():
            logits = model(ids[None], use_cache=False).logits[0]
        out[f"prompt_{i}.tokens"], out[f"prompt_{i}.logits"] = ids.int(), logits.contiguous()
    tokens, margin = greedy(model, out["prompt_1.tokens"].long())
    out["greedy.prompt"], out["greedy.tokens"] = out["prompt_1.tokens"].clone(), tokens.int()
    return out, margin


def rewrite_rope_as_before_transformers_5(path):
    config = json.loads(path.read_text())
    rope = config.pop("rope_parameters")
    config["rope_theta"] = rope["rope_theta"]
    config["rope_scaling"] = {"type": rope["rope_type"], "factor": rope["factor"]}
    path.write_text(json.dumps(config, indent=2) + "\n")


def write_model(name, options):
    for seed in range(100):
        model, dtype = make_model(options, seed)
        reference, margin = references(model, seed)
        if margin > MIN_MARGIN:
            break
    else:
        raise SystemExit(f"{name}: no seed gives an unambiguous greedy run")
    folder = ROOT / name
    shutil.rmtree(folder, ignore_errors=True)
    model.to(dtype).save_pretrained(folder, max_shard_size=options.get("max_shard_size", "1GB"))
    if options.get("legacy_rope"):
        rewrite_rope_as_before_transformers_5(folder / "config.json")
    origin = dict(origin="make_tiny_models.py", seed=str(seed), torch=torch.__version__,
                  transformers=transformers.__version__)
    save_file(reference, folder / "reference.safetensors", metadata=origin)
    size = sum(f.stat().st_size for f in folder.iterdir())
    print(f"{name}: seed {seed}, smallest greedy margin {margin:.4f}, {size:,} bytes")


def main():
    torch.set_num_threads(1)
    for name, options in MODELS.items():
        write_model(name, options)


if __name__ == "__main__":
    main()
