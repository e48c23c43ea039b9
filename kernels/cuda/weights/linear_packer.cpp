#include "kernels/cuda/weights/linear_packer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/base/dequantize.h"
#include "kernels/base/quant_blocks.h"
#include "kernels/base/shape_checks.h"
#include "kernels/base/weight_parts.h"

namespace quire::cuda {
// Scales are compared by their bits without the sign: these are in the order of the numbers, and
// infinity and NaN are the largest.
namespace {

/// A scale is rounded to f16, which makes it larger by 2^-11 of itself at most: its product with a
/// code is then no more than 65,504.
constexpr float kLargestProduct = 65472.0f;

/// Whether fits(block) holds for all blocks of the part.
template <typename Blocks, typename Fits>
bool all_blocks(const ConstTensorView& part, Fits fits) {
  const int64_t num_blocks = part.dim(1) / Blocks::kElements;
  const int64_t stride = dtype_span_bytes(part.dtype(), part.row_stride());
  const auto* row = static_cast<const uint8_t*>(part.data());
  for (int64_t n = 0; n < part.dim(0); ++n, row += stride) {
    bool all_fit = true;
    for (int64_t i = 0; i < num_blocks; ++i) all_fit &= fits(row + i * Blocks::kBytes);
    if (!all_fit) return false;
  }
  return true;
}

/// Blocks with a scale in f32 in front.
template <typename Blocks>
bool fits_halves(const ConstTensorView& part, float largest_code) {
  const auto limit = std::bit_cast<uint32_t>(kLargestProduct / largest_code);
  return all_blocks<Blocks>(part, [limit](const uint8_t* block) {
    return (blocks::u32_at(block) & 0x7fffffffu) <= limit;
  });
}

/// A code minus its zero point is 31 at most, and the format stores 32 times the scale as f16.
template <int kGroup>
bool int4_fits_halves(const ConstTensorView& part) {
  constexpr uint32_t kLimitF16 = 0x67ff;   // 2,047
  constexpr uint32_t kLimitBF16 = 0x44ff;  // 2,040, the next one is 2,048.
  return all_blocks<blocks::Int4<kGroup>>(part, [](const uint8_t* block) {
    return (blocks::u16_at(block) & 0x7fffu) <= ((block[2] & 128) != 0 ? kLimitBF16 : kLimitF16);
  });
}

bool fits_halves(const ConstTensorView& part) {
  switch (part.dtype()) {
    case DType::kF8_128:
      return fits_halves<blocks::Fp8>(part, 448.0f);
    case DType::kI8_128:
      return fits_halves<blocks::Int8>(part, 128.0f);
    case DType::kNF4_64:
      return fits_halves<blocks::Nf4>(part, 1.0f);
    case DType::kI4_32:
      return int4_fits_halves<32>(part);
    case DType::kI4_64:
      return int4_fits_halves<64>(part);
    case DType::kI4_128:
      return int4_fits_halves<128>(part);
    default:
      return true;
  }
}

}  // namespace

DType stored_dtype(const ConstTensorView& part) {
  return fits_halves(part) ? part.dtype() : DType::kF32;
}

/// The rows of consecutive parts in host memory, of any alignment, in the dtype of their segment.
class HostRows {
 public:
  /// parts: (N, K) of the dtype, or of any where it is f32; any row strides.
  HostRows(std::span<const ConstTensorView> parts, DType dtype) : m_parts(parts), m_dtype(dtype) {
    int64_t num_rows = 0;
    for (const ConstTensorView& part : parts) {
      m_first_rows.push_back(num_rows);
      num_rows += part.dim(0);
    }
  }

  /// Copies the inputs [begin, begin + num_inputs), which are whole blocks, of rows
  /// [first, first + count) to `to`, without gaps.
  void copy(int64_t first, int64_t count, int64_t begin, int64_t num_inputs, uint8_t* to) const {
    const int64_t bytes = dtype_span_bytes(m_dtype, num_inputs);
    auto part =
        static_cast<size_t>(std::upper_bound(m_first_rows.begin(), m_first_rows.end(), first) -
                            m_first_rows.begin() - 1);
    for (int64_t done = 0; done < count; ++part) {
      const ConstTensorView& from = m_parts[part];
      if (from.dim(0) == 0) continue;  // It may have no memory.
      const int64_t row = first + done - m_first_rows[part];
      const int64_t rows = std::min(count - done, from.dim(0) - row);
      copy_rows(from, row, rows, begin, num_inputs, to);
      to += rows * bytes;
      done += rows;
    }
  }

 private:
  void copy_rows(const ConstTensorView& from, int64_t row, int64_t count, int64_t begin,
                 int64_t num_inputs, uint8_t* to) const {
    const int64_t bytes = dtype_span_bytes(m_dtype, num_inputs);
    const int64_t stride = dtype_span_bytes(from.dtype(), from.row_stride());
    const uint8_t* source = static_cast<const uint8_t*>(from.data()) + row * stride +
                            dtype_span_bytes(from.dtype(), begin);
    if (from.dtype() != m_dtype) {
      for (int64_t i = 0; i < count; ++i, source += stride, to += bytes) {
        dequantize_row(from.dtype(), source, reinterpret_cast<float*>(to), num_inputs);
      }
    } else if (stride == bytes) {
      std::memcpy(to, source, static_cast<size_t>(count * bytes));
    } else {
      for (int64_t i = 0; i < count; ++i, source += stride, to += bytes) {
        std::memcpy(to, source, static_cast<size_t>(bytes));
      }
    }
  }

  std::span<const ConstTensorView> m_parts;
  DType m_dtype;
  std::vector<int64_t> m_first_rows;
};

namespace {

constexpr const char* kOperation = "pack_linear";

/// Neighbouring parts that are stored in one dtype form one segment. Their memory is not allocated
/// yet.
std::vector<LinearSegment> make_segments(std::span<const ConstTensorView> parts, int64_t num_inputs,
                                         bool has_bf16) {
  std::vector<LinearSegment> segments;
  int64_t num_outputs = 0;
  for (const ConstTensorView& part : parts) {
    CHECK(part.rank() == 2 && is_weight_dtype(part.dtype()) &&
          has_shape(part, part.dtype(), {part.dim(0), num_inputs}));
    if (part.dim(0) == 0) continue;
    const DType dtype = stored_dtype(part);
    if (segments.empty() || segments.back().dtype != dtype) {
      const int64_t units = (num_inputs - 1) / unit_size(dtype, has_bf16).inputs + 1;
      const int64_t row_stride = dtype == DType::kF32 ? float_row_stride(num_inputs) : 0;
      segments.push_back({dtype, num_outputs, 0, units, nullptr, row_stride});
    }
    segments.back().num_outputs += part.dim(0);
    num_outputs += part.dim(0);
  }
  CHECK(!segments.empty());
  return segments;
}

}  // namespace

LinearPacker::LinearPacker(CommandQueue& queue, size_t staging_bytes)
    : m_queue(queue), m_staging_bytes(staging_bytes), m_staging(queue, 2, kOperation) {
  CHECK(staging_bytes >= size_t{16} << 10);
}

Result<void> LinearPacker::allocate(PackedWeight& weight, int64_t order_bytes,
                                    int64_t scale_bytes) {
  int64_t bytes = 0;
  std::vector<int64_t> offsets;
  for (const LinearSegment& s : weight.m_segments) {
    offsets.push_back(bytes);
    bytes += segment_bytes(s.dtype, s.num_outputs, weight.m_inputs);
  }
  auto memory = allocate_device(m_queue, static_cast<size_t>(bytes + order_bytes + scale_bytes));
  if (!memory) return memory.error();
  weight.m_memory = std::move(*memory);
  for (size_t i = 0; i < offsets.size(); ++i) {
    weight.m_segments[i].data = static_cast<const uint8_t*>(weight.m_memory->data()) + offsets[i];
  }
  // Segments end at multiples of kSegmentAlignment, so that what is behind them is aligned.
  auto* const behind = static_cast<uint8_t*>(weight.m_memory->data()) + bytes;
  if (order_bytes > 0) weight.m_input_order = reinterpret_cast<int32_t*>(behind);
  if (scale_bytes > 0) {
    weight.m_output_scales = reinterpret_cast<float*>(behind + order_bytes);
  }
  return {};
}

void LinearPacker::upload_vector(void* to, const void* from, int64_t num_bytes) {
  const auto most = static_cast<int64_t>(m_staging_bytes);
  for (int64_t done = 0; done < num_bytes && !failed(); done += most) {
    const auto bytes = static_cast<size_t>(std::min(most, num_bytes - done));
    uint8_t* const staged = m_staging.next(bytes);
    if (staged == nullptr) return;
    std::memcpy(staged, static_cast<const uint8_t*>(from) + done, bytes);
    m_queue.note(cudaMemcpyAsync(static_cast<uint8_t*>(to) + done, staged, bytes,
                                 cudaMemcpyHostToDevice, m_queue.stream()),
                 kOperation);
    m_staging.submitted();
  }
}

Result<std::unique_ptr<LinearWeight>> LinearPacker::pack(
    std::span<const ConstTensorView> all_parts) {
  const WeightParts of = WeightParts::of(all_parts);
  const std::span<const ConstTensorView> parts = of.matrices;
  CHECK(parts[0].rank() == 2 && parts[0].dim(1) > 0);
  if (failed()) return m_queue.take_failure().error();
  const int64_t num_inputs = of.num_inputs();
  auto segments = make_segments(parts, num_inputs, m_queue.facts().has_bf16_mma);
  const LinearSegment& last = segments.back();
  auto weight = std::make_unique<PackedWeight>(last.first_output + last.num_outputs, num_inputs);
  weight->m_segments = std::move(segments);
  if (Result<void> staging = m_staging.reserve(m_staging_bytes); !staging) return staging.error();
  if (m_queue.workspace(m_staging_bytes) == nullptr) return m_queue.take_failure().error();
  if (Result<void> allocated = allocate(*weight, of.order_bytes(), of.scale_bytes()); !allocated)
    return allocated.error();

  auto part = parts.begin();
  for (const LinearSegment& segment : weight->m_segments) {
    auto end = part;
    for (int64_t rows = 0; rows < segment.num_outputs; ++end) rows += end->dim(0);
    upload_segment(segment, HostRows({part, end}, segment.dtype), num_inputs);
    part = end;
  }
  upload_vector(weight->m_input_order, of.input_order, of.order_bytes());
  upload_vector(weight->m_output_scales, of.output_scales, of.scale_bytes());
  if (failed()) return m_queue.take_failure().error();
  return std::unique_ptr<LinearWeight>(std::move(weight));
}

void LinearPacker::upload_segment(const LinearSegment& segment, const HostRows& rows,
                                  int64_t num_inputs) {
  const UnitSize unit = unit_size(segment.dtype, m_queue.facts().has_bf16_mma);
  // As many rows as fit, or if the rows are very long, as many inputs of one group as fit.
  const int64_t cut = unit.piece_inputs;
  const int64_t cut_bytes = dtype_span_bytes(segment.dtype, cut) * kUnitOutputs;
  const auto staging_bytes = static_cast<int64_t>(m_staging_bytes);
  const int64_t cuts = std::min((num_inputs - 1) / cut + 1, staging_bytes / cut_bytes);
  const int64_t groups = staging_bytes / (cuts * cut_bytes);

  RawPiece piece = {};
  piece.units_per_group = segment.num_units;
  for (int64_t row = 0; row < segment.num_outputs; row += groups * kUnitOutputs) {
    piece.num_rows = std::min(groups * kUnitOutputs, segment.num_outputs - row);
    for (int64_t input = 0; input < num_inputs && !failed(); input += cuts * cut) {
      piece.first_unit = input / unit.inputs;
      piece.num_inputs = std::min(cuts * cut, num_inputs - input);
      piece.pitch_bytes = dtype_span_bytes(segment.dtype, piece.num_inputs);
      upload_piece(segment, rows, row, piece);
    }
  }
}

void LinearPacker::upload_piece(const LinearSegment& segment, const HostRows& rows,
                                int64_t first_row, RawPiece piece) {
  const bool has_bf16 = m_queue.facts().has_bf16_mma;
  const UnitSize unit = unit_size(segment.dtype, has_bf16);
  uint8_t* const staged = m_staging.next(static_cast<size_t>(piece.num_rows * piece.pitch_bytes));
  if (staged == nullptr) return;
  rows.copy(first_row, piece.num_rows, piece.first_unit * unit.inputs, piece.num_inputs, staged);

  void* const raw = m_queue.workspace(m_staging_bytes);
  m_queue.note(cudaMemcpyAsync(raw, staged, static_cast<size_t>(piece.num_rows * piece.pitch_bytes),
                               cudaMemcpyHostToDevice, m_queue.stream()),
               kOperation);
  m_staging.submitted();
  piece.rows = static_cast<const uint8_t*>(raw);
  auto* const data = const_cast<uint8_t*>(segment.data);
  if (segment.dtype == DType::kF32) {
    pack_floats(m_queue, piece, reinterpret_cast<float*>(data) + first_row * segment.row_stride,
                segment.row_stride);
  } else {
    pack_units(m_queue, segment.dtype, piece,
               data + first_row / kUnitOutputs * segment.num_units * unit.bytes);
  }
}

}  // namespace quire::cuda
