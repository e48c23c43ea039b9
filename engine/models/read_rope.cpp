#include "engine/models/read_rope.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/io/text.h"

namespace quire {
namespace {

using nlohmann::json;
using Scaling = RopeConfig::Scaling;

constexpr double kMinTheta = 1.0;
constexpr double kMaxTheta = 1e12;
constexpr double kMaxFactor = 1e6;
constexpr int64_t kMaxPositions = 1 << 28;

struct Kind {
  const char* name;
  Scaling scaling;
};
constexpr Kind kKinds[] = {
    {"default", Scaling::kNone},
    {"linear", Scaling::kLinear},
    {"dynamic", Scaling::kDynamic},
    {"llama3", Scaling::kLlama3},
    {"yarn", Scaling::kYarn},
    {"longrope", Scaling::kLongRope},
    {"proportional", Scaling::kProportional},
};

float positive(JsonFields& fields, const char* name, std::optional<double> fallback = {}) {
  return static_cast<float>(fields.number(name, 1e-3, kMaxFactor, fallback));
}

/// What the object calls the kind of scaling.
const char* type_field(const JsonFields& fields) {
  return fields.has("rope_type") || !fields.has("type") ? "rope_type" : "type";
}

/// The scaling that the object names; kNone and an error if it is unknown.
Scaling read_kind(JsonFields& fields, const RopeDefaults& defaults) {
  if (!fields.has("rope_type") && !fields.has("type")) {
    for (const char* name : {"factor", "short_factor", "long_factor"}) {
      if (!fields.has(name)) continue;
      fields.fail(ErrorCode::kCorruptFile, std::string(name) +
                                               " is given without a rope_type that says what it "
                                               "is for; choose another conversion of the model");
    }
  }
  std::string type = fields.string(type_field(fields), "default");
  if (defaults.only_longrope && (type == "su" || type == "yarn")) type = "longrope";
  for (const Kind& kind : kKinds) {
    if (type == kind.name) return kind.scaling;
  }
  fields.fail(ErrorCode::kUnsupported,
              "rope_type is \"" + for_message(type) +
                  "\"; Quire supports default, linear, dynamic, llama3, yarn and longrope");
  return Scaling::kNone;
}

void read_llama3(JsonFields& fields, RopeConfig& rope) {
  rope.low_freq_factor = positive(fields, "low_freq_factor");
  rope.high_freq_factor = positive(fields, "high_freq_factor");
  // They are equal in Llama 4: no wavelength lies between them.
  if (!fields.error() && rope.high_freq_factor < rope.low_freq_factor) {
    fields.fail(ErrorCode::kCorruptFile, "high_freq_factor is below low_freq_factor");
  }
}

/// 0.1 m ln(s) + 1, YaRN's attention factor for a stretch of s.
double yarn_mscale(double factor, double mscale) {
  return factor <= 1.0 ? 1.0 : 0.1 * mscale * std::log(factor) + 1.0;
}

void read_yarn(JsonFields& fields, RopeConfig& rope) {
  rope.beta_fast = positive(fields, "beta_fast", 32.0);
  rope.beta_slow = positive(fields, "beta_slow", 1.0);
  rope.truncate = fields.boolean("truncate", true);
  const double mscale = fields.number("mscale", 0.0, kMaxFactor, 0.0);
  const double mscale_all = fields.number("mscale_all_dim", 0.0, kMaxFactor, 0.0);
  if (rope.attention_factor == 0.0f && mscale > 0.0 && mscale_all > 0.0) {
    rope.attention_factor =
        static_cast<float>(yarn_mscale(rope.factor, mscale) / yarn_mscale(rope.factor, mscale_all));
  }
  rope.score_factor = static_cast<float>(yarn_mscale(rope.factor, mscale_all));
  if (rope.theta <= 1.0f) fields.fail(ErrorCode::kCorruptFile, "rope_theta is not above 1");
}

/// A list of divisors, one for each of `count` frequencies. A GGUF file keeps it in a tensor
/// instead, so that it may be absent here.
std::vector<float> read_factors(JsonFields& fields, const char* name, size_t count) {
  const json* list = fields.find(name);
  if (list == nullptr) return {};
  const auto is_divisor = [](const json& item) {
    return item.is_number() && item.get<double>() >= 1e-6 && item.get<double>() <= kMaxFactor;
  };
  if (!list->is_array() || list->size() != count) {
    fields.fail(ErrorCode::kCorruptFile,
                std::string(name) + " is not a list of " + std::to_string(count) + " numbers");
    return {};
  }
  std::vector<float> factors;
  for (const json& item : *list) {
    if (!is_divisor(item)) {
      fields.fail(ErrorCode::kCorruptFile,
                  std::string(name) + " holds something else than positive numbers");
      return {};
    }
    factors.push_back(item.get<float>());
  }
  return factors;
}

/// Hunyuan's "dynamic" scaling does not depend on the context: theta grows by a fixed factor.
void read_ntk_alpha(JsonFields& fields, RopeConfig& rope) {
  rope.scaling = Scaling::kNone;
  if (rope.rotary_dim <= 2) return;
  const double exponent = rope.rotary_dim / static_cast<double>(rope.rotary_dim - 2);
  const double alpha = fields.number("alpha", 1e-3, kMaxFactor);
  rope.theta = static_cast<float>(rope.theta * std::pow(alpha, exponent));
}

/// One object's scaling. As in transformers, `outer`, the whole file's object, takes precedence for
/// the original context (Phi-3).
void read_scaling(JsonFields& fields, JsonFields& outer, const RopeDefaults& defaults,
                  const ModelConfig& config, RopeConfig& rope) {
  rope.scaling = read_kind(fields, defaults);
  if (rope.scaling == Scaling::kNone || fields.error()) return;
  rope.original_max_positions = config.max_positions;
  const char* original = "original_max_position_embeddings";
  if (rope.scaling != Scaling::kLinear && rope.scaling != Scaling::kDynamic &&
      rope.scaling != Scaling::kProportional) {
    JsonFields& place = outer.has(original) ? outer : fields;
    rope.original_max_positions =
        static_cast<int>(place.integer(original, 2, kMaxPositions, config.max_positions));
  }
  std::optional<double> derived;
  if (rope.scaling == Scaling::kYarn || rope.scaling == Scaling::kLongRope) {
    derived = static_cast<double>(config.max_positions) / rope.original_max_positions;
    rope.attention_factor = positive(fields, "attention_factor", 0.0);
  }
  if (rope.scaling == Scaling::kDynamic && fields.has("alpha")) return read_ntk_alpha(fields, rope);
  if (rope.scaling == Scaling::kProportional) derived = 1.0;
  rope.factor = positive(fields, "factor", derived);
  if (rope.scaling == Scaling::kLlama3) read_llama3(fields, rope);
  if (rope.scaling == Scaling::kYarn) read_yarn(fields, rope);
  if (rope.scaling != Scaling::kLongRope) return;
  const auto count = static_cast<size_t>(rope.rotary_dim / 2);
  rope.short_factors = read_factors(fields, "short_factor", count);
  rope.long_factors = read_factors(fields, "long_factor", count);
}

/// The description of a rotation.
struct RopeSource {
  const json* object;  ///< Null: in the file's outer fields alone.
  std::string name;    ///< Of the object, for messages.
  double theta;        ///< Where the object gives none.
  int index = 0;       ///< Of the rotation in config.ropes.
};

/// The dimensions of a head that rotate. Errors stay in `fields`.
int read_rotary_dim(JsonFields& fields, int head_dim, double fallback) {
  const double partial = fields.number("partial_rotary_factor", 0.0, 1.0, fallback);
  const auto dim = static_cast<int>(head_dim * partial);
  if (dim >= 2 && dim % 2 == 0) return dim;
  fields.fail(ErrorCode::kUnsupported,
              "partial_rotary_factor leaves " + std::to_string(dim) + " of " +
                  std::to_string(head_dim) +
                  " dimensions to rotate, which is not an even number of 2 or more");
  return dim;
}

/// All dimensions of a head rotate, but only the first pairs by an angle that is not 0.
void read_proportional(JsonFields& fields, int head_dim, RopeConfig& rope) {
  const double partial = fields.number("partial_rotary_factor", 0.0, 1.0, 1.0);
  const auto num_angles = static_cast<size_t>(partial * head_dim / 2.0);
  rope.rotary_dim = head_dim;
  rope.divisors.assign(static_cast<size_t>(head_dim / 2), 1.0f);
  for (size_t i = num_angles; i < rope.divisors.size(); ++i) {
    rope.divisors[i] = std::numeric_limits<float>::infinity();
  }
}

/// Of the layers that rotate so; some models' differ.
int head_dim_of_rope(const ModelConfig& config, int rope) {
  for (int i = 0; i < config.num_layers; ++i) {
    if (config.layers[static_cast<size_t>(i)].rope == rope) return head_dim_of(config, i);
  }
  return config.head_dim;
}

RopeConfig read_rope(JsonFields& outer, const RopeSource& source, const RopeDefaults& defaults,
                     const ModelConfig& config) {
  static const json kNothing = json::object();
  JsonFields fields(source.object == nullptr ? kNothing : *source.object,
                    outer.where() + ": " + source.name);
  RopeConfig rope;
  const char* const old_name = defaults.old_partial;
  const bool is_old = old_name != nullptr && outer.has(old_name);
  double partial = outer.number(is_old ? old_name : "partial_rotary_factor", 0.0,
                                is_old ? config.head_dim : 1.0, defaults.partial);
  if (partial > 1.0) partial = (partial + 1e-6) / config.head_dim;  // A number of dimensions.
  rope.theta = static_cast<float>(fields.number("rope_theta", kMinTheta, kMaxTheta, source.theta));
  const int head_dim = head_dim_of_rope(config, source.index);
  const bool is_proportional = fields.string(type_field(fields), "") == "proportional";
  if (is_proportional) read_proportional(fields, head_dim, rope);
  if (!is_proportional) rope.rotary_dim = read_rotary_dim(fields, head_dim, partial);
  if (!fields.error()) read_scaling(fields, outer, defaults, config, rope);
  if (fields.error()) outer.fail(*fields.error());
  return rope;
}

bool is_nested(const json& object) {
  return object.is_object() &&
         (object.contains("full_attention") || object.contains("sliding_attention"));
}

/// YaRN does not depend on the context, and many files state the one before the extension. A table
/// of learned positions does not grow.
void extend_by_yarn(ModelConfig& config) {
  const RopeConfig& rope = config.ropes.front();
  if (rope.scaling != Scaling::kYarn || config.num_learned_positions > 0) return;
  const double extended = static_cast<double>(rope.factor) * rope.original_max_positions;
  const double longest = std::min<double>(extended, kMaxPositions);
  config.max_positions = std::max(config.max_positions, static_cast<int>(longest));
}

/// The member, or null if it is absent or JSON's null.
const json* member(const json& object, const char* name) {
  const auto at = object.find(name);
  return at == object.end() || at->is_null() ? nullptr : &*at;
}

/// The f32 tensor (R) of positive numbers; empty if there is none of that name.
Result<std::vector<float>> read_divisors(WeightSource& source, const std::string& name,
                                         int64_t count) {
  const TensorInfo* info = source.find(name);
  if (info == nullptr) return std::vector<float>{};
  // Before anything is read: it may be of any size, and is copied if it is not aligned.
  if (info->shape != std::vector<int64_t>{count} || info->dtype != "F32") {
    return Error{ErrorCode::kCorruptFile,
                 "the tensor " + name + " of " + for_message(source.where()) + " is " +
                     info->dtype + " " + shape_text(info->shape) + "; to rotate " +
                     std::to_string(2 * count) + " dimensions it must be F32 (" +
                     std::to_string(count) + "), so choose another conversion of the model"};
  }
  auto view = source.tensor(name);
  if (!view) return view.error();
  const auto* data = view->as<float>();
  std::vector<float> divisors(data, data + count);
  for (float value : divisors) {
    if (value > 0.0f && std::isfinite(value)) continue;
    return Error{ErrorCode::kCorruptFile,
                 "the tensor " + name + " of " + for_message(source.where()) +
                     " holds something else than positive numbers; download it again"};
  }
  return divisors;
}

/// Fills `target` from the tensor, if there is one.
Result<void> read_divisors_into(WeightSource& source, const std::string& name, int64_t count,
                                std::vector<float>& target) {
  auto divisors = read_divisors(source, name, count);
  if (!divisors) return divisors.error();
  if (!divisors->empty()) target = std::move(*divisors);
  return {};
}

}  // namespace

void read_ropes(JsonFields& fields, const RopeDefaults& defaults, ModelConfig& config) {
  const double theta = fields.number("rope_theta", kMinTheta, kMaxTheta, defaults.theta);
  const double local =
      fields.number("rope_local_base_freq", kMinTheta, kMaxTheta, defaults.local_theta);
  if (fields.error()) return;
  const std::string name = fields.has("rope_parameters") ? "rope_parameters" : "rope_scaling";
  const json* object = fields.find(name.c_str());
  bool has_two = defaults.local_theta > 0.0 || defaults.unscaled_local;
  const json* full = object;
  const json* sliding = nullptr;
  std::string suffix;
  if (object != nullptr && is_nested(*object)) {
    full = member(*object, "full_attention");
    sliding = member(*object, "sliding_attention");
    has_two = true;
    suffix = ".full_attention";
  }
  const RopeSource global{.object = full, .name = name + suffix, .theta = theta};
  config.ropes = {read_rope(fields, global, defaults, config)};
  if (has_two) {
    const RopeSource windowed{.object = sliding,
                              .name = name + ".sliding_attention",
                              .theta = defaults.local_theta > 0.0 ? local : theta,
                              .index = 1};
    config.ropes.push_back(read_rope(fields, windowed, defaults, config));
  } else {
    for (LayerConfig& layer : config.layers) layer.rope = std::min(layer.rope, 0);
  }
  if (defaults.extends_by_yarn) extend_by_yarn(config);
}

Result<void> read_rope_tensors(WeightSource& source, ModelConfig& config) {
  RopeConfig& rope = config.ropes.front();
  const int64_t count = (rope.rotary_dim > 0 ? rope.rotary_dim : config.head_dim) / 2;
  if (rope.scaling != RopeConfig::Scaling::kLongRope) {
    return read_divisors_into(source, "rope_freqs.weight", count, rope.divisors);
  }
  const std::pair<const char*, std::vector<float>*> kTensors[] = {{"short", &rope.short_factors},
                                                                  {"long", &rope.long_factors}};
  for (const auto& [kind, factors] : kTensors) {
    const std::string name = std::string("rope_factors_") + kind + ".weight";
    if (auto read = read_divisors_into(source, name, count, *factors); !read) return read;
    if (!factors->empty()) continue;
    return Error{ErrorCode::kCorruptFile,
                 for_message(source.where()) + ": the position scaling is longrope, but " +
                     "neither " + kind + "_factor nor the tensor " + name + " says how much"};
  }
  return {};
}

}  // namespace quire
