"""Makes tests/data/tokenizer/golden: what Hugging Face's `tokenizers` and sentencepiece give for random texts.

Run from the repository's root: python3 tests/scripts/make_tokenizer_golden.py
Made with tokenizers 0.23.3, sentencepiece 0.2.3 and gguf; Python's Unicode tables are those of version 14.

- NAME/tokenizer.json: tiny vocabularies trained on the text below, one for each style of published models,
  with cases.json: texts as plain text (special tokens are text), and texts of a template.
- ggml-vocab-NAME.json: the same for the published vocabularies in ../shared/conformance/tokenizers (which are
  not copied), through the model's own pre-tokenizer or, for SentencePiece, through a model made of the file's
  tokens and scores.
"""

import json
import pathlib
import random
import unicodedata

import sentencepiece
from gguf import GGUFReader
from sentencepiece import sentencepiece_model_pb2 as proto
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

FOLDER = pathlib.Path("tests/data/tokenizer/golden")
CONFORMANCE = pathlib.Path("../shared/conformance/tokenizers")

TEXT = """
A quire is a gathering of pages, and it is also an old spelling of choir.
The reader turns the page, and the page turns the reader. I'll say it's ours; they've read 1234 of 56789 pages.
Write the number 42, then 7, then 1999; the sum is larger than you'd think!
    for each page in pages:\n        print(page)   # four   spaces
Where did the OLD books go? They went to the ReadingRoom, of course...
Die Bücher liegen im größeren Lesesaal, über dem Fluß.\r\nСтраницы книги лежат на столе.
안녕하세요. 오늘 날씨가 참 좋네요. 책을 읽고 싶어요. 책은 한 장씩 넘기면서 읽는 것이 좋습니다.
我们在图书馆读书，书页一张一张地翻过去。本を読むのが好きです。ページをめくる。
naïve café, déjà vu, Ærøskøbing, smørrebrød 🙂 👩‍👧 ½ ² ३ ४
"""

LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
GPT4O = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
KIMI = r"[\p{Han}]+|" + GPT4O.replace(r"\p{M}]", r"\p{M}&&[^\p{Han}]]").replace("[\\r\\n/]", "[\\r\\n]")
CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
)
DEEPSEEK3 = [
    r"\p{N}{1,3}",
    "[一-龥\u3040-ゟ゠-ヿ]+",
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|"
    r"\s*[\r\n]+|\s+(?!\S)|\s+",
]
DEEPSEEK_LLM_LETTERS = [
    (0xB5, 0xB5), (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x1BA), (0x1BC, 0x1BF), (0x1C4, 0x293), (0x295, 0x2AF),
    (0x370, 0x373), (0x376, 0x377), (0x37B, 0x37D), (0x37F, 0x37F), (0x386, 0x386), (0x388, 0x38A), (0x38C, 0x38C),
    (0x38E, 0x3A1), (0x3A3, 0x3F5), (0x3F7, 0x481), (0x48A, 0x52F), (0x531, 0x556), (0x10A0, 0x10C5),
    (0x13A0, 0x13F5), (0x13F8, 0x13FD), (0x1C90, 0x1CBA), (0x1CBD, 0x1CBF), (0x1D00, 0x1D2B), (0x1D6B, 0x1D77),
    (0x1D79, 0x1D9A), (0x1E00, 0x1F15), (0x1F18, 0x1F1D), (0x1F20, 0x1F45), (0x1F48, 0x1F4D), (0x1F50, 0x1F57),
    (0x1F59, 0x1F59), (0x1F5B, 0x1F5B), (0x1F5D, 0x1F5D), (0x1F5F, 0x1F7D), (0x1F80, 0x1FB4), (0x1FB6, 0x1FBC),
    (0x1FBE, 0x1FBE), (0x1FC2, 0x1FC4), (0x1FC6, 0x1FCC), (0x1FD0, 0x1FD3), (0x1FD6, 0x1FDB), (0x1FE0, 0x1FEC),
    (0x1FF2, 0x1FF4), (0x1FF6, 0x1FFC), (0x2102, 0x2102), (0x2107, 0x2107), (0x210A, 0x2113), (0x2115, 0x2115),
    (0x2119, 0x211D), (0x2124, 0x2124), (0x2126, 0x2126), (0x2128, 0x2128), (0x212A, 0x212D), (0x212F, 0x2134),
    (0x2139, 0x2139), (0x213C, 0x213F), (0x2145, 0x2149), (0x214E, 0x214E), (0x2183, 0x2184), (0x2C00, 0x2C7B),
    (0x2C7E, 0x2CE4), (0x2CEB, 0x2CEE), (0x2CF2, 0x2CF3), (0xA640, 0xA66D), (0xA680, 0xA69B), (0xA722, 0xA76F),
    (0xA771, 0xA787), (0xA78B, 0xA78E), (0xAB70, 0xABBF), (0xFB00, 0xFB06), (0xFB13, 0xFB17), (0xFF21, 0xFF3A),
    (0xFF41, 0xFF5A), (0x10400, 0x1044F), (0x104B0, 0x104D3), (0x104D8, 0x104FB), (0x10C80, 0x10CB2),
    (0x10CC0, 0x10CF2), (0x118A0, 0x118DF), (0x1E900, 0x1E943),
]

RANGES = [
    (0x61, 0x7A, 30), (0x20, 0x20, 20), (0x41, 0x5A, 8), (0x30, 0x39, 8), (0x21, 0x2F, 6), (0x3A, 0x40, 2),
    (0x0A, 0x0A, 4), (0x09, 0x0D, 2), (0x00, 0x7F, 2), (0x85, 0x24F, 5), (0x300, 0x36F, 2), (0x370, 0x52F, 4),
    (0x5D0, 0x6FF, 3), (0x900, 0x97F, 3), (0xE01, 0xE5B, 2), (0x1780, 0x17F9, 2), (0x180E, 0x180E, 1),
    (0x2000, 0x206F, 3), (0x2190, 0x2BFF, 2), (0x3000, 0x30FF, 4), (0x4E00, 0x9FFF, 8), (0xAC00, 0xD7A3, 8),
    (0xFF00, 0xFFEF, 1), (0x1F300, 0x1FAFF, 4), (0x10000, 0x2FFFF, 1),
]
PARTS = [" the", "'s", "'LL", "'ſ", "\r\n", "  ", "    ", "123", "12345", "\n\n", "Hello", "<s>", "</s>", "e\u0301",
         "👩\u200d👧", " 한국어", "<think>", "<end>", "<|sp|>", "word", "WORDlike", "page", "\t\t", " \n ", "…", "<0x0A>"]


def random_text(rng, ordinary=True):
    text = ""
    for _ in range(rng.randrange(28)):
        if rng.randrange(5) == 0:
            text += rng.choice(PARTS)
            continue
        first, last, _ = rng.choices(RANGES, [r[2] for r in RANGES])[0]
        character = chr(rng.randint(first, last))
        if unicodedata.category(character) in ("Cn", "Cs") or (ordinary and character == "\u2581"):
            continue
        text += character * (1 if rng.randrange(8) else rng.randrange(1, 6))
    return text


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    path.write_text(text.replace('},{"text"', '},\n{"text"') + "\n", encoding="utf-8")


def byte_level(*splits, regex=False, prefix=False, behavior="isolated"):
    steps = [pre_tokenizers.Split(Regex(s), behavior) if isinstance(s, str) else s for s in splits]
    last = pre_tokenizers.ByteLevel(add_prefix_space=prefix, use_regex=regex)
    return pre_tokenizers.Sequence([*steps, last]) if steps else last


def train(tokenizer, size=420):
    trainer = trainers.BpeTrainer(
        vocab_size=size, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator(TEXT.split("\n") * 3, trainer)
    return json.loads(tokenizer.to_str())


def with_specials(data):
    """Three special tokens and two that are not, at the end of the vocabulary."""
    size = max(data["model"]["vocab"].values()) + 1
    plain = dict(single_word=False, lstrip=False, rstrip=False, normalized=False, special=True)
    tokens = [
        dict(plain, content="<s>"),
        dict(plain, content="</s>"),
        dict(plain, content="<|sp|>", rstrip=True),
        dict(plain, content="<think>", special=False),
        dict(plain, content="<end>", special=False, normalized=True),
    ]
    data["added_tokens"] = [dict(id=size + i, **token) for i, token in enumerate(tokens)]
    return data


def byte_tokenizer(pre_tokenizer, normalizer=None, ignore_merges=False, bos=False):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    if normalizer:
        tokenizer.normalizer = normalizer
    data = with_specials(train(tokenizer))
    data["model"]["ignore_merges"] = ignore_merges
    if bos:
        first = data["added_tokens"][0]["id"]
        template = processors.TemplateProcessing(single="<s> $A", pair="<s> $A $B", special_tokens=[("<s>", first)])
        tokenizer = Tokenizer.from_str(json.dumps(data))
        tokenizer.post_processor = template
        data["post_processor"] = json.loads(tokenizer.to_str())["post_processor"]
    return data


def fallback_tokenizer(normalizer, pre_tokenizer, decoder, more=()):
    """A vocabulary of characters with tokens for the 256 bytes, as made from SentencePiece models."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    trainer = trainers.BpeTrainer(vocab_size=460, show_progress=False, limit_alphabet=70)
    tokenizer.train_from_iterator([line.replace("\u2581", " ") for line in TEXT.split("\n")] * 3, trainer)
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoder
    data = json.loads(tokenizer.to_str())
    if not pre_tokenizer:
        data["pre_tokenizer"] = None
    names = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256))]
    learned = [token for token, _ in sorted(data["model"]["vocab"].items(), key=lambda item: item[1])]
    data["model"]["vocab"] = {token: id for id, token in enumerate(dict.fromkeys([*names, *learned, *more]))}
    with_specials(data)
    unknown = dict(data["added_tokens"][0], id=0, content="<unk>")
    data["added_tokens"].insert(0, unknown)
    return data


def styles():
    spaces = normalizers.Replace(" ", "\u2581")
    llama_decoder = decoders.Sequence(
        [decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    gemma_decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()])
    digits = pre_tokenizers.Digits(individual_digits=True)
    yield "llama3", byte_tokenizer(byte_level(LLAMA3), ignore_merges=True, bos=True)
    yield "qwen2", byte_tokenizer(byte_level(QWEN2), normalizers.NFC())
    yield "gpt2_nfc", byte_tokenizer(byte_level(regex=True), normalizers.NFC())
    yield "deepseek3", byte_tokenizer(byte_level(*DEEPSEEK3), bos=True)
    yield "gpt4o", byte_tokenizer(byte_level(GPT4O))
    yield "kimi", byte_tokenizer(byte_level(KIMI))
    yield "cl100k", byte_tokenizer(byte_level(CL100K))
    yield "starcoder", byte_tokenizer(byte_level(digits, regex=True))
    yield "falcon", byte_tokenizer(
        pre_tokenizers.Sequence(
            [
                pre_tokenizers.Punctuation("contiguous"),
                pre_tokenizers.ByteLevel(add_prefix_space=False),
                pre_tokenizers.Digits(individual_digits=False),
                pre_tokenizers.Split(Regex("[0-9][0-9][0-9]"), "isolated"),
            ]
        )
    )
    yield "prefix_space", byte_tokenizer(byte_level(regex=True, prefix=True))
    yield "llama2", fallback_tokenizer(
        normalizers.Sequence([normalizers.Prepend("\u2581"), spaces]), None, llama_decoder
    )
    yield "metaspace_first", fallback_tokenizer(
        None, pre_tokenizers.Metaspace(prepend_scheme="first", split=False), llama_decoder
    )
    yield "metaspace_always", fallback_tokenizer(
        None, pre_tokenizers.Metaspace(prepend_scheme="always", split=True), llama_decoder
    )
    gemma = fallback_tokenizer(
        spaces, pre_tokenizers.Split(" ", "merged_with_previous"), gemma_decoder, ["\n\n", "\u2581\u2581"]
    )
    listed = dict(gemma["added_tokens"][-2])
    for content in ["\n\n", "\u2581\u2581"]:
        gemma["added_tokens"].append(dict(listed, id=gemma["model"]["vocab"][content], content=content))
    gemma["added_tokens"].sort(key=lambda token: token["id"])
    yield "gemma", gemma
    # Every behaviour, each of the smaller pre-tokenizers and normalizers, and the flags of added tokens.
    odd = byte_tokenizer(
        byte_level(
            pre_tokenizers.Split(Regex(r"\s+"), "merged_with_previous"),
            pre_tokenizers.Split(Regex(r"[aeiou]"), "merged_with_next"),
            pre_tokenizers.Split("p", "removed"),
            pre_tokenizers.Split(Regex(r"[\w&&[^\d]]+|\h{2,3}+|[[:punct:]]{,2}x"), "contiguous", invert=True),
            pre_tokenizers.Punctuation("merged_with_previous"),
        ),
        normalizers.Sequence(
            [normalizers.NFKC(), normalizers.Lowercase(), normalizers.Strip(), normalizers.Replace(Regex(r"\d{3}"), "#")]
        ),
    )
    for token in odd["added_tokens"]:
        if token["content"] == "<think>":
            token.update(lstrip=True, rstrip=True)
        if token["content"] == "<end>":
            token.update(single_word=True, content="word", lstrip=True)
    yield "odd", odd
    words = byte_tokenizer(
        byte_level(pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=False)), normalizers.NFD()
    )
    yield "words", words


# (Where white space that a special token swallows is an added token too, the library gives it twice.)
TEMPLATES = [
    "<s>user\nHow many pages?</s>\n<s>assistant\n",
    "<s> [INST] the page [/INST] word</s>",
    "<|sp|>  system<|sp|>\n The reader",
    "a <think> page </think><end> word<s>",
    "</s></s> the<|sp|>\n",
    "",
]


def write_style(name, data):
    (FOLDER / name).mkdir(parents=True, exist_ok=True)
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    (FOLDER / name / "tokenizer.json").write_text(text + "\n", encoding="utf-8")
    tokenizer = Tokenizer.from_str(text)
    rng = random.Random(name)
    texts = ["", " ", "the page", " the  page ", "It's WE'LL 1234567", TEXT[:300]]
    texts += [random_text(rng) for _ in range(120)]
    ids = lambda t: tokenizer.encode(t, add_special_tokens=False).ids
    templates = [{"text": t, "ids": ids(t)} for t in TEMPLATES]
    tokenizer.encode_special_tokens = True
    write(FOLDER / name / "cases.json", {"plain": [{"text": t, "ids": ids(t)} for t in texts], "template": templates})


def gguf_fields(path):
    return {name: field.contents() for name, field in GGUFReader(path).fields.items() if name.startswith("tokenizer")}


def reference_of(name, fields):
    tokens = fields["tokenizer.ggml.tokens"]
    if fields["tokenizer.ggml.model"] == "llama":
        model = proto.ModelProto()
        model.trainer_spec.model_type = 2
        model.trainer_spec.byte_fallback = True
        model.trainer_spec.vocab_size = len(tokens)
        model.normalizer_spec.name = "identity"
        model.normalizer_spec.remove_extra_whitespaces = False
        for id, (token, score, kind) in enumerate(
            zip(tokens, fields["tokenizer.ggml.scores"], fields["tokenizer.ggml.token_type"])
        ):
            # A model has one unknown piece; Phi-3's file calls another one so.
            kind = 2 if token == "<unk>" else (3 if kind == 2 else kind)
            model.pieces.add(piece=token, score=score, type=kind)
        processor = sentencepiece.SentencePieceProcessor(model_proto=model.SerializeToString())
        return processor.encode
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({token: id for id, token in enumerate(tokens)}, merges))
    letters = "".join(f"{chr(a)}-{chr(b)}" for a, b in DEEPSEEK_LLM_LETTERS)
    digits = pre_tokenizers.Digits(individual_digits=True)
    tokenizer.pre_tokenizer = {
        "gpt-2": byte_level(regex=True),
        "starcoder": byte_level(digits, regex=True),
        "deepseek-llm": byte_level(
            "[\r\n]",
            rf"\s?[A-Za-z{letters}]+",
            r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
            r"\s+$",
            "[一-龥ࠀ-一가-\ud7ff]+",
            digits,
        ),
    }[name]
    return lambda text: tokenizer.encode(text).ids


def main():
    for name, data in styles():
        write_style(name, data)
    for path in sorted(CONFORMANCE.glob("*.gguf")):
        name = path.stem.removeprefix("ggml-vocab-")
        fields = gguf_fields(path)
        encode = reference_of(name, fields)
        rng = random.Random(name)
        # Tokens that a user defined are matched in GGUF files, so that none stands in these texts.
        users = [t for t, kind in zip(fields["tokenizer.ggml.tokens"], fields["tokenizer.ggml.token_type"]) if kind == 4]
        texts = (random_text(rng) for _ in range(260))
        cases = [{"text": t, "ids": encode(t)} for t in texts if not any(user in t for user in users)]
        write(FOLDER / f"{path.stem}.json", {"plain": cases})


if __name__ == "__main__":
    main()
