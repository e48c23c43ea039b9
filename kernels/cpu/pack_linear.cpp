#include <cstring>

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/cpu_checks.h"
#include "kernels/cpu/cpu_memory.h"

namespace quire::cpu {
namespace {

/// Row n of the concatenated parts.
struct SourceRow {
  const void* data;
  DType dtype;
};

SourceRow source_row(std::span<const ConstTensorView> parts, int64_t n) {
  for (const ConstTensorView& part : parts) {
    if (n < part.dim(0)) {
      const int64_t offset = n * part.row_stride() * dtype_bytes(part.dtype());
      return {static_cast<const char*>(part.data()) + offset, part.dtype()};
    }
    n -= part.dim(0);
  }
  CHECK(false);
}

/// The parts' dtype if they agree, else f32, which holds them all.
DType common_dtype(std::span<const ConstTensorView> parts) {
  for (const ConstTensorView& part : parts) {
    if (part.dtype() != parts[0].dtype()) return DType::kF32;
  }
  return parts[0].dtype();
}

/// Writes the columns of one panel, a strip of inputs at a time so that both sides stay cached.
template <typename Element>
void pack_panel(Element* panel, const Element* const* columns, int num_columns,
                int64_t num_inputs) {
  constexpr int64_t kStrip = 32;
  for (int64_t begin = 0; begin < num_inputs; begin += kStrip) {
    const int64_t end = begin + kStrip < num_inputs ? begin + kStrip : num_inputs;
    for (int j = 0; j < num_columns; ++j) {
      for (int64_t k = begin; k < end; ++k) panel[k * kPanelColumns + j] = columns[j][k];
    }
  }
}

template <typename Element>
void pack_same_dtype(void* panel, const SourceRow* rows, int num_columns, int64_t num_inputs) {
  const Element* columns[kPanelColumns];
  for (int j = 0; j < num_columns; ++j) columns[j] = static_cast<const Element*>(rows[j].data);
  pack_panel(static_cast<Element*>(panel), columns, num_columns, num_inputs);
}

}  // namespace

Result<std::unique_ptr<LinearWeight>> CpuBackend::pack_linear(
    std::span<const ConstTensorView> parts) {
  CHECK(!parts.empty() && parts[0].rank() == 2);
  const int64_t num_inputs = parts[0].dim(1);
  int64_t num_outputs = 0;
  for (const ConstTensorView& part : parts) {
    CHECK(part.rank() == 2 && has_float_shape(part, {part.dim(0), num_inputs}));
    num_outputs += part.dim(0);
  }
  CHECK(num_outputs > 0 && num_inputs > 0);
  const DType dtype = common_dtype(parts);
  const int64_t num_panels = (num_outputs + kPanelColumns - 1) / kPanelColumns;
  const int64_t panel_bytes = num_inputs * kPanelColumns * dtype_bytes(dtype);
  Result<std::unique_ptr<DeviceBuffer>> buffer =
      allocate_buffer(static_cast<size_t>(num_panels * panel_bytes));
  if (!buffer) return buffer.error();
  char* const panels = static_cast<char*>((*buffer)->data());

  m_pool.parallel_for(num_panels, [&](int64_t p, int) {
    const int64_t first = p * kPanelColumns;
    const auto count = static_cast<int>(std::min<int64_t>(kPanelColumns, num_outputs - first));
    SourceRow rows[kPanelColumns];
    for (int j = 0; j < count; ++j) rows[j] = source_row(parts, first + j);
    void* const panel = panels + p * panel_bytes;
    if (dtype_bytes(dtype) == 2) {
      pack_same_dtype<uint16_t>(panel, rows, count, num_inputs);
      return;
    }
    // Parts of several dtypes: each column is widened first.
    std::vector<float> widened;
    for (int j = 0; j < count; ++j) {
      if (rows[j].dtype == DType::kF32) continue;
      if (widened.empty()) widened.resize(static_cast<size_t>(kPanelColumns * num_inputs));
      float* const to = widened.data() + j * num_inputs;
      m_kernels.widen_row(to, rows[j].data, rows[j].dtype, num_inputs, 1.0f);
      rows[j] = {to, DType::kF32};
    }
    pack_same_dtype<float>(panel, rows, count, num_inputs);
  });
  return std::unique_ptr<LinearWeight>(
      new PackedLinear(std::move(*buffer), dtype, num_outputs, num_inputs));
}

}  // namespace quire::cpu
