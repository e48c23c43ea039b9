#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/scheduler/scheduler.h"
#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// The sequences that hold a block.
struct HeldBlock {
  const Sequence* first = nullptr;  ///< One of them; null: nobody holds it.
  int index = -1;                   ///< The block's place in that sequence's table.
  std::vector<int64_t> chats;       ///< Of all of them, each once, in no order; 0 is left out.

  /// What `first` has in the block; tokens that are not computed yet are left out.
  std::span<const TokenId> tokens() const;
};
HeldBlock find_holders(const Scheduler& scheduler, BlockId block);

/// The text of tokens from the midst of others: special ones as they are spelt, and characters of
/// which only a part is among the tokens left out.
std::string spell_tokens(const Tokenizer& tokenizer, std::span<const TokenId> tokens);

}  // namespace quire
