#!/usr/bin/env python3
"""The whole-model figures of bench_gpu, by Hugging Face transformers on the same device.

Prints JSON in bench_gpu's form and names, for `bench_gpu --against FILE`:

    python3 transformers_reference.py > reference.json

Needs torch and transformers 5. Llama shapes with random weights in bf16, a static cache, the decode
step compiled with CUDA graphs (torch.compile, mode reduce-overhead) and greedy; a prefill is timed
both plainly and compiled, and the faster one counts. Every chat has a context of its own: transformers
cannot share a prefix.
"""

import argparse
import json
import statistics
import sys
import time

import torch
import transformers

# As in llama.cpp beside this file: layers, hidden, heads, KV heads, intermediate, vocabulary, tied head.
SHAPES = {
    "1b": (16, 2048, 32, 8, 8192, 32000, True),
    "8b": (32, 4096, 32, 8, 14336, 128256, False),
    "tiny": (2, 256, 4, 2, 512, 512, False),
}
WARM_UP = 4
STEPS = 48  # Decoded after the warm-up; the median counts.


def say(text):
    print(text, file=sys.stderr, flush=True)


def make_model(shape, device):
    layers, hidden, heads, kv_heads, intermediate, vocab, tied = SHAPES[shape]
    config = transformers.LlamaConfig(
        num_hidden_layers=layers, hidden_size=hidden, num_attention_heads=heads,
        num_key_value_heads=kv_heads, intermediate_size=intermediate, vocab_size=vocab,
        tie_word_embeddings=tied, max_position_embeddings=8192, attn_implementation="sdpa",
        rope_parameters={"rope_type": "default", "rope_theta": 500000.0})
    torch.manual_seed(7)
    torch.set_default_dtype(torch.bfloat16)
    with torch.device(device):
        model = transformers.LlamaForCausalLM(config).eval()
    torch.set_default_dtype(torch.float32)
    return model


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def random_ids(model, chats, count, device):
    return torch.randint(0, model.config.vocab_size, (chats, count), device=device)


def seconds_per_step(model, chats, context, device):
    """A decoding step's median, with the sampled tokens brought to the host, as a chat needs them."""
    cache = transformers.StaticCache(config=model.config, max_cache_len=context + WARM_UP + STEPS)
    for begin in range(0, context, 128):
        ids = random_ids(model, chats, min(128, context - begin), device)
        model(ids, past_key_values=cache, logits_to_keep=1)
    step = torch.compile(model.forward, mode="reduce-overhead", fullgraph=True)
    ids = random_ids(model, chats, 1, device)
    seconds = []
    for _ in range(WARM_UP + STEPS):
        begin = time.perf_counter()
        torch.compiler.cudagraph_mark_step_begin()
        logits = step(ids, past_key_values=cache, logits_to_keep=1).logits
        ids = logits[:, -1:].argmax(-1).clone()
        ids.cpu()
        seconds.append(time.perf_counter() - begin)
    torch._dynamo.reset()
    return statistics.median(seconds[WARM_UP:])


def seconds_per_prefill(model, count, device):
    ids = random_ids(model, 1, count, device)
    best = float("inf")
    for forward in (model.forward, torch.compile(model.forward, fullgraph=True)):
        for _ in range(8):
            synchronize(device)
            begin = time.perf_counter()
            logits = forward(ids, use_cache=False, logits_to_keep=1).logits
            logits[:, -1].argmax(-1).cpu()
            best = min(best, time.perf_counter() - begin)
    torch._dynamo.reset()
    return best


def measure(shape, device, tiny):
    model = make_model(shape, device)
    context = 48 if tiny else 1064
    figures = {}

    def add(name, tokens, seconds):
        name = f"{shape} bf16 {name}"
        figures[name] = {"tokens/s": tokens / seconds, "ms a step": seconds * 1e3}
        say(f"{name}: {tokens / seconds:.1f} tokens/s, {seconds * 1e3:.3f} ms a step")

    for chats in (1, 3) if tiny else (1, 64):
        name = f"decode, {chats} chat" + ("s" if chats > 1 else "")
        add(name, chats, seconds_per_step(model, chats, context, device))
    for count in (24,) if tiny else (512, 4096):
        add(f"prefill {count}", count, seconds_per_prefill(model, count, device))
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--shapes", default="8b,1b", help="of 1b and 8b, by commas")
    parser.add_argument("--tiny", action="store_true", help="shapes that a processor computes at once")
    arguments = parser.parse_args()
    device = torch.device(arguments.device)
    if device.type == "cuda" and not torch.cuda.is_available():
        say("not run: torch finds no GPU here")
        return 1
    figures = {}
    with torch.no_grad():
        for shape in ["tiny"] if arguments.tiny else arguments.shapes.split(","):
            figures.update(measure(shape, device, arguments.tiny))
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"
    print(json.dumps({"device": name, "torch": torch.__version__,
                      "transformers": transformers.__version__, "figures": figures}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
