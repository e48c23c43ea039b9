"""Writes engine/tokenizer/bert_characters.inc: the classes of characters that BERT's normalizer and pre-tokenizer know.

They are those of Hugging Face's `tokenizers`, whose Unicode is older than anybody else's, found by asking it about every
character. Run from the repository's root: python3 tests/scripts/make_bert_characters.py
"""

import pathlib

import tokenizers
from tokenizers import normalizers, pre_tokenizers

ALL = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def normalizer(**wanted):
    flags = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**(flags | wanted))


def ranges(characters):
    out = []
    for c in characters:
        if out and c == out[-1][1] + 1:
            out[-1][1] = c
        else:
            out.append([c, c])
    return out


def write(file, name, characters):
    file.write(f"constexpr CharacterRange {name}[] = {{\n")
    for first, last in ranges(characters):
        file.write(f"    {{0x{first:X}, 0x{last:X}}},\n")
    file.write("};\n")


def main():
    clean = normalizer(clean_text=True)
    chinese = normalizer(handle_chinese_chars=True)
    accents = normalizer(strip_accents=True)
    words = pre_tokenizers.BertPreTokenizer()

    def is_punctuation(c):
        return [word for word, _ in words.pre_tokenize_str(f"a{chr(c)}b")] == ["a", chr(c), "b"]

    with open(pathlib.Path("engine/tokenizer/bert_characters.inc"), "w") as file:
        file.write(f"// Made by tests/scripts/make_bert_characters.py of tokenizers {tokenizers.__version__}.\n")
        write(file, "kBertRemoved", [c for c in ALL if clean.normalize_str(f"a{chr(c)}b") == "ab"])
        write(file, "kBertSpaces", [c for c in ALL if clean.normalize_str(f"a{chr(c)}b") == "a b"])
        write(file, "kBertChinese", [c for c in ALL if chinese.normalize_str(chr(c)) == f" {chr(c)} "])
        write(file, "kBertMarks", [c for c in ALL if accents.normalize_str(chr(c)) == ""])
        write(file, "kBertPunctuation", [c for c in ALL if is_punctuation(c)])


if __name__ == "__main__":
    main()
