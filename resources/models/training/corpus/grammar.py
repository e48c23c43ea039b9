"""A tiny phrase grammar: ``[a|b|]`` picks one alternative, ``{slot}`` is filled in.

Patterns keep hundreds of paraphrases on one line, so that a topic file reads as a list of
what people say and not as code.
"""

import functools


@functools.lru_cache(maxsize=None)
def parse(pattern):
    """Turn a pattern into nested tuples: text, or ('choice', (sequence, ...))."""
    sequence, end = _parse_sequence(pattern, 0, top=True)
    if end != len(pattern):
        raise ValueError(f"unbalanced brackets in {pattern!r}")
    return sequence


def _parse_sequence(pattern, at, top):
    parts, text = [], []
    while at < len(pattern):
        char = pattern[at]
        if char == "[":
            if text:
                parts.append("".join(text))
                text = []
            choice, at = _parse_choice(pattern, at + 1)
            parts.append(choice)
            continue
        if not top and char in "|]":
            break
        text.append(char)
        at += 1
    if text:
        parts.append("".join(text))
    return tuple(parts), at


def _parse_choice(pattern, at):
    alternatives = []
    while True:
        sequence, at = _parse_sequence(pattern, at, top=False)
        alternatives.append(sequence)
        if at >= len(pattern):
            raise ValueError(f"missing ] in {pattern!r}")
        if pattern[at] == "]":
            return ("choice", tuple(alternatives)), at + 1
        at += 1


def _walk(rng, sequence, out):
    for part in sequence:
        if isinstance(part, str):
            out.append(part)
        else:
            alternatives = part[1]
            _walk(rng, alternatives[int(rng.random() * len(alternatives))], out)


def expand(rng, pattern, **slots):
    """One random expansion of the pattern, with the slots filled in."""
    out = []
    _walk(rng, parse(pattern), out)
    text = "".join(out)
    for name, value in slots.items():
        text = text.replace("{" + name + "}", value)
    return text


def one_of(rng, patterns, **slots):
    """Expand one of several patterns."""
    return expand(rng, patterns[int(rng.random() * len(patterns))], **slots)


def a(noun):
    """The noun with its indefinite article."""
    return ("an " if noun[:1].lower() in "aeiou" else "a ") + noun


def capitalise(text):
    """Upper-case the first letter and leave the rest alone (unlike str.capitalize)."""
    return text[:1].upper() + text[1:]
