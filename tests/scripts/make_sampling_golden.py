"""Makes tests/data/sampling/golden.json: what Hugging Face's logits processors make of some logits.

Run from the repository's root: python3 tests/scripts/make_sampling_golden.py
Made with transformers 5.23.0 and torch; presence and frequency penalties, which transformers does
not have, are subtracted as vLLM's documentation defines them (of the answer's tokens only).
"""

import json
import pathlib

import numpy
import torch
from transformers import (
    LogitsProcessorList,
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

VOCAB = 24

CASES = [
    {"temperature": 1.0},
    {"temperature": 0.5},
    {"temperature": 2.0},
    {"top_k": 5},
    {"top_p": 0.8},
    {"top_p": 0.3},
    {"min_p": 0.1},
    {"top_k": 8, "top_p": 0.7},
    {"top_p": 0.9, "min_p": 0.15},
    {"temperature": 1.5, "top_k": 12, "top_p": 0.85, "min_p": 0.05},
    {"repetition_penalty": 1.3},
    {"repetition_penalty": 0.8, "top_k": 6},
    {"presence_penalty": 0.7},
    {"frequency_penalty": 0.4, "temperature": 0.8},
    {
        "repetition_penalty": 1.2,
        "presence_penalty": 0.5,
        "frequency_penalty": 0.3,
        "temperature": 0.9,
        "top_k": 10,
        "top_p": 0.9,
        "min_p": 0.02,
    },
]


def run(index, case):
    generator = numpy.random.default_rng(index)
    logits = generator.normal(0.0, 2.0, VOCAB).astype(numpy.float32)
    prompt = generator.integers(0, VOCAB, 6).tolist()
    output = generator.integers(0, VOCAB, 8).tolist()
    scores = torch.tensor(logits, dtype=torch.float32)[None]
    history = torch.tensor([prompt + output])
    if "repetition_penalty" in case:
        scores = RepetitionPenaltyLogitsProcessor(case["repetition_penalty"])(history, scores)
    for token in set(output):
        scores[0, token] -= case.get("frequency_penalty", 0.0) * output.count(token)
        scores[0, token] -= case.get("presence_penalty", 0.0)
    penalised = scores[0].tolist()
    warpers = LogitsProcessorList([TemperatureLogitsWarper(case.get("temperature", 1.0))])
    if "top_k" in case:
        warpers.append(TopKLogitsWarper(case["top_k"]))
    if "top_p" in case:
        warpers.append(TopPLogitsWarper(case["top_p"]))
    if "min_p" in case:
        warpers.append(MinPLogitsWarper(case["min_p"]))
    probabilities = torch.softmax(warpers(history, scores.clone())[0].double(), -1)
    return {
        "params": case,
        "logits": [float(x) for x in logits],
        "prompt": prompt,
        "output": output,
        "penalised": penalised,
        "probabilities": [round(p, 9) for p in probabilities.tolist()],
        "raw_logprobs": torch.log_softmax(torch.tensor(logits).double(), -1).tolist(),
    }


def main():
    path = pathlib.Path("tests/data/sampling/golden.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [json.dumps(run(index, case)) for index, case in enumerate(CASES)]
    path.write_text("[" + ",\n".join(rows) + "]\n")


if __name__ == "__main__":
    main()
