"""What the figures of `./dev bench peers` say: ratios, limits, and which targets hold."""

import statistics

# How much faster than llama.cpp the best peer was where both were measured (two cores of a
# Sapphire Rapids server, August 2026): ik_llama.cpp, which is not on PyPI. The targets are ratios
# to the best peer, so they are this much higher beside llama.cpp alone. Not named: that is best.
BEST_PEER = {
    ("prefill_512", "F16"): 120 / 87,
    ("decode_1", "Q4_K_M"): 30.2 / 24.0,
    ("decode_16", "Q4_0"): 155 / 61,
}
TARGETS = {"prefill_512": 5.0, "decode_1": 1.1, "decode_16": 3.0}
SHARE_OF_LIMIT = {"decode_1": 0.9}
TITLES = {
    "prefill_512": "prefill 512",
    "decode_1": "decode, one chat",
    "decode_4": "4 chats, shared 256-token prefix",
    "decode_8": "8 chats, shared 256-token prefix",
    "decode_16": "16 chats, shared 256-token prefix",
}
# Milliseconds to the first token, as (this, of that, at most so much of it).
FIRST_TOKEN = {
    "second chat under a warm 1,000-token persona": ("warm_ms", "cold_ms", 1 / 20),
    "the same after a restart": ("restart_ms", "cold_ms", 1 / 5),
}


def best_variant(variants):
    """Of {variant: tokens a second in each run}, the name whose median is highest."""
    return max(variants, key=lambda name: statistics.median(variants[name]))


def target_ratio(measure, model_format, isa):
    """How many times llama.cpp's figure Quire's must be; None: there is no target.

    On the same instruction set as llama.cpp, and none of the machine's own beyond it, Quire is to
    be no slower.
    """
    if isa != "native":
        return 1.0
    if measure not in TARGETS:
        return None
    return TARGETS[measure] * BEST_PEER.get((measure, model_format), 1.0)


def row(measure, model_format, quire, peer, *, isa, limit=None):
    """One row of the table, from the tokens a second of each turn of both programs.

    `limit`: what the machine's memory allows; None where the memory is not what limits.
    """
    ours, theirs = statistics.median(quire), statistics.median(peer)
    target = target_ratio(measure, model_format, isa)
    share = ours / limit if limit else None
    wanted_share = SHARE_OF_LIMIT.get(measure) if isa == "native" and limit else None
    holds = None
    if target is not None:
        holds = ours / theirs >= target and (wanted_share is None or share >= wanted_share)
    return {"measure": measure, "format": model_format, "quire": ours, "llama_cpp": theirs,
            "ratio": ours / theirs, "target": target, "limit": limit, "share_of_limit": share,
            "target_share_of_limit": wanted_share, "holds": holds,
            "quire_runs": quire, "llama_cpp_runs": peer}


def first_token_rows(runs):
    """Rows of the time to the first token; `runs`: a dict of milliseconds for each turn."""
    rows = []
    for title, (this, that, target) in FIRST_TOKEN.items():
        ratio = statistics.median(run[this] / run[that] for run in runs)
        rows.append({"measure": title, "ms": statistics.median(run[this] for run in runs),
                     "cold_ms": statistics.median(run[that] for run in runs),
                     "ratio": ratio, "target": target, "holds": ratio <= target, "runs": runs})
    return rows


def number(value, form):
    return "" if value is None else format(value, form)


def verdict(holds):
    return {None: "", True: "holds", False: "MISSED"}[holds]


def aligned(lines):
    """Lines of cells as text: the first column to the left, the others to the right."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(line, widths))).rstrip()
                     for line in lines)


def table(rows):
    lines = [["tokens a second", "format", "Quire", "llama.cpp", "ratio", "target", "limit",
              "% of limit", ""]]
    for r in rows:
        share = None if r["share_of_limit"] is None else 100 * r["share_of_limit"]
        lines.append([TITLES[r["measure"]], r["format"], number(r["quire"], ".1f"),
                      number(r["llama_cpp"], ".1f"), number(r["ratio"], ".2f"),
                      number(r["target"], ".2f"), number(r["limit"], ".1f"), number(share, ".0f"),
                      verdict(r["holds"])])
    return aligned(lines)


def first_token_table(rows):
    lines = [["time to the first token", "ms", "of cold ms", "ratio", "at most", ""]]
    for r in rows:
        lines.append([r["measure"], number(r["ms"], ".1f"), number(r["cold_ms"], ".1f"),
                      number(r["ratio"], ".3f"), number(r["target"], ".3f"), verdict(r["holds"])])
    return aligned(lines)
