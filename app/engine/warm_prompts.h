#pragma once

#include <span>
#include <vector>

#include "engine/engine.h"

namespace quire {

/// The prompts that are to stay in an engine's pool. While no answer is wanted they are computed
/// ahead, a slice at a time, so that a request waits for one slice at most.
///
/// Thread: the engine's.
/// Invariants: at most one request of its own is in the engine; each prompt is computed once for
/// each set(), as far as the pool has room, and never again by itself.
class WarmPrompts {
 public:
  /// Of one slice: some 10 ms with a small model, a tenth of a second with a large one on a CPU.
  static constexpr int kSliceTokens = 128;

  /// Replaces the list before; prompts that it no longer has may be evicted.
  void set(Engine& engine, std::vector<std::vector<TokenId>> prompts);
  /// Another engine serves, which holds nothing of these.
  void clear() { *this = {}; }
  /// A prompt was computed: if it is one of these, its blocks can be pinned now.
  void pin(Engine& engine) const;

  /// Something is left to compute.
  bool isWanted() const { return m_request != 0 || m_next < m_tokens.size(); }
  /// No answer is wanted: the next slice is submitted, unless one is under way.
  void compute(Engine& engine);
  /// An answer is wanted: the slice under way ends, and what was computed stays, also a slice that
  /// has just ended.
  void interrupt(Engine& engine);
  /// What a step brought.
  void note(const std::vector<RequestEvent>& events);

 private:
  /// How much of it comes with the next slice; 0: all is there, or no more has room.
  int sliceEnd(Engine& engine, const std::vector<TokenId>& tokens) const;

  std::vector<std::vector<TokenId>> m_tokens;
  size_t m_next = 0;        ///< Of m_tokens, the first that is not computed.
  int m_asked = 0;          ///< Tokens of it that were asked for.
  RequestId m_request = 0;  ///< The engine's; 0: none.
};

}  // namespace quire
