#include <algorithm>
#include <cstring>

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/cpu_checks.h"
#include "kernels/cpu/cpu_memory.h"
#include "kernels/cpu/packed_linear.h"

namespace quire::cpu {

/// The rows of one call of linear.
struct LinearCall {
  const float* x;  ///< (num_rows, K)
  int64_t x_stride;
  int64_t num_rows;
  float* out;  ///< (num_rows, N)
  int64_t out_stride;
  const float* bias;  ///< (N), or null.

  float* out_at(int64_t output) const { return out + output; }
  const float* bias_at(int64_t output) const { return bias == nullptr ? nullptr : bias + output; }
};

namespace {

/// Multiply-adds below which a product costs less than waking the other threads.
constexpr int64_t kMinParallelProducts = 65536;
/// Rows of x whose chunk stays in the second-level cache while panels pass by (256 KB).
constexpr int64_t kBlockRows = 256;

int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

}  // namespace

void CpuBackend::linear(TensorView out, ConstTensorView x, const LinearWeight& weight,
                        ConstTensorView bias) {
  const auto* const packed = dynamic_cast<const PackedLinear*>(&weight);
  CHECK(packed != nullptr && out.rank() == 2);
  const int64_t num_rows = out.dim(0);
  const int64_t num_outputs = packed->num_outputs();
  CHECK(has_shape(out, DType::kF32, {num_rows, num_outputs}));
  CHECK(has_shape(x, DType::kF32, {num_rows, packed->num_inputs()}));
  CHECK(bias.empty() || has_shape(bias, DType::kF32, {num_outputs}));
  if (num_rows == 0) return;
  const LinearCall call = {.x = x.as<float>(),
                           .x_stride = x.row_stride(),
                           .num_rows = num_rows,
                           .out = out.as<float>(),
                           .out_stride = out.row_stride(),
                           .bias = bias.empty() ? nullptr : bias.as<float>()};
  const int64_t max_direct_rows =
      packed->has_quantized() ? m_kernels.max_direct_rows_quantized : m_kernels.max_direct_rows;
  if (num_rows <= max_direct_rows) {
    linear_direct(call, *packed);
  } else {
    linear_blocked(call, *packed);
  }
}

/// A task is one panel for all rows: the weights are read from memory once.
void CpuBackend::linear_direct(const LinearCall& call, const PackedLinear& weight) {
  const int64_t num_inputs = weight.num_inputs();
  const auto run_panel = [&](const LinearSegment& s, int64_t panel) {
    const int64_t column = panel * kPanelColumns;
    const int64_t output = s.first_output + column;
    m_kernels.linear_rows(
        {.x = call.x,
         .x_stride = call.x_stride,
         .num_rows = call.num_rows,
         .panel = static_cast<const char*>(weight.panels(s)) + panel * s.panel_bytes,
         .dtype = s.dtype,
         .chunk_bytes = s.chunk_bytes,
         .num_inputs = num_inputs,
         .out = call.out_at(output),
         .out_stride = call.out_stride,
         .num_columns = static_cast<int>(std::min<int64_t>(kPanelColumns, s.num_outputs - column)),
         .bias = call.bias_at(output)});
  };
  const int64_t num_panels = weight.num_panels();
  const bool parallel = call.num_rows * weight.num_outputs() * num_inputs >= kMinParallelProducts;
  const int64_t num_tasks = parallel ? num_panels : 1;
  m_pool.parallel_for(num_tasks, [&](int64_t task, int) {
    weight.for_each_piece(num_panels * task / num_tasks, num_panels * (task + 1) / num_tasks,
                          [&](const LinearSegment& s, int64_t first, int64_t count) {
                            for (int64_t p = first; p < first + count; ++p) run_panel(s, p);
                          });
  });
}

const float* CpuBackend::regroup_inputs(const LinearCall& call, int64_t num_inputs) {
  const int64_t num_chunks = ceil_div(num_inputs, kChunkInputs);
  const auto bytes = static_cast<size_t>(num_chunks * call.num_rows * kChunkInputs) * sizeof(float);
  if (m_x_chunks == nullptr || m_x_chunks->size_bytes() < bytes) {
    Result<std::unique_ptr<DeviceBuffer>> buffer = allocate_buffer(bytes);
    if (!buffer) return nullptr;
    m_x_chunks = std::move(*buffer);
  }
  auto* const x_chunks = static_cast<float*>(m_x_chunks->data());
  m_pool.parallel_for(ceil_div(call.num_rows, 16), [&](int64_t task, int) {
    const int64_t end = std::min(task * 16 + 16, call.num_rows);
    for (int64_t row = task * 16; row < end; ++row) {
      for (int64_t c = 0; c < num_chunks; ++c) {
        const int64_t k = c * kChunkInputs;
        const int64_t length = std::min<int64_t>(kChunkInputs, num_inputs - k);
        std::memcpy(x_chunks + (c * call.num_rows + row) * kChunkInputs,
                    call.x + row * call.x_stride + k, static_cast<size_t>(length) * sizeof(float));
      }
    }
  });
  return x_chunks;
}

/// x is regrouped by chunks of inputs, so that the rows of a tile lie together; a task is a block
/// of rows times some panels.
void CpuBackend::linear_blocked(const LinearCall& call, const PackedLinear& weight) {
  const float* const x_chunks = regroup_inputs(call, weight.num_inputs());
  // Slower, but it needs no memory and gives the same bits.
  if (x_chunks == nullptr) return linear_direct(call, weight);
  const int64_t num_panels = weight.num_panels();
  const int64_t num_row_blocks = ceil_div(call.num_rows, kBlockRows);
  // Several tasks a thread, to even out; several panels a task, so that x comes from far rarely.
  const int64_t panels_per_task =
      std::clamp<int64_t>(num_panels * num_row_blocks / (m_pool.num_threads() * int64_t{6}), 1, 8);
  const int64_t num_tasks = ceil_div(num_panels, panels_per_task) * num_row_blocks;
  m_pool.parallel_for(num_tasks, [&](int64_t task, int) {
    const int64_t row_block = task % num_row_blocks;
    const int64_t begin = task / num_row_blocks * panels_per_task;
    const int64_t first_row = call.num_rows * row_block / num_row_blocks;
    const int64_t end_row = call.num_rows * (row_block + 1) / num_row_blocks;
    weight.for_each_piece(begin, std::min(begin + panels_per_task, num_panels),
                          [&](const LinearSegment& s, int64_t first, int64_t count) {
                            m_kernels.linear_block({.x_chunks = x_chunks,
                                                    .total_rows = call.num_rows,
                                                    .first_row = first_row,
                                                    .num_rows = end_row - first_row,
                                                    .panels = weight.panels(s),
                                                    .dtype = s.dtype,
                                                    .panel_bytes = s.panel_bytes,
                                                    .chunk_bytes = s.chunk_bytes,
                                                    .num_inputs = weight.num_inputs(),
                                                    .num_outputs = s.num_outputs,
                                                    .first_panel = first,
                                                    .num_panels = count,
                                                    .out = call.out_at(s.first_output),
                                                    .out_stride = call.out_stride,
                                                    .bias = call.bias_at(s.first_output)});
                          });
  });
}

}  // namespace quire::cpu
