#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "app/engine/chat_backend.h"
#include "app/machine/bench_text.h"

namespace quire {

/// Equal requests that are submitted at once and measured as `quire-cli bench` does: prompts until
/// all have their first token, answers from then until the first one ends.
///
/// Thread: any.
/// Invariants: `measured` is called once, with figures or with an error, unless forget() was
/// called.
class BenchRequests : public std::enable_shared_from_this<BenchRequests> {
 public:
  using Measured = std::function<void(const BenchFigures& figures, const QString& error)>;

  BenchRequests(int numChats, const BenchSizes& sizes, Measured measured);

  /// Submits them; `seed` makes texts that no earlier run has cached. Returns their ids.
  std::vector<RequestId> submit(ChatBackend& backend, quint32 seed);
  void forget();

 private:
  class Sink;
  /// One request: when it had how many tokens.
  struct Record {
    struct Sample {
      double ms = 0.0;
      int tokens = 0;
    };
    std::vector<Sample> samples;
    int computedTokens = 0;  ///< Of its prompt.
    double endMs = -1.0;
  };

  void start(size_t index, const PromptReport& report);
  void add(size_t index, int tokens);
  void finish(size_t index, const AnswerReport& report);
  BenchFigures figures() const;
  double nowMs() const;

  const int m_numChats;
  const BenchSizes m_sizes;
  const std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
  std::mutex m_mutex;  ///< Guards the rest.
  Measured m_measured;
  std::vector<Record> m_records;
  QString m_error;
};

}  // namespace quire
