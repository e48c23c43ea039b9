#pragma once

#include <vector>

#include "app/engine/chat_preparation.h"

namespace quire {

/// The prompts that stay in an engine's pool, each computed with its persona's adapter. They are
/// computed in advance while the engine is idle, in slices, so that a request waits for at most one
/// slice, or for the reading of an adapter.
///
/// Thread: the engine's.
/// Invariants: at most one request of its own is in the engine; each prompt is computed once for
/// each set(), as far as the pool has room, and never again by itself.
class WarmPrompts {
 public:
  /// Of one slice: some 10 ms with a small model, a tenth of a second with a large one on a CPU.
  static constexpr int kSliceTokens = 128;

  /// Replaces the previous list. Prompts that are no longer in it may be evicted.
  void set(Engine& engine, std::vector<PersonaTokens> prompts);
  /// Another engine serves, with an empty pool.
  void clear() { *this = {}; }
  /// A prompt was computed: if it is one of these, its blocks can be pinned now.
  void pin(Engine& engine);

  /// Whether there are tokens to compute.
  bool isWanted() const { return m_request != 0 || m_next < m_prompts.size(); }
  /// The engine is idle: submits the next slice, unless one is running.
  void compute(Engine& engine);
  /// A request arrived: ends the running slice and keeps what was computed.
  void interrupt(Engine& engine);
  /// Handles the events of a step.
  void note(const std::vector<RequestEvent>& events);

 private:
  struct Prompt {
    PersonaTokens persona;
    AdapterId adapter = 0;  ///< With which it is pinned.
  };
  /// Submits the prompt's next slice. 0: all are computed, the pool has no room for more, or the
  /// prompt is refused.
  RequestId submitSlice(Engine& engine, Prompt& prompt);
  /// The tokens of the next slice; 0: all are computed, or the pool has no room for more.
  int sliceEnd(Engine& engine, Prompt& prompt) const;
  /// Pins the prompt with its adapter, if that is loaded; returns how many of its tokens.
  static int pin(Engine& engine, Prompt& prompt);

  std::vector<Prompt> m_prompts;
  size_t m_next = 0;        ///< Of m_prompts, the first that is not computed.
  int m_asked = 0;          ///< Tokens of it that were submitted.
  RequestId m_request = 0;  ///< The engine's; 0: none.
};

}  // namespace quire
