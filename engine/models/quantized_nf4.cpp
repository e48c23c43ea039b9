// bitsandbytes' NF4.

#include <nlohmann/json.hpp>

#include "engine/io/json_fields.h"
#include "engine/io/json_file.h"
#include "engine/io/text.h"
#include "engine/models/quantized_layer.h"

namespace quire {

Result<nlohmann::json> read_nf4_state(WeightSource& source, const std::string& name) {
  // There is one for each layer, and each is parsed several times.
  constexpr JsonLimits kLimits = {.max_bytes = 4096, .max_depth = 4, .max_values = 64};
  auto bytes = source.bytes(name);
  if (!bytes) return bytes.error();
  return parse_json({reinterpret_cast<const char*>(bytes->data()), bytes->size()},
                    for_message(name) + " of " + for_message(source.where()), kLimits);
}

Result<void> describe_nf4(const LayerFiles& files, QuantizedLayer& layer, const TensorInfo& codes) {
  auto state = read_nf4_state(files.source, layer.base + kNf4State);
  if (!state) return state.error();
  JsonFields fields(*state, for_message(layer.base + kNf4State));
  const auto shape = fields.integers("shape", 1, int64_t{1} << 30);
  const int64_t block = fields.integer("blocksize", 1, 1 << 20, 64);
  if (fields.error()) return *fields.error();
  const bool fits = shape.size() == 2 && block == 64 &&
                    num_groups(shape[0] * shape[1], 2) == codes.shape[0] * codes.shape[1];
  if (!fits) return files.refused(codes.name, "is not a matrix in blocks of 64");
  layer.codes = QuantizedLayer::Codes::kNf4;
  layer.dtype = DType::kNF4_64;
  layer.num_outputs = shape[0];
  layer.num_inputs = shape[1];
  layer.scales_name = layer.base + "weight.absmax";
  layer.group_outputs = 1;
  layer.group_inputs = 64;
  if (files.part(layer.scales_name) == nullptr)
    return files.refused(codes.name, "has no scales beside it");
  return {};
}

/// Quantised scales are bytes that index a table, times a scale of 256 of them, plus an offset.
Result<std::vector<float>> nf4_scales_of(WeightSource& source, const std::string& base,
                                         int64_t count, const Error& broken) {
  const auto read = [&](const std::string& name, std::string_view dtype, int64_t least) {
    const TensorInfo* const info = source.find(base + name);
    auto bytes = info != nullptr && info->dtype == dtype
                     ? source.bytes(info->name)
                     : Result<std::span<const std::byte>>(broken);
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
  auto outer = read("weight.nested_absmax", "F32", num_groups(count, 256));
  for (const auto* part : {&codes, &table, &outer}) {
    if (!*part) return part->error();
  }
  auto state = read_nf4_state(source, base + kNf4State);
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

}  // namespace quire
