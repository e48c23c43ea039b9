#include "engine/models/rope_tensors.h"

#include <cmath>
#include <string>
#include <utility>

#include "engine/io/text.h"

namespace quire {
namespace {

/// The f32 tensor (R) of positive numbers; empty if there is none of that name.
Result<std::vector<float>> read_divisors(WeightSource& source, const std::string& name,
                                         int64_t count) {
  const TensorInfo* info = source.find(name);
  if (info == nullptr) return std::vector<float>{};
  auto view = source.tensor(name);
  if (!view) return view.error();
  if (view->rank() != 1 || view->dim(0) != count || view->dtype() != DType::kF32) {
    return Error{ErrorCode::kCorruptFile,
                 "the tensor " + name + " of " + for_message(source.where()) + " is " +
                     info->dtype + " " + shape_text(info->shape) + "; to rotate " +
                     std::to_string(2 * count) + " dimensions it must be F32 (" +
                     std::to_string(count) + "), so choose another conversion of the model"};
  }
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
Result<void> take(WeightSource& source, const std::string& name, int64_t count,
                  std::vector<float>& target) {
  auto divisors = read_divisors(source, name, count);
  if (!divisors) return divisors.error();
  if (!divisors->empty()) target = std::move(*divisors);
  return {};
}

}  // namespace

Result<void> read_rope_tensors(WeightSource& source, ModelConfig& config) {
  RopeConfig& rope = config.ropes.front();
  const int64_t count = (rope.rotary_dim > 0 ? rope.rotary_dim : config.head_dim) / 2;
  if (rope.scaling != RopeConfig::Scaling::kLongRope) {
    return take(source, "rope_freqs.weight", count, rope.divisors);
  }
  const std::pair<const char*, std::vector<float>*> kTensors[] = {{"short", &rope.short_factors},
                                                                  {"long", &rope.long_factors}};
  for (const auto& [kind, factors] : kTensors) {
    const std::string name = std::string("rope_factors_") + kind + ".weight";
    if (auto taken = take(source, name, count, *factors); !taken) return taken;
    if (!factors->empty()) continue;
    return Error{ErrorCode::kCorruptFile,
                 for_message(source.where()) + ": the position scaling is longrope, but " +
                     "neither " + kind + "_factor nor the tensor " + name + " says how much"};
  }
  return {};
}

}  // namespace quire
