#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/backend.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/panel_layout.h"

namespace quire::cpu {

/// Consecutive outputs of a packed weight with one dtype, in panels of their own.
struct LinearSegment {
  PanelFormat format;
  int64_t first_output = 0;
  int64_t num_outputs = 0;
  int64_t first_panel = 0;  ///< Counted over all segments.
  int64_t num_panels = 0;
  int64_t panel_bytes = 0;
  int64_t chunk_bytes = 0;   ///< Of a panel, for kChunkInputs inputs.
  int64_t offset_bytes = 0;  ///< Of the first panel in the weight's memory.
};

/// A packed weight in panels (panel_layout.h).
/// Invariants: the segments cover all outputs in order.
class PackedLinear final : public LinearWeight {
 public:
  PackedLinear(std::unique_ptr<DeviceBuffer> memory, std::vector<LinearSegment> segments,
               int64_t num_inputs)
      : m_memory(std::move(memory)), m_segments(std::move(segments)), m_num_inputs(num_inputs) {
    for (const LinearSegment& s : m_segments) {
      const DType dtype = s.format.dtype;
      m_has_quantized |= has_integer_codes(dtype);
      m_has_float_blocks |= is_quantized(dtype) && !has_integer_codes(dtype);
      m_has_halves |= dtype == DType::kF16 || dtype == DType::kBF16;
      m_has_f32 |= dtype == DType::kF32;
    }
  }

  /// The weight, which CpuBackend::pack_linear made, as its own type.
  static const PackedLinear& of(const LinearWeight& weight) {
    const auto* const packed = dynamic_cast<const PackedLinear*>(&weight);
    CHECK(packed != nullptr);
    return *packed;
  }

  int64_t num_outputs() const override {
    return m_segments.back().first_output + m_segments.back().num_outputs;
  }
  int64_t num_inputs() const override { return m_num_inputs; }
  size_t size_bytes() const override {
    return m_memory->size_bytes() + m_input_order.size() * sizeof(int32_t) +
           m_output_scales.size() * sizeof(float);
  }
  /// (K): column k is multiplied with input order[k]. Null: with input k.
  const int32_t* input_order() const {
    return m_input_order.empty() ? nullptr : m_input_order.data();
  }
  void set_input_order(std::vector<int32_t> order) { m_input_order = std::move(order); }
  /// (N), factors of the outputs before the bias. Null: all are 1.
  const float* output_scales() const {
    return m_output_scales.empty() ? nullptr : m_output_scales.data();
  }
  void set_output_scales(std::vector<float> scales) { m_output_scales = std::move(scales); }

  int64_t num_panels() const {
    return m_segments.back().first_panel + m_segments.back().num_panels;
  }
  bool has_quantized() const { return m_has_quantized; }
  bool has_halves() const { return m_has_halves; }  ///< f16 or bf16
  bool has_f32() const { return m_has_f32; }
  bool has_float_blocks() const { return m_has_float_blocks; }  ///< Quantised, but not to integers.
  const void* panels(const LinearSegment& s) const {
    return static_cast<const char*>(m_memory->data()) + s.offset_bytes;
  }

  const LinearSegment& segment_of(int64_t output) const {
    CHECK(output >= 0 && output < num_outputs());
    size_t i = 0;
    while (output >= m_segments[i].first_output + m_segments[i].num_outputs) ++i;
    return m_segments[i];
  }

  /// fn(segment, first, count) for the panels [begin, end) by segment; `first` counts from the
  /// segment's first panel.
  template <typename Fn>
  void for_each_piece(int64_t begin, int64_t end, Fn fn) const {
    for (const LinearSegment& s : m_segments) {
      const int64_t from = std::max(begin, s.first_panel);
      const int64_t to = std::min(end, s.first_panel + s.num_panels);
      if (from < to) fn(s, from - s.first_panel, to - from);
    }
  }

 private:
  std::unique_ptr<DeviceBuffer> m_memory;
  std::vector<LinearSegment> m_segments;
  int64_t m_num_inputs;
  std::vector<int32_t> m_input_order;
  std::vector<float> m_output_scales;
  bool m_has_quantized = false;
  bool m_has_halves = false;
  bool m_has_f32 = false;
  bool m_has_float_blocks = false;
};

}  // namespace quire::cpu
