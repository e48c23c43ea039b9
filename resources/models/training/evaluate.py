"""Ask the fixed evaluation prompts and check the answers.

    evaluate.py --model DIR                     PyTorch on the exported folder
    evaluate.py --engine build/.../quire-cli    through the project's own engine and command line
    evaluate.py --model DIR --perplexity        also the perplexity of held_out.txt
    evaluate.py --check-overlap train.jsonl     only verify that no prompt occurs in the training text

Prints a table by category; exits 1 when fewer than 80 % of the answers pass.
"""

import argparse
import collections
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

from checks import failures
from generate_text import normalise

HERE = pathlib.Path(__file__).parent
DEFAULT_MODEL = HERE.parent / "quire-mini"


def load_records():
    return [json.loads(line) for line in (HERE / "evaluation.jsonl").read_text().splitlines()]


def ask_engine(engine, model, records):
    """All prompts through `quire-cli generate`, which answers one JSON object a line, in order."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for record in records:
            file.write(json.dumps({"messages": record["messages"]}) + "\n")
        file.flush()
        command = [engine, "generate", "--chat", "--messages", file.name, "--temperature", "0", "--max-tokens", "256", "--json"]
        if model:
            command += ["--model", str(model)]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line)["text"] for line in result.stdout.splitlines() if line.startswith("{")]


def ask_torch(model_dir, records):
    from exported import load
    from generate import answers
    model, tokenizer = load(model_dir)
    return answers(model, tokenizer, [record["messages"] for record in records])


def perplexity(model_dir):
    """Of the assistant's tokens in held_out.txt."""
    import torch

    from exported import load
    model, tokenizer = load(model_dir)
    total, count = 0.0, 0
    for line in (HERE / "held_out.txt").read_text().splitlines():
        parts = re.findall(r"<\|(system|user|assistant)\|>(.*?)<\|end\|>", line.replace("\\n", "\n"), re.S)
        ids, spoken = tokenizer.encode([{"role": role, "content": text} for role, text in parts])
        ids = torch.tensor([ids[:model.c.max_positions]])
        with torch.no_grad():
            logs = model(ids[:, :-1]).log_softmax(-1)[0]
        picked = logs.gather(1, ids[0, 1:, None])[:, 0][torch.tensor(spoken[1:ids.shape[1]])]
        total, count = total - picked.sum().item(), count + picked.numel()
    return math.exp(total / count)


def check_overlap(path, records):
    """Names of the prompts whose last user message occurs word for word in the training text."""
    wanted = {normalise(r["messages"][-1]["content"]): r["id"] for r in records}
    found = set()
    with open(path) as file:
        for line in file:
            found |= {wanted[n] for m in json.loads(line) if m["role"] == "user" and (n := normalise(m["content"])) in wanted}
    return sorted(found)


def report(records, answers, verbose):
    """Print the table; return the share of passed prompts."""
    passed, asked = collections.Counter(), collections.Counter()
    for record, text in zip(records, answers, strict=True):
        problems = failures(record["check"], text)
        asked[record["category"]] += 1
        passed[record["category"]] += not problems
        if problems and verbose:
            print(f"- {record['id']}: {record['messages'][-1]['content']!r}\n    -> {text!r}\n    {problems}")
    print(f"\n{'category':<22}{'passed':>8}{'of':>6}{'%':>8}")
    for category in asked:
        print(f"{category:<22}{passed[category]:>8}{asked[category]:>6}{100 * passed[category] / asked[category]:>8.1f}")
    share = sum(passed.values()) / sum(asked.values())
    print(f"{'total':<22}{sum(passed.values()):>8}{sum(asked.values()):>6}{100 * share:>8.1f}")
    return share


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine")
    parser.add_argument("--model", type=pathlib.Path)
    parser.add_argument("--perplexity", action="store_true")
    parser.add_argument("--check-overlap", type=pathlib.Path)
    parser.add_argument("--quiet", action="store_true", help="do not print the answers that failed")
    args = parser.parse_args()
    records = load_records()
    if args.check_overlap:
        found = check_overlap(args.check_overlap, records)
        print(f"{len(records)} prompts, {len(found)} occur in the training text", *found)
        sys.exit(1 if found else 0)
    if args.perplexity:
        print(f"held-out perplexity {perplexity(args.model or DEFAULT_MODEL):.3f}")
    answers = ask_engine(args.engine, args.model, records) if args.engine else ask_torch(args.model or DEFAULT_MODEL, records)
    sys.exit(0 if report(records, answers, not args.quiet) >= 0.8 else 1)


if __name__ == "__main__":
    main()
