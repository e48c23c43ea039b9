#!/usr/bin/env python3
"""Compares quire-cli's logits with transformers' on random models whose shapes the fixtures do not have.

Needs torch and transformers 5, and quire-cli. Run from the repository's root:
  python3 tests/scripts/compare_shapes.py --cli build/release/bin/quire-cli [--before-5 | --llama-cpp PATH] [name...]
For each entry of shape_configs.py it makes a model (weights in float32), writes its folder with a small tokenizer, and
prints the worst difference of the logits after each token of three prompts, relative to the row's largest. The
exit status is 1 if one exceeds 1e-5. What quire-cli refuses is printed with its message and does not fail.
"""

import argparse
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy
import torch
import transformers

import make_tiny_gguf
from make_tiny_models import drop_vision, restyle
from shape_configs import DROP, SHAPES
from tiny_configs import MODELS
from tiny_gguf_cases import CASES
from tiny_reference import RouterMargin, exact_logits_of, logits_of, make_model, make_prompts, serve_context

TOLERANCE = 1e-5
PROMPTS = [1, 9, 61]
FIRST_SEED = 9000
NEW_IN_5 = ("gemma4", "gemma4_text", "lfm3", "ministral3", "mistral4", "muse_glimmer_text", "hy_v3", "qwen3_5_text",
            "qwen3_5_moe_text")


def merged(name, changes):
    options = {**MODELS[name], **changes, "dtype": "f32", "prompts": PROMPTS}
    return {key: value for key, value in options.items() if value is not DROP}


def clear_model(options, first_seed):
    """A model whose routers leave no doubt on the prompts."""
    for seed in range(first_seed, first_seed + 60):
        model, _ = make_model(options, seed)
        prompts = make_prompts(options, model.config.get_text_config().vocab_size, seed)
        margin = RouterMargin(model)
        reference = logits_of if not options.get("exact") else exact_logits_of
        if options.get("served"):
            logits_of(model, prompts[-1])
            serve_context(model, options["served"])
        logits_of(model, prompts[-1])
        if min(margin.smallest, margin.smallest_choice) > 1e-4:
            return seed, model, prompts, [reference(model, ids).numpy() for ids in prompts]
    raise SystemExit("no seed has clear routers")


def write_as_before_5(config):
    """The rotation and the kinds of layers as published folders have them, most of which were written by transformers 4."""
    rope = config.get("rope_parameters")
    if not rope or config.get("model_type") in NEW_IN_5:
        return
    local = rope.get("sliding_attention")
    if local is not None:
        config["rope_local_base_freq"] = local["rope_theta"]
    rope = dict(rope.get("full_attention", rope))
    del config["rope_parameters"]
    theta, partial = rope.pop("rope_theta"), rope.pop("partial_rotary_factor", None)
    names = {"gpt_neox": ("rotary_emb_base", "rotary_pct")}.get(config["model_type"], ("rope_theta", "partial_rotary_factor"))
    config[names[0]] = theta
    if partial is not None and config["model_type"] == "minimax_m2":
        config["rotary_dim"] = int(partial * config["head_dim"])
    elif partial is not None:
        config[names[1]] = partial
    kind = rope.pop("rope_type", "default")
    config["rope_scaling"] = None if kind == "default" else {"type": kind, **rope}


def write_folder(folder, model, options, before_5=False):
    model.save_pretrained(folder)
    drop_vision(folder)
    if before_5 and not any(style.endswith("_before_5") for style in options.get("style") or []):
        path = folder / "config.json"
        config = json.loads(path.read_text())
        write_as_before_5(config.get("text_config", config))
        path.write_text(json.dumps(config))
    restyle(folder / "config.json", options.get("style") or [])
    size = model.config.get_text_config().vocab_size
    tokens = ["<unk>", "<s>", "</s>"] + [chr(0x4E00 + i) for i in range(size - 3)]
    special = [dict(id=i, content=tokens[i], special=True, single_word=False, lstrip=False, rstrip=False, normalized=False)
               for i in range(3)]
    tokenizer = dict(version="1.0", added_tokens=special, normalizer=None, pre_tokenizer=None, decoder=None, post_processor=None,
                     model=dict(type="BPE", unk_token="<unk>", vocab={text: i for i, text in enumerate(tokens)}, merges=[]))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))


def write_gguf(folder, model, case):
    """The path of a GGUF file that llama.cpp's converter makes of the model."""
    model.save_pretrained(folder)
    make_tiny_gguf.change_tensors(case.get("without", []), {}, folder)
    make_tiny_gguf.change_config(case.get("config", {}), folder)
    entries = {"model": {"vocab": {f"t{i}": i for i in range(make_tiny_gguf.SIZE)}}, "added_tokens": []}
    (folder / "tokenizer.json").write_text(json.dumps(entries))
    make_tiny_gguf.ROOT = folder / "gguf"
    make_tiny_gguf.ROOT.mkdir()
    with contextlib.redirect_stderr(io.StringIO()):
        make_tiny_gguf.convert("model", dict(case, type="f32"), folder)
    return make_tiny_gguf.ROOT / "model.gguf"


def gguf_cases(name):
    """The ways in which that folder's models are converted."""
    return [dict(case, no_mtp=True) for case in CASES.values() if case["folder"] == name and case.get("type") != "q8_0"
            and "split_max_tensors" not in case]


def quire_logits(cli, folder, ids, size):
    out = (folder if folder.is_dir() else folder.parent) / "logits.f32"
    tokens = ",".join(str(token) for token in ids.tolist())
    command = [cli, "logits", "--model", str(folder), "--device", "cpu", "--kv-dtype", "f32", "--threads", "1", "--tokens", tokens,
               "--all", "--output", str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stderr.strip().replace(str(folder) + "/", "").replace(str(folder), "folder")
    return numpy.fromfile(out, dtype="<f4").reshape(-1, size), ""


def worst_difference(found, wanted):
    return max(float((abs(a - b).max(axis=1) / abs(b).max(axis=1)).max()) for a, b in zip(found, wanted))


def compare(cli, name, changes, seed, before_5=False, case=None):
    options = merged(name, changes)
    if case is not None:
        options.update(case.get("options", {}), vocab_size=make_tiny_gguf.SIZE, **{
            key: make_tiny_gguf.SIZE for key in ("vocab_size_per_layer_input",) if key in options})
    seed, model, prompts, expected = clear_model(options, seed)
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        if case is not None:
            folder = write_gguf(folder, model, case)
        else:
            write_folder(folder, model, options, before_5)
        found = []
        for ids, wanted in zip(prompts, expected):
            logits, message = quire_logits(cli, folder, ids, wanted.shape[1])
            if logits is None:
                return None, message
            found.append(logits)
        worst = worst_difference(found, expected)
        if worst >= TOLERANCE:  # Maybe float32's own rounding in transformers.
            exact = [exact_logits_of(model, ids).numpy() for ids in prompts]
            own = worst_difference(expected, exact)
            return worst_difference(found, exact), f"seed {seed}, to float64; transformers in float32 {own:.2e}"
        return worst, f"seed {seed}"


def report(name, compare_one):
    """Prints a line; whether the difference is too large."""
    try:
        worst, note = compare_one()
    except Exception as error:  # A configuration that transformers or the converter refuses or cannot run.
        text = str(error).strip().splitlines() or [""]
        print(f"{name}: not made: {type(error).__name__}: {text[-1][:160]}", flush=True)
        return False
    is_wrong = worst is not None and not worst < TOLERANCE
    mark = "refused" if worst is None else f"{worst:.2e}" + (" FAILED" if is_wrong else "")
    print(f"{name}: {mark}: {note}", flush=True)
    return is_wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", default="build/release/bin/quire-cli")
    parser.add_argument("--before-5", action="store_true", help="write the rotation as transformers 4 did")
    parser.add_argument("--llama-cpp", type=pathlib.Path, help="compare GGUF files that its converter makes")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    if arguments.llama_cpp:
        sys.path[:0] = [str(arguments.llama_cpp / "gguf-py"), str(arguments.llama_cpp)]
    failed = 0
    for name in arguments.names or SHAPES:
        for index, changes in enumerate(SHAPES[name]):
            seed = FIRST_SEED + 100 * index
            for case in gguf_cases(name) if arguments.llama_cpp else [None]:
                failed += report(f"{name} {index}", lambda: compare(arguments.cli, name, changes, seed, arguments.before_5, case))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
