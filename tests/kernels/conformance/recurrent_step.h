#pragma once

#include "tests/kernels/conformance/conformance.h"

namespace quire::test {

struct StateSegment {
  int64_t num_rows;
  int32_t out;
};

/// A sequence of a step: its rows are consecutive.
struct StateSequence {
  int32_t in;
  std::vector<StateSegment> segments;

  int64_t num_rows() const;
};

/// The tensors of a StateBatch of these sequences.
class StateBatchArrays {
 public:
  StateBatchArrays(Device& device, std::span<const StateSequence> sequences);
  StateBatch view() const;
  /// Other sequences; the same number of sequences, segments and rows.
  void assign(std::span<const StateSequence> sequences);

 private:
  StateBatchArrays(Device& device, const std::vector<std::vector<int32_t>>& contents);

  DeviceArray<int32_t> m_query_start;
  DeviceArray<int32_t> m_segment_start;
  DeviceArray<int32_t> m_row_end;
  DeviceArray<int32_t> m_out;
  DeviceArray<int32_t> m_in;
};

/// An operation of a recurrent layer on a device that has its weights.
struct RecurrentOperation {
  std::vector<int64_t> input_widths;  ///< Columns of the inputs (T, width).
  int64_t out_width;
  int64_t state_size;  ///< Floats of a slot.
  /// Inputs have any row stride; states: (slots, state_size).
  std::function<void(Backend&, TensorView out, std::span<const ConstTensorView> inputs,
                     TensorView states, const StateBatch& batch)>
      run;
};

/// The input rows of a case.
struct RecurrentInputs {
  int64_t num_rows;
  std::vector<std::vector<float>> matrices;  ///< By input, (num_rows, width).

  /// The rows of an input, with margins between them.
  std::vector<float> widened(size_t input, int64_t width, std::span<const int64_t> rows) const;
};

struct RecurrentResult {
  std::vector<float> out;     ///< (rows, out_width)
  std::vector<float> states;  ///< (slots, state_size)
};

/// Runs the operation on these of the input rows. states: of all slots.
RecurrentResult run_step(Device& device, const RecurrentOperation& operation,
                         const RecurrentInputs& inputs, std::span<const int64_t> rows,
                         const std::vector<float>& states,
                         std::span<const StateSequence> sequences);

/// The same twice as one CUDA graph, where the backend has them: captured with `before`, launched
/// with `sequences`. Both have the same shapes; rows: of both.
RecurrentResult run_graph(Device& device, const RecurrentOperation& operation,
                          const RecurrentInputs& inputs, std::span<const int64_t> rows,
                          const std::vector<float>& states, std::span<const StateSequence> before,
                          std::span<const StateSequence> sequences);

}  // namespace quire::test
