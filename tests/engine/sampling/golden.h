#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/sampling/penalties.h"
#include "engine/sampling/sampling_params.h"

namespace quire {

/// A case of tests/data/sampling/golden.json (made by tests/scripts/make_sampling_golden.py).
struct SamplingGolden {
  SamplingParams params;
  std::vector<float> logits;  ///< (V)
  std::vector<TokenId> prompt;
  std::vector<TokenId> output;
  std::vector<float> penalised;       ///< (V), logits after the penalties.
  std::vector<double> probabilities;  ///< (V), of drawing each.
  std::vector<float> raw_logprobs;    ///< (V)

  TokenHistory history() const {
    TokenHistory result(static_cast<int>(logits.size()));
    result.add_prompt(prompt);
    for (const TokenId id : output) result.add_output(id);
    return result;
  }
};

inline std::vector<SamplingGolden> load_sampling_golden() {
  std::ifstream file(QUIRE_SOURCE_DIR "/tests/data/sampling/golden.json");
  std::vector<SamplingGolden> cases;
  for (const auto& json : nlohmann::json::parse(file)) {
    SamplingGolden golden;
    const auto& params = json["params"];
    golden.params.temperature = params.value("temperature", 1.0f);
    golden.params.top_k = params.value("top_k", 0);
    golden.params.top_p = params.value("top_p", 1.0f);
    golden.params.min_p = params.value("min_p", 0.0f);
    golden.params.repetition_penalty = params.value("repetition_penalty", 1.0f);
    golden.params.presence_penalty = params.value("presence_penalty", 0.0f);
    golden.params.frequency_penalty = params.value("frequency_penalty", 0.0f);
    json["logits"].get_to(golden.logits);
    json["prompt"].get_to(golden.prompt);
    json["output"].get_to(golden.output);
    json["penalised"].get_to(golden.penalised);
    json["probabilities"].get_to(golden.probabilities);
    json["raw_logprobs"].get_to(golden.raw_logprobs);
    cases.push_back(std::move(golden));
  }
  return cases;
}

}  // namespace quire
