"""How many tokens a step yields with each way of guessing: `accepted_lengths.py --data W W/quire-mini-mtp ../quire-mini-draft`.

A guess is accepted if it equals what the model samples with its own random number, and the guess is sampled with
the same number. So the answers are those without speculation, and one pass over a finished answer tells which
guess would have been right at each of its tokens; steps are counted afterwards for 1, 2, 3 and 4 guesses each.
"""

import argparse
import json
import pathlib

import torch

from evaluate import load_records
from export_heads import load_heads
from exported import load
from generate import continue_prompts, greedy
from heads import MedusaHeads, MtpLayer, Rows
from train_heads import MODEL

MOST_GUESSES = 4
LIMIT = 256


class Sampler:
    """Samples by inverting the cumulative distribution in the order of ids, as the engine does.

    Every token of every answer has one random number, which the model and all guesses of that token use.
    """

    def __init__(self, temperature, num_answers, seed=5):
        self.temperature = temperature
        self.uniform = torch.rand(num_answers, LIMIT, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)

    def choose(self, logits, uniform):
        """logits: (N, V), uniform: (N) -> ids (N)."""
        sums = (logits.double() / self.temperature).softmax(-1).cumsum(-1)
        return torch.searchsorted(sums, uniform[:, None] * sums[:, -1:], right=True)[:, 0].clamp(max=logits.shape[-1] - 1)

    def __call__(self, logits, rows, n):
        return self.choose(logits, self.uniform[rows, n])


def answers(model, tokenizer, records, choose, batch=48):
    """(prompt ids, answer ids with the end token) of every record."""
    prompts = [tokenizer.encode(record["messages"], generation_prompt=True)[0] for record in records]
    order, found = sorted(range(len(prompts)), key=lambda i: len(prompts[i])), [None] * len(prompts)
    for at in range(0, len(order), batch):
        chosen = order[at:at + batch]

        def choose_here(logits, rows, n):
            return choose(logits, [chosen[row] for row in rows], n)

        texts = continue_prompts(model, [prompts[i] for i in chosen], {tokenizer.end, tokenizer.eos}, LIMIT, choose_here)
        for i, ids in zip(chosen, texts):
            found[i] = prompts[i], (ids + [tokenizer.end])[:LIMIT]
    return found


class HeadGuesses:
    """Logits of guess 0, 1, ... for the token after each slot, from heads on the model."""

    def __init__(self, model, heads):
        self.model, self.heads = model, heads
        self.most = len(heads.blocks) if isinstance(heads, MedusaHeads) else MOST_GUESSES

    def logits(self, ids):
        rows = Rows(ids, torch.ones_like(ids), self.model.hidden(ids))
        return [self.heads.logits(self.model, x[0], n) for n, x in enumerate(self.heads.features(self.model, rows, self.most))]

    def costs(self):
        """(a guess, a step besides), in steps of the model: parameters read by parameters read."""
        whole, output = size_of(self.model), self.model.embed_tokens.weight.numel()
        if isinstance(self.heads, MtpLayer):
            # Keys and values of the tokens that the step computed; the rest of the layer runs for guesses alone.
            attention = self.heads.layer.self_attn
            kept = sum(size_of(part) for part in (self.heads.eh_proj, attention.k_proj, attention.v_proj))
            return (size_of(self.heads) + output) / whole, kept / whole
        return size_of(self.heads) / len(self.heads.blocks) / whole, 0.0


class DraftGuesses:
    """Logits of a draft model. A guess matters only if those before it are right, so every guess has the same logits."""

    def __init__(self, model, draft):
        self.model, self.draft, self.most = model, draft, MOST_GUESSES

    def logits(self, ids):
        return [self.draft(ids)[0]] * self.most

    def costs(self):
        return size_of(self.draft) / size_of(self.model), 0.0


def size_of(module):
    return sum(parameter.numel() for parameter in module.parameters())


def load_guesses(folder, model):
    config = json.loads((folder / "config.json").read_text())
    if "num_nextn_predict_layers" in config or "medusa_num_heads" in config:
        return HeadGuesses(model, load_heads(folder, model.c))
    return DraftGuesses(model, load(folder)[0])


@torch.no_grad()
def right_guesses(guesses, prompt, answer, uniform, sampler):
    """(most, A - 1): whether guess n of token j + 1 of the answer is right, made after token j - n and n right guesses."""
    ids = torch.tensor([prompt + answer])
    first = len(prompt)
    rows = [logits[first:-1] for logits in guesses.logits(ids)]
    guessed = [sampler.choose(row, uniform[1:len(answer)]) if sampler else greedy(row, None, None) for row in rows]
    return torch.stack([row == ids[0, first + 1:] for row in guessed]).tolist()


def count_steps(right, num_guesses):
    """Steps of the model for an answer after its first token, with up to num_guesses guesses each."""
    at, steps, last = 0, 0, len(right[0])
    while at < last:
        steps += 1
        n = 0
        while n < num_guesses and at < last and right[n][at]:
            at, n = at + 1, n + 1
        at += 1
    return steps


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=pathlib.Path, nargs="+", help="exported heads and draft models")
    parser.add_argument("--model", type=pathlib.Path, default=MODEL)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="work folder; keeps the answers for the next time")
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    model, tokenizer = load(args.model)
    records = load_records()
    sampler = Sampler(args.temperature, len(records)) if args.temperature > 0 else None
    kept = args.data / f"answers_{args.temperature}.json"
    if not kept.exists():
        kept.write_text(json.dumps(answers(model, tokenizer, records, sampler or greedy)))
    texts = json.loads(kept.read_text())
    total = sum(len(answer) - 1 for _, answer in texts)
    print(f"{len(texts)} answers, {total} tokens after their first, temperature {args.temperature}")
    for folder in args.folders:
        guesses = load_guesses(folder, model)
        tables = [right_guesses(guesses, *text, sampler and sampler.uniform[i], sampler) for i, text in enumerate(texts)]
        per_guess, per_step = guesses.costs()
        print(f"{folder.name}: a guess costs {per_guess:.3f} of a step, a step {per_step:.3f} more")
        for n in range(1, guesses.most + 1):
            tokens = total / sum(count_steps(table, n) for table in tables)
            print(f"  {n} guesses: {tokens:.3f} tokens a step, {tokens / (1 + per_step + n * per_guess):.3f} for a step's cost")


if __name__ == "__main__":
    main()
