"""Answers from the training-side model, for samples and for the evaluation without the engine."""

import torch

from model import Cache


def greedy(logits, rows, n):
    """The likeliest ids, (B); logits: (B, V) of answers' token n, rows: which prompts they continue."""
    return logits.argmax(-1)


@torch.no_grad()
def continue_prompts(model, prompts, stop, limit, choose=greedy):
    """Token ids that follow each of the prompts, without the stop token.

    The prompts are padded on the left, so that all of them end at the same position; rotary positions are
    relative, and so the shift changes nothing but rounding.
    """
    longest = max(map(len, prompts))
    padding = torch.tensor([longest - len(prompt) for prompt in prompts])
    step = torch.tensor([[0] * (longest - len(prompt)) + prompt for prompt in prompts])
    cache, out, start = Cache(), [[] for _ in prompts], 0
    running = list(range(len(prompts)))
    for n in range(limit):
        hidden = model.hidden(step, start=start, cache=cache, padding=padding)
        start += step.shape[1]
        step = choose(model.logits(hidden[:, -1]), running, n)[:, None]
        alive = [row for row in range(len(running)) if int(step[row]) not in stop]
        if not alive:
            break
        if len(alive) < len(running):
            running, step, padding = [running[row] for row in alive], step[alive], padding[alive]
            cache.keep_rows(alive)
        for row, i in enumerate(running):
            out[i].append(int(step[row]))
    return out


def answers(model, tokenizer, conversations, limit=256, batch=48):
    """The assistant's next message in every conversation; those of similar length share a batch."""
    prompts = [tokenizer.encode(messages, generation_prompt=True)[0] for messages in conversations]
    order, texts = sorted(range(len(prompts)), key=lambda i: len(prompts[i])), [""] * len(prompts)
    for at in range(0, len(order), batch):
        chosen = order[at:at + batch]
        ids = continue_prompts(model, [prompts[i] for i in chosen], {tokenizer.end, tokenizer.eos}, limit)
        for i, tokens in zip(chosen, ids):
            texts[i] = tokenizer.decode(tokens)
    return texts


def answer(model, tokenizer, messages, limit=256):
    """The assistant's next message."""
    return answers(model, tokenizer, [messages], limit)[0]
