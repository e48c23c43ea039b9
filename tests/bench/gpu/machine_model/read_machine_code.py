#!/usr/bin/env python3
"""Renews machine_code.json: of what lint_machine_code.py --json has counted, what the machine model needs. Entries that the
library no longer has (halves on sm_89 and sm_120, which the model's before() needs) are kept.

    tests/kernels/cuda/lint_machine_code.py --json code.json build/release/bin/libquire_cuda.so     # of sm_89, sm_90, sm_120
    tests/bench/gpu/machine_model/read_machine_code.py code.json "nvcc 13.0"
"""
import json
import os
import sys

FORMATS = {"HalvesFormat<(Half)1>": "bf16", "Q8_0Format": "q8_0", "Q4KFormat": "q4_k",
           "Int8Gemm<Q8_0Format>": "q8_0 int8", "Int8Gemm<Q4KFormat>": "q4_k int8"}
FEW_ROWS = {1: 8, 2: 16, 4: 32, 8: 64}
MANY_ROWS = {"2,2,4": 64, "2,4,4": 128, "4,2,8": 128}
KEPT = ("loop", "loop tensor", "registers", "loads", "staging")


def model_name(kernel):
    """The machine model's name of a kernel, "few_rows q8_0 16"; None if it needs none."""
    name, _, arguments = kernel.replace(" ", "").partition("_kernel<")
    found = next((word for word in FORMATS if arguments.startswith(word + ",")), None)
    if found is None:
        return None
    rest = arguments[len(found) + 1:].rstrip(">")
    if name == "few_rows" and rest.isdigit() and int(rest) in FEW_ROWS:
        return f"few_rows {FORMATS[found]} {FEW_ROWS[int(rest)]}"
    cut = rest.removeprefix(f"ManyRows<{found},")
    if name == "many_rows" and cut in MANY_ROWS:
        return f"many_rows {FORMATS[found]} {MANY_ROWS[cut]}"
    return None


def pick(code):
    picked = {}
    for architecture, kernels in sorted(code.items()):
        named = {model_name(kernel): {key: found[key] for key in KEPT if found[key] is not None} for kernel, found in sorted(kernels.items())
                 if model_name(kernel) and found["loop"]}
        if named:
            picked[architecture] = named
    return picked


def in_order(kernels):
    """By format and rows: 8 before 16."""
    return sorted(kernels.items(), key=lambda item: (item[0].rsplit(" ", 1)[0], int(item[0].rsplit(" ", 1)[1])))


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machine_code.json")
    with open(path, encoding="utf-8") as file:
        kept = json.load(file)["kernels"]
    with open(sys.argv[1], encoding="utf-8") as file:
        for architecture, kernels in pick(json.load(file)).items():
            kept.setdefault(architecture, {}).update(kernels)
    about = f"Written by read_machine_code.py from lint_machine_code.py's counts; {sys.argv[2]}."
    text = ",\n".join(f'  "{architecture}": {{\n' + ",\n".join(f'   "{name}": {json.dumps(found)}'
                                                               for name, found in in_order(kernels)) + "\n  }"
                      for architecture, kernels in sorted(kept.items()))
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'{{\n "about": "{about}",\n "kernels": {{\n{text}\n }}\n}}\n')


if __name__ == "__main__":
    main()
