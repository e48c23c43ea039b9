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
  Sequence(SequenceId sequence_id, const BlockKey& root, std::vector<int32_t> tokens)
      : id(sequence_id),
        num_prompt(static_cast<int>(tokens.size())),
        table(root, std::move(tokens)) {}

  SequenceId id;  ///< Ascending: the order of arrival.
  int num_prompt;
  bool focused = false;
  BlockTable table;

  int num_cached = -1;  ///< Tokens found in the cache when first admitted; -1 before.
  int num_preemptions = 0;
  uint64_t num_rows = 0;  ///< Rows computed for it so far.
};

}  // namespace quire
