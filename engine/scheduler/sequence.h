#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/cache/block_table.h"

namespace quire {

using SequenceId = uint64_t;

/// A request as the scheduler sees it: tokens to be computed, in blocks. After its prompt it has
/// one token to compute at a time, the one that was sampled last.
struct Sequence {
  Sequence(SequenceId sequence_id, const BlockKey& root, std::vector<int32_t> tokens,
           const BlockOwner& owner = {})
      : id(sequence_id),
        num_prompt(static_cast<int>(tokens.size())),
        table(root, std::move(tokens), owner) {}

  SequenceId id;  ///< Ascending: the order of arrival.
  int num_prompt;
  bool focused = false;
  bool awaits_store = false;  ///< Blocks of it are being read from disk: it is not admitted yet.
  BlockTable table;

  /// The tokens that were read from disk for it, or for another that waited with it:
  /// [stored_begin, stored_end).
  int stored_begin = 0;
  int stored_end = 0;

  int num_cached = -1;  ///< Tokens found in the cache when first admitted; -1 before.
  int num_swapped = 0;  ///< Tokens brought back from host memory for it.
  int num_preemptions = 0;
  int num_overtaken = 0;   ///< In how many steps a later one went before it.
  uint64_t num_rows = 0;   ///< Rows computed for it so far.
  uint64_t last_step = 0;  ///< The scheduler's last step that has rows of it.
  uint64_t last_overtaken_step = 0;

  /// While it waits for blocks that another sequence computes: which, and how many of that one's
  /// tokens must be there before it is worth looking again. 0: it does not.
  SequenceId awaited = 0;
  int awaited_tokens = 0;
};

}  // namespace quire
