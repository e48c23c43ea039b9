#!/usr/bin/env python3
"""Writes tests/data/drafts: draft layers for folders of tests/data/models, and what they compute.

Needs torch and transformers 5. Run from the repository's root:
  python3 tests/scripts/make_tiny_drafts.py [--llama-cpp <tree>] [name...]
With a llama.cpp source tree (make_tiny_gguf.py says which) it also writes NAME.gguf, the whole model as llama.cpp's
converter makes it, of those whose layer that converter keeps.
NAME.safetensors holds the random tensors of one layer for multi-token prediction, or of Medusa heads, by the names
that published files have. NAME.reference.safetensors (f32, i32) holds what is computed with them:
  tokens      (T)       a text
  logits_0    (T, V)    row p: the first guess once token p is known, of token p + 1
  logits_1    (T, V)    row p: the second guess, if the first is `guesses[p]`; of multi-token prediction only
  guesses     (T)       taken for the first guesses, whatever they are
No transformers class computes either, so this follows the papers. Multi-token prediction (arXiv:2412.19437, equations
21 to 23): a decoder layer, transformers' own, over W [norm(embedding of token p); norm(h of p - 1)], h being the
decoder's last hidden state behind its last norm, and zeros before the first token. The second guess follows the normed
state of the first. Medusa (arXiv:2401.10774, section 2.1.1): head k over h of p - 1 is a guess of token p + 1 + k.
"""

import argparse
import json
import pathlib
import shutil
import sys
import tempfile

import torch
import transformers
from safetensors.torch import load_file, save_file

MODELS = pathlib.Path("tests/data/models")
DRAFTS = pathlib.Path("tests/data/drafts")
NUM_TOKENS = 40
HEADS = 3


def load(folder):
    return transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")


def random_like(name, tensor, is_minus_one):
    if "norm" in name and tensor.dim() == 1:
        return (0.0 if is_minus_one else 1.0) + 0.2 * torch.randn_like(tensor)
    if tensor.dim() == 1:
        return 0.3 * torch.randn_like(tensor)
    return tensor.std() * torch.randn_like(tensor)


def layer_tensors(source, layer, is_minus_one):
    """A decoder layer like that one, without its prefix."""
    prefix = f"model.layers.{layer}."
    return {name[len(prefix):]: random_like(name, tensor.float(), is_minus_one).to(tensor.dtype)
            for name, tensor in source.items() if name.startswith(prefix)}


def write_alone(folder, config, parts, source, norm):
    """A model of that layer alone, which transformers loads."""
    config = dict(config, num_hidden_layers=1, first_k_dense_replace=0)
    if "layer_types" in config:
        config["layer_types"] = ["full_attention"]
    (folder / "config.json").write_text(json.dumps(config))
    tensors = {f"model.layers.0.{name}": tensor for name, tensor in parts.items()}
    tensors |= {"model.norm.weight": norm, "lm_head.weight": source["lm_head.weight"],
                "model.embed_tokens.weight": source["model.embed_tokens.weight"]}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def normed(model, weight, x):
    norm = type(model.model.norm)(len(weight), eps=model.model.norm_eps if hasattr(model.model, "norm_eps")
                                  else model.config.rms_norm_eps)
    norm.weight.data = weight.float()
    return norm(x)


def mtp(name, layer, names):
    folder = MODELS / name
    config = json.loads((folder / "config.json").read_text())
    source = load_file(folder / "model.safetensors")
    is_minus_one = name.startswith("qwen3")
    width = config["hidden_size"]
    parts = layer_tensors(source, layer, is_minus_one)
    extra = {"eh_proj": 0.15 * torch.randn(width, 2 * width)}
    for norm in ("enorm", "hnorm", "norm"):
        extra[norm] = random_like("norm", torch.zeros(width), is_minus_one)
    extra = {key: tensor.bfloat16() for key, tensor in extra.items()}
    main = load(folder)
    with tempfile.TemporaryDirectory() as alone:
        write_alone(pathlib.Path(alone), config, parts, source, extra["norm"])
        block = load(alone)
    tokens = torch.randint(3, config["vocab_size"], (NUM_TOKENS,))
    guesses = torch.randint(3, config["vocab_size"], (NUM_TOKENS,))
    with torch.no_grad():
        states = main.model(tokens[None], use_cache=False).last_hidden_state[0]
        before = torch.cat([torch.zeros(1, width), states[:-1]])

        def inputs(ids, previous):
            embedded = normed(main, extra["enorm"], main.model.embed_tokens(ids))
            both = torch.cat([embedded, normed(main, extra["hnorm"], previous)], dim=-1)
            return both @ extra["eh_proj"].float().T

        def run(x):
            return block.model(inputs_embeds=x[None], use_cache=False).last_hidden_state[0]

        x = inputs(tokens, before)
        first = run(x)
        second = [run(torch.cat([x[:p + 1], inputs(guesses[p:p + 1], first[p:p + 1])]))[-1] for p in range(NUM_TOKENS)]
        reference = {"tokens": tokens.int(), "guesses": guesses.int(), "logits_0": main.lm_head(first),
                     "logits_1": main.lm_head(torch.stack(second))}
    tensors = {f"{names['layer']}{key}": tensor for key, tensor in parts.items()}
    tensors |= {names[key]: tensor for key, tensor in extra.items()}
    return tensors, reference


def nextn(layer):
    prefix = f"model.layers.{layer}."
    return {"layer": prefix, "eh_proj": prefix + "eh_proj.weight", "enorm": prefix + "enorm.weight",
            "hnorm": prefix + "hnorm.weight", "norm": prefix + "shared_head.norm.weight"}


QWEN = {"layer": "mtp.layers.0.", "eh_proj": "mtp.fc.weight", "enorm": "mtp.pre_fc_norm_embedding.weight",
        "hnorm": "mtp.pre_fc_norm_hidden.weight", "norm": "mtp.norm.weight"}


def medusa(name):
    folder = MODELS / name
    config = json.loads((folder / "config.json").read_text())
    width, vocab = config["hidden_size"], config["vocab_size"]
    tensors = {}
    for head in range(HEADS):
        for part in range(2):
            tensors[f"{head}.{part}.linear.weight"] = 0.2 * torch.randn(width, width)
            tensors[f"{head}.{part}.linear.bias"] = 0.3 * torch.randn(width)
        tensors[f"{head}.2.weight"] = 0.2 * torch.randn(vocab, width)
    main = load(folder)
    tokens = torch.randint(3, vocab, (NUM_TOKENS,))
    reference = {"tokens": tokens.int()}
    with torch.no_grad():
        states = main.model(tokens[None], use_cache=False).last_hidden_state[0]
        before = torch.cat([torch.zeros(1, width), states[:-1]])
        for head in range(HEADS):
            x = before
            for part in range(2):
                linear = tensors[f"{head}.{part}.linear.weight"], tensors[f"{head}.{part}.linear.bias"]
                x = x + torch.nn.functional.silu(torch.nn.functional.linear(x, *linear))
            reference[f"logits_{head}"] = x @ tensors[f"{head}.2.weight"].T
    return tensors, reference


CASES = {"deepseek_v3": lambda: mtp("deepseek_v3", 2, nextn(3)),
         "glm4_moe": lambda: mtp("glm4_moe", 2, nextn(3)),
         "qwen3_5": lambda: mtp("qwen3_5", 1, QWEN),
         "qwen3_5_moe": lambda: mtp("qwen3_5_moe", 1, QWEN),
         "gqa_f32": lambda: mtp("gqa_f32", 2, nextn(3)),
         "medusa": lambda: medusa("gqa_f32")}


VOCABULARIES = {"glm4_moe": "llama-bpe", "qwen3_5": "qwen2"}


def write_gguf(name):
    import make_tiny_gguf
    make_tiny_gguf.ROOT = DRAFTS
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        shutil.copytree(MODELS / name, folder, dirs_exist_ok=True)
        whole = load_file(folder / "model.safetensors") | load_file(DRAFTS / f"{name}.safetensors")
        save_file(whole, folder / "model.safetensors", metadata={"format": "pt"})
        (folder / "reference.safetensors").unlink()
        make_tiny_gguf.change_config({"num_nextn_predict_layers": 1, "mtp_num_hidden_layers": 1}, folder)
        entries = {"model": {"vocab": {f"t{i}": i for i in range(make_tiny_gguf.SIZE)}}, "added_tokens": []}
        (folder / "tokenizer.json").write_text(json.dumps(entries))
        make_tiny_gguf.convert(name, {"vocabulary": VOCABULARIES[name]}, folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--llama-cpp", type=pathlib.Path)
    parser.add_argument("names", nargs="*", choices=[[], *CASES])
    arguments = parser.parse_args()
    if arguments.llama_cpp:
        sys.path[:0] = [str(arguments.llama_cpp / "gguf-py"), str(arguments.llama_cpp)]
    DRAFTS.mkdir(exist_ok=True)
    for name in arguments.names or CASES:
        torch.manual_seed(20261126)
        tensors, reference = CASES[name]()
        save_file({key: tensor.contiguous() for key, tensor in tensors.items()}, DRAFTS / f"{name}.safetensors")
        save_file({key: tensor.contiguous() for key, tensor in reference.items()},
                  DRAFTS / f"{name}.reference.safetensors")
        if arguments.llama_cpp and name in VOCABULARIES:
            write_gguf(name)
        print(name, len(tensors), "tensors")


if __name__ == "__main__":
    main()
