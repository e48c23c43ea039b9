#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/models/forward_batch.h"
#include "engine/models/layers/block.h"

namespace quire {

/// The counts that determine the sizes of a batch's parts.
struct BatchCounts {
  size_t tokens = 0, sequences = 0;
  size_t blocks = 0;    ///< Of the longest sequence: ForwardBatch::max_blocks.
  size_t logits = 0;    ///< Rows whose logits are wanted.
  size_t segments = 0;  ///< 0 for a model without recurrent layers.
  bool has_windows = false;
};

/// How many i32 numbers append_batch() appends for a batch with those counts.
size_t batch_size(const BatchCounts& counts);

/// Appends all parts of a batch to one array, so that one upload moves the whole batch.
void append_batch(std::vector<int32_t>& to, const ForwardBatch& batch);

/// Views of the parts of a batch in an array at `device`, which append_batch() laid out.
DeviceBatch views_of(const ForwardBatch& batch, const int32_t* device);

}  // namespace quire
