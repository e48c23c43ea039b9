"""Quire's steps: which kernels a step of a Llama launches, and how long each takes on a GPU."""
import dataclasses
import json
import math
import os

import gpus
import kernels
from shapes import QUIRE_SHAPES, WEIGHT_BYTES

HERE = os.path.dirname(os.path.abspath(__file__))

# kernels/cuda/linear: few_rows.h, gemm_task.h, inputs.h.
CHUNK_INPUTS = 256
UNIT_OUTPUTS = 16
FEW_WARPS = 8
THREADS = 256
VECTOR_INPUTS = 8
FEW_TILES = {8: 1, 16: 2, 32: 4, 64: 8}  # Tiles of eight rows by the most rows.
FEW_SHARED_KB = 100                      # Of a block, at most.
# Formats whose units have 256 inputs, and which are not loaded ahead for many rows.
LARGE_UNITS = {"q4_k"}
# Those which more than 32 rows multiply in tiles of 64 outputs (gemm_of_format.h).
SMALL_TILES = {"q4_k", "q4_k int8", "q8_0 int8"}
# Quantised weights, which GeForce GPUs multiply in int8: 1.25 bytes an input (linear/int8_activations.h).
QUANTIZED = {"q8_0", "q4_k"}
INPUT_BYTES = {False: 2, True: 1.25}

# A vector's conversion, behind its loads, which are under way together.
CONVERT_US = 0.04
# The same to int8: five shuffles and a division one behind the other, some 30 clocks each, and as many instructions.
CONVERT_INT8_US = 0.10
# Between two sets of outputs of a block: two barriers, and a sum's additions one after the other.
SET_US, CHUNK_SUM_US = 0.10, 0.006
# What the host does between two steps while no graph runs: three uploads, a copy, a download.
HOST_US = 16
# Tokens sampled with top-k: up to 32 rounds over the logits of a row.
SAMPLE_US = 25
# Prefill attention's share of mma.sync's rate: products and softmax take turns, four barriers a block of keys.
PREFILL_ATTENTION_SHARE = 0.45


@dataclasses.dataclass(frozen=True)
class Kernels:
    """What is known of a version of the kernels."""
    machine_code: dict           # By architecture and kernel: machine_code.json.
    begins_early: bool = False   # Programmatic dependent launch (kernels/cuda/launch.h).
    rounds_once: bool = False    # Many inputs of up to eight rows are rounded by a kernel of their own (choose_linear_shape).
    uses_int8_gemm: bool = False  # Quantised weights, on GPUs for which it pays (command_queue.h).
    prefetches: bool = False  # Units that are not loaded ahead are requested from memory while the ones before are multiplied.
    fuses_glu: bool = False  # GEMMs of many rows store the GLU of what they multiply (many_rows.h).
    # Those whose output is rounded for the product behind them (kernels/base/quantized_activations.h).
    rounding: frozenset = frozenset()


def load_machine_code():
    with open(os.path.join(HERE, "machine_code.json"), encoding="utf-8") as file:
        return json.load(file)["kernels"]


def before():
    """Each kernel begins behind the end of the one before, and every block rounds the inputs of up to eight rows."""
    return Kernels(load_machine_code())


# What stands before each product, by its name.
PRODUCERS = {"qkv": "norms", "output": "attention", "gate_up": "norms", "down": "glu", "head": "norms"}


def after():
    return Kernels(load_machine_code(), begins_early=True, rounds_once=True, uses_int8_gemm=True, prefetches=True, fuses_glu=True,
                   rounding=frozenset(PRODUCERS.values()))


@dataclasses.dataclass
class Launch:
    name: str
    us: float
    bytes: float = 0.0        # Of weights, keys and values.
    activations: float = 0.0  # Bytes read and written.
    hidden: float = 0.0       # Of us, what passes before the end of the kernel before, where this one begins early.


def row_launch(gpu, name, num_bytes):
    return Launch(name, kernels.rows_us(gpu, num_bytes), activations=num_bytes)


def uses_int8(version, gpu, weight_format):
    return version.uses_int8_gemm and gpu.uses_int8_gemm and weight_format in QUANTIZED


def code_name(version, gpu, weight_format):
    return weight_format + " int8" if uses_int8(version, gpu, weight_format) else weight_format


def is_quantized(version, product_name):
    """Whether what the product reads is rounded when it begins."""
    return PRODUCERS.get(product_name) in version.rounding


def out_bytes(version, producer, in_int8=False):
    return INPUT_BYTES[in_int8] if producer in version.rounding else 4


def staging_us(gpu, rows, inputs, resident, rounded, in_int8):
    """Inputs to shared memory: every block does it for itself. Floats are rounded, vector by vector; what is rounded is copied,
    all under way together."""
    if rounded:
        return max(gpus.L2_US, resident * rows * inputs * INPUT_BYTES[in_int8] / (gpu.l2_gbs / gpu.multiprocessors * 1e3))
    convert = CONVERT_INT8_US if in_int8 else CONVERT_US
    return math.ceil(rows * inputs / VECTOR_INPUTS / THREADS) * (gpus.L2_US + convert)


def few_rows_blocks(gpu, rows, outputs, inputs, tiles, in_int8=False):
    """(blocks of a multiprocessor, sets of a block, rounds of a set), as launch_few_rows chooses them."""
    groups = 1 if tiles == 1 else 2
    chunks = math.ceil(inputs / CHUNK_INPUTS)
    chunk_bytes = groups * tiles * 8 * 20 * 4
    if tiles == 1:
        chunk_bytes += rows * int(CHUNK_INPUTS * INPUT_BYTES[in_int8])
    fitting = (FEW_SHARED_KB - 1) * 1024 // chunk_bytes // FEW_WARPS * FEW_WARPS
    round_chunks = min(fitting, math.ceil(chunks / FEW_WARPS) * FEW_WARPS)
    most = 2 if tiles == 1 else 1
    resident = max(1, min(most, gpu.shared_kb * 1024 // (round_chunks * chunk_bytes + 2048)))
    sets = math.ceil(outputs / (UNIT_OUTPUTS * groups))
    work = {blocks: blocks * math.ceil(sets / (blocks * gpu.multiprocessors)) for blocks in range(1, resident + 1)}
    best = resident
    for blocks in range(resident - 1, 0, -1):
        if 16 * work[blocks] < 15 * work[best]:
            best = blocks
    return best, work[best] // best, math.ceil(chunks / round_chunks)


def code_of(version, gpu, kernel):
    """The counts of the kernel's main loop; those of sm_89 for GPUs without any."""
    code = version.machine_code.get(gpu.architecture) or version.machine_code["sm_89"]
    return code[kernel]


def few_rows_shape(version, gpu, rows, outputs, inputs):
    """The most rows of the kernel, as choose_linear_shape chooses it."""
    least = 24 * 1024 if 4 * (outputs // 32) >= 3 * gpu.multiprocessors else 64 * 1024
    if version.rounds_once and rows <= 8 and rows * inputs >= least:
        return 16
    return next(n for n in FEW_TILES if rows <= n)


def few_rows_launch(version, gpu, name, rows, outputs, inputs, weight_format):
    most = few_rows_shape(version, gpu, rows, outputs, inputs)
    tiles = FEW_TILES[most]
    groups = 1 if tiles == 1 else 2
    in_int8 = uses_int8(version, gpu, weight_format)
    code = code_of(version, gpu, f"few_rows {code_name(version, gpu, weight_format)} {most}")
    resident, sets, rounds = few_rows_blocks(gpu, rows, outputs, inputs, tiles, in_int8)
    chunks = math.ceil(inputs / CHUNK_INPUTS)
    # The busiest multiprocessor's share of the work, which all others wait for.
    num_chunks = sets * resident * gpu.multiprocessors * chunks
    weights = outputs * inputs
    staging = staging_us(gpu, rows, inputs, resident, is_quantized(version, name), in_int8) if tiles == 1 else 0.0
    exposed = sets * (SET_US + chunks * CHUNK_SUM_US) / resident
    if rounds > 1:
        exposed += (sets - 1) * staging
    # A warp holds its next chunk in registers while it multiplies one.
    in_flight = resident * FEW_WARPS * groups * UNIT_OUTPUTS * CHUNK_INPUTS * WEIGHT_BYTES[weight_format]
    stream = kernels.stream_us(
        gpu, weights * WEIGHT_BYTES[weight_format], flops=2 * 8 * tiles * weights,
        tflops=gpu.mma_int8_tops if in_int8 else gpu.mma_tflops, instructions=num_chunks * code["loop"],
        l2_bytes=0 if tiles == 1 else weights * INPUT_BYTES[in_int8] * tiles * 8 / (UNIT_OUTPUTS * groups), in_flight=in_flight,
        before_us=staging)
    # The first weights are requested before the wait.
    return Launch(name, stream + exposed, hidden=max(gpus.DRAM_US - staging, 0.0))


def many_rows_us(version, gpu, rows, outputs, inputs, weight_format):
    """Tiles of 128 rows, or of 64 where there would be too few of them."""
    large = rows > 64 and math.ceil(rows / 128) * math.ceil(outputs / 128) >= gpu.multiprocessors
    tile_rows = 128 if large else 64
    in_int8 = uses_int8(version, gpu, weight_format)
    name = code_name(version, gpu, weight_format)
    tile_outputs = 128 if large and name not in SMALL_TILES else 64
    code = code_of(version, gpu, f"many_rows {name} {tile_rows}")
    row_tiles, output_tiles = math.ceil(rows / tile_rows), math.ceil(outputs / tile_outputs)
    waves = math.ceil(row_tiles * output_tiles / gpu.multiprocessors)
    flops = 2 * waves * gpu.multiprocessors * tile_rows * tile_outputs * inputs
    # m16n8k16: 4,096 operations an instruction; in int8 m16n8k32.
    instructions = flops / (8192 if in_int8 else 4096) * code["loop"] / code["loop tensor"]
    weight_bytes = outputs * inputs * WEIGHT_BYTES[weight_format]
    # Each tile reads its weights, for the second warp of a group of outputs from L1, and its inputs.
    l2_bytes = row_tiles * weight_bytes + output_tiles * rows * inputs * INPUT_BYTES[in_int8]
    # Large units are not loaded ahead: a multiprocessor's only block waits for each.
    wait = gpus.L2_US if version.prefetches else gpus.DRAM_US
    exposed = waves * math.ceil(inputs / CHUNK_INPUTS) * wait if weight_format in LARGE_UNITS else 0.0
    tflops = gpu.mma_int8_tops if in_int8 else gpu.mma_tflops
    return exposed + kernels.stream_us(gpu, weight_bytes, flops=flops, tflops=tflops, instructions=instructions, l2_bytes=l2_bytes)


def product(version, gpu, name, rows, outputs, inputs, weight_format):
    launches = []
    in_int8 = uses_int8(version, gpu, weight_format)
    rounded = is_quantized(version, name)
    if not rounded and (rows > 8 or few_rows_shape(version, gpu, rows, outputs, inputs) > 8):
        rounded = True
        launches.append(row_launch(gpu, name + ": inputs rounded", rows * inputs * (4 + INPUT_BYTES[in_int8])))
    if rows <= (32 if code_name(version, gpu, weight_format) in SMALL_TILES else 64):
        launch = few_rows_launch(version, gpu, name, rows, outputs, inputs, weight_format)
    else:
        launch = Launch(name, many_rows_us(version, gpu, rows, outputs, inputs, weight_format))
    launch.bytes = outputs * inputs * WEIGHT_BYTES[weight_format]
    launch.activations = rows * (inputs * (INPUT_BYTES[in_int8] if rounded else 4) + outputs * 4)
    launches.append(launch)
    return launches


def attention(version, gpu, shape, chats, rows_of_chat, context, in_int8=False):
    key_bytes = 4 * shape.head_dim
    read = chats * context * shape.kv_heads * key_bytes
    if rows_of_chat == 1:
        us = kernels.decode_attention_us(gpu, chats, context, shape.kv_heads, splits=kernels.quire_splits(context),
                                         key_bytes=key_bytes)
    else:
        flops = 4 * shape.q * chats * rows_of_chat * (context - (rows_of_chat - 1) / 2)
        us = gpus.EDGE_US + kernels.overlapped(flops / (gpu.mma_tflops * PREFILL_ATTENTION_SHARE * 1e6),
                                               kernels.read_us(gpu, read)) + kernels.rows_us(gpu, 0)
    tiles = [Launch("attention", us - kernels.rows_us(gpu, 0), read,
                    (4 + out_bytes(version, "attention", in_int8)) * chats * rows_of_chat * shape.q)]
    if rows_of_chat * chats * shape.heads // shape.kv_heads >= 512:
        tiles.append(Launch("attention: large tiles", gpus.EDGE_US))
    return tiles + [Launch("attention: fold", kernels.rows_us(gpu, 0))]


def layer(version, gpu, shape, weight_format, chats, rows_of_chat, context, is_last=False):
    """The last one goes on, behind its attention, with each chat's last row alone."""
    rows = chats * rows_of_chat
    later_rows = chats if is_last else rows
    # With the bytes of each number that they write last, behind `floats` others.
    row_kernel = lambda name, num_rows, floats, width=0, last=4: row_launch(gpu, name, num_rows * (4 * floats + last * width))
    in_int8 = uses_int8(version, gpu, weight_format)
    normed, activated, attended = (out_bytes(version, producer, in_int8) for producer in ("norms", "glu", "attention"))
    multiply = lambda name, num_rows: product(version, gpu, name, num_rows, *shape.layer_products()[name], weight_format)
    launches = [*multiply("qkv", rows), row_kernel("rope_and_store", rows, 2 * shape.q + 3 * shape.kv),
                *attention(version, gpu, shape, chats, rows_of_chat, context, in_int8)]
    if is_last:
        launches += [row_kernel("gather_rows", chats, 2 * shape.hidden), row_kernel("gather_rows", chats, 0, 2 * shape.q, attended)]
    gate_up = multiply("gate_up", later_rows)
    if version.fuses_glu and "glu" in version.rounding and later_rows > 64:
        # Writes F quantised numbers instead of 2 F floats.
        gate_up[-1].activations -= later_rows * shape.intermediate * (8 - activated)
    else:
        gate_up.append(row_kernel("glu", later_rows, 2 * shape.intermediate, shape.intermediate, activated))
    return launches + [*multiply("output", later_rows), row_kernel("add_rms_norm 1", later_rows, 3 * shape.hidden, shape.hidden, normed),
                       *gate_up, *multiply("down", later_rows), row_kernel("add_rms_norm 2", later_rows, 3 * shape.hidden, shape.hidden, normed)]


def step(version, gpu, model, weight_format, *, chats=1, rows_of_chat=1, context=1):
    """All launches of a step's graph, in their order."""
    shape = QUIRE_SHAPES[model]
    rows = chats * rows_of_chat
    launches = [row_launch(gpu, "embed", 6 * rows * shape.hidden), row_launch(gpu, "rms_norm", (4 + out_bytes(version, "norms", uses_int8(version, gpu, weight_format))) * rows * shape.hidden),
                row_launch(gpu, "rope_cos_sin", 4 * rows * shape.head_dim)]
    how = (version, gpu, shape, weight_format, chats, rows_of_chat, context)
    launches += layer(*how) * (shape.layers - 1) + layer(*how, is_last=True)
    launches += product(version, gpu, "head", chats, shape.vocab, shape.hidden, weight_format)
    return with_early_beginnings(version, gpu, launches)


# Kernels that do not wait themselves for the kernel before: they begin in order, and so does the one behind them.
IN_ORDER = {"embed"}


def early(launches):
    """For each launch whether it may begin before the one before it has ended."""
    return [last is not None and last.name not in IN_ORDER and launch.name not in IN_ORDER
            for last, launch in zip([None, *launches], launches)]


def with_early_beginnings(version, gpu, launches):
    if not version.begins_early or gpu.architecture not in gpus.EARLY_ARCHITECTURES:
        return launches
    return [dataclasses.replace(launch, us=launch.us - (gpus.EDGE_US - gpus.EARLY_EDGE_US + launch.hidden) * is_early)
            for launch, is_early in zip(launches, early(launches))]


def step_us(launches):
    """With the host's work and the sampling, which no graph holds."""
    return sum(launch.us for launch in launches) + HOST_US + SAMPLE_US
