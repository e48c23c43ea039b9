#!/usr/bin/env python3
"""Writes tests/data/adapters: random LoRA adapters of the tiny models and what PEFT computes with them.

Needs torch, transformers 5 and peft. Run from the repository's root:
  python3 tests/scripts/make_tiny_adapters.py [folder...]
Each folder gets adapter_config.json and adapter_model.safetensors as PEFT saves them, and
reference.safetensors: tokens (T), logits (T, V) with the adapter, float32, eager attention, as make_tiny_models.py.
The folder's name is the model's, whose prompt it takes, or that and a variant's after "+". With LLAMA_CPP in the
environment (a checkout of llama.cpp), convert_lora_to_gguf.py also writes adapter.gguf where GGUF is listed.
"""

import os
import pathlib
import shutil
import subprocess
import sys

import torch
import transformers
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file

MODELS = pathlib.Path("tests/data/models")
ROOT = pathlib.Path("tests/data/adapters")
ATTENTION = ["q_proj", "k_proj", "v_proj", "o_proj"]
MLP = ["gate_proj", "up_proj", "down_proj"]

ADAPTERS = {
    "gqa_f32": dict(target_modules=ATTENTION + MLP, rank_pattern={"k_proj": 2},
                    alpha_pattern={"layers.1.self_attn.q_proj": 3}),
    # GGUF knows one alpha, and rank by rank, but neither alpha_pattern nor use_rslora.
    "gqa_f32+ranks": dict(target_modules=ATTENTION + MLP, rank_pattern={"k_proj": 2}),
    # Only some of the matrices that Quire packs together.
    "gqa_f32+part": dict(target_modules=["v_proj", "up_proj"], use_rslora=True, r=3),
    "phi3": dict(target_modules=["qkv_proj", "o_proj", "gate_up_proj", "down_proj"], use_rslora=True),
    "gpt2": dict(target_modules=["c_attn", "c_proj", "c_fc"], fan_in_fan_out=True),
    "gpt_neox": dict(target_modules=["query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h"]),
    "gemma3": dict(target_modules=ATTENTION + MLP),
    "deepseek_v2": dict(target_modules=["q_a_proj", "q_b_proj", "kv_a_proj_with_mqa", "o_proj"]),
    "qwen3_next": dict(target_modules=["q_proj", "v_proj", "in_proj_qkvz", "in_proj_ba", "out_proj"]),
    "granite_hybrid": dict(target_modules=["in_proj", "out_proj", "q_proj"]),
    "qwen3_moe": dict(target_modules=ATTENTION),
}
GGUF = {"gqa_f32+ranks"}


def write(name):
    model_folder, folder = MODELS / name.split("+")[0], ROOT / name
    model = transformers.AutoModelForCausalLM.from_pretrained(
        model_folder, dtype=torch.float32, attn_implementation="eager").eval()
    torch.manual_seed(len(name))
    options = dict(r=4, lora_alpha=6, lora_dropout=0.0) | ADAPTERS[name]
    adapted = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", **options)).eval()
    for parameter_name, parameter in adapted.named_parameters():
        if "lora_B" in parameter_name:
            torch.nn.init.normal_(parameter, std=0.1)
    shutil.rmtree(folder, ignore_errors=True)
    adapted.save_pretrained(folder)
    (folder / "README.md").unlink(missing_ok=True)
    tokens = load_file(model_folder / "reference.safetensors")["prompt_1.tokens"]
    with torch.no_grad():
        logits = adapted(tokens.long()[None]).logits[0]
        with adapted.disable_adapter():
            change = (logits - adapted(tokens.long()[None]).logits[0]).norm() / logits.norm()
    save_file({"tokens": tokens, "logits": logits.float().contiguous()}, folder / "reference.safetensors")
    print(f"{name}: changes logits by {change:.1%}, "
          f"{sum(f.stat().st_size for f in folder.iterdir()):,} bytes")
    if name in GGUF and "LLAMA_CPP" in os.environ:
        script = pathlib.Path(os.environ["LLAMA_CPP"]) / "convert_lora_to_gguf.py"
        subprocess.run([sys.executable, script, "--base", model_folder, "--outtype", "f32",
                        "--outfile", folder / "adapter.gguf", folder], check=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    for adapter in sys.argv[1:] or ADAPTERS:
        write(adapter)
