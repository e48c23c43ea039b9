#pragma once

#include <optional>

#include "app/engine/chat_preparation.h"

namespace quire {

/// The prompt that was prepared last: the answers of one request, which differ in their seeds,
/// come one after the other and have the same one. Thread: one at a time.
class LastPrompt {
 public:
  /// As prepareChat(), which is called unless `chat` has the last one's prompt.
  Result<PreparedChat> prepare(const LoadedModel& model, int maxContext, const ChatRequest& chat,
                               GrammarCache* grammars);
  int numPrepared() const { return m_numPrepared; }

 private:
  struct Prepared {
    ChatRequest chat;
    PreparedChat prepared;
  };
  std::optional<Prepared> m_last;
  int m_numPrepared = 0;
};

}  // namespace quire
