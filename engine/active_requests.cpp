#include "engine/active_requests.h"

#include <algorithm>
#include <utility>

namespace quire {
namespace {

void set_costs(const Sequence& sequence, RequestUsage& usage) {
  usage.computed_tokens = static_cast<int>(sequence.num_rows);
  usage.swapped_tokens = sequence.num_swapped;
  usage.preemptions = sequence.num_preemptions;
}

}  // namespace

std::vector<AdapterId> ActiveRequests::adapters() const {
  std::vector<AdapterId> adapters;
  for (const auto& [id, request] : m_requests) adapters.push_back(request.adapter);
  return adapters;
}

void ActiveRequests::record_admission(const Sequence& sequence) {
  ActiveRequest& request = m_requests.at(sequence.id);
  if (std::exchange(request.is_admitted, true)) return;
  const int cached = sequence.num_cached;
  const int disk = std::max(0, std::min(cached, sequence.stored_end) - sequence.stored_begin);
  const auto prompt = std::span(sequence.table.tokens()).first(sequence.num_prompt);
  PrefixMiss miss = m_history.explain(sequence.table.owner().chat, prompt, cached);
  if (miss.reason == PrefixMiss::Reason::kEvicted && sequence.num_cut > 0) {
    miss.reason = PrefixMiss::Reason::kNoState;
  }
  if (miss.reason != PrefixMiss::Reason::kNone) {
    miss.message = message_at(sequence.message_starts, miss.position);
  }
  request.answer.mark_scheduled(cached, disk, miss);
  if (request.warms) return;
  m_totals.prompt_tokens += sequence.num_prompt;
  m_totals.cached_tokens += cached;
  m_totals.cut_tokens += sequence.num_cut;
  m_totals.disk_tokens += disk;
}

void ActiveRequests::advance(const ScheduledRows& rows, const SampledRows& sampled, int max_context,
                             std::vector<RequestEvent>& events) {
  Sequence& sequence = *rows.sequence;
  const ActiveRequest& request = m_requests.at(sequence.id);
  RequestEvent& event = events.emplace_back(RequestEvent{.id = sequence.id});
  const int accepted = append(rows, sampled, max_context, event);
  m_scheduler.drop_drafts(sequence);
  m_speculation.judge(sequence.id, event.tokens);
  count_drafts(rows, accepted, event);
  if (!request.warms) m_totals.output_tokens += event.tokens.size();
  set_costs(sequence, event.usage);
  if (event.finish) remove(sequence.id, event);
}

/// Returns how many drafts were accepted.
int ActiveRequests::append(const ScheduledRows& rows, const SampledRows& sampled, int max_context,
                           RequestEvent& event) {
  Sequence& sequence = *rows.sequence;
  ActiveRequest& request = m_requests.at(sequence.id);
  for (int accepted = 0;; ++accepted) {
    const SampledRows row = sampled.rows(static_cast<size_t>(accepted), 1);
    const TokenId token = request.answer.next_token(row.tokens.front());
    const bool continues = request.answer.advance(token, row.logits, event);
    if (event.usage.output_tokens == 1) {
      store(sequence.table, sequence.table.owner().shared_tokens,
            {PrefixOwner::Kind::kPersona, request.persona});
    }
    if (continues && request.answer.num_tokens() >= max_context) {
      request.answer.end(FinishReason::kContext, event);
    }
    if (event.finish) return accepted;
    sequence.table.append(token);
    if (accepted == rows.num_drafts || rows.drafts()[static_cast<size_t>(accepted)] != token) {
      return accepted;
    }
    m_scheduler.accept_draft(sequence);
  }
}

void ActiveRequests::count_drafts(const ScheduledRows& rows, int accepted, RequestEvent& event) {
  m_requests.at(rows.sequence->id).answer.count_drafts(rows.num_drafts, accepted);
  event.usage.drafted_tokens += rows.num_drafts;
  event.usage.accepted_tokens += accepted;
  m_totals.drafted_tokens += static_cast<uint64_t>(rows.num_drafts);
  m_totals.accepted_tokens += static_cast<uint64_t>(accepted);
}

void ActiveRequests::end(RequestId id, FinishReason reason, Error error,
                         std::vector<RequestEvent>& events) {
  RequestEvent& event = events.emplace_back(RequestEvent{.id = id});
  event.error = std::move(error);
  answer(id).end(reason, event);
  remove(id, event);
}

void ActiveRequests::fail_all(const Error& error, std::vector<RequestEvent>& events) {
  while (!m_requests.empty()) {
    end(m_requests.begin()->first, FinishReason::kFailed, error, events);
  }
}

/// Removes a request after its last event: records its cost and what its chat computed.
void ActiveRequests::remove(RequestId id, RequestEvent& event) {
  const Sequence& sequence = *m_scheduler.find(id);
  const BlockTable& table = sequence.table;
  const int64_t chat = table.owner().chat;
  set_costs(sequence, event.usage);
  m_totals.preemptions += sequence.num_preemptions;
  store(table, table.num_computed(), {PrefixOwner::Kind::kChat, chat});
  if (table.num_computed() > 0) {
    keep_text(sequence);
    m_history.record(chat, table.tokens(), sequence.message_starts);
  }
  m_scheduler.remove(id);
  m_speculation.forget(id);
  m_requests.erase(id);
}

/// Keeps the new part of a sequence, from which other chats of its persona are guessed, and this
/// answer if it is generated again. The persona's own tokens and what the chat held before are left
/// out, except for the last tokens of these, where matches begin.
void ActiveRequests::keep_text(const Sequence& sequence) {
  constexpr int kBefore = 32;
  const ActiveRequest& request = m_requests.at(sequence.id);
  if (request.warms || request.is_forgotten) return;
  const BlockOwner& owner = sequence.table.owner();
  const std::span<const TokenId> tokens = sequence.table.tokens();
  const int known = std::max(owner.shared_tokens, m_history.count_common(owner.chat, tokens));
  if (known >= std::ssize(tokens)) return;
  m_speculation.keep({.persona = request.persona, .chat = owner.chat},
                     tokens.subspan(static_cast<size_t>(std::max(0, known - kBefore))));
}

void ActiveRequests::forget_chat(int64_t chat) {
  for (auto& [id, request] : m_requests) {
    if (m_scheduler.find(id)->table.owner().chat == chat) request.is_forgotten = true;
  }
  m_history.forget(chat);
  m_speculation.forget_chat(chat);
}

/// Stores the whole blocks of the table's first `num_tokens` tokens, unless the owner's id is 0.
void ActiveRequests::store(const BlockTable& table, int num_tokens, const PrefixOwner& owner) {
  if (owner.id != 0) m_transfer.keep(table, num_tokens / kBlockSize, owner);
}

}  // namespace quire
