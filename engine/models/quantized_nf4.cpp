// bitsandbytes' NF4.

#include <nlohmann/json.hpp>
#include <optional>

#include "engine/io/json_fields.h"
#include "engine/io/json_file.h"
#include "engine/io/json_tokens.h"
#include "engine/io/text.h"
#include "engine/models/quantized_layer.h"

namespace quire {
namespace {

using Token = JsonReader::Token;

constexpr JsonLimits kStateLimits = {.max_bytes = 4096, .max_depth = 4, .max_values = 64};
constexpr int64_t kMostSide = int64_t{1} << 30;
constexpr int64_t kMostBlock = 1 << 20;

/// What a layer's JSON text, which has some nine members, says about its codes.
struct Nf4State {
  std::string type = "nf4";
  std::vector<int64_t> shape;
  int64_t block = 64;
};

Result<std::string_view> state_text(WeightSource& source, const std::string& name) {
  auto bytes = source.bytes(name);
  if (!bytes) return bytes.error();
  return std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

Result<nlohmann::json> state_document(const LayerFiles& files, const TensorInfo& state) {
  auto text = state_text(files.source, state.name);
  if (!text) return text.error();
  return parse_json(*text, for_message(state.name) + " of " + for_message(files.source.where()),
                    kStateLimits);
}

/// Whether the value is a number from 1 to `most`.
bool is_within(const JsonReader& reader, Token value, int64_t most) {
  return value == Token::kNatural && reader.natural() - 1 < static_cast<uint64_t>(most);
}

bool read_shape(JsonReader& reader, Nf4State& state) {
  if (reader.next() != Token::kArray) return false;
  Token value = reader.next();
  for (; is_within(reader, value, kMostSide); value = reader.next()) {
    state.shape.push_back(static_cast<int64_t>(reader.natural()));
  }
  return value == Token::kArrayEnd;
}

/// Nothing if the text is no such state. There may be 100,000 of them, and a document of each would
/// take a second.
std::optional<Nf4State> parse_state(std::string_view mapped) {
  if (mapped.size() > kStateLimits.max_bytes) return std::nullopt;
  const std::string text(mapped);  // The file may change while it is read.
  JsonReader reader(text, kStateLimits);
  if (reader.next() != Token::kObject) return std::nullopt;
  Nf4State state;
  Token token = reader.next();
  for (; token == Token::kKey; token = reader.next()) {
    if (reader.text() == "shape") {
      state.shape.clear();
      if (!read_shape(reader, state)) return std::nullopt;
      continue;
    }
    const bool is_type = reader.text() == "quant_type", is_block = reader.text() == "blocksize";
    const Token value = reader.next();
    if (is_type && value != Token::kString) return std::nullopt;
    if (is_block && !is_within(reader, value, kMostBlock)) return std::nullopt;
    if (is_type) state.type = reader.text();
    if (is_block) state.block = static_cast<int64_t>(reader.natural());
    reader.skip(value);
  }
  if (token != Token::kObjectEnd || reader.next() != Token::kEnd) return std::nullopt;
  return state;
}

/// Why a text is no such state.
Error state_error(const LayerFiles& files, const TensorInfo& tensor) {
  auto document = state_document(files, tensor);
  if (!document) return document.error();
  JsonFields fields(*document, for_message(tensor.name));
  fields.integers("shape", 1, kMostSide);
  fields.integer("blocksize", 1, kMostBlock, 64);
  fields.string("quant_type", "nf4");
  if (fields.error()) return *fields.error();
  return files.refused(tensor.name, "does not describe a matrix in NF4");
}

}  // namespace

Result<void> describe_nf4(const LayerFiles& files, QuantizedLayer& layer, const TensorInfo& codes) {
  const TensorInfo& tensor = *files.part(layer, kNf4State);
  const auto text = state_text(files.source, tensor.name);
  if (!text) return text.error();
  const auto state = parse_state(*text);
  if (!state) return state_error(files, tensor);
  if (state->type != "nf4") {
    return files.refused(tensor.name, "calls its codes " + for_message(state->type));
  }
  const auto& shape = state->shape;
  const bool fits = shape.size() == 2 && state->block == 64 &&
                    num_groups(shape[0] * shape[1], 2) == codes.shape[0] * codes.shape[1];
  if (!fits) return files.refused(codes.name, "is not a matrix in blocks of 64");
  layer.codes = QuantizedLayer::Codes::kNf4;
  layer.dtype = DType::kNF4_64;
  layer.num_outputs = shape[0];
  layer.num_inputs = shape[1];
  layer.scales_tensor = files.part(layer, "weight.absmax");
  layer.group_outputs = 1;
  layer.group_inputs = 64;
  if (layer.scales_tensor == nullptr) return files.refused(codes.name, "has no scales beside it");
  return {};
}

/// Quantised scales are bytes that index a table, times a scale of 256 of them, plus an offset.
Result<std::vector<float>> nf4_scales_of(const LayerFiles& files, const QuantizedLayer& layer,
                                         const Error& broken) {
  const int64_t count = layer.num_outputs * layer.num_inputs / 64;
  const auto read = [&](std::string_view name, std::string_view dtype, int64_t least) {
    const TensorInfo* const info = files.part(layer, name);
    auto bytes = info != nullptr && info->dtype == dtype
                     ? files.source.bytes(info->name)
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
  const TensorInfo& state = *files.part(layer, kNf4State);
  const auto document = state_document(files, state);
  if (!document) return document.error();
  JsonFields fields(*document, for_message(state.name));
  const auto offset = static_cast<float>(fields.number("nested_offset", -1e30, 1e30, 0.0));
  if (fields.integer("nested_blocksize", 1, 1 << 20, 256) != 256) return broken;
  if (fields.error()) return *fields.error();
  for (int64_t i = 0; i < count; ++i) {
    scales.push_back(f32_of(*table, u8_of(*codes, i)) * f32_of(*outer, i / 256) + offset);
  }
  return scales;
}

}  // namespace quire
