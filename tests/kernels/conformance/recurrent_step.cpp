#include "tests/kernels/conformance/recurrent_step.h"

#include <algorithm>

namespace quire::test {
namespace {

/// Elements before and after the columns of an input's row.
constexpr int64_t kStepMargin = 3;

std::vector<std::vector<int32_t>> contents_of(std::span<const StateSequence> sequences) {
  std::vector<int32_t> query_start = {0}, segment_start = {0}, row_end, out, in;
  int32_t row = 0;
  for (const StateSequence& sequence : sequences) {
    for (const StateSegment& segment : sequence.segments) {
      row += static_cast<int32_t>(segment.num_rows);
      row_end.push_back(row);
      out.push_back(segment.out);
    }
    query_start.push_back(row);
    segment_start.push_back(static_cast<int32_t>(row_end.size()));
    in.push_back(sequence.in);
  }
  return {query_start, segment_start, row_end, out, in};
}

/// The operands of a step in a device's memory.
struct StepArrays {
  StepArrays(Device& device, const RecurrentOperation& operation, const RecurrentInputs& inputs,
             std::span<const int64_t> rows, const std::vector<float>& slots,
             std::span<const StateSequence> sequences)
      : num_rows(static_cast<int64_t>(rows.size())),
        out(device, num_rows * operation.out_width, -7.0f),
        states(device, slots),
        batch(device, sequences),
        num_slots(static_cast<int64_t>(slots.size()) / operation.state_size) {
    for (size_t i = 0; i < operation.input_widths.size(); ++i) {
      const int64_t width = operation.input_widths[i];
      matrices.emplace_back(device, inputs.widened(i, width, rows));
      views.emplace_back(
          matrices.back().view({num_rows, width + 2 * kStepMargin}).columns(kStepMargin, width));
    }
  }
  StepArrays(const StepArrays&) = delete;
  StepArrays& operator=(const StepArrays&) = delete;

  void run(Device& device, const RecurrentOperation& operation) {
    operation.run(device.backend, out.view({num_rows, operation.out_width}), views,
                  states.view({num_slots, operation.state_size}), batch.view());
  }
  RecurrentResult result() const { return {out.download(), states.download()}; }

  int64_t num_rows;
  DeviceArray<float> out;
  DeviceArray<float> states;
  StateBatchArrays batch;
  int64_t num_slots;
  std::vector<DeviceArray<float>> matrices;
  std::vector<ConstTensorView> views;
};

}  // namespace

int64_t StateSequence::num_rows() const {
  int64_t sum = 0;
  for (const StateSegment& segment : segments) sum += segment.num_rows;
  return sum;
}

StateBatchArrays::StateBatchArrays(Device& device, std::span<const StateSequence> sequences)
    : StateBatchArrays(device, contents_of(sequences)) {}

StateBatchArrays::StateBatchArrays(Device& device,
                                   const std::vector<std::vector<int32_t>>& contents)
    : m_query_start(device, contents[0]),
      m_segment_start(device, contents[1]),
      m_row_end(device, contents[2]),
      m_out(device, contents[3]),
      m_in(device, contents[4]) {}

StateBatch StateBatchArrays::view() const {
  const auto whole = [](const DeviceArray<int32_t>& array) { return array.view({array.size()}); };
  return {.query_start = whole(m_query_start),
          .segment_start = whole(m_segment_start),
          .row_end = whole(m_row_end),
          .out = whole(m_out),
          .in = whole(m_in)};
}

void StateBatchArrays::assign(std::span<const StateSequence> sequences) {
  std::vector<std::vector<int32_t>> contents = contents_of(sequences);
  m_query_start.assign(std::move(contents[0]));
  m_segment_start.assign(std::move(contents[1]));
  m_row_end.assign(std::move(contents[2]));
  m_out.assign(std::move(contents[3]));
  m_in.assign(std::move(contents[4]));
}

std::vector<float> RecurrentInputs::widened(size_t input, int64_t width,
                                            std::span<const int64_t> rows) const {
  std::vector<float> wide;
  for (int64_t row : rows) {
    wide.insert(wide.end(), kStepMargin, 1e30f);
    const auto from = matrices[input].begin() + row * width;
    wide.insert(wide.end(), from, from + width);
    wide.insert(wide.end(), kStepMargin, 1e30f);
  }
  return wide;
}

RecurrentResult run_step(Device& device, const RecurrentOperation& operation,
                         const RecurrentInputs& inputs, std::span<const int64_t> rows,
                         const std::vector<float>& states,
                         std::span<const StateSequence> sequences) {
  StepArrays arrays(device, operation, inputs, rows, states, sequences);
  arrays.run(device, operation);
  return arrays.result();
}

RecurrentResult run_graph(Device& device, const RecurrentOperation& operation,
                          const RecurrentInputs& inputs, std::span<const int64_t> rows,
                          const std::vector<float>& states, std::span<const StateSequence> before,
                          std::span<const StateSequence> sequences) {
  StepArrays arrays(device, operation, inputs, rows, states, before);
  static uint64_t next_key = 0x7265637572;
  const uint64_t key = ++next_key;
  // The first time it runs, the second it is captured.
  for (int i = 0; i < 2; ++i) {
    device.backend.launch_graph(key, [&] { arrays.run(device, operation); });
  }
  arrays.batch.assign(sequences);
  arrays.states.assign(states);
  device.backend.launch_graph(key, [&] { arrays.run(device, operation); });
  return arrays.result();
}

}  // namespace quire::test
