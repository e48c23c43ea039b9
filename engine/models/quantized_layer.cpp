#include "engine/models/quantized_layer.h"

#include <algorithm>
#include <utility>

#include "engine/io/text.h"
#include "engine/models/input_order.h"

namespace quire {
namespace {

using Codes = QuantizedLayer::Codes;

DType int4_blocks(int64_t group) {
  if (group % 128 == 0) return DType::kI4_128;
  return group % 64 == 0 ? DType::kI4_64 : DType::kI4_32;
}

/// The tensors around the codes whose names begin with the base, since tensors are sorted by name.
std::span<const TensorInfo> neighbours(std::span<const TensorInfo> tensors, std::string_view base,
                                       const TensorInfo& codes) {
  constexpr std::ptrdiff_t kMost = 64;  // On either side. Real layers have some six.
  const TensorInfo* first = &codes;
  const TensorInfo* end = &codes + 1;
  const auto has_base = [&](const TensorInfo* tensor) { return tensor->name.starts_with(base); };
  while (first != tensors.data() && &codes - first < kMost && has_base(first - 1)) --first;
  while (end != tensors.data() + tensors.size() && end - &codes < kMost && has_base(end)) ++end;
  const bool are_all = &codes - first < kMost && end - &codes < kMost;
  return are_all ? std::span(first, end) : std::span<const TensorInfo>();
}

/// The groups by the scales' shape, which is checked, and that of the zero points.
Result<void> set_groups(const LayerFiles& files, QuantizedLayer& layer, bool along_inputs_first) {
  const TensorInfo* const scales = layer.scales_tensor;
  if (scales == nullptr || !has_floats(*scales) || scales->shape.size() > 2) {
    return files.refused(layer.codes_tensor->name, "has no scales beside it in F16, BF16 or F32");
  }
  int64_t rows = scales->shape.empty() ? 1 : scales->shape[0];
  int64_t columns = scales->shape.size() < 2 ? 1 : scales->shape[1];
  if (along_inputs_first) std::swap(rows, columns);
  layer.group_outputs = num_groups(layer.num_outputs, std::max<int64_t>(rows, 1));
  layer.group_inputs = num_groups(layer.num_inputs, std::max<int64_t>(columns, 1));
  // Rows of one block of inputs have a column of scales, too.
  const bool is_column =
      rows > 1 && rows < layer.num_outputs && layer.num_inputs <= files.quantization.block_inputs;
  if (files.quantization.block_inputs > 0 && (columns > 1 || is_column)) {
    layer.group_outputs = files.quantization.block_outputs;
    layer.group_inputs = files.quantization.block_inputs;
  }
  const bool has_each_row = along_inputs_first || scales->name.ends_with("SCB");
  const bool fits = (!has_each_row || rows == layer.num_outputs) &&
                    rows == num_groups(layer.num_outputs, layer.group_outputs) &&
                    columns == num_groups(layer.num_inputs, layer.group_inputs);
  const bool is_even =
      files.quantization.block_inputs > 0 || layer.group_inputs * columns == layer.num_inputs;
  if (!fits || !is_even) {
    return files.refused(scales->name, "has the shape " + shape_text(scales->shape) +
                                           ", which does not fit " +
                                           for_message(layer.codes_tensor->name));
  }
  if (layer.zeros_tensor == nullptr) return {};
  const TensorInfo& zeros = *layer.zeros_tensor;
  const std::vector<int64_t> expected = along_inputs_first
                                            ? std::vector<int64_t>{columns, layer.num_outputs / 8}
                                            : std::vector<int64_t>{layer.num_outputs / 8, columns};
  if (zeros.dtype == "I32" && zeros.shape == expected && layer.num_outputs % 8 == 0) return {};
  return files.refused(zeros.name, "has the shape " + shape_text(zeros.shape) +
                                       ", which does not fit " +
                                       for_message(layer.codes_tensor->name));
}

/// Whether input k is of group k / group_inputs.
bool has_consecutive_groups(std::span<const std::byte> groups, const QuantizedLayer& layer) {
  for (int64_t k = 0; k < layer.num_inputs; k += layer.group_inputs) {
    const auto group = static_cast<uint32_t>(k / layer.group_inputs);
    const int64_t end = std::min(k + layer.group_inputs, layer.num_inputs);
    for (int64_t i = k; i < end; ++i) {
      if (u32_of(groups, i) != group) return false;
    }
  }
  return true;
}

/// Before anything of the size of a row or column is read: a sparse file can claim any size.
Result<void> limit_size(const LayerFiles& files, const QuantizedLayer& layer) {
  constexpr int64_t kMostSide = 1 << 24;
  const int64_t most = std::max(layer.num_outputs, layer.num_inputs);
  if (most <= kMostSide) return {};
  return files.refused(layer.codes_tensor->name,
                       "has " + with_separators(static_cast<uint64_t>(most)) + " " +
                           (most == layer.num_inputs ? "inputs" : "outputs") +
                           ", and Quire reads up to " + with_separators(kMostSide));
}

/// Whether the groups of the inputs are consecutive, or in an order that can be undone.
Result<void> set_order(const LayerFiles& files, QuantizedLayer& layer) {
  constexpr uint64_t kMostBytes = 4 << 20;  // Of a million inputs; real layers have 60,000.
  for (const char* name : {"g_idx", "weight_g_idx"}) {
    const TensorInfo* const order = files.part(layer, name);
    if (order == nullptr) continue;
    if (order->bytes > kMostBytes) {
      return files.refused(order->name, "orders " + with_separators(order->bytes / 4) +
                                            " inputs, and Quire reads up to " +
                                            with_separators(kMostBytes / 4));
    }
    auto bytes = files.source.bytes(order->name);
    if (!bytes) return bytes.error();
    const bool fits =
        order->dtype == "I32" && order->shape.size() == 1 && order->shape[0] == layer.num_inputs;
    const bool is_ascending = fits && has_consecutive_groups(*bytes, layer);
    const bool can_sort =
        !is_ascending && fits && layer.group_outputs == 1 &&
        sort_by_group(*bytes, layer.num_inputs, layer.num_inputs / layer.group_inputs);
    files.source.release(order->name);
    if (is_ascending) continue;
    if (!can_sort) {
      return files.refused(order->name,
                           "does not put the inputs in groups of one size (act-order)");
    }
    layer.order_tensor = order;
  }
  return {};
}

/// By the way in which the codes are stored.
Result<void> describe_codes(const LayerFiles& files, QuantizedLayer& layer,
                            const TensorInfo& codes) {
  const bool is_packed = codes.name.ends_with("qweight") || codes.name.ends_with("weight_packed");
  if (is_nvfp4(files, layer)) return describe_nvfp4(files, layer, codes);
  if (is_packed && codes.dtype != "I32") {
    return files.refused(codes.name, "is " + codes.dtype + " and not I32, as packed codes are");
  }
  if (codes.name.ends_with("qweight")) return describe_columns(files, layer, codes);
  if (is_packed) return describe_packed_rows(files, layer, codes);
  if (codes.dtype == "U8" && files.part(layer, kNf4State) != nullptr) {
    return describe_nf4(files, layer, codes);
  }
  return describe_bytes(files, layer, codes);
}

}  // namespace

const TensorInfo* LayerFiles::part(const QuantizedLayer& layer, std::string_view name) const {
  if (layer.neighbours.empty()) return source.find(std::string(layer.base) + std::string(name));
  const size_t size = layer.base.size() + name.size();
  for (const TensorInfo& tensor : layer.neighbours) {
    if (tensor.name.size() == size && tensor.name.ends_with(name)) return &tensor;
  }
  return nullptr;
}

Error LayerFiles::refused(const std::string& name, const std::string& why) const {
  return {ErrorCode::kUnsupported, "the tensor " + for_message(name) + " of " +
                                       for_message(source.where()) + " " + why +
                                       "; get another version of the model, or a GGUF file of it"};
}

Result<QuantizedLayer> describe_layer(const LayerFiles& files, std::string_view base,
                                      const TensorInfo& codes) {
  QuantizedLayer layer = {.base = base,
                          .codes = Codes::kBytes,
                          .dtype = DType::kF8_128,
                          .codes_tensor = &codes,
                          .neighbours = neighbours(files.source.tensors(), base, codes)};
  if (codes.shape.size() != 2 || codes.shape[0] == 0 || codes.shape[1] == 0) {
    return files.refused(codes.name,
                         "has the shape " + shape_text(codes.shape) + ", which no matrix has");
  }
  layer.num_outputs = codes.shape[0];
  layer.num_inputs = codes.shape[1];
  if (auto described = describe_codes(files, layer, codes); !described) return described.error();
  if (auto limited = limit_size(files, layer); !limited) return limited.error();
  if (layer.codes == Codes::kNf4 || layer.codes == Codes::kNvfp4) return layer;
  if (auto set = set_groups(files, layer, layer.has_columns()); !set) return set.error();
  if (layer.codes == Codes::kGptq || layer.codes == Codes::kAwq ||
      layer.codes == Codes::kPackedInt4) {
    layer.dtype = int4_blocks(layer.group_inputs);
  }
  if (layer.group_inputs % dtype_block_elements(layer.dtype) != 0) {
    return files.refused(codes.name, "has groups of " + std::to_string(layer.group_inputs) +
                                         " inputs, which are not whole blocks of " +
                                         std::to_string(dtype_block_elements(layer.dtype)));
  }
  if (auto checked = set_order(files, layer); !checked) return checked.error();
  return layer;
}

/// A byte for each number: int8 or FP8.
Result<void> describe_bytes(const LayerFiles& files, QuantizedLayer& layer,
                            const TensorInfo& codes) {
  const auto set_scales = [&](const char* name, const char* other) {
    layer.scales_tensor = files.part(layer, name);
    if (layer.scales_tensor == nullptr) layer.scales_tensor = files.part(layer, other);
  };
  if (codes.dtype == "I8") {
    layer.dtype = DType::kI8_128;
    set_scales("SCB", "weight_scale");
    if (files.part(layer, "weight_zero_point") != nullptr)
      return files.refused(codes.name, "has eight bits and zero points");
    return {};
  }
  if (codes.dtype == "F8_E4M3") {
    set_scales("weight_scale_inv", "weight_scale");
    return {};
  }
  return files.refused(codes.name, "is " + for_message(codes.dtype) +
                                       ", which belongs to no quantisation that Quire reads");
}

}  // namespace quire
