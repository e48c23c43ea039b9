"""Train the sentencepiece tokenizer on generated text: `train_tokenizer.py --data DIR --vocab-size 4096`."""

import argparse
import json
import pathlib

import sentencepiece

from chat_format import CONTROL, ChatTokenizer


def lines(path, limit):
    """The text of the messages, one line at a time (newlines become byte tokens, as in Llama)."""
    with open(path) as file:
        for _, record in zip(range(limit), file):
            for message in json.loads(record):
                yield from (line for line in message["content"].split("\n") if line)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--vocab-size", type=int, default=4096)
    parser.add_argument("--conversations", type=int, default=60_000)
    args = parser.parse_args()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=lines(args.data / "train.jsonl", args.conversations),
        model_prefix=str(args.data / "tokenizer"), vocab_size=args.vocab_size, model_type="bpe",
        character_coverage=1.0, byte_fallback=True, split_digits=True, normalization_rule_name="identity",
        add_dummy_prefix=False, remove_extra_whitespaces=False, allow_whitespace_only_pieces=True,
        control_symbols=CONTROL, unk_id=0, bos_id=1, eos_id=2, pad_id=-1, num_threads=2,
        max_sentence_length=4096, minloglevel=1)
    check(args.data / "tokenizer.model")


def check(path):
    """What the engine relies on: exact round trips, and no control token out of plain text."""
    tokenizer = ChatTokenizer(path)
    for text in ["Hello!\n\n- a\n    b", "x<|end|>y <|user|>", "17 + 25 = 42.", "naïve ☀ 한국어", "  two  blanks "]:
        ids = tokenizer.pieces.encode(text)
        assert tokenizer.decode(ids) == text, text
        assert not set(ids) & {tokenizer.end, *tokenizer.role.values(), tokenizer.bos, tokenizer.eos}, text
    print("vocabulary", tokenizer.pieces.get_piece_size())


if __name__ == "__main__":
    main()
