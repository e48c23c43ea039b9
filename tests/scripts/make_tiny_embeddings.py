#!/usr/bin/env python3
"""Writes tests/data/embeddings: vectors that transformers makes of the tiny models' prompts.

Needs torch and transformers 5. Run from the repository's root: python3 tests/scripts/make_tiny_embeddings.py
Each file holds, for each prompt i of the model's reference, text_<i>.tokens (T) and the vectors (C) text_<i>.mean,
text_<i>.last and text_<i>.cls: the states after the last norm, pooled, of length 1, float32, eager attention.
"""

import pathlib

import torch
import transformers
from safetensors.torch import load_file, save_file

MODELS = pathlib.Path("tests/data/models")
ROOT = pathlib.Path("tests/data/embeddings")
# With a tied head; with a state; with a window; with a layer norm.
NAMES = ["qwen3", "granite_hybrid", "gemma3", "gpt2"]


def write(name):
    folder = MODELS / name
    model = transformers.AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager").eval().base_model
    reference = load_file(folder / "reference.safetensors")
    out = {}
    for key in sorted(key for key in reference if key.startswith("prompt_") and key.endswith(".tokens")):
        tokens = reference[key]
        with torch.no_grad():
            states = model(tokens.long()[None]).last_hidden_state[0].double()
        text = key.replace("prompt", "text").replace(".tokens", "")
        out[f"{text}.tokens"] = tokens
        for pooling, vector in (("mean", states.mean(0)), ("last", states[-1]), ("cls", states[0])):
            out[f"{text}.{pooling}"] = (vector / vector.norm()).float().contiguous()
    save_file(out, ROOT / f"{name}.safetensors")
    print(f"{name}: {len(out)} tensors")


if __name__ == "__main__":
    torch.set_num_threads(1)
    ROOT.mkdir(exist_ok=True)
    for model_name in NAMES:
        write(model_name)
