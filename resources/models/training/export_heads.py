"""Heads to and from the layouts that others publish: DeepSeek's names for the MTP layer, FasterDecoding's for Medusa."""

import json
import pathlib
import shutil

import torch
from safetensors.torch import load_file, save_file

from export import write_json
from heads import MedusaHeads, MtpLayer

WEIGHTS = "model.safetensors"
MEDUSA_WEIGHTS = "medusa_lm_head.safetensors"


def mtp_names(c):
    """{name in MtpLayer: name in the file}; the layer's number is the one after the model's last."""
    prefix = f"model.layers.{c.num_layers}."
    own = {"layer.": "", "shared_head_norm.": "shared_head.norm."}

    def published(name):
        begin = next((begin for begin in own if name.startswith(begin)), "")
        return prefix + own.get(begin, "") + name.removeprefix(begin)

    return {name: published(name) for name in MtpLayer(c).state_dict()}


def save_mtp(heads, c, base, out):
    """Write a copy of the model's folder `base` to `out`, with the MTP layer in it."""
    out.mkdir(parents=True, exist_ok=True)
    for name in ("tokenizer.model", "tokenizer_config.json", "special_tokens_map.json", "generation_config.json"):
        shutil.copyfile(base / name, out / name)
    config = json.loads((base / "config.json").read_text())
    write_json(out / "config.json", config | {"num_nextn_predict_layers": 1})
    state = heads.state_dict()
    added = {to: state[name].bfloat16().contiguous() for name, to in mtp_names(c).items()}
    save_file(load_file(base / WEIGHTS) | added, out / WEIGHTS, metadata={"format": "pt"})


def load_mtp(folder, c):
    heads, tensors = MtpLayer(c), load_file(folder / WEIGHTS)
    heads.load_state_dict({name: tensors[to].float() for name, to in mtp_names(c).items()})
    return heads.eval()


def save_medusa(heads, c, base, out):
    """Write the heads alone to `out`. In this layout every head has an output layer."""
    out.mkdir(parents=True, exist_ok=True)
    tensors = {}
    for n, (block, output) in enumerate(zip(heads.blocks, heads.unembed)):
        tensors |= {f"{n}.0.linear.weight": block.weight, f"{n}.0.linear.bias": block.bias, f"{n}.1.weight": output.weight}
    tensors = {name: tensor.detach().bfloat16().contiguous().clone() for name, tensor in tensors.items()}
    save_file(tensors, out / MEDUSA_WEIGHTS, metadata={"format": "pt"})
    write_json(out / "config.json", {
        "architectures": ["MedusaModel"], "medusa_num_heads": len(heads.blocks), "medusa_num_layers": 1,
        "hidden_size": c.hidden_size, "vocab_size": c.vocab_size, "base_model_name_or_path": base.name,
        "torch_dtype": "bfloat16"})


def load_medusa(folder, c):
    tensors = load_file(folder / MEDUSA_WEIGHTS)
    heads = MedusaHeads(c, json.loads((folder / "config.json").read_text())["medusa_num_heads"])
    for n, (block, output) in enumerate(zip(heads.blocks, heads.unembed)):
        block.load_state_dict({part: tensors[f"{n}.0.linear.{part}"].float() for part in ("weight", "bias")})
        output.load_state_dict({"weight": tensors[f"{n}.1.weight"].float()})
    return heads.eval()


SAVE = {"mtp": save_mtp, "medusa": save_medusa}
LOAD = {"mtp": load_mtp, "medusa": load_medusa}


def load_heads(folder, c):
    """Load the MTP layer or the Medusa heads that the folder holds."""
    folder = pathlib.Path(folder)
    with torch.no_grad():
        return LOAD["medusa" if (folder / MEDUSA_WEIGHTS).exists() else "mtp"](folder, c)
