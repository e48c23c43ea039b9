"""How long a kernel takes: what limits it, and what nothing hides.

A kernel streams. Its memory, its caches, its tensor cores and the slots for its instructions each need some time; the longest
of these is the kernel's, and more if others are nearly as long, because nothing overlaps perfectly. Before and after that
come waits that the length of the data does not change: the start after the kernel before, the first load, the last store.
"""
import math

import gpus

# Two limits that are equal cost 2^(1/4): 19 % more than one. Rooflines are that much rounded at their corner.
ROUNDNESS = 4


def overlapped(*times):
    """Of limits that apply at the same time."""
    longest = max(times)
    if longest == 0:
        return 0.0
    return longest * sum((t / longest) ** ROUNDNESS for t in times) ** (1 / ROUNDNESS)


def read_us(gpu, num_bytes, in_flight=math.inf):
    """in_flight: bytes that a multiprocessor has under way at most (Little's law)."""
    share = min(1.0, in_flight / gpu.needed_in_flight())
    return num_bytes / (gpu.read_gbs * 1e3 * share)


def stream_us(gpu, num_bytes, *, flops=0, tflops=None, instructions=0, l2_bytes=0, in_flight=math.inf, before_us=gpus.DRAM_US):
    """A kernel that reads its weights once. before_us: what has to pass before the stream runs; at least the first load."""
    busy = overlapped(read_us(gpu, num_bytes, in_flight), l2_bytes / (gpu.l2_gbs * 1e3),
                      flops / ((tflops or gpu.mma_tflops) * 1e6), instructions / gpu.issues_per_us)
    return gpus.EDGE_US + max(before_us, gpus.DRAM_US) + busy + gpus.L2_US


def rows_us(gpu, num_bytes, round_trips=3):
    """A kernel on rows: norms, rotation, activations. They lie in the L2 cache if half of it has room for them."""
    rate = gpu.l2_gbs if num_bytes * 2 < gpu.l2_mb * 1e6 else gpu.read_gbs
    return gpus.EDGE_US + round_trips * gpus.L2_US + num_bytes / (rate * 1e3)


# Attention of decoding steps: a block of 64 keys and their values is loaded while the one before is multiplied, two blocks of
# threads to a multiprocessor.
KEY_BLOCK = 64
ATTENTION_BLOCKS = 2
# The plan, a page's number and the queries, one after the other, before a tile's first keys.
ATTENTION_LOOKUPS = 3


def decode_attention_us(gpu, chats, context, kv_heads, *, splits, key_bytes):
    """The tiles' kernel and the one that folds their states. key_bytes: of a key and its value in one head."""
    num_items = chats * kv_heads * len(splits)
    rounds = math.ceil(num_items / (gpu.multiprocessors * ATTENTION_BLOCKS))
    longest = rounds * math.ceil(max(splits) / KEY_BLOCK) * gpus.DRAM_US
    busy = max(longest, read_us(gpu, chats * context * kv_heads * key_bytes))
    return gpus.EDGE_US + ATTENTION_LOOKUPS * gpus.L2_US + gpus.DRAM_US + busy + gpus.L2_US + rows_us(gpu, 0)


def quire_splits(context):
    """As attention_layout.h: 256 keys up to position 1,024, then 512."""
    ends = [min(256 * i, context) for i in range(5)]
    while ends[-1] < context:
        ends.append(min(ends[-1] + 512, context))
    return [b - a for a, b in zip(ends, ends[1:]) if b > a]
