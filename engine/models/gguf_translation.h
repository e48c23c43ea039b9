#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "engine/io/gguf_weights.h"
#include "engine/models/gguf_keys.h"

namespace quire {

/// The translation of a GGUF file's metadata to config.json's fields. Errors stay in the keys.
/// Thread: one at a time. The weights must outlive it.
struct GgufTranslation {
  const GgufWeights& weights;
  const GgufFile& file;
  GgufKeys keys;
  nlohmann::json config = nlohmann::json::object();

  explicit GgufTranslation(const GgufWeights& source)
      : weights(source), file(source.metadata()), keys(file) {}

  bool is(std::string_view architecture) const { return keys.architecture() == architecture; }
  /// As many layers as a model may have (kMaxLayers of json_config.cpp).
  static constexpr int64_t kMaxLayers = 4096;
  /// The model's own layers, without those for speculation. Within the limit, which the number in a
  /// hostile file may not be.
  int64_t num_layers() const {
    return std::clamp(config.value("num_hidden_layers", int64_t{0}), int64_t{0}, kMaxLayers);
  }
  bool has_tensor(int64_t layer, const char* name) const {
    return weights.find("blk." + std::to_string(layer) + "." + name) != nullptr;
  }
  /// Keys that mean the same in both formats; absent ones stay absent.
  void copy_number(const char* key, const char* field) {
    if (const auto value = keys.number(key)) config[field] = *value;
  }
  void copy_integer(const char* key, const char* field) {
    if (const auto value = keys.same_in_all_layers(key)) config[field] = *value;
  }
};

/// The head dimension by the known sizes of config.json's form; 0 if they contradict each other.
int64_t gguf_head_dim(const nlohmann::json& config);

/// Adds what the file's architecture has beyond sizes, tokens and windows, which the config has
/// already.
void add_architecture_fields(GgufTranslation& to);

/// Fields that several architectures share: the numbers of experts and the size of one; of those
/// with a shared expert also its size; the layers that have no router as `mlp_only_layers`;
/// Granite's multipliers.
void add_experts(GgufTranslation& to, const char* count_field, const char* size_field);
void add_shared_expert(GgufTranslation& to);
void add_layers_without_router(GgufTranslation& to);
void add_granite_multipliers(GgufTranslation& to);

/// The sizes of recurrent layers, and which layers are recurrent.
void add_delta_net(GgufTranslation& to);
void add_short_convolutions(GgufTranslation& to);
void add_scan(GgufTranslation& to);
void add_nemotron_h(GgufTranslation& to);
void add_falcon_h1(GgufTranslation& to);

/// Of Apertus, Hunyuan, Llama 4, Mistral 4 and dots.
void add_apertus(GgufTranslation& to);
void add_hunyuan_moe(GgufTranslation& to);
void add_hy_v3(GgufTranslation& to);
void add_llama4(GgufTranslation& to);
void add_mistral4(GgufTranslation& to);

/// What those in other files use of others.
void add_sigmoid_routing(GgufTranslation& to);
void add_deepseek2(GgufTranslation& to);

/// Gemma 4, whose layers differ in their heads and MLPs, and Gemma 3n.
void add_gemma4(GgufTranslation& to);
void add_gemma3n(GgufTranslation& to);
/// Of layers of any kind; their own are in `per_layer_config`.
std::optional<int64_t> gemma_kv_heads(GgufKeys& keys);

/// Refuses metadata that would change the answers if it were ignored.
void refuse_unsupported(GgufTranslation& to);

}  // namespace quire
