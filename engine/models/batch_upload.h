#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/models/forward_batch.h"
#include "engine/models/layers/block.h"

namespace quire {

/// The numbers of a batch that the sizes of its parts follow from.
struct BatchCounts {
  size_t tokens = 0, sequences = 0, blocks = 0, logits = 0;
  size_t segments = 0;  ///< 0 for a model without recurrent layers.
  bool has_windows = false;
};

/// The i32 numbers of such a batch.
size_t batch_size(const BatchCounts& counts);

/// Appends all parts of a batch to one array, so that one upload moves all of it.
void append_batch(std::vector<int32_t>& to, const ForwardBatch& batch);

/// The views of a batch that append_batch() laid out, at `device`.
DeviceBatch views_of(const ForwardBatch& batch, const int32_t* device);

}  // namespace quire
