"""Makes tests/data/tokenizer: five tiny SentencePiece models and the ids that the Python package gives.

Run from the repository's root: python3 tests/scripts/make_tokenizer_fixture.py
Made with sentencepiece 0.2.3.
The training text is typed below, so the fixtures owe nothing to anybody.
"""

import io
import json
import pathlib
import random
import tempfile

import sentencepiece

FOLDER = pathlib.Path("tests/data/tokenizer")

TEXT = """
A quire is a gathering of pages, and it is also an old spelling of choir.
The reader turns the page, and the page turns the reader.
Write the number 42, then 7, then 1999; the sum is larger than you think.
She said that the weather in the north would be colder than the weather in the south.
    indented lines keep their spaces
    for each page in pages: print(page)
Where did the old books go? They went to the reading room, of course.
안녕하세요. 오늘 날씨가 참 좋네요. 책을 읽고 싶어요.
책은 한 장씩 넘기면서 읽는 것이 좋습니다.
naïve café, déjà vu, Ærøskøbing, smørrebrød
"""

CASES = [
    "",
    " ",
    "the",
    "The page turns.",
    " leading and trailing ",
    "two  spaces   three",
    "line one\nline two\n\n\ttabbed\r\n",
    "    for each page in pages: print(page)",
    "안녕하세요. 책을 읽고 싶어요.",
    "emoji 🙂 and 👩‍👩‍👧 together",
    "naïve café — “quoted” … ½",
    "<s></s><unk><|user|><|end|><0x0A>",
    "zebra QUIZ 1234567890 !@#$%^&*()",
    "the page of pages and the reader of readers " * 8,
]


PARTS = ["the", " ", "  ", "page", "\n", "\t", "안녕", "책", "🙂", "👩‍👧", "é", "e\u0301", "ﬁ", "Ｑ", "①", "<s>", "<tool>",
         "<|end|>", "0x", "<0x0A>", "Q", "…", "\u00a0", "\u3000", "reader", "s", "turn"]

# Of a model that changes text: compatibility forms, a word, something dropped.
RULES = {"ﬁ": "fi", "Ｑ": "Q", "①": "1", "\u3000": " ", "\u00a0": " ", "e\u0301": "é", "QUIZ": "quire", "…": "...", "\t": "", "½": "1/2"}


def random_texts(count):
    """Without U+2581, which the library takes for a space and Quire does not."""
    draw = random.Random(43)
    return ["".join(draw.choice(PARTS) for _ in range(draw.randrange(12))) for _ in range(count)]


def train(name, **options):
    options = {"remove_extra_whitespaces": False, "byte_fallback": True, **options}
    model = io.BytesIO()
    lines = [line for line in TEXT.split("\n") if line]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines * 4),
        model_writer=model,
        control_symbols=["<|user|>", "<|assistant|>", "<|end|>"],
        user_defined_symbols=["<tool>"],
        character_coverage=1.0,
        allow_whitespace_only_pieces=True,
        num_threads=1,
        minloglevel=2,
        hard_vocab_limit=False,
        **options,
    )
    (FOLDER / name).mkdir(parents=True, exist_ok=True)
    (FOLDER / name / "tokenizer.model").write_bytes(model.getvalue())
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    (FOLDER / name / "expected.json").write_text(
        json.dumps(
            [{"text": text, "ids": processor.encode(text)} for text in CASES + random_texts(400)],
            ensure_ascii=False,
            separators=(",", ":"),
        ).replace("},{", "},\n{")
        + "\n"
    )
    return processor


def write_config(name, processor, **more):
    """What a Hugging Face folder adds: a special token inside the vocabulary and two beyond it."""
    size = processor.get_piece_size()
    config = {
        "tokenizer_class": "LlamaTokenizer",
        "bos_token": "<s>",
        "eos_token": {"content": "</s>", "lstrip": False, "rstrip": False},
        "added_tokens_decoder": {
            str(processor.piece_to_id("<tool>")): {"content": "<tool>", "special": True},
            str(size): {"content": "<|extra|>", "special": True, "rstrip": True},
            str(size + 1): {"content": "<think>", "special": False},
        },
        **more,
    }
    text = json.dumps(config, indent=1)
    (FOLDER / name / "tokenizer_config.json").write_text(text + "\n")


def main():
    exact = train(
        "exact",
        model_type="bpe",
        vocab_size=440,
        add_dummy_prefix=False,
        normalization_rule_name="identity",
    )
    write_config("exact", exact, add_bos_token=False)
    prefixed = train(
        "prefixed",
        model_type="bpe",
        vocab_size=440,
        add_dummy_prefix=True,
        normalization_rule_name="identity",
    )
    write_config("prefixed", prefixed)
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as rules:
        for source, target in RULES.items():
            codes = ["".join(f"{ord(c):X} " for c in text).strip() for text in (source, target)]
            rules.write("\t".join(codes) + "\n")
        rules.flush()
        for name, model_type, fallback in (("unigram_rules", "unigram", False), ("bpe_rules", "bpe", True)):
            train(
                name,
                model_type=model_type,
                vocab_size=440 if fallback else 200,
                add_dummy_prefix=True,
                remove_extra_whitespaces=True,
                byte_fallback=fallback,
                normalization_rule_tsv=rules.name,
            )
    train(
        "unigram",
        model_type="unigram",
        vocab_size=440,
        add_dummy_prefix=False,
        normalization_rule_name="identity",
    )


if __name__ == "__main__":
    main()
