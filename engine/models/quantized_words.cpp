// Codes in words of 32 bits: GPTQ, AWQ, and compressed-tensors' packed four and eight bits.

#include <algorithm>

#include "engine/models/quantized_layer.h"

namespace quire {
namespace {

using Codes = QuantizedLayer::Codes;
using Method = FolderQuantization::Method;

/// Refuses zero points of eight bits that are not 128: codes minus another one need nine bits.
Result<void> check_middle_zeros(const LayerFiles& files, const QuantizedLayer& layer) {
  const TensorInfo* const zeros = files.part(layer, "qzeros");
  if (zeros == nullptr) return {};
  auto bytes = files.source.bytes(zeros->name);
  if (!bytes) return bytes.error();
  const auto middle = static_cast<std::byte>(files.quantization.has_zeros_minus_one ? 127 : 128);
  const bool are_middle = zeros->dtype == "I32" &&
                          std::ranges::all_of(*bytes, [&](std::byte b) { return b == middle; });
  files.source.release(zeros->name);
  if (are_middle) return {};
  return files.refused(zeros->name, "has zero points of eight bits that are not all 128");
}

}  // namespace

Result<void> describe_columns(const LayerFiles& files, QuantizedLayer& layer,
                              const TensorInfo& codes) {
  const bool is_awq = files.quantization.method == Method::kAwq;
  const bool in_eight_bits = files.quantization.bits == 8;
  layer.codes = is_awq ? Codes::kAwq : in_eight_bits ? Codes::kGptq8 : Codes::kGptq;
  layer.num_outputs = codes.shape[1] * (is_awq ? 8 : 1);
  layer.num_inputs = codes.shape[0] * (is_awq ? 1 : in_eight_bits ? 4 : 8);
  layer.scales_tensor = files.part(layer, "scales");
  if (in_eight_bits) {
    layer.dtype = DType::kI8_128;
    return check_middle_zeros(files, layer);
  }
  layer.zeros_tensor = files.part(layer, "qzeros");
  return {};
}

Result<void> describe_packed_rows(const LayerFiles& files, QuantizedLayer& layer,
                                  const TensorInfo& codes) {
  const TensorInfo* const shape = files.part(layer, "weight_shape");
  if (shape == nullptr) return files.refused(codes.name, "has no shape beside it");
  auto bytes = files.source.bytes(shape->name);
  if (!bytes) return bytes.error();
  int64_t width = 0;
  if (shape->dtype == "I64" && bytes->size() == 16) {
    std::memcpy(&width, bytes->data() + 8, sizeof width);
  } else if (shape->dtype == "I32" && bytes->size() == 8) {
    width = static_cast<int32_t>(u32_of(*bytes, 1));
  }
  const bool in_eight_bits = width == codes.shape[1] * 4;
  if (!in_eight_bits && width != codes.shape[1] * 8) {
    return files.refused(codes.name, "does not hold four or eight bits of each number");
  }
  layer.codes = in_eight_bits ? Codes::kPackedInt8 : Codes::kPackedInt4;
  layer.dtype = DType::kI8_128;
  layer.num_inputs = width;
  layer.scales_tensor = files.part(layer, "weight_scale");
  layer.zeros_tensor = files.part(layer, "weight_zero_point");
  if (in_eight_bits && layer.zeros_tensor != nullptr) {
    return files.refused(codes.name, "has eight bits and zero points");
  }
  return {};
}

}  // namespace quire
