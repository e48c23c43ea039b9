#!/usr/bin/env python3
"""Prints the tables of docs/models.md: the bundled model quantised by Quire, and by ggml in the same type for each tensor.

Each held-out chat is predicted by itself. Beside perplexities it prints the differences of the negative log likelihood and of
the KL divergence from the original, token by token, in thousandths of a nat, with standard errors over chats.

Needs sentencepiece and gguf (PyPI), and libggml-base.so of llama.cpp (tests/bench/peers/install_llama_cpp.py builds it).
Usage: compare_quantisers.py QUIRE_CLI LIBGGML_BASE FOLDER TYPE...
"""

import concurrent.futures
import ctypes
import json
import pathlib
import re
import subprocess
import sys

import gguf
import numpy as np
import sentencepiece

ROOT = pathlib.Path(__file__).parents[2]
MODEL = ROOT / "resources/models/quire-mini"
TRAINING = ROOT / "resources/models/training"
FLOATS = (gguf.GGMLQuantizationType.F32, gguf.GGMLQuantizationType.F16, gguf.GGMLQuantizationType.BF16)


def read_chats():
    """The token ids of each held-out chat."""
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(MODEL / "tokenizer.model"))
    chats = []
    for line in (TRAINING / "held_out.txt").read_text().splitlines():
        ids = [pieces.bos_id()]
        for mark, text in re.findall(r"(<\|[a-z]+\|>)(.*?)<\|end\|>", line):
            ids += [pieces.piece_to_id(mark), *pieces.encode(text.replace("\\n", "\n")), pieces.piece_to_id("<|end|>")]
        chats.append(ids)
    return chats


def log_probabilities(cli, model, ids, path):
    """(T - 1, V) after each token but the last."""
    subprocess.run([cli, "logits", "--threads", "1", "--kv-dtype", "f32", "--model", model, "--all", "--output", path,
                    "--tokens", ",".join(map(str, ids))], check=True, capture_output=True)
    logits = np.fromfile(path, dtype=np.float32).reshape(len(ids), -1)[:-1].astype(np.float64)
    path.unlink()
    logits -= logits.max(1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(1, keepdims=True))


def quantise(cli, type_name, path, *more):
    if not path.exists():
        subprocess.run([cli, "quantize", "--no-measure", "--type", type_name, "--output", path, *more], check=True,
                       capture_output=True)


def quantise_by_ggml(library, ours, floats, path):
    """A copy of our file whose quantised tensors are ggml's, made from the floats."""
    quantize_chunk = ctypes.CDLL(library).ggml_quantize_chunk
    quantize_chunk.restype = ctypes.c_size_t
    quantize_chunk.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, *3 * [ctypes.c_int64], ctypes.c_void_p]
    data = bytearray(ours.read_bytes())
    originals = {tensor.name: tensor for tensor in gguf.GGUFReader(floats).tensors}
    for tensor in gguf.GGUFReader(ours).tensors:
        if tensor.tensor_type in FLOATS:
            continue
        numbers = np.ascontiguousarray(originals[tensor.name].data, dtype=np.float32)
        columns = int(tensor.shape[0])
        blocks = (ctypes.c_char * tensor.n_bytes)()
        written = quantize_chunk(int(tensor.tensor_type), numbers.ctypes.data, ctypes.addressof(blocks), 0,
                                 numbers.size // columns, columns, None)
        assert written == tensor.n_bytes, tensor.name
        data[tensor.data_offset:tensor.data_offset + tensor.n_bytes] = bytes(blocks)
    path.write_bytes(data)


def make_models(cli, library, folder, types):
    """Paths by name: f32, and of each type TYPE, TYPE-importance and TYPE-ggml."""
    prompts = folder / "prompts.txt"
    lines = (TRAINING / "evaluation.jsonl").read_text().splitlines()
    messages = [message for line in lines for message in json.loads(line)["messages"]]
    prompts.write_text("".join(message["content"] + "\n" for message in messages))
    models = {"f32": folder / "f32.gguf"}
    quantise(cli, "F32", models["f32"])
    for name in types:
        for suffix, more in (("", ()), ("-importance", ("--importance", prompts))):
            models[name + suffix] = folder / f"{name}{suffix}.gguf"
            quantise(cli, name, models[name + suffix], *more)
        models[name + "-ggml"] = folder / f"{name}-ggml.gguf"
        quantise_by_ggml(library, models[name], models["f32"], models[name + "-ggml"])
    return models


def score_chat(cli, models, folder, number, ids):
    """By model: the sums over a chat's tokens of the negative log likelihood and of the KL divergence."""
    rows, following = np.arange(len(ids) - 1), np.array(ids[1:])
    scores, original = {}, None
    for name, model in models.items():
        own = log_probabilities(cli, model, ids, folder / f"{number}.f32")
        original = own if original is None else original
        scores[name] = np.array([-own[rows, following].sum(), (np.exp(original) * (original - own)).sum()])
    return scores


def main():
    cli, library, folder, types = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4:]
    folder.mkdir(parents=True, exist_ok=True)
    models, chats = make_models(cli, library, folder, types), read_chats()
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        scores = list(threads.map(lambda i: score_chat(cli, models, folder, i, chats[i]), range(len(chats))))
    count = sum(len(ids) - 1 for ids in chats)
    for name in models:
        nll, kl = sum(score[name] for score in scores) / count
        print(f"{name:24} perplexity {np.exp(nll):.4f}, KL {kl:.5f}")
    for name in [type_name + suffix for type_name in types for suffix in ("", "-importance")]:
        ggml = name.removesuffix("-importance") + "-ggml"
        difference = 1e3 * np.array([score[name] - score[ggml] for score in scores])
        error = np.sqrt(((difference - difference.mean(0)) ** 2).sum(0)) / count
        mean = difference.sum(0) / count
        print(f"{name:24} nll {mean[0]:+.2f} ± {error[0]:.2f}, KL {mean[1]:+.2f} ± {error[1]:.2f}")


if __name__ == "__main__":
    main()
