// causal_conv, gated_delta and mamba2_scan: against the oracle, and the promise that a sequence's
// rows have the same bits however they are divided into steps, segments and batches.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/kernels/conformance/bounds.h"
#include "tests/kernels/conformance/case_lists.h"
#include "tests/kernels/conformance/recurrent_step.h"
#include "tests/kernels/kernel_test_support.h"

namespace quire::test {
namespace {

/// An operation with its weights on a device.
using Prepare = std::function<RecurrentOperation(Device&)>;

std::vector<int64_t> row_range(int64_t begin, int64_t count) {
  std::vector<int64_t> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), begin);
  return rows;
}

RecurrentInputs random_inputs(const RecurrentOperation& operation, int64_t num_rows) {
  RecurrentInputs inputs = {.num_rows = num_rows, .matrices = {}};
  uint32_t seed = 300;
  for (int64_t width : operation.input_widths) {
    inputs.matrices.push_back(Numbers(++seed).floats(num_rows * width, 2.0f));
  }
  return inputs;
}

std::vector<float> random_states(const RecurrentOperation& operation, int64_t num_slots) {
  return Numbers(330).floats(num_slots * operation.state_size, 0.5f);
}

std::span<const float> slot_of(const std::vector<float>& states, int64_t slot, int64_t size) {
  return std::span(states).subspan(static_cast<size_t>(slot * size), static_cast<size_t>(size));
}

/// Sums cancel, so errors are relative to the largest number of all.
double bound_of(const std::vector<float>& expected) {
  double largest = 0.0;
  for (float v : expected) largest = std::max(largest, std::fabs(double{v}));
  return kFunctionError * largest;
}

/// Sequences that begin with nothing, with their own slot and with another; with segments whose
/// states go to slots or nowhere. They use the slots 0 to 9.
const std::vector<StateSequence>& mixed_sequences() {
  static const std::vector<StateSequence> kSequences = {
      {.in = -1, .segments = {{1, 0}}},
      {.in = 1, .segments = {{1, 1}}},
      {.in = 2, .segments = {{37, 3}}},
      {.in = -1, .segments = {{2, 4}, {1, -1}, {17, 5}}},
      {.in = 6, .segments = {{1, 6}, {1, 7}, {1, 6}, {3, -1}}},
      {.in = 8, .segments = {{16, -1}, {16, 9}, {1, 8}}},
  };
  return kSequences;
}
constexpr int64_t kNumSlots = 11;  ///< One that is not used.

int64_t total_rows(std::span<const StateSequence> sequences) {
  int64_t sum = 0;
  for (const StateSequence& sequence : sequences) sum += sequence.num_rows();
  return sum;
}

void check_oracle(Trial& trial, const Prepare& prepare) {
  const RecurrentOperation theirs = prepare(trial.oracle);
  const RecurrentOperation ours = prepare(trial.tested);
  const std::vector<StateSequence>& sequences = mixed_sequences();
  const RecurrentInputs inputs = random_inputs(ours, total_rows(sequences));
  const std::vector<float> states = random_states(ours, kNumSlots);
  const std::vector<int64_t> rows = row_range(0, inputs.num_rows);
  const RecurrentResult expected = run_step(trial.oracle, theirs, inputs, rows, states, sequences);
  const RecurrentResult got = run_step(trial.tested, ours, inputs, rows, states, sequences);
  trial.compare.within("out", got.out, expected.out, bound_of(expected.out));
  trial.compare.within("states", got.states, expected.states, bound_of(expected.states));
  trial.compare.same_bits("a slot that is not used",
                          slot_of(got.states, kNumSlots - 1, ours.state_size),
                          slot_of(states, kNumSlots - 1, ours.state_size));
}

/// Each sequence of a batch alone.
void check_batch(Trial& trial, const Prepare& prepare) {
  const RecurrentOperation operation = prepare(trial.tested);
  std::vector<StateSequence> sequences = mixed_sequences();
  for (int i = 0; i < 10; ++i) sequences.push_back({.in = 10, .segments = {{1 + i % 3, -1}}});
  const RecurrentInputs inputs = random_inputs(operation, total_rows(sequences));
  const std::vector<float> states = random_states(operation, kNumSlots);
  const RecurrentResult whole =
      run_step(trial.tested, operation, inputs, row_range(0, inputs.num_rows), states, sequences);
  int64_t row = 0;
  for (const StateSequence& sequence : sequences) {
    const int64_t count = sequence.num_rows();
    const RecurrentResult alone = run_step(trial.tested, operation, inputs, row_range(row, count),
                                           states, std::span(&sequence, 1));
    const auto width = static_cast<size_t>(operation.out_width);
    const std::string what = "the sequence from row " + std::to_string(row) + " alone";
    trial.compare.same_bits(what, alone.out,
                            std::span(whole.out).subspan(static_cast<size_t>(row) * width,
                                                         static_cast<size_t>(count) * width));
    for (const StateSegment& segment : sequence.segments) {
      if (segment.out < 0) continue;
      trial.compare.same_bits(what + ", state",
                              slot_of(alone.states, segment.out, operation.state_size),
                              slot_of(whole.states, segment.out, operation.state_size));
    }
    row += count;
  }
}

constexpr int64_t kLongest = 70;

/// Splits to try: all where that is fast.
std::vector<int64_t> splits(Arithmetic arithmetic) {
  if (has_tensor_cores(arithmetic)) return {1, 2, 15, 16, 17, 33, 69};
  return row_range(1, kLongest - 1);
}

/// A sequence whose state is kept after each row, in slots 0 to kLongest - 1: the others' measure.
RecurrentResult run_with_snapshots(Trial& trial, const RecurrentOperation& operation,
                                   const RecurrentInputs& inputs,
                                   const std::vector<float>& states) {
  StateSequence sequence = {.in = -1, .segments = {}};
  for (int32_t i = 0; i < kLongest; ++i) sequence.segments.push_back({1, i});
  return run_step(trial.tested, operation, inputs, row_range(0, kLongest), states,
                  std::span(&sequence, 1));
}

void check_split(Trial& trial, const RecurrentOperation& operation, const RecurrentInputs& inputs,
                 const RecurrentResult& expected, int64_t split) {
  constexpr int32_t kSlot = 3;
  const std::vector<float> none(static_cast<size_t>(4 * operation.state_size), 5.0f);
  const StateSequence first = {.in = -1, .segments = {{split, kSlot}}};
  const RecurrentResult head =
      run_step(trial.tested, operation, inputs, row_range(0, split), none, std::span(&first, 1));
  const StateSequence second = {.in = kSlot, .segments = {{kLongest - split, kSlot}}};
  const RecurrentResult tail =
      run_step(trial.tested, operation, inputs, row_range(split, kLongest - split), head.states,
               std::span(&second, 1));
  std::vector<float> out = head.out;
  out.insert(out.end(), tail.out.begin(), tail.out.end());
  const std::string what = "a split after row " + std::to_string(split);
  trial.compare.same_bits(what, out, expected.out);
  trial.compare.same_bits(what + ", its state", slot_of(head.states, kSlot, operation.state_size),
                          slot_of(expected.states, split - 1, operation.state_size));
  trial.compare.same_bits(what + ", the last state",
                          slot_of(tail.states, kSlot, operation.state_size),
                          slot_of(expected.states, kLongest - 1, operation.state_size));
}

/// Every split in two, and one row a step.
void check_chunking(Trial& trial, const Prepare& prepare) {
  const RecurrentOperation operation = prepare(trial.tested);
  const RecurrentInputs inputs = random_inputs(operation, kLongest);
  std::vector<float> states = random_states(operation, kLongest);
  const RecurrentResult expected = run_with_snapshots(trial, operation, inputs, states);
  for (int64_t split : splits(trial.arithmetic)) {
    check_split(trial, operation, inputs, expected, split);
  }
  for (int32_t row = 0; row < kLongest; ++row) {
    const StateSequence sequence = {.in = row - 1, .segments = {{1, row}}};
    RecurrentResult step = run_step(trial.tested, operation, inputs, row_range(row, 1), states,
                                    std::span(&sequence, 1));
    const auto width = static_cast<size_t>(operation.out_width);
    trial.compare.same_bits(
        "one row a step", step.out,
        std::span(expected.out).subspan(static_cast<size_t>(row) * width, width));
    states = std::move(step.states);
  }
  trial.compare.same_bits("states of one row a step", states, expected.states);
}

/// A graph captured with other sequences, some of them padding.
void check_graph(Trial& trial, const Prepare& prepare) {
  const RecurrentOperation operation = prepare(trial.tested);
  const RecurrentInputs inputs = random_inputs(operation, 6);
  const std::vector<float> states = random_states(operation, kNumSlots);
  const std::vector<int64_t> rows = row_range(0, 6);
  const StateSequence padding = {.in = -1, .segments = {{1, -1}}};
  const std::vector<StateSequence> captured = {
      {.in = -1, .segments = {{2, 9}, {1, 8}}}, padding, padding, padding};
  const std::vector<StateSequence> launched = {{.in = 1, .segments = {{1, 1}, {2, 2}}},
                                               {.in = 3, .segments = {{1, 3}}},
                                               {.in = -1, .segments = {{1, 4}}},
                                               padding};
  RecurrentResult expected = run_step(trial.tested, operation, inputs, rows, states, launched);
  RecurrentResult got =
      run_graph(trial.tested, operation, inputs, rows, states, captured, launched);
  // Of the padding's row nothing is promised.
  expected.out.resize(static_cast<size_t>(5 * operation.out_width));
  got.out.resize(static_cast<size_t>(5 * operation.out_width));
  trial.compare.same_bits("out of a graph", got.out, expected.out);
  trial.compare.same_bits("states of a graph", got.states, expected.states);
}

void add_checks(std::vector<Case>& cases, const std::string& group, const std::string& shape,
                const Prepare& prepare) {
  cases.push_back({group, shape, [=](Trial& trial) { check_oracle(trial, prepare); }});
  cases.push_back({group, shape + " batch", [=](Trial& trial) { check_batch(trial, prepare); }});
  cases.push_back(
      {group, shape + " chunking", [=](Trial& trial) { check_chunking(trial, prepare); }});
  cases.push_back({group, shape + " graph", [=](Trial& trial) { check_graph(trial, prepare); }});
}

using SharedArray = std::shared_ptr<DeviceArray<float>>;
SharedArray share(Device& device, std::vector<float> numbers) {
  return std::make_shared<DeviceArray<float>>(device, std::move(numbers));
}
/// Negative numbers, as -exp(A_log).
std::vector<float> decays(int64_t n, uint32_t seed) {
  std::vector<float> a = Numbers(seed).floats(n, 1.0f);
  for (float& v : a) v = -std::fabs(v) - 0.01f;
  return a;
}

Prepare prepare_conv(int64_t C, int64_t K, bool has_bias, bool silu) {
  return [=](Device& device) {
    const SharedArray weight = share(device, Numbers(310).floats(C * K, 1.0f));
    const SharedArray bias = share(device, Numbers(311).floats(C, 1.0f));
    return RecurrentOperation{
        .input_widths = {C},
        .out_width = C,
        .state_size = (K - 1) * C,
        .run = [=](Backend& backend, TensorView out, std::span<const ConstTensorView> inputs,
                   TensorView states, const StateBatch& batch) {
          backend.causal_conv(out, inputs[0], weight->view({C, K}),
                              has_bias ? ConstTensorView(bias->view({C})) : ConstTensorView(),
                              {states.data(), DType::kF32, {states.dim(0), K - 1, C}}, batch, silu);
        }};
  };
}

struct DeltaShape {
  int64_t key_heads;
  int64_t heads;
  int64_t key_dim;
  int64_t value_dim;
  bool tiled;
};

Prepare prepare_delta(const DeltaShape& s) {
  return [=](Device& device) {
    const SharedArray a = share(device, decays(s.heads, 312));
    const SharedArray dt_bias = share(device, Numbers(313).floats(s.heads, 2.0f));
    const int64_t keys = s.key_heads * s.key_dim;
    return RecurrentOperation{
        .input_widths = {keys, keys, s.heads * s.value_dim, s.heads, s.heads},
        .out_width = s.heads * s.value_dim,
        .state_size = s.heads * s.key_dim * s.value_dim,
        .run = [=](Backend& backend, TensorView out, std::span<const ConstTensorView> inputs,
                   TensorView states, const StateBatch& batch) {
          backend.gated_delta(
              out.split_columns(s.value_dim), inputs[0].split_columns(s.key_dim),
              inputs[1].split_columns(s.key_dim), inputs[2].split_columns(s.value_dim), inputs[3],
              inputs[4],
              {states.data(), DType::kF32, {states.dim(0), s.heads, s.key_dim, s.value_dim}}, batch,
              {.a = a->view({s.heads}),
               .dt_bias = dt_bias->view({s.heads}),
               .tiled_heads = s.tiled});
        }};
  };
}

struct ScanShape {
  int64_t groups;
  int64_t heads;
  int64_t dim;
  int64_t state_size;
  float dt_min = 0.0f;
  float dt_max = std::numeric_limits<float>::infinity();
};

Prepare prepare_scan(const ScanShape& s) {
  return [=](Device& device) {
    const SharedArray a = share(device, decays(s.heads, 314));
    const SharedArray dt_bias = share(device, Numbers(315).floats(s.heads, 2.0f));
    const SharedArray d = share(device, Numbers(316).floats(s.heads, 1.0f));
    const int64_t width = s.groups * s.state_size;
    return RecurrentOperation{
        .input_widths = {s.heads * s.dim, width, width, s.heads},
        .out_width = s.heads * s.dim,
        .state_size = s.heads * s.dim * s.state_size,
        .run = [=](Backend& backend, TensorView out, std::span<const ConstTensorView> inputs,
                   TensorView states, const StateBatch& batch) {
          backend.mamba2_scan(
              out.split_columns(s.dim), inputs[0].split_columns(s.dim),
              inputs[1].split_columns(s.state_size), inputs[2].split_columns(s.state_size),
              inputs[3],
              {states.data(), DType::kF32, {states.dim(0), s.heads, s.dim, s.state_size}}, batch,
              {.a = a->view({s.heads}),
               .dt_bias = dt_bias->view({s.heads}),
               .d = d->view({s.heads}),
               .dt_min = s.dt_min,
               .dt_max = s.dt_max});
        }};
  };
}

}  // namespace

void add_recurrent_cases(std::vector<Case>& cases) {
  for (const auto& [C, K] : {std::pair{1, 2}, {67, 3}, {131, 4}, {256, 4}, {19, 7}}) {
    const std::string shape = "C=" + std::to_string(C) + " K=" + std::to_string(K);
    add_checks(cases, "causal_conv", shape, prepare_conv(C, K, K != 3, K != 7));
  }
  for (const DeltaShape& s : {DeltaShape{1, 1, 1, 1, false}, DeltaShape{2, 4, 19, 37, false},
                              DeltaShape{2, 6, 33, 13, true}, DeltaShape{1, 2, 128, 128, false}}) {
    const std::string shape = "Hk=" + std::to_string(s.key_heads) +
                              " Hv=" + std::to_string(s.heads) +
                              " Dk=" + std::to_string(s.key_dim) +
                              " Dv=" + std::to_string(s.value_dim) + (s.tiled ? " tiled" : "");
    add_checks(cases, "gated_delta", shape, prepare_delta(s));
  }
  for (const ScanShape& s : {ScanShape{1, 1, 1, 1}, ScanShape{2, 4, 19, 37},
                             ScanShape{1, 3, 13, 150, 0.5f, 1.5f}, ScanShape{1, 2, 64, 128}}) {
    const std::string shape = "G=" + std::to_string(s.groups) + " H=" + std::to_string(s.heads) +
                              " P=" + std::to_string(s.dim) + " N=" + std::to_string(s.state_size);
    add_checks(cases, "mamba2_scan", shape, prepare_scan(s));
  }
}

}  // namespace quire::test
