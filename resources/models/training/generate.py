"""Greedy answers from the training-side model, for samples and for the evaluation without the engine."""

import torch

from model import Cache


@torch.no_grad()
def continue_greedily(model, ids, stop, limit):
    """Token ids that follow `ids`, without the stop token."""
    cache, out, start = Cache(), [], 0
    step = torch.tensor([ids])
    while len(out) < limit:
        hidden = model.hidden(step, start=start, cache=cache)
        start += step.shape[1]
        token = int(model.logits(hidden[:, -1]).argmax())
        if token in stop:
            break
        out.append(token)
        step = torch.tensor([[token]])
    return out


def answer(model, tokenizer, messages, limit=256):
    """The assistant's next message."""
    ids, _ = tokenizer.encode(messages, generation_prompt=True)
    return tokenizer.decode(continue_greedily(model, ids, {tokenizer.end, tokenizer.eos}, limit))
