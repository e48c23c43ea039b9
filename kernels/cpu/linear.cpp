#include <algorithm>
#include <cstring>

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/cpu_checks.h"
#include "kernels/cpu/cpu_memory.h"

namespace quire::cpu {
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
  const LinearRows args = {.x = x.as<float>(),
                           .x_stride = x.row_stride(),
                           .num_rows = num_rows,
                           .panel = packed->panels(),
                           .dtype = packed->dtype(),
                           .num_inputs = packed->num_inputs(),
                           .out = out.as<float>(),
                           .out_stride = out.row_stride(),
                           .num_columns = 0,
                           .bias = bias.empty() ? nullptr : bias.as<float>()};
  if (num_rows <= m_kernels.max_direct_rows) {
    linear_direct(args, num_outputs);
  } else {
    linear_blocked(args, num_outputs);
  }
}

/// A task is one panel for all rows: the weights are read from memory once.
void CpuBackend::linear_direct(LinearRows args, int64_t num_outputs) {
  const int64_t panel_bytes = args.num_inputs * kPanelColumns * dtype_bytes(args.dtype);
  const int64_t num_panels = ceil_div(num_outputs, kPanelColumns);
  const bool parallel = args.num_rows * num_outputs * args.num_inputs >= kMinParallelProducts;
  const int64_t panels_per_task = parallel ? 1 : num_panels;
  m_pool.parallel_for(ceil_div(num_panels, panels_per_task), [&](int64_t task, int) {
    const int64_t end = std::min((task + 1) * panels_per_task, num_panels);
    for (int64_t p = task * panels_per_task; p < end; ++p) {
      const int64_t column = p * kPanelColumns;
      LinearRows panel = args;
      panel.panel = static_cast<const char*>(args.panel) + p * panel_bytes;
      panel.out = args.out + column;
      panel.num_columns = static_cast<int>(std::min<int64_t>(kPanelColumns, num_outputs - column));
      panel.bias = args.bias == nullptr ? nullptr : args.bias + column;
      m_kernels.linear_rows(panel);
    }
  });
}

/// x is regrouped by chunks of inputs, so that the rows of a tile lie together; a task is a block
/// of rows times some panels.
void CpuBackend::linear_blocked(const LinearRows& args, int64_t num_outputs) {
  const int64_t num_chunks = ceil_div(args.num_inputs, kChunkInputs);
  const auto bytes = static_cast<size_t>(num_chunks * args.num_rows * kChunkInputs) * sizeof(float);
  if (m_x_chunks == nullptr || m_x_chunks->size_bytes() < bytes) {
    Result<std::unique_ptr<DeviceBuffer>> buffer = allocate_buffer(bytes);
    // Slower, but it needs no memory and gives the same bits.
    if (!buffer) return linear_direct(args, num_outputs);
    m_x_chunks = std::move(*buffer);
  }
  float* const x_chunks = static_cast<float*>(m_x_chunks->data());
  m_pool.parallel_for(ceil_div(args.num_rows, 16), [&](int64_t task, int) {
    const int64_t end = std::min(task * 16 + 16, args.num_rows);
    for (int64_t row = task * 16; row < end; ++row) {
      for (int64_t c = 0; c < num_chunks; ++c) {
        const int64_t k = c * kChunkInputs;
        const int64_t length = std::min<int64_t>(kChunkInputs, args.num_inputs - k);
        std::memcpy(x_chunks + (c * args.num_rows + row) * kChunkInputs,
                    args.x + row * args.x_stride + k, static_cast<size_t>(length) * sizeof(float));
      }
    }
  });

  const int64_t num_panels = ceil_div(num_outputs, kPanelColumns);
  const int64_t num_row_blocks = ceil_div(args.num_rows, kBlockRows);
  // Several tasks a thread, to even out; several panels a task, so that x comes from far rarely.
  const int64_t panels_per_task =
      std::clamp<int64_t>(num_panels * num_row_blocks / (m_pool.num_threads() * int64_t{6}), 1, 8);
  const int64_t num_tasks = ceil_div(num_panels, panels_per_task) * num_row_blocks;
  m_pool.parallel_for(num_tasks, [&](int64_t task, int) {
    const int64_t row_block = task % num_row_blocks;
    const int64_t first_panel = task / num_row_blocks * panels_per_task;
    const int64_t first_row = args.num_rows * row_block / num_row_blocks;
    const int64_t end_row = args.num_rows * (row_block + 1) / num_row_blocks;
    m_kernels.linear_block({.x_chunks = x_chunks,
                            .total_rows = args.num_rows,
                            .first_row = first_row,
                            .num_rows = end_row - first_row,
                            .panels = args.panel,
                            .dtype = args.dtype,
                            .num_inputs = args.num_inputs,
                            .num_outputs = num_outputs,
                            .first_panel = first_panel,
                            .num_panels = std::min(panels_per_task, num_panels - first_panel),
                            .out = args.out,
                            .out_stride = args.out_stride,
                            .bias = args.bias});
  });
}

}  // namespace quire::cpu
