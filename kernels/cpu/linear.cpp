// linear, and run_linear, which linear_experts uses too.

#include <algorithm>
#include <cstring>

#include "kernels/base/shape_checks.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/linear_run.h"

namespace quire::cpu {
namespace {

/// Below this many multiply-adds a GEMM costs less than waking the other threads.
constexpr int64_t kMinParallelMultiplyAdds = 65536;
/// Rows whose f32 chunks (256 KB) stay in the L2 cache while they are multiplied by several panels.
constexpr int64_t kFloatBlockRows = 256;

/// Direct: a task is one panel for all rows, so that weights are read from memory once. Blocked: a
/// block of rows times several panels, so that x is read rarely; several tasks for each thread, to
/// balance the load.
TaskShape task_shape(const CpuKernels& kernels, const LinearRun& run, int num_threads) {
  if (run.uses_quantized_activations()) return quantized_task_shape(kernels, run, num_threads);
  if (!run.is_blocked) return {.row_blocks = 1, .panels = 1};
  const int64_t row_blocks = ceil_div(run.num_rows, kFloatBlockRows);
  const int64_t even =
      run.weight->num_panels() * row_blocks / (num_threads * kTasksPerLinearThread);
  return {.row_blocks = row_blocks, .panels = std::clamp<int64_t>(even, 1, kMostTaskPanels)};
}

void split_into_tasks(const CpuKernels& kernels, const LinearTunings& tunings, const LinearRun& run,
                      int num_threads, std::vector<LinearTask>& tasks) {
  const int64_t num_panels = run.weight->num_panels();
  const auto [row_blocks, panels] = task_shape(kernels, run, num_threads);
  for (int64_t panel = 0; panel < num_panels; panel += panels) {
    for (int64_t block = 0; block < row_blocks; ++block) {
      const int64_t first_row = run.num_rows * block / row_blocks;
      const int64_t end_row = run.num_rows * (block + 1) / row_blocks;
      tasks.push_back({&run, &tunings, panel, std::min(panels, num_panels - panel), first_row,
                       end_row - first_row});
    }
  }
}

/// Panels [first, first + count) of a segment for a task's rows.
void run_direct(const CpuKernels& kernels, const LinearTask& task, const LinearSegment& s,
                int64_t first, int64_t count) {
  const LinearRun& run = *task.run;
  CHECK(s.format.content == PanelContent::kAsGiven);
  for (int64_t index = first; index < first + count; ++index) {
    const Panel panel(run, s, index);
    kernels.linear_rows({.x = run.x + task.first_row * run.x_stride,
                         .x_stride = run.x_stride,
                         .x_chunk_stride = run.x_chunk_stride,
                         .num_rows = task.num_rows,
                         .panel = panel.data,
                         .dtype = s.format.dtype,
                         .chunk_bytes = s.chunk_bytes,
                         .num_inputs = run.weight->num_inputs(),
                         .out = run.out + task.first_row,
                         .first_output = panel.first_output,
                         .num_columns = panel.num_columns,
                         .bias = panel.bias,
                         .tuning = task.tuning(s.format.dtype)});
  }
}

void run_block(const CpuKernels& kernels, const LinearTask& task, const LinearSegment& s,
               int64_t first, int64_t count) {
  const LinearRun& run = *task.run;
  CHECK(s.format.content == PanelContent::kAsGiven);
  kernels.linear_block({.x = run.x + task.first_row * run.x_stride,
                        .x_chunk_stride = run.x_chunk_stride,
                        .num_rows = task.num_rows,
                        .panels = run.weight->panels(s),
                        .dtype = s.format.dtype,
                        .panel_bytes = s.panel_bytes,
                        .chunk_bytes = s.chunk_bytes,
                        .num_inputs = run.weight->num_inputs(),
                        .num_outputs = s.num_outputs,
                        .first_panel = first,
                        .num_panels = count,
                        .out = run.out + task.first_row,
                        .first_output = s.first_output,
                        .bias = run.early_bias() == nullptr ? nullptr : run.bias + s.first_output});
}

/// Multiplies a task's outputs in these panels by the weight's factors, and adds the bias.
void scale_outputs(const LinearTask& task, const LinearSegment& s, int64_t first, int64_t count) {
  const LinearRun& run = *task.run;
  const float* const scales = run.weight->output_scales();
  const int64_t begin = s.first_output + first * kPanelColumns;
  const int64_t end = s.first_output + std::min(s.num_outputs, (first + count) * kPanelColumns);
  for (int64_t row = task.first_row; row < task.first_row + task.num_rows; ++row) {
    float* const out = run.out[row];
    for (int64_t n = begin; n < end; ++n) {
      out[n] *= scales[n];
      if (run.bias != nullptr) out[n] += run.bias[n];
    }
  }
}

}  // namespace

ActivationFormats CpuBackend::formats_for(std::span<const LinearWeight* const> weights,
                                          int64_t num_outputs, int64_t num_inputs) const {
  ActivationFormats formats;
  for (const LinearWeight* weight : weights) {
    const PackedLinear& packed = PackedLinear::of(*weight);
    CHECK(packed.num_outputs() == num_outputs && packed.num_inputs() == num_inputs);
    const bool to_int8 = m_quantizes_activations && packed.has_quantized();
    const bool to_bf16 = computes_in_bf16() && packed.has_halves();
    formats.int8 |= to_int8;
    formats.bf16 |= to_bf16;
    formats.f32 |= packed.has_f32() || packed.has_float_blocks() ||
                   packed.has_quantized() != to_int8 || packed.has_halves() != to_bf16;
  }
  return formats;
}

void CpuBackend::linear(TensorView out, ConstTensorView x, const LinearWeight& weight,
                        ConstTensorView bias) {
  const int64_t num_rows = out.dim(0);
  const int64_t num_outputs = out.dim(1);
  const int64_t num_inputs = x.dim(1);
  CHECK(have_shape({out}, {num_rows, num_outputs}) && have_shape({x}, {num_rows, num_inputs}));
  CHECK(bias.empty() || have_shape({bias}, {num_outputs}));
  const LinearWeight* const weights[] = {&weight};
  const ActivationFormats formats = formats_for(weights, num_outputs, num_inputs);
  if (num_rows == 0) return;
  std::vector<const float*> rows;
  std::vector<float*> outputs;
  for (int64_t row = 0; row < num_rows; ++row) {
    rows.push_back(x.row<float>(row));
    if (m_observer != nullptr) m_observer->multiplied(weight, rows.back());
    outputs.push_back(out.row<float>(row));
  }
  const LinearRun run = {.weight = &PackedLinear::of(weight),
                         .bias = bias.empty() ? nullptr : bias.as<float>(),
                         .num_rows = num_rows,
                         .out = outputs.data(),
                         .x = x.as<float>(),
                         .x_stride = x.row_stride()};
  run_rows(run, rows, formats);
}

void CpuBackend::run_rows(LinearRun run, std::span<const float* const> rows,
                          const ActivationFormats& formats) {
  const int64_t num_inputs = run.weight->num_inputs();
  const int32_t* const order = run.weight->input_order();
  run.quantized_chunk_stride = chunk_stride(run.num_rows);
  std::vector<const Int8Chunk*> int8;
  std::vector<const uint16_t*> bf16;
  if (formats.int8) int8 = quantize_activations(rows, num_inputs, order);
  if (formats.bf16) bf16 = convert_to_bf16(rows, num_inputs, order);
  if (formats.int8) run.x_int8 = int8.data();
  if (formats.bf16) run.x_bf16 = bf16.data();
  // Rows that cannot be read where they are: the kernels want blocks, or another order.
  const bool must_pack =
      run.x == nullptr || order != nullptr || needs_blocks(m_kernels, *run.weight, run.num_rows);
  if (formats.f32 && must_pack) {
    use_packed_activations(run, m_kernels, pack_activations(rows, num_inputs, order), run.num_rows);
  }
  run_linear(std::span(&run, 1));
}

void CpuBackend::run_linear(std::span<const LinearRun> runs) {
  std::vector<LinearTask> tasks;
  int64_t multiply_adds = 0;
  for (const LinearRun& run : runs) {
    split_into_tasks(m_kernels, m_tunings, run, m_pool.num_threads(), tasks);
    multiply_adds += run.num_rows * run.weight->num_outputs() * run.weight->num_inputs();
  }
  if (multiply_adds < kMinParallelMultiplyAdds) {
    for (const LinearTask& task : tasks) run_task(task);
    return;
  }
  m_pool.parallel_for(static_cast<int64_t>(tasks.size()),
                      [&](int64_t i, int) { run_task(tasks[static_cast<size_t>(i)]); });
}

void CpuBackend::run_task(const LinearTask& task) {
  const auto run = task.run->is_blocked ? run_block : run_direct;
  task.run->weight->for_each_piece(task.first_panel, task.first_panel + task.num_panels,
                                   [&](const LinearSegment& s, int64_t first, int64_t count) {
                                     const bool quantizes = task.run->quantizes_for(s.format.dtype);
                                     (quantizes ? run_quantized : run)(m_kernels, task, s, first,
                                                                       count);
                                     if (task.run->weight->output_scales() != nullptr) {
                                       scale_outputs(task, s, first, count);
                                     }
                                   });
}

const float* CpuBackend::pack_activations(std::span<const float* const> rows, int64_t num_inputs,
                                          const int32_t* order) {
  const auto num_rows = static_cast<int64_t>(rows.size());
  const int64_t num_chunks = ceil_div(num_inputs, kChunkInputs);
  auto* const x_chunks = scratch<float>(m_f32_chunks, f32_activation_bytes(num_rows, num_inputs));
  for_each_row(num_rows, num_inputs, [&](int64_t row) {
    for (int64_t c = 0; c < num_chunks; ++c) {
      const int64_t k = c * kChunkInputs;
      const int64_t length = std::min<int64_t>(kChunkInputs, num_inputs - k);
      const float* const x = rows[static_cast<size_t>(row)];
      float* const to = x_chunks + (c * num_rows + row) * kChunkInputs;
      if (order == nullptr) {
        std::memcpy(to, x + k, static_cast<size_t>(length) * sizeof(float));
      } else {
        for (int64_t i = 0; i < length; ++i) to[i] = x[order[k + i]];
      }
    }
  });
  return x_chunks;
}

}  // namespace quire::cpu
