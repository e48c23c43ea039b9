#include <cmath>

#include "engine/models/json_config.h"
#include "engine/models/rope.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/support.h"

namespace quire::fuzz {

void fuzz_config(std::string_view bytes) {
  const auto texts = split_at_zeros(bytes, 2);
  std::optional<std::string_view> generation;
  if (texts.size() > 1) generation = texts[1];
  const auto config = parse_model_config(texts[0], generation);
  if (!config) return require_sentence(config.error(), {"config.json"});
  require(config->num_layers > 0 && config->hidden_size > 0 && config->vocab_size > 0,
          "a model without layers, width or vocabulary");
  require(config->head_dim > 0 && config->num_kv_heads > 0, "a model without heads");
  require(config->num_heads % config->num_kv_heads == 0, "heads that do not share evenly");
  require(
      config->num_learned_positions == 0 || config->max_positions <= config->num_learned_positions,
      "a context beyond the learned positions");
  for (const RopeConfig& rope : config->ropes) {
    for (const float frequency : rope_inv_freq(rope, config->head_dim)) {
      require(std::isfinite(frequency), "a frequency that is no number");
    }
  }
  require(std::isfinite(config->norm_eps), "an epsilon that is no number");
  for (const int32_t token : config->end_tokens) {
    require(token >= 0 && token < config->vocab_size, "an end token outside of the vocabulary");
  }
}

}  // namespace quire::fuzz
