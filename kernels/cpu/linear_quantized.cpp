// GEMM with quantised activations: int8 for quantised weights, bf16 for 16-bit ones.

#include <algorithm>

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/linear_run.h"

namespace quire::cpu {
namespace {

/// The fewest rows of a task where there are too few panels.
constexpr int64_t kLeastTaskRows = 48;
/// Activations of a task that stay in the L2 cache while they are multiplied by several panels.
constexpr int64_t kSlabBytes = 384 << 10;

constexpr int64_t kInt8ChunkBytes = sizeof(Int8Chunk);
constexpr int64_t kBf16ChunkBytes = kChunkInputs * sizeof(uint16_t);

/// Inputs that are multiplied by all panels of a task before the next ones, so that they stay
/// cached.
int64_t slab_inputs(const LinearTask& task, const LinearSegment& s, int64_t num_panels) {
  const int64_t num_inputs = task.run->weight->num_inputs();
  if (num_panels == 1 || task.num_rows < kLeastSlabRows) return num_inputs;
  const int64_t bytes = is_quantized(s.format.dtype) ? kInt8ChunkBytes : kBf16ChunkBytes;
  const int64_t chunks = ceil_div(num_inputs, kChunkInputs);
  const int64_t slabs = ceil_div(task.num_rows * chunks * bytes, kSlabBytes);
  return ceil_div(chunks, slabs) * kChunkInputs;
}

void multiply_panel(const CpuKernels& kernels, const LinearTask& task, const LinearSegment& s,
                    const Panel& panel, InputRange inputs) {
  const LinearRun& run = *task.run;
  const float* const bias = inputs.end == run.weight->num_inputs() ? panel.bias : nullptr;
  if (is_quantized(s.format.dtype)) {
    kernels.linear_int8({.x = run.x_int8 + task.first_row,
                         .x_chunk_stride = run.quantized_chunk_stride,
                         .out = run.out + task.first_row,
                         .first_output = panel.first_output,
                         .num_rows = task.num_rows,
                         .panel = panel.data,
                         .dtype = s.format.dtype,
                         .chunk_bytes = s.chunk_bytes,
                         .inputs = inputs,
                         .num_columns = panel.num_columns,
                         .bias = bias,
                         .tuning = task.tuning(s.format.dtype)});
  } else {
    kernels.linear_bf16({.x = run.x_bf16 + task.first_row,
                         .x_chunk_stride = run.quantized_chunk_stride * kChunkInputs,
                         .out = run.out + task.first_row,
                         .first_output = panel.first_output,
                         .num_rows = task.num_rows,
                         .panel = reinterpret_cast<const uint32_t*>(panel.data),
                         .inputs = inputs,
                         .num_columns = panel.num_columns,
                         .bias = bias,
                         .tuning = task.tuning(s.format.dtype)});
  }
}

}  // namespace

/// While the activations fit the L2 cache, a task is one panel, so that weights are read from
/// memory once; few panels are split by rows. Otherwise several panels are multiplied by a block of
/// rows whose sums fit the L2 cache, too; blocks are smaller if threads would be idle.
TaskShape quantized_task_shape(const CpuKernels& kernels, const LinearRun& run, int num_threads) {
  const int64_t num_panels = run.weight->num_panels();
  const int64_t chunks = ceil_div(run.weight->num_inputs(), kChunkInputs);
  const int64_t bytes =
      run.num_rows * chunks * (run.x_int8 != nullptr ? kInt8ChunkBytes : kBf16ChunkBytes);
  if (bytes <= kSlabBytes || run.num_rows < kLeastSlabRows) {
    return {.row_blocks = std::min(ceil_div(run.num_rows, kLeastTaskRows),
                                   ceil_div(num_threads * int64_t{4}, num_panels)),
            .panels = 1};
  }
  const int64_t tasks = num_threads * kTasksPerLinearThread;
  const int64_t wanted = std::min(ceil_div(tasks, num_panels), run.num_rows / kBlockRows);
  const int64_t row_blocks = std::max(wanted, ceil_div(run.num_rows, kernels.block_rows));
  return {.row_blocks = row_blocks,
          .panels = std::clamp<int64_t>(num_panels * row_blocks / tasks, 1, kMostTaskPanels)};
}

void run_quantized(const CpuKernels& kernels, const LinearTask& task, const LinearSegment& s,
                   int64_t first, int64_t count) {
  const int64_t num_inputs = task.run->weight->num_inputs();
  const int64_t slab = slab_inputs(task, s, count);
  for (int64_t k = 0; k < num_inputs; k += slab) {
    for (int64_t panel = first; panel < first + count; ++panel) {
      multiply_panel(kernels, task, s, Panel(*task.run, s, panel),
                     {k, std::min(num_inputs, k + slab)});
    }
  }
}

const float* CpuBackend::in_order(const float* row, const int32_t* order, int64_t num_inputs,
                                  int thread) {
  if (order == nullptr) return row;
  float* const sorted = thread_scratch(thread, static_cast<size_t>(num_inputs));
  for (int64_t k = 0; k < num_inputs; ++k) sorted[k] = row[order[k]];
  return sorted;
}

std::vector<const Int8Chunk*> CpuBackend::quantize_activations(std::span<const float* const> rows,
                                                               int64_t num_inputs,
                                                               const int32_t* order) {
  const auto num_rows = static_cast<int64_t>(rows.size());
  auto* const chunks =
      scratch<Int8Chunk>(m_int8_chunks, int8_activation_bytes(num_rows, num_inputs));
  std::vector<const Int8Chunk*> first_chunks(rows.size());
  for_each_row(num_rows, num_inputs, [&](int64_t row, int thread) {
    first_chunks[static_cast<size_t>(row)] = chunks + row;
    m_kernels.quantize_row(chunks + row, chunk_stride(num_rows),
                           in_order(rows[static_cast<size_t>(row)], order, num_inputs, thread),
                           num_inputs);
  });
  return first_chunks;
}

std::vector<const uint16_t*> CpuBackend::convert_to_bf16(std::span<const float* const> rows,
                                                         int64_t num_inputs, const int32_t* order) {
  const auto num_rows = static_cast<int64_t>(rows.size());
  auto* const chunks =
      scratch<uint16_t>(m_bf16_chunks, bf16_activation_bytes(num_rows, num_inputs));
  std::vector<const uint16_t*> first_chunks(rows.size());
  for_each_row(num_rows, num_inputs, [&](int64_t row, int thread) {
    const float* const x = in_order(rows[static_cast<size_t>(row)], order, num_inputs, thread);
    uint16_t* to = chunks + row * kChunkInputs;
    first_chunks[static_cast<size_t>(row)] = to;
    for (int64_t k = 0; k < num_inputs; k += kChunkInputs) {
      const int64_t length = std::min<int64_t>(kChunkInputs, num_inputs - k);
      m_kernels.narrow_row(to, DType::kBF16, x + k, length);
      std::fill(to + length, to + kChunkInputs, uint16_t{0});
      to += chunk_stride(num_rows) * kChunkInputs;
    }
  });
  return first_chunks;
}

}  // namespace quire::cpu
