"""Conversations packed into rows of a few fixed lengths, with what each target counts in the loss."""

import itertools
import json

import numpy as np
import torch

ROW_LENGTHS = (256, 512, 1024)
# The user's words teach the model English but not how to answer, so they count little.
OTHER_WEIGHT = 0.12
# The part of a batch's targets whose logits are computed: all the assistant's and a sample of the others.
KEPT = 0.75


def tokenize(tokenizer, path, limit=None):
    """Yield a (2, length) int16 array of ids and 'the assistant said it' for every conversation."""
    with open(path) as file:
        for line in itertools.islice(file, limit):
            yield np.array(tokenizer.encode(json.loads(line)), np.int16)


def pack(documents, length):
    """First-fit packing into rows of length + 1: a (3, rows, length + 1) array of ids, spoken, document number."""
    rows, open_rows = [], []
    for document in documents:
        size = document.shape[1]
        row = next((r for r in open_rows if r[0] + size <= length + 1), None)
        if row is None:
            row = [0]
            rows.append(row)
            open_rows = [row] + open_rows[:24]
        row[0] += size
        row.append(document)
    packed = np.zeros((3, len(rows), length + 1), np.int16)
    for i, (_, *members) in enumerate(rows):
        at = 0
        for number, document in enumerate(members, 1):
            end = at + document.shape[1]
            packed[:2, i, at:end], packed[2, i, at:end] = document, number
            at = end
    return packed


def build(tokenizer, path, limit=None):
    """{row length: packed arrays}; every conversation goes to the shortest row that holds it, or is cut to the longest."""
    buckets = {length: [] for length in ROW_LENGTHS}
    for document in tokenize(tokenizer, path, limit):
        fitting = [length for length in ROW_LENGTHS if document.shape[1] <= length + 1]
        buckets[fitting[0] if fitting else ROW_LENGTHS[-1]].append(document[:, :ROW_LENGTHS[-1] + 1])
    return {length: pack(documents, length) for length, documents in buckets.items() if documents}


class Batches:
    """An endless, seeded stream of batches of a fixed number of tokens; long rows only once `use_all` is set."""

    def __init__(self, packed, tokens, seed):
        self.packed, self.tokens = packed, tokens
        self.rng = np.random.default_rng(seed)
        self.epoch = 0
        self.queue = []
        self.use_all = self.had_all = False

    def _refill(self):
        for length, arrays in self.packed.items():
            if length > min(self.packed) and not self.use_all:
                continue
            rows, size = self.rng.permutation(arrays.shape[1]), self.tokens // length
            self.queue += [(length, rows[i:i + size]) for i in range(0, len(rows) - size + 1, size)]
        self.rng.shuffle(self.queue)
        self.had_all = self.use_all
        self.epoch += 1

    def next(self):
        if not self.queue or self.use_all > self.had_all:
            self.queue = []
            self._refill()
        return self.batch(*self.queue.pop())

    def sample(self, length):
        """Any batch of rows of this length, to compile for its shape."""
        return self.batch(length, np.arange(self.tokens // length))

    def batch(self, length, rows):
        """ids (B, T), document (B, T), kept (K) flat target positions, targets (K), weights (K)."""
        ids, spoken, document = (self.packed[length][part, rows].astype(np.int64) for part in range(3))
        same = (document[:, 1:] == document[:, :-1]) & (document[:, 1:] > 0)
        weight = np.where(same, np.where(spoken[:, 1:] > 0, 1.0, OTHER_WEIGHT), 0.0).reshape(-1)
        keys = weight + self.rng.random(weight.size) * 0.01
        kept = np.sort(np.argpartition(-keys, int(weight.size * KEPT))[:int(weight.size * KEPT)])
        targets = ids[:, 1:].reshape(-1)[kept]
        return (torch.from_numpy(np.ascontiguousarray(ids[:, :-1])), torch.from_numpy(np.ascontiguousarray(document[:, :-1])),
                torch.from_numpy(kept), torch.from_numpy(targets), torch.from_numpy(weight[kept]).float())
