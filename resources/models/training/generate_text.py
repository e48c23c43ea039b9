"""Write the training conversations: `generate_text.py --out DIR --conversations N`.

Output is one JSON list of messages a line (train.jsonl), plus held_out.txt from another seed. Conversations that
hold a user message of the fixed evaluation are thrown away, so that the evaluation stays unseen.
"""

import argparse
import json
import pathlib
import random
import re

from corpus.conversation import conversation

HERE = pathlib.Path(__file__).parent


def normalise(text):
    """Lower case, single blanks, no marks at the ends: how 'word for word' is compared."""
    return re.sub(r"\s+", " ", text.lower()).strip(" .!?")


def evaluation_questions():
    """The last user message of every evaluation prompt, normalised."""
    path = HERE / "evaluation.jsonl"
    if not path.exists():
        return set()
    records = [json.loads(line) for line in path.read_text().splitlines()]
    return {normalise(record["messages"][-1]["content"]) for record in records}


def conversations(seed, count, banned):
    """`count` conversations that do not touch the evaluation."""
    rng = random.Random(seed)
    made = 0
    while made < count:
        messages = conversation(rng)
        if any(m["role"] == "user" and normalise(m["content"]) in banned for m in messages):
            continue
        made += 1
        yield messages


def render(messages):
    """The chat format as readable text; the marks stand for control tokens."""
    return "".join(f"<|{m['role']}|>{m['content']}<|end|>" for m in messages)


def write_held_out(train, banned, count=180):
    """About 100 KB of conversations from another seed; one a line, newlines written as backslash-n."""
    candidates = [render(messages).replace("\n", "\\n") for messages in conversations(999_331, 2 * count, banned)]
    with open(train) as file:
        seen = set(candidates) & {render(json.loads(line)).replace("\n", "\\n") for line in file}
    lines = [line for line in candidates if line not in seen][:count]
    (HERE / "held_out.txt").write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--conversations", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--held-out", action="store_true", help="write held_out.txt beside this script, without what DIR/train.jsonl holds")
    args = parser.parse_args()
    banned = evaluation_questions()
    if args.held_out:
        write_held_out(args.out / "train.jsonl", banned)
        return
    args.out.mkdir(parents=True, exist_ok=True)
    with open(args.out / "train.jsonl", "w") as file:
        for messages in conversations(args.seed, args.conversations, banned):
            file.write(json.dumps(messages, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
