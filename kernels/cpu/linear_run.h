#pragma once

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/packed_linear.h"
#include "kernels/cpu/scratch_sizes.h"

namespace quire::cpu {

/// Some rows times one weight.
struct LinearRun {
  const PackedLinear* weight;
  const float* bias;  ///< (N), or null.
  int64_t num_rows;
  float* const* out;         ///< Output 0 of each row.
  const float* x = nullptr;  ///< As in LinearRows; if is_blocked, x_stride is kChunkInputs.
  int64_t x_stride = 0;
  int64_t x_chunk_stride = kChunkInputs;
  bool is_blocked = false;  ///< By LinearBlock, otherwise LinearRows.
  // Null unless the quantised parts of the weight use LinearInt8, or the 16-bit parts LinearBf16.
  const Int8Chunk* const* x_int8 = nullptr;
  const uint16_t* const* x_bf16 = nullptr;
  int64_t quantized_chunk_stride = 0;  ///< In chunks, between consecutive chunks of a row.

  /// The bias that kernels add: outputs that are scaled get it afterwards.
  const float* early_bias() const { return weight->output_scales() == nullptr ? bias : nullptr; }
  /// Whether parts of that dtype use quantised activations.
  bool quantizes_for(DType dtype) const {
    if (is_quantized(dtype)) return has_integer_codes(dtype) && x_int8 != nullptr;
    return x_bf16 != nullptr && (dtype == DType::kF16 || dtype == DType::kBF16);
  }
  /// Whether all parts use quantised activations.
  bool uses_quantized_activations() const {
    return (x_int8 != nullptr || !weight->has_quantized()) &&
           (x_bf16 != nullptr || !weight->has_halves()) && !weight->has_f32() &&
           !weight->has_float_blocks();
  }
};

/// One panel of a segment.
struct Panel {
  Panel(const LinearRun& run, const LinearSegment& s, int64_t index)
      : data(static_cast<const char*>(run.weight->panels(s)) + index * s.panel_bytes),
        first_output(s.first_output + index * kPanelColumns),
        num_columns(static_cast<int>(
            std::min<int64_t>(kPanelColumns, s.num_outputs - index * kPanelColumns))),
        bias(run.early_bias() == nullptr ? nullptr : run.bias + first_output) {}

  const char* data;
  int64_t first_output;  ///< Of the weight.
  int num_columns;
  const float* bias;  ///< (num_columns), or null.
};

/// Some panels of a run's weight for some of its rows.
struct LinearTask {
  const LinearRun* run;
  const LinearTunings* tunings;
  int64_t first_panel;
  int64_t num_panels;
  int64_t first_row;
  int64_t num_rows;

  const LinearTuning& tuning(DType dtype) const { return (*tunings)[static_cast<size_t>(dtype)]; }
};

/// How a run is split into tasks: the number of blocks of rows, and the panels of a task.
struct TaskShape {
  int64_t row_blocks;
  int64_t panels;
};

/// Tasks for each thread, to balance the load.
inline constexpr int64_t kTasksPerLinearThread = 6;
inline constexpr int64_t kMostTaskPanels = 8;

TaskShape quantized_task_shape(const CpuKernels& kernels, const LinearRun& run, int num_threads);

/// Panels [first, first + count) of a segment for a task's rows, with quantised activations.
void run_quantized(const CpuKernels& kernels, const LinearTask& task, const LinearSegment& s,
                   int64_t first, int64_t count);

/// Whether a run with f32 activations uses LinearBlock.
inline bool needs_blocks(const CpuKernels& kernels, const PackedLinear& weight, int64_t num_rows) {
  if (kernels.linear_block == nullptr) return false;
  if (weight.has_float_blocks() && num_rows > kDirectBlockRows) return true;
  return weight.has_quantized() || num_rows > kernels.max_direct_rows;
}

/// Sets the run's activations to the first run.num_rows of the total_rows at x_chunks
/// (CpuBackend::pack_activations).
inline void use_packed_activations(LinearRun& run, const CpuKernels& kernels, const float* x_chunks,
                                   int64_t total_rows) {
  run.x = x_chunks;
  run.x_stride = kChunkInputs;
  run.x_chunk_stride = total_rows * kChunkInputs;
  run.is_blocked = needs_blocks(kernels, *run.weight, run.num_rows);
}

}  // namespace quire::cpu
