#include "engine/models/json_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/io/json_fields.h"
#include "engine/io/json_file.h"
#include "engine/io/read_file.h"
#include "engine/io/text.h"
#include "engine/models/architectures/architecture.h"
#include "engine/models/folder_quantization.h"

namespace quire {
namespace {

using nlohmann::json;

constexpr const char* kConfigFile = "config.json";
constexpr size_t kMaxLayers = 4096;
/// Rows of the embedding: twice as many as a tokenizer may have tokens.
constexpr int64_t kMaxVocabulary = 1 << 20;
constexpr const char* kGenerationFile = "generation_config.json";
constexpr const char* kModelOptFile = "hf_quant_config.json";

/// A file in which Python writes numbers that JSON does not have; they become null. Errors: those
/// of parse_json naming `file`.
Result<json> parse_config(std::string_view text, const char* file) {
  constexpr std::string_view kNumbers[] = {"-Infinity", "Infinity", "NaN"};
  std::string strict;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') in_string = !in_string;
    const std::string_view rest = text.substr(i);
    const auto found = std::ranges::find_if(
        kNumbers, [&](std::string_view number) { return !in_string && rest.starts_with(number); });
    if (found != std::end(kNumbers)) {
      // The columns of what follows stay right if the length stays the same.
      constexpr std::string_view kNull = "null";
      if (found->size() < kNull.size() && strict.ends_with(' ')) strict.pop_back();
      strict += kNull;
      if (found->size() > kNull.size()) strict.append(found->size() - kNull.size(), ' ');
      i += found->size() - 1;
      continue;
    }
    strict += text[i];
    // An escaped quote does not end a string.
    if (in_string && text[i] == '\\' && i + 1 < text.size()) strict += text[++i];
  }
  return parse_json(strict, file);
}

/// The first class listed, or in files without such a list the model's type; empty and an error if
/// there is neither.
std::string architecture_name(JsonFields& fields) {
  const json* list = fields.find("architectures");
  if (list == nullptr && fields.has("model_type")) return fields.string("model_type");
  if (list != nullptr && list->is_array() && !list->empty() && list->front().is_string()) {
    return list->front();
  }
  fields.fail(ErrorCode::kCorruptFile, "architectures names no architecture");
  return {};
}

/// Null and an error if the architecture is unknown.
const Architecture* read_architecture(JsonFields& fields) {
  const std::string name = architecture_name(fields);
  if (fields.error()) return nullptr;
  const Architecture* found = find_architecture(name);
  if (found == nullptr) {
    fields.fail(ErrorCode::kUnsupported, "%1: the architecture %2 is not supported; Quire runs %3",
                {for_message(name), supported_architectures()});
  }
  return found;
}

/// Refuses weights in quantised formats that Quire does not read. Of MXFP4 it reads gpt-oss's.
void refuse_quantised(JsonFields& fields, const Architecture& architecture) {
  const json* object = fields.find("quantization_config");
  if (object == nullptr) return;
  auto read = parse_folder_quantization(*object, fields.where() + ": quantization_config");
  if (!read) return fields.fail(read.error());
  const bool is_read = read->method != FolderQuantization::Method::kMxfp4 ||
                       architecture.interleaves_experts_in_hugging_face;
  if (!is_read) {
    fields.fail(ErrorCode::kUnsupported,
                "%1: the weights are quantised by %2, a variant that Quire does not read; get "
                "another version of the model, or a GGUF file of it",
                {"mxfp4"});
  }
}

std::optional<int64_t> unless_zero(int64_t fallback) {
  return fallback > 0 ? std::optional<int64_t>(fallback) : std::nullopt;
}

/// Files that name each layer's kind may leave out the layers' number.
std::optional<int64_t> num_named_layers(const JsonFields& fields) {
  const json* const list = fields.find("layer_types");
  if (list == nullptr || !list->is_array() || list->empty() || list->size() > kMaxLayers) return {};
  return static_cast<int64_t>(list->size());
}

void check_heads(JsonFields& fields, bool derives_head_dim, const ModelConfig& config) {
  const auto heads = std::to_string(config.num_heads);
  if (config.num_heads % config.num_kv_heads != 0) {
    fields.fail(ErrorCode::kCorruptFile,
                "num_key_value_heads is " + std::to_string(config.num_kv_heads) +
                    ", which does not divide num_attention_heads, " + heads);
  }
  if (derives_head_dim && config.hidden_size % config.num_heads != 0) {
    fields.fail(ErrorCode::kCorruptFile, "num_attention_heads is " + heads +
                                             ", which does not divide hidden_size, " +
                                             std::to_string(config.hidden_size));
  }
  if (config.head_dim == 0 || config.head_dim % 2 != 0) {
    fields.fail(ErrorCode::kCorruptFile, "head_dim is " + std::to_string(config.head_dim) +
                                             ", which is not an even number of 2 or more");
  }
}

void read_sizes(JsonFields& fields, const ConfigDefaults& defaults, ModelConfig& config) {
  const auto integer = [&](const char* name, int64_t max, std::optional<int64_t> fallback = {}) {
    return static_cast<int>(fields.integer(name, 1, max, fallback));
  };
  config.hidden_size = integer("hidden_size", 1 << 20);
  const int64_t factor = defaults.intermediate_factor;
  const auto widths = fields.integers("intermediate_size", 1, 1 << 22);
  config.intermediate_size =
      widths.empty()
          ? integer("intermediate_size", 1 << 22, unless_zero(factor * config.hidden_size))
          : static_cast<int>(*std::max_element(widths.begin(), widths.end()));
  config.num_layers = integer("num_hidden_layers", kMaxLayers, num_named_layers(fields));
  config.num_heads = integer("num_attention_heads", 1 << 14, unless_zero(defaults.num_heads));
  config.num_speculative_layers =
      static_cast<int>(fields.integer("num_nextn_predict_layers", 0, 64, 0));
  config.vocab_size = integer("vocab_size", kMaxVocabulary, unless_zero(defaults.vocab_size));
  // Null means as many as heads; an absent field means the architecture's default.
  const bool as_many = defaults.num_kv_heads == 0 || fields.is_null("num_key_value_heads");
  config.num_kv_heads =
      integer("num_key_value_heads", 1 << 14, as_many ? config.num_heads : defaults.num_kv_heads);
  config.max_positions = integer("max_position_embeddings", 1 << 28, defaults.max_positions);
  const bool derives_head_dim =
      !fields.has("head_dim") && (defaults.head_dim == 0 || fields.is_null("head_dim"));
  config.head_dim = integer(
      "head_dim", 4096,
      derives_head_dim ? config.hidden_size / std::max(1, config.num_heads) : defaults.head_dim);
  if (!fields.error()) check_heads(fields, derives_head_dim, config);
}

/// `intermediate_size` may be a list with a number for each layer.
void read_layer_widths(JsonFields& fields, ModelConfig& config) {
  const auto widths = fields.integers("intermediate_size", 1, 1 << 22);
  if (widths.size() <= 1) return;
  if (widths.size() != config.layers.size()) {
    fields.fail(ErrorCode::kCorruptFile, "intermediate_size is not a list of " +
                                             std::to_string(config.layers.size()) + " numbers");
    return;
  }
  for (size_t i = 0; i < widths.size(); ++i) {
    config.layers[i].intermediate_size = static_cast<int>(widths[i]);
  }
}

/// Reads end and begin tokens, which several files may name. Each new token is compared with those
/// before it, and each generated one with all of them; real models have a few.
void read_tokens(JsonFields& fields, ModelConfig& config) {
  constexpr size_t kMostEndTokens = 1024;
  const int64_t last = config.vocab_size - 1;
  for (int64_t id : fields.integers("eos_token_id", 0, last)) {
    const auto token = static_cast<int32_t>(id);
    const auto& known = config.end_tokens;
    if (std::find(known.begin(), known.end(), token) != known.end()) continue;
    if (known.size() == kMostEndTokens) {
      return fields.fail(ErrorCode::kCorruptFile, "eos_token_id names more than " +
                                                      with_separators(kMostEndTokens) +
                                                      " tokens; download it again");
    }
    config.end_tokens.push_back(token);
  }
  if (config.bos_token < 0) {
    config.bos_token = static_cast<int32_t>(fields.integer("bos_token_id", 0, last, -1));
  }
}

void read_sampling_defaults(JsonFields& fields, ModelConfig& config) {
  config.default_temperature = static_cast<float>(fields.number("temperature", 0.0, 100.0, -1.0));
  config.default_top_p = static_cast<float>(fields.number("top_p", 0.0, 1.0, -1.0));
  config.default_top_k = static_cast<int>(fields.integer("top_k", 0, 1 << 24, -1));
}

/// Each has weights of its own in every layer; the largest real models have some 31,000 in all.
void limit_experts(JsonFields& fields, const ModelConfig& config) {
  constexpr int64_t kMaxExperts = 1 << 17;
  const int64_t all = int64_t{config.experts.num_experts} * config.num_layers;
  if (all <= kMaxExperts) return;
  fields.fail(ErrorCode::kCorruptFile,
              "it asks for " + std::to_string(all) + " experts in all layers; Quire runs models " +
                  "with at most " + std::to_string(kMaxExperts) + ", so choose another one");
}

/// Once it is known what rotates: a list of divisors has one for each pair of those dimensions.
void check_divisors(JsonFields& fields, const ModelConfig& config) {
  for (const RopeConfig& rope : config.ropes) {
    const auto count = static_cast<size_t>(rope.rotary_dim / 2);
    for (const std::vector<float>* list :
         {&rope.divisors, &rope.short_factors, &rope.long_factors}) {
      if (list->empty() || list->size() == count) continue;
      fields.fail(ErrorCode::kCorruptFile,
                  "the position scaling has " + std::to_string(list->size()) + " factors for the " +
                      std::to_string(count) +
                      " pairs of dimensions that rotate; choose another conversion of the model");
    }
  }
}

/// Reads the object that describes the decoder.
void read_decoder(JsonFields& fields, const Architecture& architecture, ModelConfig& config) {
  const ConfigDefaults& defaults = architecture.defaults;
  config.architecture = architecture.name;
  fields.set_aliases(architecture.field_names);
  refuse_quantised(fields, architecture);
  read_sizes(fields, defaults, config);
  config.norm_eps = static_cast<float>(fields.number("rms_norm_eps", 0.0, 1.0, defaults.norm_eps));
  if (fields.error()) return;
  config.layers.resize(static_cast<size_t>(config.num_layers));
  read_layer_widths(fields, config);
  if (fields.error()) return;
  architecture.read(fields, config);
  if (!fields.error()) limit_experts(fields, config);
  if (!fields.error()) read_ropes(fields, defaults.rope, config);
  if (!fields.error() && architecture.finish != nullptr) architecture.finish(config);
  if (!fields.error()) check_divisors(fields, config);
  if (!fields.error()) read_tokens(fields, config);
}

Result<void> add_generation(const json& object, ModelConfig& config) {
  JsonFields fields(object, kGenerationFile);
  read_tokens(fields, config);
  read_sampling_defaults(fields, config);
  if (fields.error()) return *fields.error();
  return {};
}

/// What ModelOpt wrote into a file of its own before config.json held it.
Result<std::optional<FolderQuantization>> read_model_opt(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder / kModelOptFile, ignored)) {
    return std::optional<FolderQuantization>();
  }
  auto text = read_file(folder / kModelOptFile, JsonLimits{}.max_bytes);
  if (!text) return text.error();
  auto object = parse_config(*text, kModelOptFile);
  if (!object) return object.error();
  const JsonFields fields(*object, kModelOptFile);
  const json* const found = fields.find("quantization");
  if (found == nullptr || !found->is_object()) return std::optional<FolderQuantization>();
  json quantization = *found;
  quantization["quant_method"] = "modelopt";
  auto read = parse_folder_quantization(quantization, std::string(kModelOptFile));
  if (!read) return read.error();
  return std::optional(*read);
}

}  // namespace

Result<ModelConfig> build_model_config(const json& object, const std::string& where) {
  JsonFields fields(object, where);
  const Architecture* architecture = fields.error() ? nullptr : read_architecture(fields);
  if (architecture == nullptr) return *fields.error();
  ModelConfig config;
  // Multimodal models describe their decoder in a nested object.
  if (const json* text = fields.find("text_config"); text != nullptr) {
    JsonFields nested(*text, where + ": text_config");
    // One class has decoders of several kinds (Mistral 3 and 4).
    const Architecture* const named = find_architecture(nested.string("model_type", ""));
    if (named != nullptr) architecture = named;
    refuse_quantised(fields, *architecture);
    const bool fallback = architecture->defaults.tie_word_embeddings;
    config.tie_word_embeddings =
        fields.boolean("tie_word_embeddings", nested.boolean("tie_word_embeddings", fallback));
    read_decoder(nested, *architecture, config);
    if (nested.error()) return *nested.error();
    read_tokens(fields, config);
  } else {
    const bool fallback = architecture->defaults.tie_word_embeddings;
    config.tie_word_embeddings = fields.boolean("tie_word_embeddings", fallback);
    read_decoder(fields, *architecture, config);
  }
  if (fields.error()) return *fields.error();
  return config;
}

Result<ModelConfig> parse_model_config(std::string_view config_text,
                                       std::optional<std::string_view> generation_text) {
  auto object = parse_config(config_text, kConfigFile);
  if (!object) return object.error();
  auto config = build_model_config(*object, kConfigFile);
  if (!config || !generation_text) return config;
  auto generation = parse_json(*generation_text, kGenerationFile);
  if (!generation) return generation.error();
  if (auto added = add_generation(*generation, *config); !added) return added.error();
  return config;
}

Result<json> read_config_json(const std::filesystem::path& folder) {
  const auto text = read_file(folder / kConfigFile, JsonLimits{}.max_bytes);
  if (!text) return text.error();
  return parse_config(*text, kConfigFile);
}

Result<std::optional<FolderQuantization>> read_folder_quantization(
    const std::filesystem::path& folder) {
  auto object = read_config_json(folder);
  if (!object) return object.error();
  const JsonFields fields(*object, kConfigFile);
  const json* found = fields.find("quantization_config");
  const json* const text_config = fields.find("text_config");
  if (found == nullptr && text_config != nullptr) {
    found = JsonFields(*text_config, kConfigFile).find("quantization_config");
  }
  if (found == nullptr) return read_model_opt(folder);
  auto read = parse_folder_quantization(*found, std::string(kConfigFile) + ": quantization_config");
  if (!read) return read.error();
  return std::optional(*read);
}

Result<ModelConfig> read_model_config(const std::filesystem::path& folder) {
  const auto main = read_file(folder / kConfigFile, JsonLimits{}.max_bytes);
  if (!main) return main.error();
  std::error_code ignored;
  std::optional<std::string> generation;
  if (std::filesystem::exists(folder / kGenerationFile, ignored)) {
    auto file = read_file(folder / kGenerationFile, JsonLimits{}.max_bytes);
    if (!file) return file.error();
    generation = std::move(*file);
  }
  auto config = parse_model_config(*main, generation);
  if (!config) return config;
  config->name = std::filesystem::weakly_canonical(folder, ignored).filename().string();
  return config;
}

}  // namespace quire
