// GEMM with quantised activations: int8 for quantised weights, bf16 for 16-bit ones.

#include <algorithm>

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/linear_run.h"
#include "kernels/cpu/scratch_sizes.h"

namespace quire::cpu {
namespace {

/// The fewest rows of a task where there are too few panels.
constexpr int64_t kLeastTaskRows = 48;
/// Activations of a task that stay in the L2 cache while they are multiplied by several panels.
constexpr int64_t kSlabBytes = 384 << 10;

constexpr int64_t kInt8ChunkBytes = sizeof(Int8Chunk);
constexpr int64_t kBf16ChunkBytes = kChunkInputs * sizeof(uint16_t);

/// Some rows of a run times panels of a segment.
struct QuantizedGemm {
  static constexpr int64_t kMostRows = 512;  ///< Limits the pointers on the stack.

  const LinearRun& run;
  const LinearSegment& segment;
  int64_t first_row;
  int64_t num_rows;  ///< At most kMostRows.

  /// Inputs that are multiplied by all panels before the next ones, so that they stay cached.
  int64_t slab_inputs(int64_t panels) const {
    if (panels == 1 || num_rows < kLeastSlabRows) return run.weight->num_inputs();
    const int64_t bytes = is_quantized(segment.format.dtype) ? kInt8ChunkBytes : kBf16ChunkBytes;
    const int64_t chunks = ceil_div(run.weight->num_inputs(), kChunkInputs);
    const int64_t slabs = ceil_div(num_rows * chunks * bytes, kSlabBytes);
    return ceil_div(chunks, slabs) * kChunkInputs;
  }

  void multiply(const CpuKernels& kernels, int64_t panel, InputRange inputs) const {
    const int64_t column = panel * kPanelColumns;
    const int64_t output = segment.first_output + column;
    const char* const weights =
        static_cast<const char*>(run.weight->panels(segment)) + panel * segment.panel_bytes;
    const auto columns =
        static_cast<int>(std::min<int64_t>(kPanelColumns, segment.num_outputs - column));
    const bool is_last = inputs.end == run.weight->num_inputs();
    const float* const bias = is_last && run.bias != nullptr ? run.bias + output : nullptr;
    float* out[kMostRows];
    for (int64_t i = 0; i < num_rows; ++i) out[i] = run.out_rows[first_row + i] + output;
    if (is_quantized(segment.format.dtype)) {
      kernels.linear_int8({.x = run.x_int8 + first_row,
                           .x_chunk_stride = run.quantized_chunk_stride,
                           .out = out,
                           .num_rows = num_rows,
                           .panel = weights,
                           .dtype = segment.format.dtype,
                           .chunk_bytes = segment.chunk_bytes,
                           .inputs = inputs,
                           .num_columns = columns,
                           .bias = bias});
    } else {
      kernels.linear_bf16({.x = run.x_bf16 + first_row,
                           .x_chunk_stride = run.quantized_chunk_stride * kChunkInputs,
                           .out = out,
                           .num_rows = num_rows,
                           .panel = reinterpret_cast<const uint32_t*>(weights),
                           .inputs = inputs,
                           .num_columns = columns,
                           .bias = bias});
    }
  }
};

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
  CHECK(task.run->quantized_chunk_stride > 0);
  const int64_t num_inputs = task.run->weight->num_inputs();
  const int64_t parts = ceil_div(task.num_rows, QuantizedGemm::kMostRows);
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t begin = task.num_rows * part / parts;
    const int64_t end = task.num_rows * (part + 1) / parts;
    const QuantizedGemm product = {*task.run, s, task.first_row + begin, end - begin};
    const int64_t slab = product.slab_inputs(count);
    for (int64_t k = 0; k < num_inputs; k += slab) {
      for (int64_t panel = first; panel < first + count; ++panel) {
        product.multiply(kernels, panel, {k, std::min(num_inputs, k + slab)});
      }
    }
  }
}

QuantizedActivations<Int8Chunk> CpuBackend::quantize_activations(std::span<const float* const> rows,
                                                                 int64_t num_inputs) {
  const auto num_rows = static_cast<int64_t>(rows.size());
  const int64_t stride = chunk_stride(num_rows);
  auto* const chunks =
      scratch<Int8Chunk>(m_int8_chunks, int8_activation_bytes(num_rows, num_inputs));
  m_int8_rows.resize(rows.size());
  for (int64_t row = 0; row < num_rows; ++row) m_int8_rows[static_cast<size_t>(row)] = chunks + row;
  m_pool.parallel_for(ceil_div(num_rows, kRowsPerCopyTask), [&](int64_t task, int) {
    const int64_t end = std::min((task + 1) * kRowsPerCopyTask, num_rows);
    for (int64_t row = task * kRowsPerCopyTask; row < end; ++row) {
      m_kernels.quantize_row(chunks + row, stride, rows[static_cast<size_t>(row)], num_inputs);
    }
  });
  return {m_int8_rows.data(), stride};
}

QuantizedActivations<uint16_t> CpuBackend::convert_to_bf16(std::span<const float* const> rows,
                                                           int64_t num_inputs) {
  const auto num_rows = static_cast<int64_t>(rows.size());
  const int64_t stride = chunk_stride(num_rows);
  auto* const chunks =
      scratch<uint16_t>(m_bf16_chunks, bf16_activation_bytes(num_rows, num_inputs));
  m_bf16_rows.resize(rows.size());
  for (int64_t row = 0; row < num_rows; ++row) {
    m_bf16_rows[static_cast<size_t>(row)] = chunks + row * kChunkInputs;
  }
  m_pool.parallel_for(ceil_div(num_rows, kRowsPerCopyTask), [&](int64_t task, int) {
    const int64_t end = std::min((task + 1) * kRowsPerCopyTask, num_rows);
    for (int64_t row = task * kRowsPerCopyTask; row < end; ++row) {
      uint16_t* to = chunks + row * kChunkInputs;
      for (int64_t k = 0; k < num_inputs; k += kChunkInputs, to += stride * kChunkInputs) {
        const int64_t length = std::min<int64_t>(kChunkInputs, num_inputs - k);
        m_kernels.narrow_row(to, DType::kBF16, rows[static_cast<size_t>(row)] + k, length);
        std::fill(to + length, to + kChunkInputs, uint16_t{0});
      }
    }
  });
  return {m_bf16_rows.data(), stride};
}

}  // namespace quire::cpu
