#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// For each offset (bytes of the runs' joined text, ascending) the token that holds that byte, as
/// an index into `ids`; ids.size() for what lies behind all. `ids` are encode_runs(runs).
/// Exact where tokens are the bytes of the text; where a vocabulary normalises text or lacks
/// characters, off by about as much as it changes between two special tokens.
std::vector<size_t> tokens_at(const Tokenizer& tokenizer, std::span<const TextRun> runs,
                              std::span<const TokenId> ids, std::span<const size_t> offsets);

}  // namespace quire
