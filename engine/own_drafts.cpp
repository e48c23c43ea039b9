#include "engine/own_drafts.h"

#include <algorithm>
#include <chrono>

namespace quire {
namespace {

/// One row a sequence, from which its guess `number` is made: the token before the guess.
ForwardBatch make_guess_batch(const std::vector<const ScheduledRows*>& guessing, int number) {
  ForwardBatch batch;
  for (const ScheduledRows* rows : guessing) {
    const BlockTable& table = rows->sequence->table;
    const int last_known = rows->end_of_known() - 1;
    const int position = last_known + number;
    batch.sequences.push_back(rows->sequence->id);
    batch.ids.push_back(number == 0 ? table.tokens()[size_t(last_known)]
                                    : rows->drafts()[size_t(number) - 1]);
    batch.positions.push_back(position);
    batch.slot_mapping.push_back(table.slot(position));
    batch.query_start.push_back(batch.num_tokens());
    batch.context_len.push_back(position + 1);
    batch.max_blocks = std::max(batch.max_blocks, blocks_for(position + 1));
  }
  const auto width = static_cast<size_t>(batch.max_blocks);
  batch.block_tables.assign(guessing.size() * width, 0);
  for (size_t s = 0; s < guessing.size(); ++s) {
    const auto& blocks = guessing[s]->sequence->table.blocks();
    std::copy_n(blocks.begin(), blocks_for(batch.context_len[s]),
                batch.block_tables.begin() + static_cast<std::ptrdiff_t>(s * width));
  }
  return batch;
}

}  // namespace

Result<void> OwnDrafts::fill(const StepPlan& plan) {
  Guessing guessing;
  size_t num_guesses = 0;
  for (const ScheduledRows& rows : plan.rows) {
    if (rows.num_drafts == 0 || !m_speculation.awaits_guess(rows.sequence->id)) continue;
    guessing.push_back(&rows);
    num_guesses += static_cast<size_t>(rows.num_drafts);
  }
  if (guessing.empty()) return {};
  const Guessing all = guessing;
  const auto began = std::chrono::steady_clock::now();
  for (int number = 0; !guessing.empty(); ++number) {
    if (auto done = guess(number, guessing); !done) return done;
    std::erase_if(guessing,
                  [&](const ScheduledRows* rows) { return rows->num_drafts == number + 1; });
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  for (const ScheduledRows* rows : all) {
    m_speculation.note_guess(rows->sequence->id, rows->drafts());
  }
  m_speculation.note_guessing(num_guesses, took.count());
  return {};
}

/// Makes guess `number` of each sequence. It is sampled as the token at its position will be: with
/// the sequence's parameters and that position's random number.
Result<void> OwnDrafts::guess(int number, const Guessing& guessing) {
  m_rows.clear();
  for (const ScheduledRows* rows : guessing) {
    const auto before = rows->drafts().first(static_cast<size_t>(number));
    m_requests.answer(rows->sequence->id).add_row_after(m_rows, before);
  }
  const auto tokens = m_devices.runner->guess(number, make_guess_batch(guessing, number),
                                              m_devices.kv, m_rows.batch());
  if (!tokens) return tokens.error();
  for (size_t s = 0; s < guessing.size(); ++s) {
    // Logits that are not numbers give -1, which is not a token; any token is as wrong a guess.
    guessing[s]->sequence->drafts[static_cast<size_t>(number)] = std::max(0, (*tokens)[s]);
  }
  return {};
}

}  // namespace quire
