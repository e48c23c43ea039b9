#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/cache/block_table.h"

namespace quire {

using SequenceId = uint64_t;

/// From this priority on a sequence belongs to the chat that the user is looking at.
inline constexpr int kFocusedPriority = 200;

/// A request as the scheduler sees it: tokens to be computed, in blocks. After its prompt it has
/// one token to compute at a time, the one sampled last.
struct Sequence {
  Sequence(SequenceId sequence_id, const BlockKey& root, std::vector<int32_t> tokens,
           const BlockOwner& owner = {})
      : id(sequence_id),
        num_prompt(static_cast<int>(tokens.size())),
        table(root, std::move(tokens), owner) {}

  SequenceId id;  ///< Ascending: the order of arrival.
  int num_prompt;
  int adapter = 0;  ///< What its rows are computed with (AdapterId); its table's root says so, too.
  int priority = 0;  ///< Request::priority.

  bool is_focused() const { return priority >= kFocusedPriority; }

  bool awaits_store = false;  ///< Its blocks are being read from disk: it is not admitted yet.
  BlockTable table;
  /// Guesses of the tokens that follow the table's, for the next step. Rows that compute them write
  /// behind the computed tokens, so that wrong ones leave nothing behind.
  std::vector<int32_t> drafts;
  std::vector<int> message_starts;  ///< The first token of each message, then of the answer.

  /// The tokens read from disk for it, or for another that waited with it:
  /// [stored_begin, stored_end).
  int stored_begin = 0;
  int stored_end = 0;

  int num_cached = -1;  ///< Tokens found in the cache when first admitted; -1 before.
  int num_cut = 0;      ///< Tokens that were found as well, but without a state to go on from.
  int num_swapped = 0;  ///< Tokens restored from host memory for it.
  int num_preemptions = 0;
  int num_bypassed = 0;    ///< Steps in which a later sequence was scheduled before it.
  uint64_t num_rows = 0;   ///< Rows computed for it so far.
  uint64_t last_step = 0;  ///< The last step that has rows of it.
  uint64_t last_bypassed_step = 0;

  /// The sequence whose blocks it waits for, and how many of that one's tokens must be computed
  /// before it is checked again; 0: none.
  SequenceId awaited = 0;
  int awaited_tokens = 0;
};

}  // namespace quire
