#!/usr/bin/env python3
"""What the machine model predicts for Quire's kernels, which have not run on a GPU.

    predict.py                                  # tables for docs/cuda.md
    predict.py --compare figures.json           # predictions next to what bench_gpu measured
    predict.py --compare figures.json --gpu "H100 SXM"
"""
import argparse
import json
import re
import sys

import published
import quire_steps
from gpus import GPUS
from kernels import decode_attention_us, quire_splits
from shapes import QUIRE_SHAPES, WEIGHT_BYTES

TABLE_GPUS = ["RTX 4090", "H100 SXM", "RTX 5090"]
# As bench_gpu: chats decode behind so many tokens.
CONTEXT = 1064
DECODE_CHATS = (1, 16, 64)
PREFILLS = (512, 4096)
# Names that drivers give, where they are not ours.
DRIVER_NAMES = [("H100 80GB HBM3", "H100 SXM"), ("H100 PCIe", "H100 PCIe"), ("RTX PRO 6000", "RTX PRO 6000"),
                ("A100-SXM4-80GB", "A100 SXM 80GB")]


def step(version, gpu, model, weight_format, chats=1, prefill=0):
    launches = quire_steps.step(version, gpu, model, weight_format, chats=chats, rows_of_chat=prefill or 1,
                                context=prefill or CONTEXT)
    return quire_steps.step_us(launches), launches


def model_predictions(version, gpu):
    """By bench_gpu's names: {unit: number}."""
    found = {}
    for model in QUIRE_SHAPES:
        for weight_format in WEIGHT_BYTES:
            start = f"{model} {weight_format} "
            for chats in DECODE_CHATS:
                us = step(version, gpu, model, weight_format, chats=chats)[0]
                found[f"{start}decode, {chats} chat{'s' if chats > 1 else ''}"] = {
                    "ms a step": us / 1e3, "tokens/s": chats * 1e6 / us}
            for rows in PREFILLS:
                us = step(version, gpu, model, weight_format, prefill=rows)[0]
                found[f"{start}prefill {rows}"] = {"ms a step": us / 1e3, "tokens/s": rows * 1e6 / us}
    return found


def kernel_predictions(version, gpu):
    found = {}
    for weight_format in WEIGHT_BYTES:
        for outputs, inputs in ((4096, 4096), (28672, 4096), (4096, 14336), (128256, 4096)):
            for rows in (1, 8, 16, 64, 512, 4096):
                launches = quire_steps.product(version, gpu, "", rows, outputs, inputs, weight_format)
                found[f"linear {weight_format} {outputs}x{inputs} T={rows}"] = {"us": sum(x.us for x in launches)}
    for chats in (1, 32, 64):
        us = decode_attention_us(gpu, chats, 8192, 8, splits=quire_splits(8192), key_bytes=4 * 128)
        found[f"attention f16 {chats} chat{'s' if chats > 1 else ''} of 8192"] = {"us": us}
    return found


def predictions(gpu):
    version = quire_steps.after()
    return {**kernel_predictions(version, gpu), **model_predictions(version, gpu)}


def gpu_of(description):
    """The model's GPU for what bench_gpu calls its device; None: the model does not know it."""
    for words, name in DRIVER_NAMES:
        if words in description:
            return GPUS[name]
    # The longest name first: "H200" and not "H20".
    for name in sorted(GPUS, key=len, reverse=True):
        if re.search(r"\b" + re.escape(name) + r"\b", description):
            return GPUS[name]
    return None


def compare(figures, gpu):
    """Lines: predicted, measured, their ratio; and last how many agree within 15 %."""
    lines = [f"{'':52} {'predicted':>12} {'measured':>12}  measured / predicted"]
    agree = total = 0
    for name, values in predictions(gpu).items():
        for unit, predicted in values.items():
            measured = figures.get(name, {}).get(unit)
            if not isinstance(measured, (int, float)):
                continue
            ratio = measured / predicted
            total += 1
            agree += abs(ratio - 1) <= published.WITHIN
            lines.append(f"{name:52} {predicted:12.4g} {measured:12.4g}  {ratio:.2f} {unit}")
    lines.append(f"{agree} of {total} within {published.WITHIN:.0%} of the prediction for {gpu.name}")
    return lines


def table_of_steps():
    """Microseconds of a step, before and after where they differ."""
    lines = ["| | " + " | ".join(f"{name} ({GPUS[name].architecture})" for name in TABLE_GPUS) + " |",
             "|---" * (len(TABLE_GPUS) + 1) + "|"]
    scenarios = [("1 chat", {}), ("8 chats", {"chats": 8}), ("16 chats", {"chats": 16}), ("prefill 512", {"prefill": 512})]
    for model in QUIRE_SHAPES:
        for weight_format in WEIGHT_BYTES:
            for title, how in scenarios:
                cells = []
                for name in TABLE_GPUS:
                    old, new = (step(version, GPUS[name], model, weight_format, **how)[0]
                                for version in (quire_steps.before(), quire_steps.after()))
                    cells.append(f"{new:,.0f}" if abs(old / new - 1) < 0.01 else f"{old:,.0f} → {new:,.0f}")
                lines.append(f"| {model} {weight_format}, {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def table_of_code():
    """What nvcc made of the GEMMs that steps of these shapes spend most of their time in."""
    code, version = quire_steps.load_machine_code(), quire_steps.after()
    gpus = [GPUS[name] for name in TABLE_GPUS]
    lines = ["| | " + " | ".join(gpu.architecture for gpu in gpus) + " |", "|---" * (len(gpus) + 1) + "|"]
    columns = [("loads in flight", "loads"), ("loads in flight where inputs are staged", "staging"), ("registers", "registers")]
    # The weights that a warp multiplies in a turn of its loop: a chunk of 256 inputs and 16 or 32 outputs.
    for kernel, title, weights in (("few_rows {} 8", "{}, up to 8 rows", 4096), ("few_rows {} 16", "{}, up to 16 rows", 8192),
                                   ("many_rows {} 128", "{}, many rows", 0)):
        for weight_format, size in WEIGHT_BYTES.items():
            found = [code[gpu.architecture][kernel.format(quire_steps.code_name(version, gpu, weight_format))] for gpu in gpus]
            cells = {title.format(weight_format) + ": instructions of the loop": [f"{x['loop']}" for x in found]}
            if weights:
                cells["… a lane's for a byte of weights"] = [f"{x['loop'] * 32 / (weights * size):.1f}" for x in found]
            cells.update({"… " + words: [f"{x.get(column, '-')}" for x in found] for words, column in columns
                          if any(column in x for x in found)})
            lines += [f"| {words} | " + " | ".join(numbers) + " |" for words, numbers in cells.items()]
    return "\n".join(lines)


def table_of_counts():
    """What a step consists of. With 8 chats the GPU says which inputs are rounded by a kernel of their own."""
    gpu, version = GPUS["H100 SXM"], quire_steps.after()
    lines = ["| | launches | of them a layer | MB of weights | MB of keys and values | MB of activations |", "|---" * 6 + "|"]
    scenarios = [("1 chat", {}), ("8 chats", {"chats": 8}), ("16 chats", {"chats": 16}), ("prefill 512", {"prefill": 512})]
    for model, shape in QUIRE_SHAPES.items():
        for weight_format in WEIGHT_BYTES:
            for title, how in scenarios:
                launches = step(version, gpu, model, weight_format, **how)[1]
                of_layer = quire_steps.layer(version, gpu, shape, weight_format, how.get("chats", 1), how.get("prefill", 1),
                                             how.get("prefill", CONTEXT))
                keys = sum(x.bytes for x in launches if x.name == "attention")
                megabytes = [sum(x.bytes for x in launches) - keys, keys, sum(x.activations for x in launches)]
                lines.append(f"| {model} {weight_format}, {title} | {len(launches)} | {len(of_layer)} | "
                             + " | ".join(f"{x / 1e6:,.1f}" if x < 1e7 else f"{x / 1e6:,.0f}" for x in megabytes) + " |")
    return "\n".join(lines)


def table_of_fill():
    """At one row: how much of the places that the busiest multiprocessor's share gives to all of them has work."""
    names = list(next(iter(QUIRE_SHAPES.values())).layer_products())
    lines = ["| | " + " | ".join(names) + " | head |", "|---" * (len(names) + 2) + "|"]
    for model, shape in QUIRE_SHAPES.items():
        for name in TABLE_GPUS:
            cells = []
            for outputs, inputs in [*shape.layer_products().values(), (shape.vocab, shape.hidden)]:
                blocks, sets, _ = quire_steps.few_rows_blocks(GPUS[name], 1, outputs, inputs, 1)
                cells.append(f"{outputs / quire_steps.UNIT_OUTPUTS / (blocks * sets * GPUS[name].multiprocessors):.0%}")
            lines.append(f"| {model}, {name} | " + " | ".join(cell.replace("%", " %") for cell in cells) + " |")
    return "\n".join(lines)


def read_figures(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", metavar="FIGURES", help="what bench_gpu --json wrote")
    parser.add_argument("--gpu", choices=sorted(GPUS), help="in place of that of the figures")
    options = parser.parse_args()
    if not options.compare:
        print("\n\n".join([published.table(), table_of_code(), table_of_counts(), table_of_steps(), table_of_fill()]))
        return 0
    written = read_figures(options.compare)
    gpu = GPUS[options.gpu] if options.gpu else gpu_of(written["device"])
    if gpu is None:
        print(f"The machine model does not know {written['device']}: add it to gpus.py, or name one with --gpu.")
        return 1
    print("\n".join(compare(written["figures"], gpu)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
