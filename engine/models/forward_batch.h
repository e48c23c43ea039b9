#pragma once

#include <cstdint>
#include <vector>

#include "engine/models/layers/adapters.h"

namespace quire {

/// The rows of one step, on the host. Sequence s owns rows [query_start[s], query_start[s + 1]).
struct ForwardBatch {
  std::vector<int32_t> ids;             ///< (T) token ids.
  std::vector<int32_t> positions;       ///< (T).
  std::vector<int32_t> slot_mapping;    ///< (T) block * kBlockSize + offset.
  std::vector<int32_t> query_start{0};  ///< (S + 1).
  std::vector<int32_t> context_len;     ///< (S) keys visible to the sequence's last row.
  std::vector<int32_t> block_tables;    ///< (S, max_blocks), padded with 0.
  int max_blocks = 0;
  // Of layers with a window: slots instead of blocks; empty for a model without.
  std::vector<int32_t> window_slots;   ///< (T) as slot_mapping.
  std::vector<int32_t> window_tables;  ///< (S, max_blocks); 0 where no row sees a key.
  // The states of recurrent layers (StateBatch); empty for a model without.
  std::vector<int32_t> segment_start;  ///< (S + 1).
  std::vector<int32_t> segment_end;    ///< (G) rows.
  std::vector<int32_t> states_out;     ///< (G) slots.
  std::vector<int32_t> states_in;      ///< (S) slots, or -1.
  std::vector<int32_t> logits_rows;    ///< Rows whose logits are wanted, ascending.
  std::vector<AdapterId> adapters;     ///< (S), or empty: no sequence has an adapter.
  /// (S) ids of the sequences, by which DraftRunner finds their hidden states in later steps.
  std::vector<uint64_t> sequences = {};

  int num_tokens() const { return static_cast<int>(ids.size()); }
  int num_sequences() const { return static_cast<int>(context_len.size()); }
  bool has_states() const { return !segment_start.empty(); }
  bool has_windows() const { return !window_slots.empty(); }
};

/// The rows of the batch that adapters change, in runs of sequences beside each other.
AdapterRows adapter_rows(const ForwardBatch& batch);

/// Whether every sequence has one row, and the logits of all are wanted.
bool is_decode_batch(const ForwardBatch& batch);

/// Pads a decode batch to one of few shapes, so that captured graphs can be launched again: 1, 2, 4
/// or a multiple of 8 rows, block tables of a power of two, neither above its limit. The padding is
/// sequences of one row and no context: they write no keys, and their logits are meaningless.
void pad_decode_batch(ForwardBatch& batch, int max_sequences, int max_blocks);

}  // namespace quire
