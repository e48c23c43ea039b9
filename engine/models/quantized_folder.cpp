#include "engine/models/quantized_folder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/io/json_fields.h"
#include "engine/io/json_file.h"
#include "engine/io/text.h"
#include "engine/models/quantized_checks.h"
#include "kernels/base/quant_blocks.h"

namespace quire {
namespace {

using Method = FolderQuantization::Method;
using Bytes = std::span<const std::byte>;

constexpr char kNf4State[] = "weight.quant_state.bitsandbytes__nf4";

uint32_t u32_of(Bytes bytes, int64_t i) {
  uint32_t value;
  std::memcpy(&value, bytes.data() + i * 4, sizeof value);
  return value;
}

uint16_t u16_of(Bytes bytes, int64_t i) {
  uint16_t value;
  std::memcpy(&value, bytes.data() + i * 2, sizeof value);
  return value;
}

float f32_of(Bytes bytes, int64_t i) {
  float value;
  std::memcpy(&value, bytes.data() + i * 4, sizeof value);
  return value;
}

uint8_t u8_of(Bytes bytes, int64_t i) {
  return static_cast<uint8_t>(bytes[static_cast<size_t>(i)]);
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

bool is_float(const TensorInfo& tensor) {
  return tensor.dtype == "F16" || tensor.dtype == "BF16" || tensor.dtype == "F32";
}

/// The place of output n's four bits in an AWQ word: n % 8 by {0, 2, 4, 6, 1, 3, 5, 7}.
int awq_place(int64_t n) {
  const auto i = static_cast<int>(n % 8);
  return i % 2 * 4 + i / 2;
}

DType int4_blocks(int64_t group) {
  if (group % 128 == 0) return DType::kI4_128;
  return group % 64 == 0 ? DType::kI4_64 : DType::kI4_32;
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

int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

/// The scales of NF4's blocks, which may be quantised themselves: bytes that index a table, times a
/// scale of 256 of them, plus an offset.
Result<std::vector<float>> nf4_scales_of(WeightSource& files, const std::string& base,
                                         int64_t count, const Error& broken) {
  const auto read = [&](const std::string& name, std::string_view dtype, int64_t least) {
    const TensorInfo* const info = files.find(base + name);
    auto bytes =
        info != nullptr && info->dtype == dtype ? files.bytes(info->name) : Result<Bytes>(broken);
    const int64_t size = dtype == "F32" ? 4 : 1;
    if (bytes && static_cast<int64_t>(bytes->size()) < least * size) bytes = broken;
    return bytes;
  };
  std::vector<float> scales;
  if (auto plain = read("weight.absmax", "F32", count); plain) {
    for (int64_t i = 0; i < count; ++i) scales.push_back(f32_of(*plain, i));
    return scales;
  }
  auto codes = read("weight.absmax", "U8", count);
  auto table = read("weight.nested_quant_map", "F32", 256);
  auto outer = read("weight.nested_absmax", "F32", ceil_div(count, 256));
  auto text = files.bytes(base + kNf4State);
  for (const auto* part : {&codes, &table, &outer, &text}) {
    if (!*part) return part->error();
  }
  auto state =
      parse_json({reinterpret_cast<const char*>(text->data()), text->size()}, base + kNf4State);
  if (!state) return state.error();
  JsonFields fields(*state, for_message(base + kNf4State));
  const auto offset = static_cast<float>(fields.number("nested_offset", -1e30, 1e30, 0.0));
  if (fields.integer("nested_blocksize", 1, 1 << 20, 256) != 256) return broken;
  if (fields.error()) return *fields.error();
  for (int64_t i = 0; i < count; ++i) {
    scales.push_back(f32_of(*table, u8_of(*codes, i)) * f32_of(*outer, i / 256) + offset);
  }
  return scales;
}

}  // namespace

/// The parts of a layer in memory.
struct QuantizedFolder::Reader {
  const Layer& layer;
  Bytes codes;
  Bytes zeros;  ///< Empty: none.
  Numbers scales;
  int64_t scale_columns;  ///< Of (outputs, inputs) scales.
  int zero_offset = 0;    ///< Added to a stored zero point.
  std::vector<float> nf4_scales;

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
        return u8_of(codes, n * layer.num_inputs + k);
      case Codes::kNf4:
        return u8_of(codes, (n * layer.num_inputs + k) / 2) >> (k % 2 == 0 ? 4 : 0) & 15;
    }
    return 0;
  }

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

  float scale(int64_t n, int64_t k) const {
    if (layer.codes == Codes::kNf4) {
      return nf4_scales[static_cast<size_t>((n * layer.num_inputs + k) / 64)];
    }
    // bitsandbytes stores the largest number of a row, 127 times the scale.
    if (layer.scales_name.ends_with("SCB")) return scales.at(n) * 7.874015718698502e-3f;
    const int64_t g = k / layer.group_inputs;
    if (layer.has_columns()) return scales.at(g * layer.num_outputs + n);
    return scales.at(n / layer.group_outputs * scale_columns + g);
  }

  /// Writes the block of output n from input k on. Whether its scale can be stored.
  bool write_block(std::byte* to, int64_t n, int64_t k) const {
    const int64_t elements = dtype_block_elements(layer.dtype);
    const float value = scale(n, k);
    if (!std::isfinite(value)) return false;
    auto* const block = reinterpret_cast<uint8_t*>(to);
    if (layer.dtype == DType::kI8_128 || layer.dtype == DType::kF8_128) {
      std::memcpy(block, &value, sizeof value);
      for (int64_t i = 0; i < elements; ++i) block[4 + i] = static_cast<uint8_t>(code(n, k + i));
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
            static_cast<uint8_t>(code(n, k + i + j) | code(n, k + i + j + 16) << 4);
      }
    }
    return true;
  }
};

Error QuantizedFolder::refused(const std::string& name, const std::string& why) const {
  return {ErrorCode::kUnsupported, "the tensor " + for_message(name) + " of " +
                                       for_message(m_files->where()) + " " + why +
                                       "; get another version of the model, or a GGUF file of it"};
}

Result<std::unique_ptr<WeightSource>> QuantizedFolder::wrap(
    std::unique_ptr<WeightSource> files, const FolderQuantization& quantization) {
  if (quantization.method == Method::kMxfp4) return files;
  std::unique_ptr<QuantizedFolder> folder(new QuantizedFolder(std::move(files), quantization));
  if (auto listed = folder->list(); !listed) return listed.error();
  auto checked = check_quantized_parts(*folder->m_files, quantization);
  if (!checked) return checked.error();
  return std::unique_ptr<WeightSource>(std::move(folder));
}

Result<void> QuantizedFolder::list() {
  for (const TensorInfo& tensor : m_files->tensors()) {
    const std::string& name = tensor.name;
    for (const char* codes : {"weight", "qweight", "weight_packed"}) {
      const std::string suffix = std::string(".") + codes;
      if (!name.ends_with(suffix) || is_float(tensor)) continue;
      const std::string base = name.substr(0, name.size() - suffix.size() + 1);
      if (auto added = add_layer(base, tensor); !added) return added;
    }
  }
  std::map<std::string_view, bool> hidden;
  for (const auto& [name, layer] : m_layers) {
    for (const std::string& part : layer.parts) hidden[part] = true;
  }
  for (const TensorInfo& tensor : m_files->tensors()) {
    if (!hidden.contains(tensor.name)) m_tensors.push_back(tensor);
  }
  for (const auto& [name, layer] : m_layers) {
    TensorInfo info = {.name = name,
                       .dtype = std::string(dtype_name(layer.dtype)),
                       .shape = {layer.num_outputs, layer.num_inputs},
                       .offset = part(layer.codes_name)->offset};
    for (const std::string& each : layer.parts) info.bytes += part(each)->bytes;
    m_tensors.push_back(std::move(info));
  }
  std::ranges::sort(m_tensors, {}, &TensorInfo::name);
  return {};
}

Result<void> QuantizedFolder::add_layer(const std::string& base, const TensorInfo& codes) {
  auto layer = describe(base, codes);
  if (!layer) return layer.error();
  constexpr const char* kParts[] = {"weight_scale",
                                    "weight_scale_inv",
                                    "weight_zero_point",
                                    "weight_shape",
                                    "weight_g_idx",
                                    "input_scale",
                                    "activation_scale",
                                    "scales",
                                    "qzeros",
                                    "g_idx",
                                    "SCB",
                                    "weight_format",
                                    "weight.absmax",
                                    "weight.quant_map",
                                    "weight.nested_absmax",
                                    "weight.nested_quant_map",
                                    kNf4State};
  layer->parts = {layer->codes_name};
  for (const char* name : kParts) {
    if (part(base + name) != nullptr) layer->parts.push_back(base + name);
  }
  const std::string name = base + "weight";
  const int64_t elements = dtype_block_elements(layer->dtype);
  if (layer->num_inputs % elements != 0) {
    return refused(layer->codes_name, "has rows of " + std::to_string(layer->num_inputs) +
                                          " inputs, which are not whole groups of " +
                                          std::to_string(elements));
  }
  m_layers.emplace(name, std::move(*layer));
  return {};
}

Result<QuantizedFolder::Layer> QuantizedFolder::describe(const std::string& base,
                                                         const TensorInfo& codes) const {
  Layer layer = {.base = base, .codes = Codes::kBytes, .dtype = DType::kF8_128};
  layer.codes_name = codes.name;
  if (codes.shape.size() != 2 || codes.shape[0] == 0 || codes.shape[1] == 0) {
    return refused(codes.name,
                   "has the shape " + shape_text(codes.shape) + ", which no matrix has");
  }
  const bool is_packed = codes.name.ends_with("qweight") || codes.name.ends_with("weight_packed");
  if (is_packed && codes.dtype != "I32") {
    return refused(codes.name, "is " + codes.dtype + " and not I32, as packed codes are");
  }
  layer.num_outputs = codes.shape[0];
  layer.num_inputs = codes.shape[1];
  Result<void> described = {};
  if (codes.name.ends_with("qweight")) {
    described = describe_columns(layer, codes);
  } else if (codes.name.ends_with("weight_packed")) {
    described = describe_packed_rows(layer, codes);
  } else if (codes.dtype == "U8" && part(base + kNf4State) != nullptr) {
    described = describe_nf4(layer, codes);
  } else {
    described = describe_bytes(layer, codes);
  }
  if (!described) return described.error();
  if (layer.codes == Codes::kNf4) return layer;
  if (auto set = set_groups(layer, layer.has_columns()); !set) return set.error();
  if (layer.codes == Codes::kGptq || layer.codes == Codes::kAwq ||
      layer.codes == Codes::kPackedInt4) {
    layer.dtype = int4_blocks(layer.group_inputs);
  }
  if (layer.group_inputs % dtype_block_elements(layer.dtype) != 0) {
    return refused(codes.name, "has groups of " + std::to_string(layer.group_inputs) +
                                   " inputs, which are not whole blocks of " +
                                   std::to_string(dtype_block_elements(layer.dtype)));
  }
  if (auto checked = check_order(layer); !checked) return checked.error();
  return layer;
}

/// GPTQ and AWQ, whose columns are outputs.
Result<void> QuantizedFolder::describe_columns(Layer& layer, const TensorInfo& codes) const {
  const bool is_awq = m_quantization.method == Method::kAwq;
  const bool in_eight_bits = m_quantization.bits == 8;
  layer.codes = is_awq ? Codes::kAwq : in_eight_bits ? Codes::kGptq8 : Codes::kGptq;
  layer.num_outputs = codes.shape[1] * (is_awq ? 8 : 1);
  layer.num_inputs = codes.shape[0] * (is_awq ? 1 : in_eight_bits ? 4 : 8);
  layer.scales_name = layer.base + "scales";
  if (in_eight_bits) {
    layer.dtype = DType::kI8_128;
    return check_middle_zeros(layer);
  }
  if (part(layer.base + "qzeros") != nullptr) layer.zeros_name = layer.base + "qzeros";
  return {};
}

/// Refuses zero points of eight bits that are not 128: codes minus another one need nine bits.
Result<void> QuantizedFolder::check_middle_zeros(const Layer& layer) const {
  const TensorInfo* const zeros = part(layer.base + "qzeros");
  if (zeros == nullptr) return {};
  auto bytes = m_files->bytes(zeros->name);
  if (!bytes) return bytes.error();
  const auto middle = static_cast<std::byte>(m_quantization.has_zeros_minus_one ? 127 : 128);
  const bool are_middle = zeros->dtype == "I32" &&
                          std::ranges::all_of(*bytes, [&](std::byte b) { return b == middle; });
  if (are_middle) return {};
  return refused(zeros->name, "has zero points of eight bits that are not all 128");
}

/// compressed-tensors' packed codes.
Result<void> QuantizedFolder::describe_packed_rows(Layer& layer, const TensorInfo& codes) const {
  const TensorInfo* const shape = part(layer.base + "weight_shape");
  if (shape == nullptr) return refused(codes.name, "has no shape beside it");
  auto bytes = m_files->bytes(shape->name);
  if (!bytes) return bytes.error();
  int64_t width = 0;
  if (shape->dtype == "I64" && bytes->size() == 16) {
    std::memcpy(&width, bytes->data() + 8, sizeof width);
  } else if (shape->dtype == "I32" && bytes->size() == 8) {
    width = static_cast<int32_t>(u32_of(*bytes, 1));
  }
  const bool in_eight_bits = width == codes.shape[1] * 4;
  if (!in_eight_bits && width != codes.shape[1] * 8) {
    return refused(codes.name, "does not hold four or eight bits of each number");
  }
  layer.codes = in_eight_bits ? Codes::kPackedInt8 : Codes::kPackedInt4;
  layer.dtype = DType::kI8_128;
  layer.num_inputs = width;
  layer.scales_name = layer.base + "weight_scale";
  const std::string zeros = layer.base + "weight_zero_point";
  if (part(zeros) == nullptr) return {};
  if (in_eight_bits) return refused(codes.name, "has eight bits and zero points");
  layer.zeros_name = zeros;
  return {};
}

/// bitsandbytes' NF4, whose shape is in a JSON text.
Result<void> QuantizedFolder::describe_nf4(Layer& layer, const TensorInfo& codes) const {
  auto bytes = m_files->bytes(layer.base + kNf4State);
  if (!bytes) return bytes.error();
  auto state = parse_json({reinterpret_cast<const char*>(bytes->data()), bytes->size()},
                          layer.base + kNf4State);
  if (!state) return state.error();
  JsonFields fields(*state, for_message(layer.base + kNf4State));
  const auto shape = fields.integers("shape", 1, int64_t{1} << 30);
  const int64_t block = fields.integer("blocksize", 1, 1 << 20, 64);
  if (fields.error()) return *fields.error();
  const bool fits = shape.size() == 2 && block == 64 &&
                    ceil_div(shape[0] * shape[1], 2) == codes.shape[0] * codes.shape[1];
  if (!fits) return refused(codes.name, "is not a matrix in blocks of 64");
  layer.codes = Codes::kNf4;
  layer.dtype = DType::kNF4_64;
  layer.num_outputs = shape[0];
  layer.num_inputs = shape[1];
  layer.scales_name = layer.base + "weight.absmax";
  layer.group_outputs = 1;
  layer.group_inputs = 64;
  if (part(layer.scales_name) == nullptr) return refused(codes.name, "has no scales beside it");
  return {};
}

/// A byte for each number: int8 or FP8.
Result<void> QuantizedFolder::describe_bytes(Layer& layer, const TensorInfo& codes) const {
  const auto has = [&](const char* name) { return part(layer.base + name) != nullptr; };
  if (codes.dtype == "I8") {
    layer.dtype = DType::kI8_128;
    layer.scales_name = layer.base + (has("SCB") ? "SCB" : "weight_scale");
    if (has("weight_zero_point")) return refused(codes.name, "has eight bits and zero points");
    return {};
  }
  if (codes.dtype == "F8_E4M3") {
    layer.scales_name =
        layer.base + (has("weight_scale_inv") ? "weight_scale_inv" : "weight_scale");
    return {};
  }
  return refused(codes.name, "is " + for_message(codes.dtype) +
                                 ", which belongs to no quantisation that Quire reads");
}

/// The groups by the scales' shape, which is checked, and that of the zero points.
Result<void> QuantizedFolder::set_groups(Layer& layer, bool along_inputs_first) const {
  const TensorInfo* const scales = part(layer.scales_name);
  if (scales == nullptr || !is_float(*scales) || scales->shape.size() > 2) {
    return refused(layer.codes_name, "has no scales beside it in F16, BF16 or F32");
  }
  int64_t rows = scales->shape.empty() ? 1 : scales->shape[0];
  int64_t columns = scales->shape.size() < 2 ? 1 : scales->shape[1];
  if (along_inputs_first) std::swap(rows, columns);
  layer.group_outputs = ceil_div(layer.num_outputs, std::max<int64_t>(rows, 1));
  layer.group_inputs = ceil_div(layer.num_inputs, std::max<int64_t>(columns, 1));
  // Rows of one block of inputs have a column of scales, too.
  const bool is_column =
      rows > 1 && rows < layer.num_outputs && layer.num_inputs <= m_quantization.block_inputs;
  if (m_quantization.block_inputs > 0 && (columns > 1 || is_column)) {
    layer.group_outputs = m_quantization.block_outputs;
    layer.group_inputs = m_quantization.block_inputs;
  }
  const bool has_each_row = along_inputs_first || layer.scales_name.ends_with("SCB");
  const bool fits = (!has_each_row || rows == layer.num_outputs) &&
                    rows == ceil_div(layer.num_outputs, layer.group_outputs) &&
                    columns == ceil_div(layer.num_inputs, layer.group_inputs);
  const bool is_even =
      m_quantization.block_inputs > 0 || layer.group_inputs * columns == layer.num_inputs;
  if (!fits || !is_even) {
    return refused(layer.scales_name, "has the shape " + shape_text(scales->shape) +
                                          ", which does not fit " + layer.codes_name);
  }
  if (layer.zeros_name.empty()) return {};
  const TensorInfo& zeros = *part(layer.zeros_name);
  const std::vector<int64_t> expected = along_inputs_first
                                            ? std::vector<int64_t>{columns, layer.num_outputs / 8}
                                            : std::vector<int64_t>{layer.num_outputs / 8, columns};
  if (zeros.dtype == "I32" && zeros.shape == expected && layer.num_outputs % 8 == 0) return {};
  return refused(layer.zeros_name, "has the shape " + shape_text(zeros.shape) +
                                       ", which does not fit " + layer.codes_name);
}

/// Refuses inputs whose groups are not consecutive (act-order).
Result<void> QuantizedFolder::check_order(const Layer& layer) const {
  for (const char* name : {"g_idx", "weight_g_idx"}) {
    const TensorInfo* const order = part(layer.base + name);
    if (order == nullptr) continue;
    auto bytes = m_files->bytes(order->name);
    if (!bytes) return bytes.error();
    const bool fits =
        order->dtype == "I32" && order->shape.size() == 1 && order->shape[0] == layer.num_inputs;
    bool is_ascending = fits;
    for (int64_t k = 0; is_ascending && k < layer.num_inputs; ++k) {
      is_ascending = u32_of(*bytes, k) == static_cast<uint32_t>(k / layer.group_inputs);
    }
    if (!is_ascending) {
      return refused(order->name,
                     "puts the inputs of a group in an order of its own (act-order), which Quire "
                     "does not read yet");
    }
  }
  return {};
}

const TensorInfo* QuantizedFolder::find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(m_tensors, name, {}, &TensorInfo::name);
  return at != m_tensors.end() && at->name == name ? &*at : nullptr;
}

Result<QuantizedFolder::Reader> QuantizedFolder::read(const Layer& layer) {
  auto codes = m_files->bytes(layer.codes_name);
  if (!codes) return codes.error();
  Reader reader = {.layer = layer, .codes = *codes};
  reader.scale_columns = ceil_div(layer.num_inputs, layer.group_inputs);
  reader.zero_offset = m_quantization.has_zeros_minus_one ? 1 : 0;
  if (layer.codes == Codes::kNf4) {
    auto scales = nf4_scales_of(*m_files, layer.base, layer.num_outputs * layer.num_inputs / 64,
                                refused(layer.codes_name, "has scales that do not fit it"));
    if (!scales) return scales.error();
    reader.nf4_scales = std::move(*scales);
    return reader;
  }
  auto scales = m_files->bytes(layer.scales_name);
  if (!scales) return scales.error();
  reader.scales = {*scales, part(layer.scales_name)->dtype};
  if (layer.zeros_name.empty()) return reader;
  auto zeros = m_files->bytes(layer.zeros_name);
  if (!zeros) return zeros.error();
  reader.zeros = *zeros;
  return reader;
}

Result<std::vector<std::byte>> QuantizedFolder::make_blocks(const Layer& layer) {
  auto reader = read(layer);
  if (!reader) return reader.error();
  const int64_t elements = dtype_block_elements(layer.dtype);
  const int64_t block_bytes = dtype_block_bytes(layer.dtype);
  std::vector<std::byte> blocks(
      static_cast<size_t>(layer.num_outputs * dtype_span_bytes(layer.dtype, layer.num_inputs)));
  std::byte* to = blocks.data();
  for (int64_t n = 0; n < layer.num_outputs; ++n) {
    for (int64_t k = 0; k < layer.num_inputs; k += elements, to += block_bytes) {
      if (reader->write_block(to, n, k)) continue;
      return refused(layer.scales_name, "holds scales that are not finite, or no half precision");
    }
  }
  return blocks;
}

Result<ConstTensorView> QuantizedFolder::tensor(std::string_view name) {
  const auto found = m_layers.find(name);
  if (found == m_layers.end()) return m_files->tensor(name);
  const Layer& layer = found->second;
  auto kept = m_blocks.find(name);
  if (kept == m_blocks.end()) {
    auto blocks = make_blocks(layer);
    if (!blocks) return blocks.error();
    kept = m_blocks.emplace(name, std::move(*blocks)).first;
    for (const std::string& each : layer.parts) m_files->release(each);
  }
  return ConstTensorView(kept->second.data(), layer.dtype, {layer.num_outputs, layer.num_inputs});
}

Result<ConstTensorView> QuantizedFolder::described(std::string_view name) {
  const auto found = m_layers.find(name);
  if (found == m_layers.end()) return m_files->described(name);
  const Layer& layer = found->second;
  auto codes = m_files->bytes(layer.codes_name);
  if (!codes) return codes.error();
  return ConstTensorView(codes->data(), layer.dtype, {layer.num_outputs, layer.num_inputs});
}

Result<std::span<const std::byte>> QuantizedFolder::bytes(std::string_view name) {
  if (!m_layers.contains(name)) return m_files->bytes(name);
  auto view = tensor(name);
  if (!view) return view.error();
  const auto& blocks = m_blocks.find(name)->second;
  return std::span<const std::byte>(blocks);
}

void QuantizedFolder::release(std::string_view name) {
  const auto kept = m_blocks.find(name);
  if (kept != m_blocks.end()) m_blocks.erase(kept);
  if (!m_layers.contains(name)) m_files->release(name);
}

}  // namespace quire
