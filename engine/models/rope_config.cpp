#include "engine/models/rope_config.h"

#include <nlohmann/json.hpp>

#include "engine/io/text.h"

namespace quire {
namespace {

using nlohmann::json;

constexpr double kMinTheta = 1.0;
constexpr double kMaxTheta = 1e12;
constexpr double kMaxFactor = 1e6;

void read_llama3(JsonFields& fields, int max_positions, RopeConfig& rope) {
  rope.low_freq_factor = static_cast<float>(fields.number("low_freq_factor", 1e-3, kMaxFactor));
  rope.high_freq_factor = static_cast<float>(fields.number("high_freq_factor", 1e-3, kMaxFactor));
  rope.original_max_positions = static_cast<int>(
      fields.integer("original_max_position_embeddings", 1, 1 << 28, max_positions));
  if (!fields.error() && rope.high_freq_factor <= rope.low_freq_factor) {
    fields.fail(ErrorCode::kCorruptFile, "high_freq_factor is not above low_freq_factor");
  }
}

/// The scaling, of an object that may also hold rope_theta.
void read_scaling(JsonFields& fields, int max_positions, RopeConfig& rope) {
  const std::string type = fields.string(
      fields.has("rope_type") || !fields.has("type") ? "rope_type" : "type", "default");
  if (type == "default") return;
  if (type != "linear" && type != "llama3") {
    return fields.fail(
        ErrorCode::kUnsupported,
        "rope_type is \"" + for_message(type) + "\"; Quire supports default, linear and llama3");
  }
  rope.scaling = type == "linear" ? RopeConfig::Scaling::kLinear : RopeConfig::Scaling::kLlama3;
  rope.factor = static_cast<float>(fields.number("factor", 1e-3, kMaxFactor));
  if (rope.scaling == RopeConfig::Scaling::kLlama3) read_llama3(fields, max_positions, rope);
}

void refuse_partial(JsonFields& fields) {
  if (fields.number("partial_rotary_factor", 0.0, 1.0, 1.0) != 1.0) {
    fields.fail(ErrorCode::kUnsupported, "partial_rotary_factor is not 1");
  }
}

}  // namespace

Result<RopeConfig> read_rope_config(JsonFields& config, int max_positions) {
  RopeConfig rope;
  refuse_partial(config);
  double theta = config.number("rope_theta", kMinTheta, kMaxTheta, 10000.0);
  if (config.error()) return *config.error();
  for (const char* name : {"rope_parameters", "rope_scaling"}) {
    const json* object = config.find(name);
    if (object == nullptr) continue;
    JsonFields fields(*object, std::string("config.json: ") + name);
    theta = fields.number("rope_theta", kMinTheta, kMaxTheta, theta);
    refuse_partial(fields);
    read_scaling(fields, max_positions, rope);
    if (fields.error()) return *fields.error();
    break;  // Files that carry both repeat the same scaling.
  }
  rope.theta = static_cast<float>(theta);
  return rope;
}

}  // namespace quire
