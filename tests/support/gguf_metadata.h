#pragma once

#include <filesystem>
#include <memory>

#include "engine/io/gguf_weights.h"
#include "engine/models/gguf_config.h"
#include "tests/engine/io/gguf_builder.h"
#include "tests/engine/io/safetensors_builder.h"

namespace quire::test {

/// What every architecture's metadata holds: two layers of 4 heads of 16, and an embedding of 8
/// rows. `kv_heads`: of each layer; empty: 2 of all.
inline GgufBuilder gguf_metadata(const std::string& architecture, bool has_experts = false,
                                 const std::vector<int32_t>& kv_heads = {}) {
  constexpr uint32_t kInt32 = 5;
  const auto key = [&](const char* name) { return architecture + "." + name; };
  GgufBuilder builder;
  builder.string("general.architecture", architecture)
      .u32(key("block_count"), 2)
      .u32(key("embedding_length"), 64)
      .u32(key("context_length"), 512)
      .u32(key("feed_forward_length"), 96)
      .u32(key("attention.head_count"), 4)
      .f32(key("attention.layer_norm_rms_epsilon"), 1e-6f)
      .tensor("token_embd.weight", {64, 8}, 0, std::string(2048, '\0'));
  if (has_experts) builder.u32(key("expert_count"), 4).u32(key("expert_used_count"), 2);
  if (kv_heads.empty()) return builder.u32(key("attention.head_count_kv"), 2);
  return builder.numbers<int32_t>(key("attention.head_count_kv"), kInt32, kv_heads);
}

/// The file, written into that folder as m.gguf and opened.
inline std::unique_ptr<GgufWeights> open_gguf(const GgufBuilder& builder,
                                              const std::filesystem::path& folder) {
  write_file(folder / "m.gguf", builder.build());
  auto weights = GgufWeights::open(folder / "m.gguf");
  if (!weights) qFatal("%s", weights.error().message.c_str());
  return std::move(*weights);
}

/// The configuration that is read from it.
inline ModelConfig read_gguf(const GgufBuilder& builder, const std::filesystem::path& folder) {
  auto config = read_gguf_config(*open_gguf(builder, folder));
  if (!config) qFatal("%s", config.error().message.c_str());
  return *config;
}

}  // namespace quire::test
