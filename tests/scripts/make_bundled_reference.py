"""Write the reference logits of the bundled models with Hugging Face transformers, in float32 on the CPU.

    python tests/scripts/make_bundled_reference.py

The C++ engine's tests compare against tests/data/bundled/reference_logits.safetensors:

    seq_NN.tokens             (T)    int32    token ids, <s> first, then ids drawn at random
    seq_NN.last_logits        (V)    float32  logits after the last token
    seq_NN.all_logits_sample  (T, 8) float32  logits at the 8 ids in `sample_ids`, at every position
    seq_NN.all_logsumexp      (T)    float32  log of the sum of exp(logits) at every position
    greedy_NN.prompt          (P)    int32    a rendered chat prompt
    greedy_NN.tokens          (<=64) int32    its greedy continuation, the end token included if it came
    greedy_NN.margins         (<=64) float32  how far the best logit was ahead of the second
    sample_ids                (8)    int32

Keys of the draft model begin with `draft.`. The file's metadata says how it was made.
"""

import hashlib
import json
import pathlib

import torch
import transformers
from safetensors.torch import save_file

ROOT = pathlib.Path(__file__).parents[2]
OUT = ROOT / "tests" / "data" / "bundled" / "reference_logits.safetensors"
LENGTHS = [1, 2, 3, 5, 8, 13, 15, 16, 17, 31, 32, 33, 48, 64, 65, 97, 128, 160, 257, 300]
SAMPLE_IDS = [0, 1, 6, 42, 300, 1000, 2047, 4095]
SEED = 20_240
CHATS = [
    [{"role": "user", "content": "Hello!"}],
    [{"role": "user", "content": "What is the capital of Norway?"}],
    [{"role": "system", "content": "You are Captain Flint, a cheerful pirate who sails the seven seas. Always speak like a pirate."},
     {"role": "user", "content": "Who are you?"}],
    [{"role": "user", "content": "My name is Ada."}, {"role": "assistant", "content": "Nice to meet you, Ada!"},
     {"role": "user", "content": "What is my name?"}],
    [{"role": "user", "content": "Write a hello world program in C++."}],
    [{"role": "user", "content": "Tell me a story about a fox named Rusty."}],
]


def random_sequence(generator, length, vocab_size):
    """<s> and then ids above the control tokens."""
    ids = torch.randint(7, vocab_size, (length,), generator=generator)
    ids[0] = 1
    return ids


@torch.no_grad()
def sequence_tensors(model, ids):
    logits = model(ids[None]).logits[0]
    return {
        "tokens": ids.int(), "last_logits": logits[-1].clone(),
        "all_logits_sample": logits[:, SAMPLE_IDS].contiguous(), "all_logsumexp": logits.logsumexp(-1),
    }


@torch.no_grad()
def greedy_tensors(model, prompt, stop, limit=64):
    """The continuation computed without a cache, one whole forward pass a token."""
    ids, tokens, margins = prompt, [], []
    while len(tokens) < limit and not (tokens and tokens[-1] in stop):
        best = model(ids[None]).logits[0, -1].topk(2)
        tokens.append(int(best.indices[0]))
        margins.append(float(best.values[0] - best.values[1]))
        ids = torch.cat([ids, best.indices[:1]])
    return {"prompt": prompt.int(), "tokens": torch.tensor(tokens, dtype=torch.int32), "margins": torch.tensor(margins)}


def reference(folder, prefix, lengths, chats):
    """All tensors of one model, their names starting with `prefix`."""
    model = transformers.LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    generator = torch.Generator().manual_seed(SEED)
    stop, tensors = set(json.loads((folder / "generation_config.json").read_text())["eos_token_id"]), {}
    for i, length in enumerate(lengths):
        ids = random_sequence(generator, length, model.config.vocab_size)
        tensors |= {f"{prefix}seq_{i:02}.{name}": value for name, value in sequence_tensors(model, ids).items()}
    for i, chat in enumerate(chats):
        text = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        prompt = torch.tensor(tokenizer(text, add_special_tokens=False)["input_ids"])
        tensors |= {f"{prefix}greedy_{i:02}.{name}": value for name, value in greedy_tensors(model, prompt, stop).items()}
    return tensors


def main():
    models = ROOT / "resources" / "models"
    tensors = reference(models / "quire-mini", "", LENGTHS, CHATS)
    tensors |= reference(models / "quire-mini-draft", "draft.", [1, 17, 130], CHATS[:2])
    tensors["sample_ids"] = torch.tensor(SAMPLE_IDS, dtype=torch.int32)
    weights = models / "quire-mini" / "model.safetensors"
    OUT.parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, OUT, metadata={
        "made_by": "tests/scripts/make_bundled_reference.py", "torch": torch.__version__, "transformers": transformers.__version__,
        "arithmetic": "float32 on the CPU from the bf16 weights, eager attention", "seed": str(SEED),
        "weights_sha256": hashlib.sha256(weights.read_bytes()).hexdigest(), "chats": json.dumps(CHATS)})
    print(OUT.relative_to(ROOT), OUT.stat().st_size, "bytes,", len(tensors), "tensors")


if __name__ == "__main__":
    main()
