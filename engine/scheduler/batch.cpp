#include <algorithm>

#include "engine/scheduler/scheduler.h"

namespace quire {

namespace {

void append_rows(ForwardBatch& batch, const ScheduledRows& rows) {
  const BlockTable& table = rows.sequence->table;
  for (int position = rows.begin; position < rows.begin + rows.count; ++position) {
    // Where a step follows another, only the device knows the token.
    const bool is_known = position < table.num_tokens();
    batch.ids.push_back(is_known ? table.tokens()[position] : 0);
    batch.positions.push_back(position);
    batch.slot_mapping.push_back(table.slot(position));
  }
  batch.query_start.push_back(batch.num_tokens());
  batch.context_len.push_back(rows.begin + rows.count);
  if (rows.samples) batch.logits_rows.push_back(batch.num_tokens() - 1);
}

}  // namespace

ForwardBatch make_forward_batch(const StepPlan& plan) {
  ForwardBatch batch;
  for (const ScheduledRows& rows : plan.rows) {
    append_rows(batch, rows);
    batch.max_blocks = std::max(batch.max_blocks, blocks_for(rows.begin + rows.count));
  }
  batch.block_tables.assign(plan.rows.size() * batch.max_blocks, 0);
  for (size_t s = 0; s < plan.rows.size(); ++s) {
    const auto& blocks = plan.rows[s].sequence->table.blocks();
    const size_t used = blocks_for(batch.context_len[s]);
    std::copy_n(blocks.begin(), used, batch.block_tables.begin() + s * batch.max_blocks);
  }
  return batch;
}

}  // namespace quire
