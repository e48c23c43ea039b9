#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/result.h"

namespace quire {

/// Whether the texts, each encoded by itself, certainly have more than 2 * `limit` tokens together.
/// It is found out without encoding all of a long text: the beginnings of each text are encoded,
/// every one twice as long as the one before, until there are enough tokens or the text ends. The
/// factor covers the few tokens at a beginning's end that the rest of the text may change.
///
/// False for texts that are short enough to be encoded at once, whatever they have. The time taken
/// is in proportion to the bytes of 4 * `limit` tokens, except for a vocabulary that leaves out
/// most of the text.
bool is_far_beyond(const Tokenizer& tokenizer, std::span<const std::string_view> texts,
                   size_t limit);

/// kContextOverflow: what is said of such texts.
Error far_beyond_error(size_t limit);

}  // namespace quire
