// make_blocks(): codes and scales of any method in blocks of quant_blocks.h.

#include <cmath>
#include <optional>
#include <string_view>

#include "engine/models/input_order.h"
#include "engine/models/quantized_layer.h"
#include "kernels/base/quant_blocks.h"

namespace quire {
namespace {

using Bytes = std::span<const std::byte>;
using Codes = QuantizedLayer::Codes;

uint16_t u16_of(Bytes bytes, int64_t i) {
  uint16_t value;
  std::memcpy(&value, bytes.data() + i * 2, sizeof value);
  return value;
}

/// Numbers of a floating-point type, as the file has them.
struct Numbers {
  Bytes bytes;
  std::string_view dtype;  ///< "F16", "BF16" or "F32".

  float at(int64_t i) const {
    if (dtype == "F16") return f16_to_f32(u16_of(bytes, i));
    if (dtype == "BF16") return bf16_to_f32(u16_of(bytes, i));
    return f32_of(bytes, i);
  }
};

/// The place of output n's four bits in an AWQ word: n % 8 by {0, 2, 4, 6, 1, 3, 5, 7}.
int awq_place(int64_t n) {
  const auto i = static_cast<int>(n % 8);
  return i % 2 * 4 + i / 2;
}

/// The bits of a scale of kI4_*; nothing if neither f16 nor bf16 holds it.
struct HalfScale {
  uint16_t bits;
  bool is_bf16;
};
std::optional<HalfScale> half_scale(float scale) {
  const uint16_t f16 = f32_to_f16(scale);
  if (f16_to_f32(f16) == scale) return HalfScale{f16, false};
  const uint16_t bf16 = f32_to_bf16(scale);
  if (bf16_to_f32(bf16) == scale) return HalfScale{bf16, true};
  return std::nullopt;
}

/// The parts of a layer in memory.
struct LayerReader {
  const QuantizedLayer& layer;
  Bytes codes;
  Bytes zeros;  ///< Empty: none.
  Numbers scales;
  int64_t scale_columns;  ///< Of (outputs, inputs) scales.
  int zero_offset = 0;    ///< Added to a stored zero point.
  std::vector<float> nf4_scales;
  std::vector<int32_t> order;  ///< The inputs of the columns; empty: column k is of input k.

  int code(int64_t n, int64_t k) const {
    switch (layer.codes) {
      case Codes::kGptq:
        return static_cast<int>(u32_of(codes, k / 8 * layer.num_outputs + n) >> (k % 8 * 4) & 15);
      case Codes::kGptq8:
        return static_cast<int>(u32_of(codes, k / 4 * layer.num_outputs + n) >> (k % 4 * 8) & 255) -
               128;
      case Codes::kAwq:
        return static_cast<int>(
            u32_of(codes, k * (layer.num_outputs / 8) + n / 8) >> (awq_place(n) * 4) & 15);
      case Codes::kPackedInt4:
        return static_cast<int>(u32_of(codes, n * (layer.num_inputs / 8) + k / 8) >> (k % 8 * 4) &
                                15);
      case Codes::kPackedInt8:
        return static_cast<int>(u32_of(codes, n * (layer.num_inputs / 4) + k / 4) >> (k % 4 * 8) &
                                255) -
               128;
      case Codes::kBytes:
        return u8_of(codes, (layer.first_output + n) * layer.num_inputs + k);
      case Codes::kNf4:
        return u8_of(codes, (n * layer.num_inputs + k) / 2) >> (k % 2 == 0 ? 4 : 0) & 15;
      case Codes::kNvfp4:
        return u8_of(codes, (n * layer.num_inputs + k) / 2) >> (k % 2 * 4) & 15;
    }
    return 0;
  }

  int64_t input(int64_t column) const {
    return order.empty() ? column : order[static_cast<size_t>(column)];
  }

  /// Of output n and the inputs of group g.
  int zero(int64_t n, int64_t g) const {
    if (zeros.empty()) return 8;
    const int64_t words = layer.num_outputs / 8;
    if (layer.codes == Codes::kAwq) {
      return static_cast<int>(u32_of(zeros, g * words + n / 8) >> (awq_place(n) * 4) & 15);
    }
    if (layer.codes == Codes::kGptq) {
      return static_cast<int>(u32_of(zeros, g * words + n / 8) >> (n % 8 * 4) & 15) + zero_offset;
    }
    return static_cast<int>(u32_of(zeros, n / 8 * scale_columns + g) >> (n % 8 * 4) & 15);
  }

  /// Of column k, which is in the order of groups.
  float scale(int64_t n, int64_t k) const {
    if (layer.codes == Codes::kNf4) {
      return nf4_scales[static_cast<size_t>((n * layer.num_inputs + k) / 64)];
    }
    // bitsandbytes stores the largest number of a row, 127 times the scale.
    if (layer.scales_tensor->name.ends_with("SCB")) return scales.at(n) * 7.874015718698502e-3f;
    const int64_t g = k / layer.group_inputs;
    if (layer.has_columns()) return scales.at(g * layer.num_outputs + n);
    return scales.at((layer.first_scale + n / layer.group_outputs) * scale_columns + g);
  }

  /// As write_block(), for NVFP4, whose scales are no negative numbers and not NaN.
  bool write_nvfp4_block(uint8_t* block, int64_t n, int64_t k) const {
    for (int64_t g = 0; g < 4; ++g, k += 16) {
      block[g] = u8_of(scales.bytes, (n * layer.num_inputs + k) / 16);
      if (block[g] >= 127) return false;
      for (int64_t j = 0; j < 8; ++j) {
        block[4 + 8 * g + j] = static_cast<uint8_t>(code(n, k + j) | code(n, k + j + 8) << 4);
      }
    }
    return true;
  }

  /// Writes the block of output n from input k on. Whether its scale can be stored.
  bool write_block(std::byte* to, int64_t n, int64_t k) const {
    const int64_t elements = dtype_block_elements(layer.dtype);
    auto* const block = reinterpret_cast<uint8_t*>(to);
    if (layer.dtype == DType::kNVFP4) return write_nvfp4_block(block, n, k);
    const float value = scale(n, k);
    if (!std::isfinite(value)) return false;
    if (layer.dtype == DType::kI8_128 || layer.dtype == DType::kF8_128) {
      std::memcpy(block, &value, sizeof value);
      for (int64_t i = 0; i < elements; ++i)
        block[4 + i] = static_cast<uint8_t>(code(n, input(k + i)));
      return true;
    }
    uint8_t* nibbles = block + 4;
    if (layer.dtype == DType::kNF4_64) {
      std::memcpy(block, &value, sizeof value);
    } else {
      const std::optional<HalfScale> half = half_scale(value);
      if (!half) return false;
      std::memcpy(block, &half->bits, sizeof half->bits);
      block[2] = static_cast<uint8_t>(zero(n, k / layer.group_inputs) | (half->is_bf16 ? 128 : 0));
      nibbles = block + 3;
    }
    for (int64_t i = 0; i < elements; i += 32) {
      for (int64_t j = 0; j < 16; ++j) {
        nibbles[i / 2 + j] =
            static_cast<uint8_t>(code(n, input(k + i + j)) | code(n, input(k + i + j + 16)) << 4);
      }
    }
    return true;
  }
};

Result<LayerReader> read(const LayerFiles& files, const QuantizedLayer& layer) {
  auto codes = files.source.bytes(layer.codes_tensor->name);
  if (!codes) return codes.error();
  LayerReader reader = {.layer = layer, .codes = *codes};
  reader.scale_columns = num_groups(layer.num_inputs, layer.group_inputs);
  reader.zero_offset = files.quantization.has_zeros_minus_one ? 1 : 0;
  if (layer.codes == Codes::kNf4) {
    auto scales = nf4_scales_of(
        files, layer, files.refused(layer.codes_tensor->name, "has scales that do not fit it"));
    if (!scales) return scales.error();
    reader.nf4_scales = std::move(*scales);
    return reader;
  }
  auto scales = files.source.bytes(layer.scales_tensor->name);
  if (!scales) return scales.error();
  reader.scales = {*scales, layer.scales_tensor->dtype};
  if (layer.order_tensor != nullptr) {
    auto groups = files.source.bytes(layer.order_tensor->name);
    if (!groups) return groups.error();
    auto order = sort_by_group(*groups, layer.num_inputs, reader.scale_columns);
    if (!order) return files.refused(layer.order_tensor->name, "changed while it was read");
    reader.order = std::move(*order);
  }
  if (layer.zeros_tensor == nullptr) return reader;
  auto zeros = files.source.bytes(layer.zeros_tensor->name);
  if (!zeros) return zeros.error();
  reader.zeros = *zeros;
  return reader;
}

}  // namespace

Result<std::vector<std::byte>> make_blocks(const LayerFiles& files, const QuantizedLayer& layer) {
  auto reader = read(files, layer);
  if (!reader) return reader.error();
  const int64_t elements = dtype_block_elements(layer.dtype);
  const int64_t block_bytes = dtype_block_bytes(layer.dtype);
  std::vector<std::byte> blocks(
      static_cast<size_t>(layer.num_outputs * dtype_span_bytes(layer.dtype, layer.num_inputs)));
  std::byte* to = blocks.data();
  for (int64_t n = 0; n < layer.num_outputs; ++n) {
    for (int64_t k = 0; k < layer.num_inputs; k += elements, to += block_bytes) {
      if (reader->write_block(to, n, k)) continue;
      return files.refused(layer.scales_tensor->name,
                           "holds scales that are not finite, or no half precision");
    }
  }
  return blocks;
}

}  // namespace quire
