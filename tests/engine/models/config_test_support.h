#pragma once

#include <nlohmann/json.hpp>

#include "engine/models/json_config.h"

namespace quire {

/// The fewest fields that a Llama must have.
inline nlohmann::json llama() {
  return nlohmann::json::parse(R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 48,
    "intermediate_size": 96, "num_hidden_layers": 3, "num_attention_heads": 6, "vocab_size": 160})");
}

/// llama() as another class, with the fields of `change`, of which nulls stay nulls.
inline Result<ModelConfig> parse_as(const char* class_name, const char* change = "{}") {
  nlohmann::json config = llama();
  config["architectures"] = {class_name};
  config.update(nlohmann::json::parse(change));
  return parse_model_config(config.dump());
}

/// llama() with the fields of `change`.
inline Result<ModelConfig> parse_with(const char* change) {
  return parse_as("LlamaForCausalLM", change);
}

}  // namespace quire
