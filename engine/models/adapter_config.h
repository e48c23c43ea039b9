#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "kernels/base/result.h"

namespace quire {

/// The largest rank of a LoRA adapter.
inline constexpr int64_t kMaxLoraRank = 1024;
/// The largest absolute value of lora_alpha.
inline constexpr double kMaxLoraAlpha = 1e6;

/// What PEFT's adapter_config.json says about ranks and scales.
struct AdapterConfig {
  int64_t rank = 0;
  double alpha = 0.0;
  bool divides_by_root = false;  ///< rsLoRA (arXiv:2312.03732): alpha / sqrt(rank).
  /// For modules whose names end with a key; whole parts of a name, between its dots.
  std::map<std::string, int64_t, std::less<>> rank_pattern;
  std::map<std::string, double, std::less<>> alpha_pattern;

  /// Of the module "model.layers.0.self_attn.q_proj".
  int64_t rank_of(std::string_view module) const;
  /// What B A is multiplied with.
  float scale_of(std::string_view module, int64_t rank_of_module) const;
};

/// `name` is the adapter's, for messages. Errors: those of read_json; kCorruptFile; kUnsupported
/// for what Quire does not apply: other kinds of adapters, DoRA, biases, modules_to_save.
Result<AdapterConfig> read_adapter_config(const std::filesystem::path& path,
                                          const std::string& name);

/// "the adapter NAME uses WHAT, which Quire does not support ...".
Error refused_adapter(const std::string& name, const std::string& what);

}  // namespace quire
