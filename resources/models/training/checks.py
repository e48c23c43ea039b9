"""The checks that an evaluation prompt may ask of an answer. Each returns a complaint, or None."""

import re


def _lower(values):
    return [value.lower() for value in values]


def contains_any(text, values):
    if not any(value in text.lower() for value in _lower(values)):
        return f"none of {values}"


def contains_all(text, values):
    missing = [value for value in _lower(values) if value not in text.lower()]
    if missing:
        return f"missing {missing}"


def not_contains(text, values):
    found = [value for value in _lower(values) if value in text.lower()]
    if found:
        return f"must not hold {found}"


def regex(text, pattern):
    if not re.search(pattern, text, re.IGNORECASE | re.DOTALL):
        return f"does not match {pattern}"


def max_words(text, limit):
    if len(text.split()) > limit:
        return f"more than {limit} words"


def min_words(text, limit):
    if len(text.split()) < limit:
        return f"fewer than {limit} words"


def lines(text, count):
    if len(text.strip().split("\n")) != count:
        return f"not {count} lines"


def markdown_list(text, least):
    items = re.findall(r"^(?:- |\d+\. )\S", text, re.MULTILINE)
    if len(items) < least:
        return f"{len(items)} list items, fewer than {least}"


def items_from(text, pool):
    """At least three list items, every one of the asked kind, none twice."""
    items = [item.strip(" .").lower() for item in re.findall(r"^(?:- |\d+\. )(.+)$", text, re.MULTILINE)]
    if len(items) < 3 or len(set(items)) < len(items):
        return "fewer than three different items"
    strange = [item for item in items if item not in pool]
    if strange:
        return f"not of the kind: {strange}"


def fenced_code(text, needed):
    block = re.search(r"```(\w*)\n(.*?)\n```", text, re.DOTALL)
    if not block:
        return "no closed code block"
    missing = [part for part in needed if part not in block.group(0)]
    if missing:
        return f"code lacks {missing}"


def story(text, hero):
    """Names its hero at least twice, ends with a full stop, repeats no sentence, and has 5 to 14 of them."""
    sentences = [s.strip() for s in re.split(r"(?<=[.!?])[\"”]?\s+", text.strip()) if s.strip()]
    if text.lower().count(hero.lower()) < 2:
        return f"mentions {hero} fewer than two times"
    if not re.search(r"[.!?][\"”]?$", text.strip()):
        return "does not end with a full stop"
    if len(set(sentences)) != len(sentences):
        return "repeats a sentence"
    if not 5 <= len(sentences) <= 14:
        return f"{len(sentences)} sentences"


CHECKS = {f.__name__: f for f in (contains_any, contains_all, not_contains, regex, max_words, min_words, lines,
                                  markdown_list, items_from, fenced_code, story)}


def failures(check, text):
    """The complaints of every check about a text."""
    complaints = [CHECKS[name](text, value) for name, value in check.items()]
    return [complaint for complaint in complaints if complaint]
