#include "engine/models/forward_batch.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "kernels/base/check.h"

namespace quire {
namespace {

int padded_rows(int rows, int limit) {
  const int rounded =
      rows <= 4 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(rows))) : (rows + 7) / 8 * 8;
  return std::min(rounded, limit);
}

int padded_blocks(int blocks, int limit) {
  return std::min(static_cast<int>(std::bit_ceil(static_cast<unsigned>(blocks))), limit);
}

/// (S, from) becomes (S, to).
void widen(std::vector<int32_t>& tables, size_t num_sequences, size_t from, size_t to) {
  std::vector<int32_t> widened(num_sequences * to, 0);
  for (size_t s = 0; s < num_sequences; ++s) {
    std::copy_n(tables.begin() + static_cast<std::ptrdiff_t>(s * from), from,
                widened.begin() + static_cast<std::ptrdiff_t>(s * to));
  }
  tables = std::move(widened);
}

void widen_block_tables(ForwardBatch& batch, int max_blocks) {
  const auto from = static_cast<size_t>(batch.max_blocks);
  const auto to = static_cast<size_t>(max_blocks);
  widen(batch.block_tables, batch.context_len.size(), from, to);
  if (batch.has_windows()) widen(batch.window_tables, batch.context_len.size(), from, to);
  batch.max_blocks = max_blocks;
}

void add_empty_row(ForwardBatch& batch) {
  batch.logits_rows.push_back(batch.num_tokens());
  batch.ids.push_back(0);
  batch.positions.push_back(0);
  batch.slot_mapping.push_back(-1);
  batch.query_start.push_back(batch.num_tokens());
  batch.context_len.push_back(0);
  batch.block_tables.insert(batch.block_tables.end(), static_cast<size_t>(batch.max_blocks), 0);
  if (batch.has_windows()) {
    batch.window_slots.push_back(-1);
    batch.window_tables.insert(batch.window_tables.end(), static_cast<size_t>(batch.max_blocks), 0);
  }
  if (!batch.has_states()) return;
  batch.segment_end.push_back(batch.num_tokens());
  batch.states_out.push_back(-1);
  batch.states_in.push_back(-1);
  batch.segment_start.push_back(static_cast<int32_t>(batch.segment_end.size()));
}

void append_run(std::vector<AdapterRun>& runs, AdapterId adapter, int64_t first, int64_t count) {
  if (adapter == 0 || count == 0) return;
  const bool continues = !runs.empty() && runs.back().adapter == adapter &&
                         runs.back().first + runs.back().count == first;
  if (continues) {
    runs.back().count += count;
  } else {
    runs.push_back({adapter, first, count});
  }
}

}  // namespace

AdapterRows adapter_rows(const ForwardBatch& batch) {
  AdapterRows rows;
  int64_t wanted = 0;
  for (size_t s = 0; s < batch.adapters.size(); ++s) {
    const int64_t first = batch.query_start[s], end = batch.query_start[s + 1];
    append_run(rows.all, batch.adapters[s], first, end - first);
    int64_t count = 0;
    while (wanted + count < std::ssize(batch.logits_rows) &&
           batch.logits_rows[static_cast<size_t>(wanted + count)] < end) {
      ++count;
    }
    append_run(rows.wanted, batch.adapters[s], wanted, count);
    wanted += count;
  }
  return rows;
}

bool is_decode_batch(const ForwardBatch& batch) {
  return batch.num_tokens() == batch.num_sequences() &&
         static_cast<int>(batch.logits_rows.size()) == batch.num_sequences();
}

void pad_decode_batch(ForwardBatch& batch, int max_sequences, int max_blocks) {
  CHECK(is_decode_batch(batch) && batch.num_sequences() > 0);
  widen_block_tables(batch, padded_blocks(batch.max_blocks, max_blocks));
  const int rows = padded_rows(batch.num_sequences(), max_sequences);
  while (batch.num_sequences() < rows) add_empty_row(batch);
}

}  // namespace quire
