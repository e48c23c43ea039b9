#include "engine/models/json_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/io/json_fields.h"
#include "engine/io/json_file.h"
#include "engine/io/text.h"
#include "engine/models/rope_config.h"

namespace quire {
namespace {

using nlohmann::json;

constexpr const char* kConfigFile = "config.json";
constexpr const char* kGenerationFile = "generation_config.json";

/// What transformers assumes for fields that config.json leaves out.
struct Family {
  const char* architecture;
  int64_t num_kv_heads;  ///< 0: as many as heads.
  int64_t max_positions;
  int64_t sliding_window;  ///< 0: the family has none.
};
constexpr Family kFamilies[] = {
    {.architecture = "LlamaForCausalLM",
     .num_kv_heads = 0,
     .max_positions = 2048,
     .sliding_window = 0},
    {.architecture = "MistralForCausalLM",
     .num_kv_heads = 8,
     .max_positions = 131072,
     .sliding_window = 4096},
};

std::string supported_names() {
  std::string names;
  for (const Family& family : kFamilies)
    names += (names.empty() ? "" : ", ") + std::string(family.architecture);
  return names;
}

/// The family of the first architecture listed; null with a fault recorded if it is unknown.
const Family* find_family(JsonFields& fields) {
  const json* list = fields.find("architectures");
  if (list == nullptr || !list->is_array() || list->empty() || !list->front().is_string()) {
    fields.fail(ErrorCode::kCorruptFile, "architectures names no architecture");
    return nullptr;
  }
  const std::string name = list->front();
  for (const Family& family : kFamilies) {
    if (name == family.architecture) return &family;
  }
  fields.fail(ErrorCode::kUnsupported, "the architecture " + for_message(name) +
                                           " is not supported; Quire runs " + supported_names());
  return nullptr;
}

void refuse_unsupported(JsonFields& fields) {
  if (fields.has("quantization_config")) {
    fields.fail(ErrorCode::kUnsupported,
                "quantization_config is set; Quire reads unquantised safetensors (f32, f16, bf16)");
  }
  const std::string activation = fields.string("hidden_act", "silu");
  if (activation != "silu") {
    fields.fail(ErrorCode::kUnsupported,
                "hidden_act is \"" + for_message(activation) + "\"; Quire supports silu here");
  }
}

void read_sizes(JsonFields& fields, const Family& family, ModelConfig& config) {
  const auto integer = [&](const char* name, int64_t max, std::optional<int64_t> fallback = {}) {
    return static_cast<int>(fields.integer(name, 1, max, fallback));
  };
  config.hidden_size = integer("hidden_size", 1 << 20);
  config.intermediate_size = integer("intermediate_size", 1 << 22);
  config.num_layers = integer("num_hidden_layers", 4096);
  config.num_heads = integer("num_attention_heads", 1 << 14);
  config.vocab_size = integer("vocab_size", 1 << 24);
  const int64_t kv_heads = family.num_kv_heads > 0 ? family.num_kv_heads : config.num_heads;
  config.num_kv_heads = integer("num_key_value_heads", 1 << 14, kv_heads);
  config.max_positions = integer("max_position_embeddings", 1 << 28, family.max_positions);
  const bool derives_head_dim = !fields.has("head_dim");
  config.head_dim = integer("head_dim", 4096, config.hidden_size / std::max(1, config.num_heads));
  if (fields.error()) return;  // The checks below need sane numbers.

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

void read_options(JsonFields& fields, const Family& family, ModelConfig& config) {
  config.rms_norm_eps = static_cast<float>(fields.number("rms_norm_eps", 0.0, 1.0, 1e-6));
  config.tie_word_embeddings = fields.boolean("tie_word_embeddings", false);
  config.attention_bias = fields.boolean("attention_bias", false);
  config.mlp_bias = fields.boolean("mlp_bias", false);
  if (family.sliding_window > 0) {
    // Null in the file says that there is no window; only an absent field means the family's own.
    const bool is_null = fields.is_null("sliding_window");
    config.sliding_window = static_cast<int>(
        fields.integer("sliding_window", 1, 1 << 28, is_null ? 0 : family.sliding_window));
  }
}

/// End and begin tokens, which both files may name.
void read_tokens(JsonFields& fields, ModelConfig& config) {
  const int64_t last = config.vocab_size - 1;
  for (int64_t id : fields.integers("eos_token_id", 0, last)) {
    const auto token = static_cast<int32_t>(id);
    const auto& known = config.end_tokens;
    if (std::find(known.begin(), known.end(), token) == known.end())
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

Result<ModelConfig> build_config(const json& file, const json* generation) {
  JsonFields fields(file, kConfigFile);
  ModelConfig config;
  const Family* family = fields.error() ? nullptr : find_family(fields);
  if (family == nullptr) return *fields.error();
  config.architecture = family->architecture;
  refuse_unsupported(fields);
  read_sizes(fields, *family, config);
  read_options(fields, *family, config);
  if (fields.error()) return *fields.error();
  read_tokens(fields, config);
  auto rope = read_rope_config(fields, config.max_positions);
  if (!rope) return rope.error();
  config.rope = *rope;
  if (fields.error()) return *fields.error();

  if (generation != nullptr) {
    JsonFields more(*generation, kGenerationFile);
    read_tokens(more, config);
    read_sampling_defaults(more, config);
    if (more.error()) return *more.error();
  }
  return config;
}

}  // namespace

Result<ModelConfig> parse_model_config(std::string_view config_text,
                                       std::optional<std::string_view> generation_text) {
  auto config = parse_json(config_text, kConfigFile);
  if (!config) return config.error();
  if (!generation_text) return build_config(*config, nullptr);
  auto generation = parse_json(*generation_text, kGenerationFile);
  if (!generation) return generation.error();
  return build_config(*config, &*generation);
}

Result<ModelConfig> read_model_config(const std::filesystem::path& folder) {
  auto file = read_json(folder / kConfigFile);
  if (!file) return file.error();
  std::error_code ignored;
  json generation;
  const bool has_generation = std::filesystem::exists(folder / kGenerationFile, ignored);
  if (has_generation) {
    auto read = read_json(folder / kGenerationFile);
    if (!read) return read.error();
    generation = std::move(*read);
  }
  auto config = build_config(*file, has_generation ? &generation : nullptr);
  if (config) {
    const auto absolute = std::filesystem::weakly_canonical(folder, ignored);
    config->name = absolute.filename().string();
  }
  return config;
}

}  // namespace quire
