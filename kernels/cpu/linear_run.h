#pragma once

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/packed_linear.h"

namespace quire::cpu {

/// Some rows times one weight, by LinearRows or LinearBlock; the bits are the same.
struct LinearRun {
  const PackedLinear* weight;
  const float* bias;  ///< (N), or null.
  int64_t num_rows;
  float* out;  ///< (num_rows, N)
  int64_t out_stride;
  const float* x;  ///< As LinearRows; if is_blocked, x_stride is kChunkInputs.
  int64_t x_stride;
  int64_t x_chunk_stride = kChunkInputs;
  bool is_blocked = false;
  /// If inputs are rounded, for the quantised parts of the weight, as LinearInt8, and those in f16
  /// or bf16, as LinearBf16.
  const Int8Chunk* const* x_int8 = nullptr;
  const uint16_t* const* x_bf16 = nullptr;
  int64_t x_chunks_apart = 0;  ///< Rounded chunks from one of a row to its next (RoundedInputs).
  float* const* out_rows = nullptr;  ///< By row, its output 0.

  void take(const RoundedInputs<Int8Chunk>& inputs) {
    x_int8 = inputs.rows;
    x_chunks_apart = inputs.chunks_apart;
  }
  void take(const RoundedInputs<uint16_t>& inputs) {
    x_bf16 = inputs.rows;
    x_chunks_apart = inputs.chunks_apart;
  }

  /// Whether inputs are rounded for that part of the weight.
  bool rounds_for(DType dtype) const {
    if (is_quantized(dtype)) return x_int8 != nullptr;
    return x_bf16 != nullptr && (dtype == DType::kF16 || dtype == DType::kBF16);
  }
  /// For all of it.
  bool is_rounded() const {
    return (x_int8 != nullptr || !weight->has_quantized()) &&
           (x_bf16 != nullptr || !weight->has_halves()) && !weight->has_f32();
  }
};

/// Some panels of a run's weight for some of its rows.
struct LinearTask {
  const LinearRun* run;
  int64_t first_panel;
  int64_t num_panels;
  int64_t first_row;
  int64_t num_rows;
};

/// How a run is cut into tasks: blocks of rows, and the panels that a task takes.
struct TaskShape {
  int64_t row_blocks;
  int64_t panels;
};

/// Tasks a thread, so that threads end together.
inline constexpr int64_t kTasksOfThread = 6;
/// Panels that pass by the inputs of a task, at most.
inline constexpr int64_t kMostTaskPanels = 8;
/// Rows that one task of rounding or copying inputs takes.
inline constexpr int64_t kRegroupRows = 16;

inline int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

TaskShape shape_of_rounded_tasks(const CpuKernels& kernels, const LinearRun& run, int num_threads);

/// Panels [first, first + count) of a segment for a task's rows, whose inputs are rounded.
void run_rounded(const CpuKernels& kernels, const LinearTask& task, const LinearSegment& s,
                 int64_t first, int64_t count);

inline int64_t max_direct_rows(const CpuKernels& kernels, const PackedLinear& weight) {
  return weight.has_quantized() ? kernels.max_direct_rows_quantized : kernels.max_direct_rows;
}

/// The run's rows are the first of total_rows that x_chunks (CpuBackend::regroup_inputs) points at.
inline void take_regrouped(LinearRun& run, const CpuKernels& kernels, const float* x_chunks,
                           int64_t total_rows) {
  run.x = x_chunks;
  run.x_stride = kChunkInputs;
  run.x_chunk_stride = total_rows * kChunkInputs;
  run.is_blocked = run.num_rows > max_direct_rows(kernels, *run.weight);
}

}  // namespace quire::cpu
