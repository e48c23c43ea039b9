"""Train an MTP layer or Medusa heads for the frozen model, for a given wall-clock time.

    train_heads.py --data DIR --heads mtp --minutes 23 --out DIR/quire-mini-mtp [--resume]
    train_heads.py --data DIR --heads medusa --minutes 17 --out DIR/quire-mini-medusa

A guess counts if it equals what the model samples, so the heads learn the model's own probabilities and not the
text. They learn every guess of a chain, also those that follow from their own earlier output.
"""

import argparse
import pathlib
import time

import torch

from data import Batches, build
from export_heads import SAVE, load_heads
from exported import load
from heads import MedusaHeads, MtpLayer, Rows, shifted
from optimizer import Optimizer
from train import LONG_ROWS_FROM, rate_at

MODEL = pathlib.Path(__file__).parent.parent / "quire-mini"
# The weight of each guess in the loss relative to the one before it, which must be right for it to matter.
LATER_WEIGHT = 0.8
# Longer rows are left out: a chain's attention costs three times as much per token as a layer's, and more for long rows.
LONGEST_ROW = 512
# The part of the time after which an MTP layer is also trained on its own output.
CHAINS_FROM = 0.5


def compute_states(model, packed, rows_at_once=8):
    """{row length: (rows, T, C) bf16}: the frozen model's hidden states of everything that is trained on."""
    states = {}
    for length, arrays in packed.items():
        parts = []
        for at in range(0, arrays.shape[1], rows_at_once):
            ids, _, documents = (torch.from_numpy(part[at:at + rows_at_once, :-1]).long() for part in arrays)
            with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
                parts.append(model.hidden(ids, documents))
        states[length] = torch.cat(parts)
    return states


class FrozenRows(Batches):
    """Batches with the frozen model's hidden states."""

    def __init__(self, packed, states, tokens, seed):
        super().__init__(packed, tokens, seed)
        self.states = states

    def batch(self, length, rows):
        """Rows, and for each slot whether it and the next hold the same answer's tokens (B, T)."""
        ids, spoken, documents = (torch.from_numpy(self.packed[length][part, rows]).long() for part in range(3))
        inside = (spoken[:, 1:] > 0) & (spoken[:, :-1] > 0) & (documents[:, 1:] == documents[:, :-1])
        return Rows(ids[:, :-1], documents[:, :-1], self.states[length][rows]), inside


def loss_of(model, heads, rows, inside, count):
    """(cross entropy with the model's probabilities, summed over the guesses; for each, how often its best id is the model's)."""
    with torch.autocast("cpu", torch.bfloat16):
        with torch.no_grad():
            wanted = model.logits(rows.hidden[inside]).float().softmax(-1)
        total, right, asked = 0.0, [], inside
        for n, x in enumerate(heads.features(model, rows, count)):
            target = wanted[asked[inside]]
            scores = heads.logits(model, x[asked], n).float().log_softmax(-1)
            total = total - LATER_WEIGHT**n * (target * scores).sum(-1).mean()
            right.append((scores.argmax(-1) == target.argmax(-1)).float().mean().item())
            asked = asked & shifted(inside, n + 1)
    return total, right


def fresh_heads(args, model):
    """Untrained heads of the chosen kind, initialised from the model."""
    heads = MtpLayer(model.c) if args.heads == "mtp" else MedusaHeads(model.c, args.guesses, not args.shared_output)
    heads.start_from(model)
    return heads


def train(args, model, tokenizer):
    packed = build(tokenizer, args.data / "train.jsonl", args.limit)
    packed = {length: arrays for length, arrays in packed.items() if length <= LONGEST_ROW}
    kept = args.data / "states.pt"
    if not kept.exists():
        torch.save(compute_states(model, packed), kept)
    batches = FrozenRows(packed, torch.load(kept), args.batch_tokens, args.seed)
    heads = (load_heads(args.out, model.c) if args.resume else fresh_heads(args, model)).train()
    optimizer = Optimizer(heads, args.matrix_lr, args.vector_lr)
    start, step, saved = time.time(), 0, time.time()
    while (progress := (time.time() - start) / 60 / args.minutes) < 1:
        batches.use_all = progress > LONG_ROWS_FROM
        # A chain costs once for each of its links, and helps only once its first guess is good.
        count = args.guesses if args.heads == "medusa" or progress > CHAINS_FROM else 1
        loss, right = loss_of(model, heads, *batches.next(), count)
        loss.backward()
        optimizer.step(rate_at(progress))
        step += 1
        if step % 20 == 0:
            print(f"{progress * args.minutes:6.1f} min  step {step}  epoch {batches.epoch}  loss {loss.item():.4f}  right",
                  *(f"{share:.3f}" for share in right), flush=True)
        if time.time() - saved > args.save_minutes * 60:
            SAVE[args.heads](heads, model.c, args.model, args.out)
            saved = time.time()
    SAVE[args.heads](heads, model.c, args.model, args.out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with the train.jsonl of generate_text.py")
    parser.add_argument("--model", type=pathlib.Path, default=MODEL)
    parser.add_argument("--heads", choices=SAVE, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--save-minutes", type=float, default=4)
    parser.add_argument("--guesses", type=int, default=3, help="guesses of a chain that are trained; Medusa: heads")
    parser.add_argument("--shared-output", action="store_true", help="Medusa: leave the output layers the model's own")
    parser.add_argument("--batch-tokens", type=int, default=2048)
    parser.add_argument("--matrix-lr", type=float, default=0.01)
    parser.add_argument("--vector-lr", type=float, default=0.002)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--resume", action="store_true", help="go on from the weights in --out")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.set_flush_denormal(True)
    torch.manual_seed(args.seed)
    model, tokenizer = load(args.model)
    train(args, model.requires_grad_(False), tokenizer)


if __name__ == "__main__":
    main()
