#pragma once

#include <QString>

#include "app/engine/chat_backend.h"
#include "tests/support/bundled_model.h"

namespace quire {

/// How long a test waits for a model or an answer.
inline constexpr int kPatienceMs = 60'000;

inline QString bundled() {
  return QString::fromStdString(bundled_model_folder());
}
inline QString draft() {
  return QString::fromStdString(draft_model_folder());
}

/// A request for an answer of exactly `length` tokens, the same each time.
inline ChatRequest ask(const QString& text, int length) {
  ChatRequest request;
  request.turns = {{"user", text, {}}};
  request.sampling.seed = 7;
  request.sampling.max_tokens = length;
  request.sampling.ignore_eos = true;
  return request;
}

}  // namespace quire
