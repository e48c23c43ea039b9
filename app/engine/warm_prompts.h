#pragma once

#include <QStringList>

#include <vector>

#include "engine/engine.h"

namespace quire {

/// The system prompts that are to stay in an engine's pool once they were computed.
/// Thread: the engine's.
class WarmPrompts {
 public:
  /// Takes the place of the list before; what is on it no more may leave.
  void set(Engine* engine, const QStringList& systemPrompts);
  /// Another engine serves now; null: none.
  void adopt(Engine* engine);
  /// A prompt was computed: its blocks, if it is one of these, are there to be pinned.
  void pin(Engine& engine) const;

 private:
  QStringList m_systemPrompts;
  std::vector<std::vector<TokenId>> m_tokens;  ///< Of the engine that serves.
};

}  // namespace quire
