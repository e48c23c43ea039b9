#include "engine/models/batch_upload.h"

namespace quire {
namespace {

/// The offset of each part of a batch in the array, in numbers.
struct Parts {
  size_t ids, positions, slots, query_start, context_len, block_tables, logits_rows;
  size_t segment_start, segment_end, states_out, states_in, window_slots, window_tables, end;
};

BatchCounts counts_of(const ForwardBatch& batch) {
  return {batch.ids.size(),         batch.context_len.size(), static_cast<size_t>(batch.max_blocks),
          batch.logits_rows.size(), batch.segment_end.size(), batch.has_windows()};
}

Parts parts_of(const BatchCounts& counts) {
  Parts at{};
  at.positions = at.ids + counts.tokens;
  at.slots = at.positions + counts.tokens;
  at.query_start = at.slots + counts.tokens;
  at.context_len = at.query_start + counts.sequences + 1;
  at.block_tables = at.context_len + counts.sequences;
  at.logits_rows = at.block_tables + counts.sequences * counts.blocks;
  at.segment_start = at.logits_rows + counts.logits;
  const bool has_states = counts.segments > 0;
  at.segment_end = at.segment_start + (has_states ? counts.sequences + 1 : 0);
  at.states_out = at.segment_end + counts.segments;
  at.states_in = at.states_out + counts.segments;
  at.window_slots = at.states_in + (has_states ? counts.sequences : 0);
  at.window_tables = at.window_slots + (counts.has_windows ? counts.tokens : 0);
  at.end = at.window_tables + (counts.has_windows ? counts.sequences * counts.blocks : 0);
  return at;
}

}  // namespace

size_t batch_size(const BatchCounts& counts) {
  return parts_of(counts).end;
}

void append_batch(std::vector<int32_t>& to, const ForwardBatch& batch) {
  for (const auto* part :
       {&batch.ids, &batch.positions, &batch.slot_mapping, &batch.query_start, &batch.context_len,
        &batch.block_tables, &batch.logits_rows, &batch.segment_start, &batch.segment_end,
        &batch.states_out, &batch.states_in, &batch.window_slots, &batch.window_tables}) {
    to.insert(to.end(), part->begin(), part->end());
  }
}

DeviceBatch views_of(const ForwardBatch& batch, const int32_t* device) {
  const int64_t num_tokens = batch.num_tokens(), num_sequences = batch.num_sequences();
  const auto num_logits = static_cast<int64_t>(batch.logits_rows.size());
  const auto num_segments = static_cast<int64_t>(batch.segment_end.size());
  const Parts at = parts_of(counts_of(batch));
  const auto view = [&](size_t offset, int64_t count) {
    return ConstTensorView(device + offset, DType::kI32, {count});
  };
  StateBatch states;
  if (batch.has_states()) {
    states = {.query_start = view(at.query_start, num_sequences + 1),
              .segment_start = view(at.segment_start, num_sequences + 1),
              .row_end = view(at.segment_end, num_segments),
              .out = view(at.states_out, num_segments),
              .in = view(at.states_in, num_sequences)};
  }
  const auto attention = [&](size_t tables) {
    return AttentionBatch{.query_start = view(at.query_start, num_sequences + 1),
                          .context_len = view(at.context_len, num_sequences),
                          .block_tables = ConstTensorView(device + tables, DType::kI32,
                                                          {num_sequences, batch.max_blocks})};
  };
  DeviceBatch on_device = {.ids = view(at.ids, num_tokens),
                           .positions = view(at.positions, num_tokens),
                           .slot_mapping = view(at.slots, num_tokens),
                           .attention = attention(at.block_tables),
                           .logits_rows = view(at.logits_rows, num_logits),
                           .states = states};
  if (batch.has_windows()) {
    on_device.window_slots = view(at.window_slots, num_tokens);
    on_device.window_attention = attention(at.window_tables);
  }
  return on_device;
}

}  // namespace quire
