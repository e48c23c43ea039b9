#!/usr/bin/env python3
"""Shows that the tests of the CUDA kernels find faults: plants one after another and runs the test that is to find it.

    ninja -C build/release $(tests/kernels/cuda/planted_faults.py --tests)
    tests/kernels/cuda/planted_faults.py [--build build/release] [NAME...]
    tests/kernels/cuda/planted_faults.py --build build/tsan [NAME...]

The build is one without QUIRE_QUICK_BUILD, which compiles several sources as one. A fault is a change of one place
of a source. It is made in a copy of that file in a temporary folder; only one source is compiled anew, with the copy
before the original, and linked with a test program in place of the original. Before that, the same test has to pass
without the fault. Exits with 1 if a fault is not found. Some faults are races that leave the right numbers: only
ThreadSanitizer finds them, in a build of the preset tsan (`./dev sanitize tsan-cuda`): they alone are planted in such a
build.
"""
import argparse
import dataclasses
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
KERNELS = "kernels/cuda/"


@dataclasses.dataclass
class Fault:
    name: str
    file: str      # Under kernels/cuda.
    old: str       # Occurs once.
    new: str
    test: str      # The program, and what it is given.
    source: str = ""   # What is compiled anew, by the end of its path; empty: the file.
    seed: int = 1      # Of the order of threads.
    is_race: bool = False  # Found by ThreadSanitizer alone.
    is_alignment: bool = False  # x86 reads it all the same: found by the compiler's check, here a trap.


FEW = {"source": "cuda_instances/gemm_q8.cu", "test": "tst_cuda_linear gemm_isNearTheScalarBackends:q8_0"}
HALVES = {"source": "cuda_instances/gemm_halves.cu", "test": "tst_cuda_linear gemm_isNearTheScalarBackends:f16"}
MANY = FEW
INT8 = {"source": "cuda_instances/gemm_int8_q4.cu",
         "test": "tst_cuda_int8_linear gemm_quantizesActivationsByGroups:q4_0"}
HALF_ACTIVATIONS = "tst_cuda_quantized_activations 'rmsNorm_givesGemmsTheirBits:bf16, 1000 inputs, 3 rows, sm_90'"
INT8_ACTIVATIONS = "tst_cuda_quantized_activations 'producers_quantizeAsGemms:100 inputs, 5 rows'"
GLU = {"source": "cuda_instances/gemm_halves.cu", "test": "tst_cuda_linear_glu fusedGlu_hasTheBitsOfLinearThenGlu:bf16"}
SAME_BITS = {"source": "cuda_instances/gemm_q4.cu", "test": "tst_cuda_linear rows_haveTheSameBitsInAnyBatch:q4_0"}
EARLY = "tst_cuda_launches 'earlyKernels_changeNoBit:gqa_bf16_tied 2'"
CONFORMANCE = "conformance --backend cuda-harness --filter "
HARD_ROWS = "tst_cuda_sampling sample_drawsTheSamplersTokensOfHardRows"
TILE = {"source": "cuda_instances/attention_tile_f16.cu", "test": "tst_cuda_attention 'attention_agreesWithDouble:"
        "f16 Hkv=2 group=3 D=64 Dv=64 window=0 chunk=0 cap=0 sink=0'"}

FAULTS = [
    # Copies between host and device.
    Fault("a pinned buffer is used again while it is copied", "device_memory.cpp",
          "if (slot.copied != nullptr) status = cudaEventSynchronize(slot.copied);", "",
          "tst_cuda_core uploads_areNotOverwrittenByLaterOnes"),
    Fault("a mark is not waited for", "host_staging.cpp",
          "cudaEventSynchronize(m_marks[mark % m_marks.size()])", "cudaSuccess",
          "tst_cuda_core marks_waitForWhatCameBeforeThem"),
    Fault("downloads leave the pinned memory", "host_staging.cpp",
          "if (bytes < oldest) return 0;", "", "tst_cuda_core downloads_useThePinnedMemoryInARing"),
    Fault("the pinned memory of an open download is used again", "host_staging.cpp",
          "if (bytes < oldest) return 0;", "return 0;", "tst_cuda_core downloads_areNotOverwrittenByLaterOnes"),
    Fault("a later download reaches into the oldest one", "host_staging.cpp",
          "if (bytes < oldest - next) return next;", "if (bytes < kDownloadBytes - next) return next;",
          "tst_cuda_core downloads_areNotOverwrittenByLaterOnes"),
    Fault("a mark finishes the downloads behind it", "host_staging.cpp",
          "m_downloads.front().mark <= mark", "m_downloads.front().mark <= mark + 1",
          "tst_cuda_core marks_waitForWhatCameBeforeThem"),
    Fault("a raw piece is packed before its copy", "weights/linear_packer.cpp",
          "piece.rows = static_cast<const uint8_t*>(raw);", "piece.rows = staged;",
          "tst_cuda_packing longAndManyRows_comeInPieces"),
    Fault("scales that f16 cannot hold are accepted", "weights/linear_packer.cpp",
          "return fits_halves(part) ?", "return fits_halves(part) || true ?",
          "tst_cuda_packing scalesBeyondHalves_makeThePartF32"),
    # The queue.
    Fault("a graph outlives the memory that it uses", "graph_cache.cpp",
          "at->generation != generation()", "false",
          "tst_cuda_core steps_areCapturedAnewAfterMemoryWasFreed"),
    Fault("a lost device is not recognised", "command_queue.cu",
          "m_is_lost = m_is_lost || again == status;", "",
          "tst_cuda_core lostDevices_areRecognisedByAnErrorThatRepeats"),
    Fault("the limit of shared memory is not raised", "command_queue.cu",
          "static_cast<int>(m_facts.max_shared_bytes - attributes.sharedSizeBytes)", "50 << 10",
          "tst_cuda_core sharedLimits_areRaisedOnceAndToTheMost"),
    # Kernels that begin before the kernel before has ended.
    Fault("kernels begin early behind a copy", "command_queue.cu",
          "return m_can_last_be_followed && m_facts.allows_early_kernels;",
          "return m_facts.allows_early_kernels;",
          "tst_cuda_core kernels_beginEarlyBehindKernelsThatWaitThemselves"),
    Fault("kernels begin early whose code does not wait", "command_queue.cu",
          "if (architecture < 90 ||", "if (",
          "tst_cuda_core 'kernels_beginInOrderWhereTheyDoNotWait:code for an older GPU'"),
    Fault("a norm does not wait for the kernel before", "rows/norms.cu",
          "rms_norm_kernel(NormTask task) {\n  begin_in_order();", "rms_norm_kernel(NormTask task) {", EARLY),
    Fault("a norm lets the next kernel begin before it waits", "device/launch_order.h",
          "  wait_for_earlier_kernels();\n  let_next_kernel_begin();\n",
          "  let_next_kernel_begin();\n  wait_for_earlier_kernels();\n", EARLY, "rows/norms.cu"),
    Fault("activations are written before the wait", "rows/row_access.h",
          "  begin_in_order();\n  const int64_t row = blockIdx.x / blocks_per_row;\n  const int64_t group = int64_t{blockIdx."
          "x % blocks_per_row} * blockDim.x + threadIdx.x;\n  if (4 * group < num_columns) operation.template run<kAligned>"
          "(row, 4 * group, num_columns);\n",
          "  const int64_t row = blockIdx.x / blocks_per_row;\n  const int64_t group = int64_t{blockIdx."
          "x % blocks_per_row} * blockDim.x + threadIdx.x;\n  if (4 * group < num_columns) operation.template run<kAligned>"
          "(row, 4 * group, num_columns);\n  begin_in_order();\n", EARLY, "rows/activations.cu"),
    Fault("a GEMM's inputs are read before the wait", "linear/few_rows.h",
          "  if (gemm.tiles == nullptr) begin_in_order();\n\n  const auto inputs = find_inputs<Format, kTiles>(gemm, tile, "
          "staged, num_chunks, convert_chunks);\n  if (Cut::kStaged && num_chunks <= convert_chunks) {\n    stage_inputs<Format>"
          "(staged, gemm, tile, 0, num_chunks, convert_chunks);\n    __syncthreads();\n  }\n",
          "  const auto inputs = find_inputs<Format, kTiles>(gemm, tile, "
          "staged, num_chunks, convert_chunks);\n  if (Cut::kStaged && num_chunks <= convert_chunks) {\n    stage_inputs<Format>"
          "(staged, gemm, tile, 0, num_chunks, convert_chunks);\n    __syncthreads();\n  }\n  if (gemm.tiles == nullptr) begin_in_order();\n",
          EARLY, "cuda_instances/gemm_halves.cu"),
    # Few rows.
    Fault("staged inputs are read without a barrier", "linear/few_rows.h",
          "stage_inputs<Format>(staged, gemm, tile, 0, num_chunks, convert_chunks);\n    __syncthreads();",
          "stage_inputs<Format>(staged, gemm, tile, 0, num_chunks, convert_chunks);", **FEW),
    Fault("sums are added without a barrier", "linear/few_rows.h",
          "      __syncthreads();\n      add_chunks", "      add_chunks", **FEW),
    Fault("the sums' fragment is swapped", "linear/few_rows.h",
          "tile[d % 2 * Cut::kRowFloats + d / 2 * 8]", "tile[d / 2 * Cut::kRowFloats + d % 2 * 8]", **FEW),
    Fault("a chunk's sums go on from the last chunk's", "linear/few_rows.h",
          "      while (at.set == set && at.chunk < end) {\n        float sums[Cut::kGroups][kTiles][4] = {};",
          "      float sums[Cut::kGroups][kTiles][4] = {};\n      while (at.set == set && at.chunk < end) {",
          "tst_cuda_linear 'longRows_areSummedInRounds:units of 64'", "cuda_instances/gemm_halves.cu"),
    Fault("the last inputs are those of the row behind", "linear/inputs.h",
          "k + 8 * 3 + 1 < num_inputs", "k < num_inputs", **HALVES),
    Fault("inputs of odd rows are read as aligned", "linear/inputs.h",
          "reinterpret_cast<uintptr_t>(x) % sizeof(float2) == 0 && x_stride % 2 == 0", "true", **HALVES, is_alignment=True),
    Fault("the steps of a vector are swapped", "linear/inputs.h",
          "b[0] = step == 0 ? vector.x : vector.z;", "b[0] = step == 0 ? vector.z : vector.x;", **FEW),
    Fault("activations in halves are multiplied before they are copied", "linear/few_inputs.h", "copy_async_wait<0>();", "",
          HALF_ACTIVATIONS, "cuda_instances/gemm_halves.cu"),
    Fault("a norm leaves what was behind a quantised row's end", "rows/norms.cu",
          "const int64_t end = stored_columns(n, format);", "const int64_t end = n;", HALF_ACTIVATIONS),
    Fault("a norm writes the halves in another order", "linear/out_rows.h", "k % 8 / 2 * 4 + k % kPairInputs / 8",
          "k % kPairInputs / 2", HALF_ACTIVATIONS, "rows/norms.cu"),
    Fault("a norm writes the int8 codes in another order", "linear/out_rows.h", "0x5140", "0x5410", INT8_ACTIVATIONS, "rows/norms.cu"),
    Fault("a norm takes half a group's largest input", "linear/out_rows.h", "largest_of_lanes<3>", "largest_of_lanes<2>",
          INT8_ACTIVATIONS, "rows/norms.cu"),
    Fault("attention writes the int8 codes in another order", "attention/attention_tile.h", "dims(j + 1), dims(j + 2)",
          "dims(j + 2), dims(j + 1)", "tst_cuda_quantized_activations 'attention_givesGemmsTheirBits:three groups a head'", TILE["source"]),
    Fault("attention leaves what was behind a quantised row's end", "attention/attention_exact.cu",
          "if (!keeps_state) out.clear_padding(args, lane_index(), kWarpSize);", "",
          "tst_cuda_quantized_activations 'attention_givesGemmsTheirBits:f32 pages, prefill'"),
    Fault("the inputs' scale stays in the sums", "linear/inputs.h",
          "kScaledInputs ? 1.0f / kF16InputScale : 1.0f", "1.0f", **FEW),
    # Int8 products.
    Fault("codes keep their zero point", "weights/formats/codes.h",
          "masked_xor(words[step], 0xf0f0f0f0u, kInt8Signs)", "words[step] & 0xf0f0f0f0u", **INT8),
    Fault("a row of a group has its neighbour's step", "linear/int8_gemm.h",
          "const float step = i < 2 ? steps", "const float step = i % 2 < 1 ? steps", **INT8),
    Fault("the origin stays in the sums", "linear/int8_gemm.h",
          "steps[part].x * -kOriginNumber", "steps[part].x * -kOriginNumber / 2", **INT8),
    Fault("a group's largest input is that of two lanes", "linear/int8_activations.h",
          "largest_of_lanes<2>(largest, lanes)", "largest_of_lanes<1>(largest, lanes)", **INT8),
    Fault("an infinite input is a finite one's size", "linear/int8_activations.h",
          "return {size * (1.0f / 127.0f), __fdiv_rn(127.0f, size)};",
          "return {fminf(size, 1e30f) * (1.0f / 127.0f), __fdiv_rn(127.0f, size)};",
          "tst_cuda_int8_linear inputs_mayBeOfAnySize", "cuda_instances/gemm_int8_q8.cu"),
    Fault("rows' places are read without a barrier", "linear/few_inputs.h",
          "places[thread] = place_of(thread);\n    __syncthreads();", "places[thread] = place_of(thread);", **INT8),
    Fault("a stage's scales are the row's before", "linear/many_rows.h",
          "int8_stage_place<Cut::kRows>(column, kPairVectors)", "int8_stage_place<Cut::kRows>(column ^ 1, kPairVectors)",
          **INT8),
    Fault("code of another architecture decides", "command_queue.cu", "uses_int8_gemm(architecture)",
          "uses_int8_gemm(facts.compute_capability)", "tst_cuda_int8_linear code_decidesWhatIsMultiplied"),
    # Many rows.
    Fault("a gate is fused with the wrong group of the up projection", "linear/many_rows.h",
          "? (last + 1) / 2 : 1", "? (last + 1) / 2 - 1 : 1", **GLU),
    Fault("a GLU is written over inputs that are still read", "linear/many_rows.h",
          "  __syncthreads();  // No warp reads inputs any more.\n", "", **GLU),
    Fault("a GLU is read before all of it is written", "linear/many_rows.h",
          "  __syncthreads();\n  const OutRows out", "  const OutRows out", **GLU),
    Fault("one group of copies too few is waited for", "linear/many_rows.h",
          "copy_async_wait<kManyStages - 2>();", "copy_async_wait<kManyStages - 1>();", **MANY),
    Fault("empty groups of copies are not committed", "linear/many_rows.h",
          "    }\n    copy_async_commit();  // Empty at the end, so that copy_async_wait counts correctly.",
          "      copy_async_commit();\n    }", **MANY),
    Fault("a stage is read before the others have copied it", "linear/many_rows.h",
          "copy_async_wait<kManyStages - 2>();\n    __syncthreads();", "copy_async_wait<kManyStages - 2>();", **MANY),
    Fault("many rows are added in another order than few", "linear/many_rows.h",
          "unit % kChunkUnits == kChunkUnits - 1 || unit == num_units - 1", "unit == num_units - 1", **SAME_BITS),
    Fault("all lanes of a warp write its first output", "linear/many_rows.h",
          "(rows() + Cut::kRows)[threadIdx.x]", "(rows() + Cut::kRows)[warp_index()]", is_race=True, **MANY),
    # f32 and experts.
    Fault("a piece of f32 weights is multiplied before all lanes have stored it", "linear/float_rows.cu",
          "held.store(piece);\n    __syncwarp();", "held.store(piece);",
          "tst_cuda_linear floatWeights_giveTheScalarBackendsBits"),
    Fault("chunks of f32 are added before all warps have them", "linear/float_rows.cu",
          "to[r * FloatFew::kOutputs] = sums[r];\n    }\n    __syncthreads();",
          "to[r * FloatFew::kOutputs] = sums[r];\n    }",
          "tst_cuda_linear floatWeights_giveTheScalarBackendsBits"),
    Fault("an expert's rows are counted before the counts are zero", "linear/linear_experts.cu",
          "counts.rows_before = counts.tiles_before = counts.tiles = 0;\n  __syncthreads();",
          "counts.rows_before = counts.tiles_before = counts.tiles = 0;", "tst_cuda_experts"),
    # Sampling.
    Fault("a candidate is counted with those before it", "sampling/candidates.h",
          "const unsigned before = found & ((1u << lane_index()) - 1);",
          "const unsigned before = found & ((2u << lane_index()) - 1);", HARD_ROWS, "sampling/choose.cu"),
    Fault("sorted keys are exchanged without a barrier", "sampling/candidates.h",
          "stride > 0; stride /= 2) {\n      __syncthreads();", "stride > 0; stride /= 2) {", HARD_ROWS,
          "sampling/choose.cu"),
    Fault("running sums are copied without a barrier", "sampling/candidates.h",
          "if (thread == 0) add_up(scratch, count, sum);\n    __syncthreads();",
          "if (thread == 0) add_up(scratch, count, sum);", HARD_ROWS, "sampling/choose.cu"),
    Fault("the nucleus ends one token early", "sampling/choose.cu",
          "return min(find_sum<false>(list.weights, n, target) + 1, n);",
          "return max(find_sum<false>(list.weights, n, target), 1);", HARD_ROWS),
    Fault("weights of a block are read without a barrier", "sampling/choose.cu",
          "row.logits[begin + thread]));\n  __syncthreads();", "row.logits[begin + thread]));",
          "tst_cuda_sampling sample_addsWeightsInTheEnginesOrder"),
    Fault("a block's sums are in another order", "sampling/scan.cu",
          "for (int i = 0; i < kHalfWarp; ++i) sum = __fadd_rn(sum, lane_sums[block][i]);",
          "for (int i = kHalfWarp; i-- > 0;) sum = __fadd_rn(sum, lane_sums[block][i]);",
          "tst_cuda_sampling sample_addsWeightsInTheEnginesOrder"),
    # Rows.
    Fault("a row's sum misses its barrier", "rows/norms.cu",
          "if (lane_index() == 0) warps[warp_index()] = x;\n  __syncthreads();",
          "if (lane_index() == 0) warps[warp_index()] = x;", "tst_cuda_rows rms_norm_isTheCpusWithinRounding"),
    Fault("a key is stored before other lanes have rotated it", "rows/rope.cu",
          "__syncwarp();  // Other lanes read the key next.", "", "tst_cuda_rope"),
    Fault("a row's second sum reads the first one's", "rows/magnitudes.cu",
          "if (lane_index() == 0) warps[warp_index()] = x;\n  __syncthreads();",
          "if (lane_index() == 0) warps[warp_index()] = x;", CONFORMANCE + "gaussian_top_k"),
    Fault("experts are ranked before all lanes have their ranks", "rows/experts.cu",
          "ranks[e] = rank_of(bias == nullptr ? rank : rank + bias[e]);\n  }\n  __syncwarp();",
          "ranks[e] = rank_of(bias == nullptr ? rank : rank + bias[e]);\n  }", CONFORMANCE + "route_experts"),
    # Recurrent layers.
    Fault("a segment's state is the one after the next row", "state/state_rows.h",
          "if (row + 1 < segment_end) continue;", "if (row < segment_end) continue;", CONFORMANCE + "gated_delta",
          "state/gated_delta.cu"),
    Fault("columns of a state are swapped in their sum", "state/state_rows.h",
          "const float sent = is_upper ? x[c] : x[c + half];", "const float sent = is_upper ? x[c + half] : x[c];",
          CONFORMANCE + "mamba2_scan", "state/mamba2_scan.cu"),
    Fault("a convolution goes on from inputs that it has overwritten", "state/causal_conv.cu",
          "if (slot == in) held_end = end;", "", CONFORMANCE + "causal_conv"),
    # Attention.
    Fault("keys and values wait for one group too few", "attention/attention_tile.h",
          "if (!is_serial) copy_async_wait<1>();", "if (!is_serial) copy_async_wait<2>();", **TILE),
    Fault("values are read before the others have copied them", "attention/attention_tile.h",
          "copy_async_wait<1>();\n      __syncthreads();", "copy_async_wait<1>();", **TILE),
    Fault("a tile sees a key too many", "attention/attention_plan.cpp",
          "end = std::max(end, position + 1);", "end = std::max(end, position + 2);",
          "tst_cuda_attention_plan plan_givesEveryRowItsKeysOnce"),
    Fault("a shared split is computed again", "attention/attention_plan.cpp",
          "for (int s : members) at(s).own_split = split + 1;", "for (int s : members) at(s).own_split = split;",
          "tst_cuda_attention_plan plan_givesEveryRowItsKeysOnce"),
]


def sound_text(fault):
    with open(os.path.join(ROOT, KERNELS, fault.file)) as file:
        return file.read()


def changed_text(fault):
    text = sound_text(fault)
    if text.count(fault.old) != 1:
        sys.exit(f"{fault.name}: what it changes occurs {text.count(fault.old)} times in {fault.file}")
    return text.replace(fault.old, fault.new)


class Build:
    """The commands of a build folder."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        with open(os.path.join(self.folder, "compile_commands.json")) as file:
            self.entries = [entry for entry in json.load(file) if " -x c++ " in entry["command"] or
                            entry["file"].endswith(".cpp")]
        with open(os.path.join(self.folder, "CMakeCache.txt")) as file:
            self.sees_races = re.search(r"^QUIRE_SANITIZE:\w+=.*thread", file.read(), re.MULTILINE) is not None

    def run(self, command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, shell=isinstance(command, str))
        if done.returncode != 0:
            sys.exit(f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def compile(self, fault, overlay, to):
        """The source with the copy's folder before all others where headers are looked for."""
        source = fault.source or KERNELS + fault.file
        entry = next(entry for entry in self.entries if entry["file"].endswith(source))
        words = shlex.split(entry["command"])
        words[words.index("-o") + 1] = to
        copy = os.path.join(overlay, KERNELS + fault.file)
        words = [copy if word == entry["file"] and not fault.source else word for word in words]
        # Half the compiler's time; and what a fault no longer uses is no error.
        words = ["-O1" if word in ("-O2", "-O3") else word for word in words if word != "-Werror"]
        first = next(i for i, word in enumerate(words) if word.startswith("-I"))
        if fault.is_alignment:
            words += ["-fsanitize=alignment", "-fsanitize-undefined-trap-on-error"]
        self.run(words[:first] + ["-I" + overlay] + words[first:])

    def link(self, test, with_object, to):
        """An archive's member is not taken if its symbols are there already."""
        command = self.run(["ninja", "-t", "commands", test]).splitlines()[-1]
        before, after = command.split(f" -o bin/{test} ", 1)
        self.run(f"{before} {with_object} -o {to} {after}")


def passes(program, arguments, seed):
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", QUIRE_SIMT_SEED=str(seed),
                       TSAN_OPTIONS=f"suppressions={ROOT}/tests/support/tsan.supp")
    try:
        return subprocess.run([program, *arguments], env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=300).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def passes_with(build, fault, text, folder):
    """Whether the test passes with that text in place of the file's."""
    test, *arguments = shlex.split(fault.test)
    path = os.path.join(folder, KERNELS, fault.file)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    build.compile(fault, folder, os.path.join(folder, "fault.o"))
    build.link(test, os.path.join(folder, "fault.o"), os.path.join(folder, test))
    os.remove(path)
    return passes(os.path.join(folder, test), arguments, fault.seed)


def line_of(fault, is_found, is_markdown):
    if not is_markdown:
        return f"{'found ' if is_found else 'MISSED'} {fault.name} ({fault.test})"
    found_by = fault.test.split()[0] + (", ThreadSanitizer" if fault.is_race else ", alignment check" if fault.is_alignment else "")
    return f"| {fault.name} | `{fault.file}` | {found_by if is_found else 'not found'} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build/release"))
    parser.add_argument("--tests", action="store_true", help="only name the test programs that are needed")
    parser.add_argument("--markdown", action="store_true", help="print lines of docs/cuda.md's table")
    parser.add_argument("names", nargs="*", help="faults whose name has one of these words; else all")
    options = parser.parse_args()
    if options.tests:
        print(*sorted({fault.test.split()[0] for fault in FAULTS}))
        return 0
    build = Build(options.build)
    faults = [fault for fault in FAULTS if not options.names or any(word in fault.name for word in options.names)]
    for fault in faults:
        if fault.is_race and not build.sees_races:
            print(f"skipped: {fault.name}: needs a build of the preset tsan")
    faults = [fault for fault in faults if fault.is_race == build.sees_races]
    if not faults:
        sys.exit("There is no fault to plant.")
    texts = [changed_text(fault) for fault in faults]
    sound = {}
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        for fault, text in zip(faults, texts):
            test, *arguments = shlex.split(fault.test)
            original = os.path.join(build.folder, "bin", test)
            key = (fault.test, fault.seed)
            if key not in sound:
                sound[key] = passes(original, arguments, fault.seed)
            if not sound[key] or (fault.is_alignment and not passes_with(build, fault, sound_text(fault), folder)):
                sys.exit(f"{fault.test} fails without a fault")
            is_found = not passes_with(build, fault, text, folder)
            if not is_found:
                missed.append(fault)
            print(line_of(fault, is_found, options.markdown), flush=True)
    print(f"{len(faults) - len(missed)} of {len(faults)} faults found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
