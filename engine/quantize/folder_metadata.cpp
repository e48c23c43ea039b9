#include <algorithm>
#include <cmath>
#include <string>

#include "engine/io/gguf_weights.h"
#include "engine/io/text.h"
#include "engine/models/gguf_config.h"
#include "engine/models/read_rope.h"
#include "engine/models/rope.h"
#include "engine/quantize/folder_source.h"
#include "engine/quantize/memory_file.h"

namespace quire {
namespace {

using Scaling = RopeConfig::Scaling;

/// Writes the keys of an architecture: "llama.block_count" for "block_count".
struct ArchitectureKeys {
  GgufMetadata& metadata;
  std::string architecture;

  std::string key(const char* name) const { return architecture + "." + name; }
  void whole(const char* name, int value) const {
    metadata.set_u32(key(name), static_cast<uint32_t>(value));
  }
  void number(const char* name, float value) const { metadata.set_f32(key(name), value); }
};

/// As GGUF files name it; they hold Mistral and Mixtral as Llama.
std::string gguf_architecture(const ModelConfig& config) {
  const bool is_llama = config.architecture == "mistral" || config.architecture == "mixtral";
  return is_llama ? "llama" : config.architecture;
}

void add_sizes(const ModelConfig& config, const ArchitectureKeys& keys) {
  keys.whole("block_count", config.num_layers);
  keys.whole("context_length", config.max_positions);
  keys.whole("embedding_length", config.hidden_size);
  keys.whole("attention.head_count", config.num_heads);
  keys.whole("attention.head_count_kv", config.num_kv_heads);
  keys.whole("attention.key_length", config.head_dim);
  keys.whole("attention.value_length", config.head_dim);
  keys.number("attention.layer_norm_rms_epsilon", config.norm_eps);
  keys.whole("vocab_size", config.vocab_size);
  const ExpertsConfig& experts = config.experts;
  const bool is_mixtral = config.architecture == "mixtral";
  keys.whole("feed_forward_length",
             is_mixtral ? experts.intermediate_size : config.intermediate_size);
  if (experts.num_experts == 0) return;
  keys.whole("expert_count", experts.num_experts);
  keys.whole("expert_used_count", experts.experts_per_token);
  if (!is_mixtral) keys.whole("expert_feed_forward_length", experts.intermediate_size);
}

void add_yarn(const RopeConfig& rope, const ArchitectureKeys& keys) {
  keys.number("rope.scaling.yarn_beta_fast", rope.beta_fast);
  keys.number("rope.scaling.yarn_beta_slow", rope.beta_slow);
  if (rope.attention_factor > 0.0f) {
    keys.number("rope.scaling.yarn_attn_factor", rope.attention_factor);
  }
}

void add_rotation(const ModelConfig& config, const ArchitectureKeys& keys) {
  const RopeConfig& rope = config.ropes.front();
  keys.whole("rope.dimension_count", rope.rotary_dim > 0 ? rope.rotary_dim : config.head_dim);
  keys.number("rope.freq_base", rope.theta);
  if (config.ropes.size() > 1) keys.number("rope.freq_base_swa", config.ropes[1].theta);
  if (rope.scaling == Scaling::kLinear) {
    keys.metadata.set_string(keys.key("rope.scaling.type"), "linear");
    keys.number("rope.scaling.factor", rope.factor);
  }
  if (config.architecture == "phi3" && rope.scaling != Scaling::kLongRope) {
    // llama.cpp asks for it, scaled or not.
    return keys.whole("rope.scaling.original_context_length", config.max_positions);
  }
  if (rope.scaling != Scaling::kYarn && rope.scaling != Scaling::kLongRope) return;
  keys.whole("rope.scaling.original_context_length", rope.original_max_positions);
  if (rope.scaling == Scaling::kLongRope) {
    return keys.number("rope.scaling.attn_factor", rope_attention_factor(rope));
  }
  keys.metadata.set_string(keys.key("rope.scaling.type"), "yarn");
  keys.number("rope.scaling.factor", rope.factor);
  add_yarn(rope, keys);
}

/// The window, and which layers have it where readers assume something else.
void add_windows(const ModelConfig& config, const ArchitectureKeys& keys) {
  int window = 0;
  std::vector<bool> is_sliding;
  bool is_alternating = true, is_sixth = true;
  for (int layer = 0; layer < config.num_layers; ++layer) {
    const int own = config.layers[static_cast<size_t>(layer)].sliding_window;
    is_sliding.push_back(own > 0);
    window = std::max(window, own);
    is_alternating = is_alternating && (own > 0) == (layer % 2 == 0);
    is_sixth = is_sixth && (own > 0) == ((layer + 1) % 6 != 0);
  }
  const bool is_gemma3 = config.architecture == "gemma3";
  const bool alternates = config.architecture == "gemma2" || config.architecture == "gpt-oss";
  const bool has_window = window > 0 || is_gemma3 || alternates || config.architecture == "phi3";
  if (has_window) keys.whole("attention.sliding_window", window);
  const bool is_assumed = (is_gemma3 && is_sixth) || (alternates && is_alternating);
  if (window > 0 && (is_gemma3 || alternates) && !is_assumed) {
    keys.metadata.set_bools(keys.key("attention.sliding_window_pattern"), is_sliding);
  }
}

/// m with 1.0f / m == scale, as the reader divides.
float inverse_of(float scale) {
  const float middle = 1.0f / scale;
  for (const float m : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, INFINITY)}) {
    if (1.0f / m == scale) return m;
  }
  return middle;
}

void add_scales(const ModelConfig& config, const ArchitectureKeys& keys) {
  const std::string& name = config.architecture;
  if (name == "gemma2") {
    keys.number("attn_logit_softcapping", config.attention_soft_cap);
    keys.number("final_logit_softcapping", config.logits_soft_cap);
  }
  const bool is_gemma = name == "gemma2" || name == "gemma3";
  if (is_gemma || name == "granite") keys.number("attention.scale", config.attention_scale);
  if (name != "granite") return;
  keys.number("embedding_scale", config.embedding_scale);
  keys.number("residual_scale", config.residual_scale);
  keys.number("logit_scale", inverse_of(config.logits_scale));
}

void add_sampling(const ModelConfig& config, GgufMetadata& metadata) {
  if (config.default_temperature >= 0.0f) {
    metadata.set_f32("general.sampling.temp", config.default_temperature);
  }
  if (config.default_top_p >= 0.0f)
    metadata.set_f32("general.sampling.top_p", config.default_top_p);
  if (config.default_top_k >= 0) {
    metadata.set_i32("general.sampling.top_k", config.default_top_k);
  }
}

/// Writes the factors of frequencies, which belong to the configuration.
Result<void> write_factors(const GgufLayout& layout, TensorSource& source, MemoryFile& file) {
  for (const GgufTensorPlan& plan : layout.tensors) {
    if (!plan.name.starts_with("rope_")) continue;
    const SourceTensor tensor{plan.name, plan.type, plan.shape};
    const auto reader = source.open(tensor);
    if (!reader) return reader.error();
    std::vector<float> numbers(static_cast<size_t>(tensor.row_size()));
    (*reader)->read(0, numbers.data());
    file.write(std::as_bytes(std::span(numbers)), plan.offset);
  }
  return {};
}

/// What a file can say of the configuration: Llama 3's scaling as divisors, which may move a
/// frequency by its last bit.
ModelConfig as_written(ModelConfig config) {
  RopeConfig& rope = config.ropes.front();
  if (rope.scaling == Scaling::kLlama3) {
    rope.divisors = llama3_divisors(rope, config.head_dim);
    rope.scaling = Scaling::kNone;
  }
  return config;
}

std::string hashed(const ModelConfig& config) {
  Sha256 hash;
  hash_config(config, hash);
  return to_hex(hash.finish());
}

}  // namespace

std::vector<float> llama3_divisors(const RopeConfig& rope, int head_dim) {
  const std::vector<float> wanted = rope_inv_freq(rope, head_dim);
  RopeConfig plain = rope;
  plain.scaling = Scaling::kNone;
  const std::vector<float> unscaled = rope_inv_freq(plain, head_dim);
  plain.divisors.assign(wanted.size(), 1.0f);
  for (size_t i = 0; i < wanted.size(); ++i) plain.divisors[i] = unscaled[i] / wanted[i];
  // A few units in the last place decide whether the frequency has the same bits.
  const std::vector<float> middle = plain.divisors;
  std::vector<float> best = middle;
  for (int step = -4; step <= 4; ++step) {
    for (size_t i = 0; i < middle.size(); ++i) {
      float divisor = middle[i];
      for (int k = 0; k < std::abs(step); ++k) {
        divisor = std::nextafter(divisor, step < 0 ? 0.0f : INFINITY);
      }
      plain.divisors[i] = divisor;
    }
    const std::vector<float> given = rope_inv_freq(plain, head_dim);
    for (size_t i = 0; i < given.size(); ++i) {
      if (given[i] == wanted[i]) best[i] = plain.divisors[i];
    }
  }
  return best;
}

Result<GgufMetadata> folder_metadata(const std::filesystem::path& folder,
                                     const ModelConfig& config) {
  GgufMetadata metadata;
  const ArchitectureKeys keys{metadata, gguf_architecture(config)};
  metadata.set_string("general.architecture", keys.architecture);
  metadata.set_string("general.type", "model");
  metadata.set_string("general.name", config.name);
  add_sampling(config, metadata);
  add_sizes(config, keys);
  add_rotation(config, keys);
  add_windows(config, keys);
  add_scales(config, keys);
  if (auto added = add_folder_tokenizer(folder, config, metadata); !added) return added.error();
  return metadata;
}

Result<void> check_metadata(const ModelConfig& config, TensorSource& source) {
  std::vector<GgufTensorPlan> tensors;
  for (const SourceTensor& tensor : source.tensors()) {
    const uint64_t count =
        static_cast<uint64_t>(tensor.num_rows()) * static_cast<uint64_t>(tensor.row_size());
    tensors.push_back({.name = tensor.name, .type = 0, .shape = tensor.shape, .bytes = 4 * count});
  }
  const GgufLayout layout = lay_out_gguf(source.metadata(), std::move(tensors));
  MemoryFile file(layout);
  if (!file.is_good()) {
    return Error{ErrorCode::kOutOfMemory, "there is no memory for the file's metadata"};
  }
  if (auto written = write_factors(layout, source, file); !written) return written;
  auto weights = GgufWeights::open(file.path());
  if (!weights) {  // It would name the memory in which this file lies.
    return make_error(ErrorCode::kUnsupported,
                      "%1 cannot be written as a GGUF file: its metadata or tensors exceed what "
                      "GGUF files can have; choose another model",
                      {for_message(source.weights().where())});
  }
  auto read = read_gguf_config(**weights);
  const bool is_dynamic = config.ropes.front().scaling == Scaling::kDynamic;
  if (read && !is_dynamic) {
    if (auto factors = read_rope_tensors(**weights, *read); !factors) return factors.error();
    serve_context(*read, kWholeContext);
    read->architecture = config.architecture;
    if (hashed(*read) == hashed(as_written(config))) return {};
  }
  return Error{ErrorCode::kUnsupported,
               "a GGUF file of " + config.architecture +
                   " cannot say all that the config.json of " +
                   for_message(source.weights().where()) +
                   " says (windows, position scaling or experts' weights), so that its answers "
                   "would change" +
                   (read ? std::string() : ": " + read.error().message)};
}

}  // namespace quire
