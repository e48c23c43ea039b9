"""Writes engine/tokenizer/newer_characters.inc: characters that Unicode has gained since version 14.

Run from the repository's root: python3 tests/scripts/make_tokenizer_unicode.py
PCRE2 10.42 (Debian 12, Ubuntu 24.04) has the tables of Unicode 14, as Python 3.11 has; Hugging Face's tokenizers
0.23.3, whose regular expressions are the reference, have newer ones. What they know beyond 14 is asked of them.
"""

import pathlib
import unicodedata

from tokenizers import Regex, pre_tokenizers

assert unicodedata.unidata_version == "14.0.0"
CHARACTERS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
TEXT = "".join(map(chr, CHARACTERS))
CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So".split()


def matched(pattern):
    """The characters that a pattern matches: those that are gone when it removes them."""
    kept = set()
    for _, (begin, end) in pre_tokenizers.Split(Regex(pattern), "removed").pre_tokenize_str(TEXT):
        kept.update(range(begin, end))
    return [c for i, c in enumerate(CHARACTERS) if i not in kept]


def ranges(characters):
    found = []
    for c in characters:
        if found and found[-1][1] == c - 1:
            found[-1][1] = c
        else:
            found.append([c, c])
    return found


def main():
    lines = ["// Made by tests/scripts/make_tokenizer_unicode.py: {name, first, last}."]
    for category in CATEGORIES:
        newer = [c for c in matched(rf"\p{{{category}}}") if unicodedata.category(chr(c)) == "Cn"]
        lines += [f'{{"{category}", 0x{a:X}, 0x{b:X}}},' for a, b in ranges(newer)]
    newer = [c for c in matched(r"\p{Han}") if unicodedata.category(chr(c)) == "Cn"]
    lines += [f'{{"Han", 0x{a:X}, 0x{b:X}}},' for a, b in ranges(newer)]
    path = pathlib.Path("engine/tokenizer/newer_characters.inc")
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
