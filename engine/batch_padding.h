#pragma once

#include "engine/models/forward_batch.h"

namespace quire {

/// Whether every sequence has one row, and the logits of all are wanted.
bool is_decode_batch(const ForwardBatch& batch);

/// Rounds a decode batch up to one of few shapes, so that a device which keeps steps meets the same
/// ones again: 1, 2, 4 or a multiple of 8 rows, block tables of a power of two, neither above its
/// limit. What is added are sequences of one row and no context: they write no keys, and their
/// logits mean nothing.
void pad_decode_batch(ForwardBatch& batch, int max_sequences, int max_blocks);

}  // namespace quire
