#include <algorithm>

#include "kernels/base/shape_checks.h"
#include "kernels/base/weight_parts.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/packed_linear.h"
#include "kernels/cpu/scratch_sizes.h"

namespace quire::cpu {
namespace {

/// The rows of the concatenated parts. There may be as many parts as rows.
class SourceRows {
 public:
  explicit SourceRows(std::span<const ConstTensorView> parts) : m_parts(parts) {
    for (const ConstTensorView& part : parts) {
      m_first_rows.push_back(m_num_rows);
      m_num_rows += part.dim(0);
    }
  }

  int64_t num_rows() const { return m_num_rows; }

  /// The rows [first, first + count).
  void find(int64_t first, int64_t count, const char** rows) const {
    auto part =
        static_cast<size_t>(std::upper_bound(m_first_rows.begin(), m_first_rows.end(), first) -
                            m_first_rows.begin() - 1);
    for (int64_t i = 0; i < count; ++i) {
      while (first + i - m_first_rows[part] >= m_parts[part].dim(0)) ++part;
      const ConstTensorView& from = m_parts[part];
      const int64_t row = first + i - m_first_rows[part];
      rows[i] = static_cast<const char*>(from.data()) +
                dtype_span_bytes(from.dtype(), row * from.row_stride());
    }
  }

 private:
  std::span<const ConstTensorView> m_parts;
  std::vector<int64_t> m_first_rows;
  int64_t m_num_rows = 0;
};

LinearSegment next_segment(const LinearSegment& before, DType dtype, int64_t num_inputs,
                           bool pairs_halves) {
  LinearSegment s;
  s.format.dtype = dtype;
  if (pairs_halves && (dtype == DType::kF16 || dtype == DType::kBF16)) {
    s.format.content = PanelContent::kBf16Pairs;
  }
  s.first_output = before.first_output + before.num_outputs;
  s.first_panel = before.first_panel + before.num_panels;
  s.offset_bytes = before.offset_bytes + before.num_panels * before.panel_bytes;
  s.panel_bytes = panel_bytes(s.format, num_inputs);
  s.chunk_bytes = panel_bytes(s.format, kChunkInputs);
  return s;
}

/// Consecutive parts of one dtype form a segment. pairs_halves: f16 and bf16 become bf16 pairs.
std::vector<LinearSegment> make_segments(std::span<const ConstTensorView> parts, int64_t num_inputs,
                                         bool pairs_halves) {
  std::vector<LinearSegment> segments;
  for (const ConstTensorView& part : parts) {
    CHECK(part.rank() == 2 && is_weight_dtype(part.dtype()) &&
          has_shape(part, part.dtype(), {part.dim(0), num_inputs}));
    if (part.dim(0) == 0) continue;
    if (segments.empty() || segments.back().format.dtype != part.dtype()) {
      const LinearSegment before = segments.empty() ? LinearSegment() : segments.back();
      segments.push_back(next_segment(before, part.dtype(), num_inputs, pairs_halves));
    }
    LinearSegment& s = segments.back();
    s.num_outputs += part.dim(0);
    s.num_panels = ceil_div(s.num_outputs, kPanelColumns);
  }
  CHECK(!segments.empty());
  return segments;
}

/// Converts f16 rows to bf16 in `to` and makes `rows` point to the results.
void round_rows(const CpuKernels& kernels, std::vector<uint16_t>& to, const char** rows,
                int64_t num_rows, int64_t num_inputs) {
  to.resize(static_cast<size_t>(num_rows * num_inputs));
  std::vector<float> row(static_cast<size_t>(num_inputs));
  for (int64_t i = 0; i < num_rows; ++i) {
    uint16_t* const rounded = to.data() + i * num_inputs;
    kernels.widen_row(row.data(), rows[i], DType::kF16, num_inputs, 1.0f);
    kernels.narrow_row(rounded, DType::kBF16, row.data(), num_inputs);
    rows[i] = reinterpret_cast<const char*>(rounded);
  }
}

size_t size_bytes(const std::vector<LinearSegment>& segments) {
  const LinearSegment& last = segments.back();
  return static_cast<size_t>(last.offset_bytes + last.num_panels * last.panel_bytes);
}

}  // namespace

Result<std::unique_ptr<LinearWeight>> CpuBackend::uniform_weight(DType dtype, int64_t num_outputs,
                                                                 int64_t num_inputs) {
  const char unread = 0;
  const ConstTensorView shape(&unread, dtype, {num_outputs, num_inputs});
  std::vector<LinearSegment> segments =
      make_segments(std::span(&shape, 1), num_inputs, computes_in_bf16());
  Result<std::unique_ptr<DeviceBuffer>> buffer = m_weight_memory.allocate(size_bytes(segments));
  if (!buffer) return buffer.error();
  auto* const memory = static_cast<char*>((*buffer)->data());
  const LinearSegment& s = segments[0];
  m_pool.parallel_for(s.num_panels, [&](int64_t panel, int) {
    std::fill_n(memory + panel * s.panel_bytes, s.panel_bytes, '\x11');
  });
  return std::unique_ptr<LinearWeight>(
      std::make_unique<PackedLinear>(std::move(*buffer), std::move(segments), num_inputs));
}

size_t packed_weight_bytes(std::span<const ConstTensorView> parts, bool pairs_halves) {
  const WeightParts of = WeightParts::of(parts);
  return size_bytes(make_segments(of.matrices, of.num_inputs(), pairs_halves)) +
         static_cast<size_t>(of.vector_bytes());
}

Result<std::unique_ptr<LinearWeight>> CpuBackend::pack_linear(
    std::span<const ConstTensorView> all_parts) {
  const WeightParts of = WeightParts::of(all_parts);
  const std::span<const ConstTensorView> parts = of.matrices;
  CHECK(parts[0].rank() == 2 && parts[0].dim(1) > 0);
  const int64_t num_inputs = of.num_inputs();
  std::vector<LinearSegment> segments = make_segments(parts, num_inputs, computes_in_bf16());
  Result<std::unique_ptr<DeviceBuffer>> buffer = m_weight_memory.allocate(size_bytes(segments));
  if (!buffer) return buffer.error();
  add_weight(m_weight_formats, parts, m_quantizes_activations, computes_in_bf16());
  for (const LinearSegment& s : segments) {
    m_packed_bytes[static_cast<size_t>(s.format.dtype)] +=
        static_cast<uint64_t>(s.num_panels * s.panel_bytes);
  }
  auto* const memory = static_cast<char*>((*buffer)->data());
  auto packed = std::make_unique<PackedLinear>(std::move(*buffer), std::move(segments), num_inputs);
  if (of.input_order != nullptr) {
    packed->set_input_order({of.input_order, of.input_order + num_inputs});
  }
  if (of.output_scales != nullptr) {
    packed->set_output_scales({of.output_scales, of.output_scales + packed->num_outputs()});
  }

  const SourceRows source(parts);
  m_pool.parallel_for(packed->num_panels(), [&](int64_t panel, int) {
    packed->for_each_piece(panel, panel + 1, [&](const LinearSegment& s, int64_t first, int64_t) {
      const int64_t row = first * kPanelColumns;
      const int64_t count = std::min<int64_t>(kPanelColumns, s.num_outputs - row);
      const char* rows[kPanelColumns];
      source.find(s.first_output + row, count, rows);
      std::vector<uint16_t> rounded;
      if (s.format.dtype != s.format.unpacked()) {
        round_rows(m_kernels, rounded, rows, count, num_inputs);
      }
      pack_panel(memory + s.offset_bytes + first * s.panel_bytes, s.format, rows, count,
                 num_inputs);
    });
  });
  if (m_observer != nullptr) m_observer->packed(*packed, parts);
  return std::unique_ptr<LinearWeight>(std::move(packed));
}

}  // namespace quire::cpu
