#!/usr/bin/env python3
"""Writes tests/data/models: tiny random models and what transformers computes with them.

Needs torch and transformers 5. Run from the repository's root:
  python3 tests/scripts/make_tiny_models.py [--check] [folder...]
Without folders it writes all of them. --check writes nothing: it loads the folders with transformers anew and
fails if they do not compute what their references say.
Each folder gets config.json, generation_config.json, the weights, and reference.safetensors (f32, i32):
  [kind_]inv_freq     (R)     the rotation frequencies (of each kind of layer, where kinds differ)
  [kind_]attention_factor (1) what cosines and sines are multiplied with; absent if 1
  served_context      (1)     the context that must be served for these numbers, where the rotation depends on it
  prompt_<i>.tokens   (T)     a prompt
  prompt_<i>.logits   (T, V)  logits after each of its tokens, float32, eager attention
  greedy.prompt       (T)     greedy.tokens (64): greedy decoding of it, whatever the end tokens
Seeds are tried until the greedy run is unambiguous: the two likeliest logits always differ by more than
2e-3 and routers' choices by 1e-4, far above the rounding of any order of summation; newer folders' runs also
have many different tokens and logits that float64 confirms to 1.5e-6 (2.5e-6 in each row, after recurrences).
"""

import argparse
import json
import pathlib
import shutil

import torch
import transformers
from safetensors.torch import load_file, save_file

import tiny_mxfp4
from tiny_configs import MODELS, STYLES
from tiny_reference import find_unambiguous, logits_of, serve_context

ROOT = pathlib.Path("tests/data/models")


def restyle(path, styles):
    config = json.loads(path.read_text())
    for style in styles:
        STYLES[style](config)
    path.write_text(json.dumps(config, indent=2) + "\n")


def store_experts_as_mxfp4(folder):
    """Rewrites a gpt-oss folder as OpenAI publishes them: experts as *_blocks and *_scales."""
    path = folder / "model.safetensors"
    out = {}
    for name, tensor in load_file(path).items():
        if not name.endswith(("experts.gate_up_proj", "experts.down_proj")):
            out[name] = tensor
            continue
        rows = tensor.float().transpose(1, 2).contiguous()
        blocks, scales = tiny_mxfp4.quantise(rows)
        assert torch.equal(tiny_mxfp4.dequantise(blocks, scales), rows)
        out[name + "_blocks"], out[name + "_scales"] = blocks.contiguous(), scales.contiguous()
    save_file(out, path, metadata={"format": "pt"})
    config = json.loads((folder / "config.json").read_text())
    kept = ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]
    config["quantization_config"] = {"modules_to_not_convert": kept, "quant_method": "mxfp4"}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def drop_vision(folder):
    """Without the image tower, whose size does not follow the text's."""
    for path in folder.glob("model*.safetensors"):
        tensors = load_file(path)
        vision = ("model.vision_", "vision_tower.", "vision_model.", "multi_modal_projector.", "model.multi_modal_")
        kept = {name: tensor for name, tensor in tensors.items() if not name.startswith(vision)}
        if len(kept) < len(tensors):
            save_file(kept, path, metadata={"format": "pt"})


def write_model(name, options):
    seed, model, dtype, reference = find_unambiguous(name, options)
    folder = ROOT / name
    shutil.rmtree(folder, ignore_errors=True)
    model.to(dtype).save_pretrained(folder, max_shard_size=options.get("max_shard_size", "1GB"))
    drop_vision(folder)
    if options.get("style"):
        restyle(folder / "config.json", options["style"])
    if options.get("mxfp4"):
        store_experts_as_mxfp4(folder)
    origin = dict(origin="make_tiny_models.py", seed=str(seed), torch=torch.__version__,
                  transformers=transformers.__version__)
    save_file(reference, folder / "reference.safetensors", metadata=origin)
    size = sum(f.stat().st_size for f in folder.iterdir())
    print(f"{name}: {size:,} bytes")


def check_model(name, options):
    """Whether transformers, given the folder as any user has it, computes the reference."""
    folder = ROOT / name
    extra = {}
    if options.get("mxfp4"):
        extra["quantization_config"] = transformers.Mxfp4Config(dequantize=True)
    # The automatic class knows Mistral 4 only within a multimodal model.
    classes = {"Mistral4": transformers.Mistral4ForCausalLM, "Mistral3": transformers.Mistral3ForConditionalGeneration,
               "Llama4Multimodal": transformers.Llama4ForConditionalGeneration}
    known = classes.get(options.get("family"), transformers.AutoModelForCausalLM)
    model = known.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager", **extra).eval()
    reference = load_file(folder / "reference.safetensors")
    if "served_context" in reference:
        serve_context(model, reference["served_context"].item())
    for key in [key for key in reference if key.endswith(".logits")]:
        logits = logits_of(model, reference[key.replace(".logits", ".tokens")].long())
        error = ((logits - reference[key]).abs().max() / reference[key].abs().max()).item()
        if error > (1e-5 if options.get("exact") else 2e-6):
            raise SystemExit(f"{name}: {key} differs by {error:.2e}")
    print(f"{name}: transformers agrees")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("folders", nargs="*")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for name in arguments.folders or MODELS:
        (check_model if arguments.check else write_model)(name, MODELS[name])


if __name__ == "__main__":
    main()
