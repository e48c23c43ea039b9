#!/usr/bin/env python3
"""Writes a larger model that answers as a small one does, to measure speculation: a large model with a
draft model whose guesses are as often right as those of trained models, without training either.

The small model (a folder in Llama's layout, bf16) fills a corner of each matrix, and the rest is zero. Norms
divide by the mean over more columns, so their weights and epsilon are scaled. Layers that are added have zeros
only and change nothing. Answers are the same up to rounding; a step reads all weights, zeros too.

  enlarge_model.py resources/models/quire-mini OUT --hidden 2048 --layers 16 --heads 32 --kv-heads 8 \\
      --intermediate 8192
"""

import argparse
import json
import math
import pathlib
import shutil
import struct

import numpy as np

HEADS, KV_HEADS = "heads", "kv heads"
# The axes of each matrix of a layer, (outputs, inputs): what they count in the model's sizes.
MATRICES = {
    "self_attn.q_proj": (HEADS, "hidden"),
    "self_attn.k_proj": (KV_HEADS, "hidden"),
    "self_attn.v_proj": (KV_HEADS, "hidden"),
    "self_attn.o_proj": ("hidden", HEADS),
    "mlp.gate_proj": ("intermediate", "hidden"),
    "mlp.up_proj": ("intermediate", "hidden"),
    "mlp.down_proj": ("hidden", "intermediate"),
}


def read_tensors(path):
    """Returns the tensors of a safetensors file of bf16, as uint16."""
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, info in json.loads(data[8:8 + length]).items():
        if name == "__metadata__":
            continue
        if info["dtype"] != "BF16":
            raise SystemExit(f"{path}: {name} is {info['dtype']}; only models in BF16 can be enlarged.")
        begin, end = info["data_offsets"]
        values = np.frombuffer(data[8 + length + begin:8 + length + end], np.uint16)
        tensors[name] = values.reshape(info["shape"])
    return tensors


def scaled(bits, factor):
    """Multiplies bf16 numbers and rounds them to the nearest."""
    values = (bits.astype(np.uint32) << 16).view(np.float32) * np.float32(factor)
    return ((values.view(np.uint32) + 0x8000) >> 16).astype(np.uint16)


class Sizes:
    def __init__(self, hidden, heads, kv_heads, intermediate, head_dim):
        self.hidden, self.heads, self.kv_heads = hidden, heads, kv_heads
        self.intermediate, self.head_dim = intermediate, head_dim

    def length(self, axis):
        return {HEADS: self.heads * self.head_dim, KV_HEADS: self.kv_heads * self.head_dim,
                "hidden": self.hidden, "intermediate": self.intermediate}[axis]


def places(axis, old, new):
    """Where the small model's rows or columns lie in the large one's. The heads of a key head stay together."""
    if axis != HEADS:
        return np.arange(old.length(axis))
    old_group, new_group = old.heads // old.kv_heads, new.heads // new.kv_heads
    heads = [h // old_group * new_group + h % old_group for h in range(old.heads)]
    return np.concatenate([np.arange(h * old.head_dim, (h + 1) * old.head_dim) for h in heads])


def enlarged(small, axes, old, new):
    """small: None for a matrix that the small model does not have."""
    large = np.zeros([new.length(axis) for axis in axes], np.uint16)
    if small is not None:
        large[np.ix_(*[places(axis, old, new) for axis in axes])] = small
    return large


def layers_of(tensors, old, new, num_layers):
    """Yields the large model's tensors, name and values."""
    shrink = math.sqrt(old.hidden / new.hidden)

    def norm(name):
        values = np.zeros(new.hidden, np.uint16)
        if name in tensors:
            values[:old.hidden] = scaled(tensors[name], shrink)
        return values

    for layer in range(num_layers):
        prefix = f"model.layers.{layer}."
        for matrix, axes in MATRICES.items():
            name = prefix + matrix + ".weight"
            yield name, enlarged(tensors.get(name), axes, old, new)
        for name in (prefix + "input_layernorm.weight", prefix + "post_attention_layernorm.weight"):
            yield name, norm(name)
    yield "model.norm.weight", norm("model.norm.weight")
    for name in ("model.embed_tokens.weight", "lm_head.weight"):
        if name in tensors:
            yield name, np.pad(tensors[name], ((0, 0), (0, new.hidden - old.hidden)))


def write_tensors(path, make):
    """Writes what make() yields, which is called twice: for the header and for the values."""
    header, offset = {}, 0
    for name, values in make():
        header[name] = {"dtype": "BF16", "shape": list(values.shape), "data_offsets": [offset, offset + values.nbytes]}
        offset += values.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, values in make():
            file.write(values.tobytes())
    return offset


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    for name in ("hidden", "layers", "heads", "kv-heads", "intermediate"):
        parser.add_argument("--" + name, type=int, required=True)
    args = parser.parse_args()
    config = json.loads((args.model / "config.json").read_text())
    head_dim = config["head_dim"]
    old = Sizes(config["hidden_size"], config["num_attention_heads"], config["num_key_value_heads"],
                config["intermediate_size"], head_dim)
    new = Sizes(args.hidden, args.heads, args.kv_heads, args.intermediate, head_dim)
    num_old = config["num_hidden_layers"]
    is_larger = (new.hidden >= old.hidden and new.kv_heads >= old.kv_heads and args.layers >= num_old and
                 new.intermediate >= old.intermediate and new.heads % new.kv_heads == 0 and
                 new.heads // new.kv_heads >= old.heads // old.kv_heads)
    if not is_larger:
        parser.error("each size, and the heads for each key head, must be at least the model's own")
    tensors = read_tensors(args.model / "model.safetensors")
    args.out.mkdir(parents=True, exist_ok=True)
    for file in args.model.iterdir():
        if file.suffix in (".json", ".model") and file.name != "config.json":
            shutil.copy(file, args.out)
    config.update(hidden_size=new.hidden, num_attention_heads=new.heads, num_key_value_heads=new.kv_heads,
                  intermediate_size=new.intermediate, num_hidden_layers=args.layers,
                  rms_norm_eps=config["rms_norm_eps"] * old.hidden / new.hidden)
    (args.out / "config.json").write_text(json.dumps(config, indent=2))
    size = write_tensors(args.out / "model.safetensors",
                         lambda: layers_of(tensors, old, new, args.layers))
    print(f"{args.out}: {size / 2e6:.0f} million parameters")


if __name__ == "__main__":
    main()
