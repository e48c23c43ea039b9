#include "app/engine_page/bench_requests.h"

#include <algorithm>
#include <random>
#include <utility>

namespace quire {
namespace {

/// Words that no model knows, of about two tokens each.
QString madeUpText(int numTokens, quint32 seed) {
  std::mt19937 random(seed);
  QString text;
  for (int word = 0; word < std::max(1, numTokens / 2); ++word) {
    for (int letter = 0; letter < 4; ++letter)
      text += QChar(u'a' + static_cast<int>(random() % 26));
    text += u' ';
  }
  return text;
}

}  // namespace

/// Receives one of the answers.
class BenchRequests::Sink : public AnswerSink {
 public:
  Sink(std::shared_ptr<BenchRequests> all, size_t index) : m_all(std::move(all)), m_index(index) {}
  void started(const PromptReport& report) override { m_all->start(m_index, report); }
  void textAppended(const QString&, int tokens) override { m_all->add(m_index, tokens); }
  void finished(const AnswerReport& report) override { m_all->finish(m_index, report); }

 private:
  const std::shared_ptr<BenchRequests> m_all;
  const size_t m_index;
};

BenchRequests::BenchRequests(int numChats, const BenchSizes& sizes, Measured measured)
    : m_numChats(numChats),
      m_sizes(sizes),
      m_measured(std::move(measured)),
      m_records(static_cast<size_t>(numChats)) {}

std::vector<RequestId> BenchRequests::submit(ChatBackend& backend, quint32 seed) {
  std::vector<RequestId> ids;
  for (int chat = 0; chat < m_numChats; ++chat) {
    ChatRequest request;
    request.rawPrompt = RawPrompt{
        .text = madeUpText(m_sizes.prompt_tokens, 1000 * seed + static_cast<quint32>(chat)),
        .tokens = {}};
    request.sampling.temperature = 0.0F;
    request.sampling.max_tokens = m_sizes.answer_tokens;
    request.sampling.ignore_eos = true;
    request.dropsOldTurns = false;
    ids.push_back(backend.submit(
        request, std::make_shared<Sink>(shared_from_this(), static_cast<size_t>(chat))));
  }
  return ids;
}

void BenchRequests::forget() {
  const std::scoped_lock lock(m_mutex);
  m_measured = nullptr;
}

double BenchRequests::nowMs() const {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - m_begin)
      .count();
}

void BenchRequests::start(size_t index, const PromptReport& report) {
  const std::scoped_lock lock(m_mutex);
  Record& record = m_records[index];
  record.computedTokens = report.promptTokens - report.cachedTokens;
  record.samples.push_back({nowMs(), 1});
}

void BenchRequests::add(size_t index, int tokens) {
  const std::scoped_lock lock(m_mutex);
  m_records[index].samples.push_back({nowMs(), tokens});
}

void BenchRequests::finish(size_t index, const AnswerReport& report) {
  std::unique_lock lock(m_mutex);
  Record& record = m_records[index];
  record.endMs = nowMs();
  record.samples.push_back({record.endMs, report.outputTokens});
  const bool isAnswered = report.finish == FinishReason::kLength ||
                          report.finish == FinishReason::kEnd;  // Of a backend that ends anyway.
  if (!isAnswered && m_error.isEmpty()) {
    m_error = report.error.isEmpty() ? QStringLiteral("-") : report.error;
  }
  const bool isOver =
      std::ranges::all_of(m_records, [](const Record& r) { return r.endMs >= 0.0; });
  if (!isOver || !m_measured) return;
  const Measured measured = std::exchange(m_measured, nullptr);
  const BenchFigures result = m_error.isEmpty() ? figures() : BenchFigures();
  const QString error = m_error;
  lock.unlock();
  measured(result, error);
}

BenchFigures BenchRequests::figures() const {
  BenchFigures figures = {.num_chats = m_numChats, .answer_tokens = m_sizes.answer_tokens};
  double started = 0.0;
  double ended = m_records.front().endMs;
  int computed = 0;
  for (const Record& record : m_records) {
    started = std::max(started, record.samples.front().ms);
    ended = std::min(ended, record.endMs);
    computed += record.computedTokens;
  }
  const auto tokensAt = [](const Record& record, double ms) {
    int tokens = 0;
    for (const Record::Sample& sample : record.samples) {
      if (sample.ms <= ms) tokens = sample.tokens;
    }
    return tokens;
  };
  int written = 0;
  for (const Record& record : m_records)
    written += std::max(0, tokensAt(record, ended) - tokensAt(record, started));
  figures.prompt_tokens = computed / m_numChats;
  figures.first_token_ms = started;
  if (started > 0.0) figures.prefill_per_second = 1000.0 * computed / started;
  if (ended > started) figures.decode_per_second = 1000.0 * written / (ended - started);
  return figures;
}

}  // namespace quire
