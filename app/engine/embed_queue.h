#pragma once

#include <deque>
#include <vector>

#include "app/engine/text_backend.h"
#include "engine/engine.h"

namespace quire {

/// The texts that an engine is to turn into vectors, computed a few at a time between its steps, so
/// that answers go on meanwhile.
///
/// Thread: the engine's.
/// Invariants: jobs are computed in their order; each is replied to once, unless it is withdrawn.
class EmbedQueue {
 public:
  struct Job {
    RequestId id = 0;
    std::vector<std::vector<TokenId>> texts;  ///< Never empty.
    EmbedOptions options;
    Reply<Embeddings> reply;
  };

  /// Of one slice: beside answers, which wait for it, and alone.
  static constexpr size_t kSliceTokens = 512;
  static constexpr size_t kSliceTokensAlone = 8192;

  void add(Job job);
  bool isWanted() const { return !m_jobs.empty(); }
  /// Computes the next slice, of at least one text. Returns the jobs that ended.
  std::vector<RequestId> compute(Engine& engine, bool besideAnswers);
  /// Replies to all jobs with this error. Returns them.
  std::vector<RequestId> fail(const QString& error);

 private:
  struct Running {
    Job job;
    Embeddings result = {};
  };
  /// How many of the job's next texts make a slice.
  static size_t sliceSize(const Running& running, size_t maxTokens);

  std::deque<Running> m_jobs;
};

}  // namespace quire
