"""Makes tests/data/tokenizer/word_models: what Hugging Face's `tokenizers` gives with WordPiece and Unigram models.

Run from the repository's root: python3 tests/scripts/make_word_model_golden.py
Made with tokenizers 0.23.3 and sentencepiece 0.2.3. Writes texts.json, random texts in many scripts, and for each style
NAME/tokenizer.json, a tiny vocabulary, and NAME/ids.json: for each text the first 12 digits of the SHA-256 of its ids,
written with spaces between them; of the first texts the ids themselves, to find faults with.
"""

import base64
import hashlib
import io
import json
import pathlib
import random
import tempfile

import sentencepiece
from make_tokenizer_golden import TEXT, random_text
from sentencepiece import sentencepiece_model_pb2 as proto
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

FOLDER = pathlib.Path("tests/data/tokenizer/word_models")
NUM_TEXTS = 1200
NUM_SHOWN = 40
LINES = TEXT.split("\n") * 3
RULES = {"½": "1/2", "²": "2", "ﬁ": "fi", "\u3000": " ", "\t": " ", "\r": " ", "ａ": "a", "Ａ": "A", "e\u0301": "é",
         "é": "E", "ß": "ss", "\u200d": "", "ſ": "s", "…": "...", "한": "HAN", "A": "a"}


def charsmap():
    """Compiled rules, small ones: those of published models take 240 KB."""
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        for source, target in RULES.items():
            codes = [" ".join(f"{ord(c):X}" for c in text) for text in (source, target)]
            file.write("\t".join(codes) + "\n")
        file.flush()
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(LINES), model_writer=model, vocab_size=300, normalization_rule_tsv=file.name,
            character_coverage=0.98, hard_vocab_limit=False, minloglevel=2)
    parsed = proto.ModelProto()
    parsed.ParseFromString(model.getvalue())
    return base64.b64encode(parsed.normalizer_spec.precompiled_charsmap).decode()


def word_piece(normalizer, pre_tokenizer, prefix="##", most=100):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    trainer = trainers.WordPieceTrainer(vocab_size=420, limit_alphabet=150, show_progress=False,
                                        special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"],
                                        continuing_subword_prefix=prefix)
    tokenizer.train_from_iterator(LINES, trainer)
    tokenizer.decoder = decoders.WordPiece(prefix=prefix)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    data = json.loads(tokenizer.to_str())
    data["model"]["max_input_chars_per_word"] = most
    return data


def unigram(normalizer, pre_tokenizer, byte_fallback=False, rules=None):
    tokenizer = Tokenizer(models.Unigram())
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    special = ["<pad>", "</s>", "<unk>"] + [f"<0x{byte:02X}>" for byte in range(256) if byte_fallback]
    trainer = trainers.UnigramTrainer(vocab_size=380 + len(special), show_progress=False, unk_token="<unk>",
                                      special_tokens=special)
    tokenizer.train_from_iterator(LINES, trainer)
    tokenizer.decoder = decoders.Metaspace()
    data = json.loads(tokenizer.to_str())
    data["model"]["byte_fallback"] = byte_fallback
    if byte_fallback:
        data["added_tokens"] = [token for token in data["added_tokens"] if not token["content"].startswith("<0x")]
    # Rare characters are unknown.
    data["model"]["vocab"] = [entry for entry in data["model"]["vocab"] if len(entry[0]) > 1 or entry[0] < "\u3000"
                              or ord(entry[0]) % 3]
    if rules:
        data["normalizer"]["normalizers"].insert(0, {"type": "Precompiled", "precompiled_charsmap": rules})
    return data


def styles():
    spaces = normalizers.Sequence([normalizers.Replace(Regex(" {2,}"), " ")])
    yield "bert_uncased", word_piece(normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer())
    yield "bert_cased", word_piece(normalizers.BertNormalizer(lowercase=False, strip_accents=False),
                                   pre_tokenizers.BertPreTokenizer(), most=8)
    yield "word_piece", word_piece(
        normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()]),
        pre_tokenizers.Whitespace(), prefix="@@")
    yield "t5", unigram(spaces, pre_tokenizers.Metaspace(prepend_scheme="always"), rules=charsmap())
    yield "xlm_roberta", unigram(None, pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]))
    yield "unigram_bytes", unigram(None, pre_tokenizers.Metaspace(prepend_scheme="first", split=False),
                                   byte_fallback=True)


def digest(ids):
    return hashlib.sha256(" ".join(map(str, ids)).encode()).hexdigest()[:12]


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


def main():
    rng = random.Random(20261125)
    lines = [line for line in TEXT.split("\n") if line]
    texts = [*lines, "", " ", "a" * 300, *(random_text(rng) for _ in range(NUM_TEXTS))]
    texts = [text.replace("\u2581", "") for text in texts]
    write(FOLDER / "texts.json", texts)
    for name, data in styles():
        tokenizer = Tokenizer.from_str(json.dumps(data))
        tokenizer.encode_special_tokens = True  # They are text.
        ids = [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
        write(FOLDER / name / "tokenizer.json", data)
        write(FOLDER / name / "ids.json", {"shown": ids[:NUM_SHOWN], "hashes": [digest(each) for each in ids]})
        print(name, len(data["model"]["vocab"]), sum(map(len, ids)))


if __name__ == "__main__":
    main()
