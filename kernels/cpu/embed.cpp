// embed: rows of a packed weight, whose panels hold them as columns.

#include <algorithm>
#include <cstddef>

#include "kernels/base/dequantize.h"
#include "kernels/base/shape_checks.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/packed_linear.h"

namespace quire::cpu {
namespace {

/// The cost of an element relative to other row operations: each unit of a panel's column is in a
/// cache line of its own (panel_layout.h).
constexpr int64_t kElementCost = 8;

/// A row of the table times scale, a chunk at a time: chunks are whole blocks of every dtype.
void embed_row(const CpuKernels& kernels, const PackedLinear& table, int64_t id, float* out,
               float scale) {
  const LinearSegment& s = table.segment_of(id);
  const int64_t row = id - s.first_output;
  const char* panel =
      static_cast<const char*>(table.panels(s)) + row / kPanelColumns * s.panel_bytes;
  alignas(64) std::byte chunk[kChunkInputs * sizeof(float)];
  for (int64_t k = 0; k < table.num_inputs(); k += kChunkInputs, panel += s.chunk_bytes) {
    const int64_t n = std::min<int64_t>(kChunkInputs, table.num_inputs() - k);
    unpack_column(chunk, s.format, panel, row % kPanelColumns, n);
    if (is_quantized(s.format.dtype)) {
      dequantize_row(s.format.dtype, chunk, out + k, n);
      kernels.widen_row(out + k, out + k, DType::kF32, n, scale);
    } else {
      kernels.widen_row(out + k, chunk, s.format.unpacked(), n, scale);
    }
  }
}

}  // namespace

void CpuBackend::embed(TensorView out, const LinearWeight& table, ConstTensorView ids,
                       float scale) {
  const PackedLinear& packed = PackedLinear::of(table);
  CHECK(packed.input_order() == nullptr && packed.output_scales() == nullptr);
  const int64_t num_rows = out.dim(0);
  CHECK(have_shape({out}, {num_rows, packed.num_inputs()}));
  CHECK(has_shape(ids, DType::kI32, {num_rows}));
  for_each_row(num_rows, packed.num_inputs() * kElementCost, [&](int64_t row) {
    embed_row(m_kernels, packed, ids.as<int32_t>()[row], out.row<float>(row), scale);
  });
}

}  // namespace quire::cpu
