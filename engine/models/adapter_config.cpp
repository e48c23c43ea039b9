#include "engine/models/adapter_config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/io/json_fields.h"
#include "engine/io/json_file.h"
#include "engine/io/text.h"

namespace quire {
namespace {

/// Fields that change what an adapter computes, and what they stand for in messages.
struct RefusedField {
  const char* field;
  const char* what;
};
constexpr RefusedField kRefused[] = {
    {"use_dora", "DoRA"},
    {"modules_to_save", "modules_to_save"},
    {"lora_bias", "biases"},
    {"trainable_token_indices", "trainable tokens"},
    {"layer_replication", "layer_replication"},
    {"alora_invocation_tokens", "activated LoRA"},
    {"use_qalora", "QA-LoRA"},
    {"use_bdlora", "block-diagonal LoRA"},
    {"arrow_config", "Arrow routing"},
    {"kasa_config", "KaSA"},
    {"monteclora_config", "MonteCLoRA"},
    {"velora_config", "VeLoRA"},
    {"target_parameters", "target_parameters"},
};
/// Values of init_lora_weights after which the model's own weights are others.
constexpr const char* kChangingInits[] = {"pissa", "olora", "corda", "lora_ga", "loftq"};

/// Whether a field says anything but no: true, a number, or a list, text or object with contents.
bool is_set(const nlohmann::json& value) {
  if (value.is_null()) return false;
  if (value.is_boolean()) return value.get<bool>();
  return value.is_number() || !value.empty();
}

/// What of the file Quire does not apply; empty if it applies all.
std::string refused_part(const JsonFields& fields) {
  for (const auto& [field, what] : kRefused) {
    const nlohmann::json* const value = fields.find(field);
    if (value != nullptr && is_set(*value)) return what;
  }
  if (const nlohmann::json* bias = fields.find("bias"); bias != nullptr && *bias != "none") {
    return "biases";
  }
  const nlohmann::json* const init = fields.find("init_lora_weights");
  if (init == nullptr || !init->is_string()) return {};
  for (const char* name : kChangingInits) {
    if (init->get_ref<const std::string&>().starts_with(name)) {
      return "init_lora_weights = " + for_message(init->get_ref<const std::string&>());
    }
  }
  return {};
}

/// Patterns are regular expressions in PEFT; only names, whose dots match themselves, are read.
bool is_name(std::string_view pattern) {
  return !pattern.empty() && std::ranges::all_of(pattern, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  });
}

/// What follows the first dot of a module's name; empty without one.
std::string_view after_dot(std::string_view module) {
  const size_t dot = module.find('.');
  return dot == module.npos ? std::string_view() : module.substr(dot + 1);
}

/// The most bytes of a name in a pattern; real ones have some 60.
constexpr size_t kMaxNameBytes = 256;

/// The most parts of a name in a pattern; real ones have some 8.
constexpr std::ptrdiff_t kMaxNameParts = 16;

/// The value of the key that the module's name is or ends with.
template <typename Number>
const Number* lookup(const std::map<std::string, Number, std::less<>>& pattern,
                     std::string_view module) {
  // No key is longer than what is left.
  if (module.size() > kMaxNameBytes) {
    module = after_dot(module.substr(module.size() - kMaxNameBytes - 1));
  }
  for (auto parts = std::ranges::count(module, '.') + 1; parts > kMaxNameParts; --parts) {
    module = after_dot(module);
  }
  for (; !module.empty(); module = after_dot(module)) {
    const auto found = pattern.find(module);
    if (found != pattern.end()) return &found->second;
  }
  return nullptr;
}

template <typename Number>
std::map<std::string, Number, std::less<>> read_pattern(JsonFields& fields, const char* name,
                                                        double min, double max) {
  std::map<std::string, Number, std::less<>> pattern;
  const nlohmann::json* const object = fields.find(name);
  if (object == nullptr) return pattern;
  if (!object->is_object()) {
    fields.fail(ErrorCode::kCorruptFile, std::string(name) + " is not an object");
    return pattern;
  }
  for (const auto& [key, value] : object->items()) {
    const double number = value.is_number() ? value.template get<double>() : std::nan("");
    if (!is_name(key)) {
      fields.fail(ErrorCode::kUnsupported, std::string(name) + " has the expression \"" +
                                               for_message(key) +
                                               "\"; Quire reads names of modules only");
    } else if (key.size() > kMaxNameBytes) {
      fields.fail(ErrorCode::kCorruptFile, std::string(name) + " has a name of " +
                                               with_separators(key.size()) + " bytes, \"" +
                                               for_message(key) + "\"");
    } else if (std::ranges::count(key, '.') >= kMaxNameParts) {
      fields.fail(ErrorCode::kCorruptFile, std::string(name) + " has the name \"" +
                                               for_message(key) + "\", which has more than " +
                                               std::to_string(kMaxNameParts) +
                                               " parts; choose another adapter");
    } else if (!(number >= min && number <= max)) {
      fields.fail(ErrorCode::kCorruptFile,
                  std::string(name) + "." + for_message(key) + " is out of range");
    } else {
      pattern[key] = static_cast<Number>(number);
    }
  }
  for (const auto& [key, value] : pattern) {
    // PEFT takes the one that the file lists first.
    if (lookup(pattern, after_dot(key)) == nullptr) continue;
    fields.fail(ErrorCode::kUnsupported,
                std::string(name) + " names modules of \"" + for_message(key) + "\" twice");
  }
  return pattern;
}

}  // namespace

int64_t AdapterConfig::rank_of(std::string_view module) const {
  const int64_t* const own = lookup(rank_pattern, module);
  return own == nullptr ? rank : *own;
}

float AdapterConfig::scale_of(std::string_view module, int64_t rank_of_module) const {
  const auto number = static_cast<double>(rank_of_module);
  const double divisor = divides_by_root ? std::sqrt(number) : number;
  const double* const own = lookup(alpha_pattern, module);
  return static_cast<float>((own == nullptr ? alpha : *own) / divisor);
}

Error refused_adapter(const std::string& name, const std::string& what) {
  return make_error(ErrorCode::kUnsupported,
                    "the adapter %1 uses %2, which Quire does not support; choose a plain LoRA "
                    "adapter, or merge this one into its model",
                    {for_message(name), for_message(what)});
}

Result<AdapterConfig> read_adapter_config(const std::filesystem::path& path,
                                          const std::string& name) {
  const auto document = read_json(path);
  if (!document) return document.error();
  JsonFields fields(*document, for_message(name) + "/adapter_config.json");
  const std::string type = fields.string("peft_type");
  if (!fields.error() && type != "LORA") return refused_adapter(name, type);
  if (const std::string part = refused_part(fields); !part.empty()) {
    return refused_adapter(name, part);
  }
  AdapterConfig config;
  config.rank = fields.integer("r", 1, kMaxLoraRank);
  config.alpha = fields.number("lora_alpha", -kMaxLoraAlpha, kMaxLoraAlpha);
  config.divides_by_root = fields.boolean("use_rslora", false);
  config.rank_pattern = read_pattern<int64_t>(fields, "rank_pattern", 1, kMaxLoraRank);
  config.alpha_pattern =
      read_pattern<double>(fields, "alpha_pattern", -kMaxLoraAlpha, kMaxLoraAlpha);
  if (fields.error()) return *fields.error();
  return config;
}

}  // namespace quire
