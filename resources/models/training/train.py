"""Train a model on generated conversations for a given wall-clock time.

    train.py --data DIR --shape mini --minutes 65 [--resume]

The learning rate follows the clock and not the step count, so that a machine that other work shares still
finishes on time. A checkpoint is written every few minutes; --resume goes on from it.
"""

import argparse
import pathlib
import time

import torch
import torch.nn.functional as F

from chat_format import ChatTokenizer
from data import Batches, build
from generate import answer
from model import SHAPES, Llama
from optimizer import Optimizer

# Long rows cost more a token; the last part of the training is enough to learn the long distances.
LONG_ROWS_FROM = 0.8

SAMPLES = ["Hello!", "What is the capital of Norway?", "What is 27 + 48?", "Tell me a story about a fox named Brisella.", "What is a persona?"]


def rate_at(progress):
    """Warm up for 1 %, stay, and fall linearly to nothing over the last 45 %."""
    return min(progress / 0.01, 1.0, max(0.0, (1.0 - progress) / 0.45))


def loss_of(model, ids, document, kept, targets, weights):
    """Weighted cross entropy; the output layer runs only on the kept positions."""
    with torch.autocast("cpu", torch.bfloat16):
        hidden = model.hidden(ids, document)
        logits = model.logits(hidden.reshape(-1, hidden.shape[-1])[kept])
    losses = F.cross_entropy(logits.float(), targets, reduction="none")
    return (losses * weights).sum() / weights.sum()


class Run:
    """One training run: model, optimizer, clock and log."""

    def __init__(self, args):
        self.args, self.start = args, time.time()
        self.tokenizer = ChatTokenizer(args.data / "tokenizer.model")
        config = SHAPES[args.shape]
        config.vocab_size = self.tokenizer.pieces.get_piece_size()
        torch.manual_seed(args.seed)
        self.model = Llama(config)
        self.optimizer = Optimizer(self.model, args.matrix_lr, args.embedding_lr)
        self.step, self.tokens, self.spent = 0, 0, 0.0
        self.checkpoint = args.data / f"{args.shape}.pt"
        self.log = args.data / f"{args.shape}_loss.csv"
        if args.resume:
            self.restore()
        else:
            self.log.write_text("step,minutes,tokens,loss\n")

    def restore(self):
        state = torch.load(self.checkpoint, weights_only=False)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.tokens, self.spent = state["step"], state["tokens"], state["spent"]

    def save(self):
        state = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), "config": self.model.c,
                 "step": self.step, "tokens": self.tokens, "spent": self.minutes()}
        torch.save(state, self.checkpoint.with_suffix(".tmp"))
        self.checkpoint.with_suffix(".tmp").replace(self.checkpoint)

    def minutes(self):
        return self.spent + (time.time() - self.start) / 60

    def show_samples(self):
        for question in SAMPLES:
            print("   ", question, "->", answer(self.model, self.tokenizer, [{"role": "user", "content": question}], 60), flush=True)

    def train(self):
        packed = build(self.tokenizer, self.args.data / "train.jsonl", self.args.limit)
        print({length: arrays.shape[1] for length, arrays in packed.items()}, flush=True)
        batches = Batches(packed, self.args.batch_tokens, self.args.seed + self.step)
        forward = torch.compile(loss_of, dynamic=False)
        short = min(packed)
        forward(self.model, *batches.sample(short)).backward()
        self.model.zero_grad(set_to_none=True)
        print("compiled", flush=True)
        self.start, saved, window = time.time(), time.time(), []
        while self.minutes() < self.args.minutes:
            batches.use_all = self.minutes() > LONG_ROWS_FROM * self.args.minutes
            batch = batches.next()
            # Compiling takes minutes a shape, so only the short rows, which are most, are worth it.
            compute = forward if batch[0].shape[1] == short else loss_of
            loss = compute(self.model, *batch)
            loss.backward()
            self.optimizer.step(rate_at(self.minutes() / self.args.minutes))
            window.append(loss.item())
            self.step, self.tokens = self.step + 1, self.tokens + batch[0].numel()
            if self.step % 20 == 0:
                self.report(sum(window) / len(window), batches.epoch)
                window = []
            if time.time() - saved > self.args.save_minutes * 60:
                self.save()
                self.show_samples()
                saved = time.time()
        self.save()
        self.show_samples()

    def report(self, loss, epoch):
        minutes = self.minutes()
        with open(self.log, "a") as file:
            file.write(f"{self.step},{minutes:.2f},{self.tokens},{loss:.4f}\n")
        speed = self.tokens / minutes / 60
        print(f"{minutes:6.1f} min  step {self.step}  epoch {epoch}  loss {loss:.4f}  {speed:.0f} tokens/s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--shape", choices=SHAPES, default="mini")
    parser.add_argument("--minutes", type=float, default=65)
    parser.add_argument("--save-minutes", type=float, default=3)
    parser.add_argument("--batch-tokens", type=int, default=4096)
    parser.add_argument("--matrix-lr", type=float, default=0.02)
    parser.add_argument("--embedding-lr", type=float, default=0.003)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--resume", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.set_flush_denormal(True)
    Run(args).train()


if __name__ == "__main__":
    main()
