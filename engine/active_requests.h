#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/answer.h"
#include "engine/block_report.h"
#include "engine/chat/chat_history.h"
#include "engine/models/model_runner.h"
#include "engine/request.h"
#include "engine/scheduler/prefix_transfer.h"
#include "engine/scheduler/scheduler.h"
#include "engine/speculation/speculation.h"

namespace quire {

/// What an engine knows of a request beside its tokens, which its Sequence holds.
struct ActiveRequest {
  int64_t persona = 0;
  AdapterId adapter = 0;
  bool warms = false;         ///< Only fills the cache: its answer is not read.
  bool is_admitted = false;   ///< Stays set after a preemption, so that it is counted once.
  bool is_forgotten = false;  ///< Its chat was deleted: its text is not kept.
  Answer answer;
};

/// The requests that an engine serves, from submission to their last event: makes their events,
/// stores what they computed for later requests, and counts what they cost.
/// Thread: the engine's. Invariants: the same ids as the scheduler's sequences, except inside
/// Engine::submit. What it refers to outlives it.
class ActiveRequests {
 public:
  ActiveRequests(Scheduler& scheduler, PrefixTransfer& transfer, Speculation& speculation)
      : m_scheduler(scheduler), m_transfer(transfer), m_speculation(speculation) {}

  /// Its sequence is already in the scheduler.
  void add(RequestId id, ActiveRequest request) { m_requests.emplace(id, std::move(request)); }

  bool contains(RequestId id) const { return m_requests.contains(id); }
  /// The request must be active.
  const ActiveRequest& at(RequestId id) const { return m_requests.at(id); }
  Answer& answer(RequestId id) { return m_requests.at(id).answer; }
  /// Those of all requests; 0 of requests without one.
  std::vector<AdapterId> adapters() const;

  /// Records what a sequence found in the cache when it was first admitted; does nothing when it
  /// is admitted again.
  void record_admission(const Sequence& sequence);

  /// Adds what was sampled from the rows to their sequence, and an event for it to `events`: the
  /// next token, and as long as the draft after it equals it, the one after that. Removes the
  /// request if a token, or the `max_context`, ends its answer.
  void advance(const ScheduledRows& rows, const SampledRows& sampled, int max_context,
               std::vector<RequestEvent>& events);

  /// Ends a request between its steps and frees its blocks.
  void end(RequestId id, FinishReason reason, Error error, std::vector<RequestEvent>& events);
  /// Ends all of them as failed.
  void fail_all(const Error& error, std::vector<RequestEvent>& events);

  /// Forgets what a deleted chat held. Nothing is kept of its running answers either.
  void forget_chat(int64_t chat);
  const ChatHistory& history() const { return m_history; }
  /// Counters since the start; those of steps are counted by StepExecutor.
  EngineStats& totals() { return m_totals; }
  const EngineStats& totals() const { return m_totals; }

 private:
  int append(const ScheduledRows& rows, const SampledRows& sampled, int max_context,
             RequestEvent& event);
  void count_drafts(const ScheduledRows& rows, int accepted, RequestEvent& event);
  void remove(RequestId id, RequestEvent& event);
  void keep_text(const Sequence& sequence);
  void store(const BlockTable& table, int num_tokens, const PrefixOwner& owner);

  Scheduler& m_scheduler;
  PrefixTransfer& m_transfer;
  Speculation& m_speculation;
  std::map<RequestId, ActiveRequest> m_requests;
  ChatHistory m_history;
  EngineStats m_totals;
};

}  // namespace quire
