#pragma once

#include <QTest>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/llm.h"
#include "tests/support/bundled_model.h"

namespace quire {

/// The bundled model's little sibling, on one thread: fast, and answers of some variety.
inline Llm open_draft(EngineOptions engine = {}) {
  auto llm = Llm::open({.model_path = draft_model_folder(),
                        .backend = {.device = "cpu", .num_threads = 1},
                        .engine = std::move(engine),
                        .load = {}});
  if (!llm) qFatal("%s", llm.error().message.c_str());
  return std::move(*llm);
}

/// Tokens without a meaning, the same for the same seed.
inline std::vector<TokenId> random_tokens(int count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<TokenId> tokens;
  for (int i = 0; i < count; ++i) tokens.push_back(300 + static_cast<TokenId>(random() % 3000));
  return tokens;
}

inline std::vector<TokenId> joined(std::vector<TokenId> first, const std::vector<TokenId>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace quire
