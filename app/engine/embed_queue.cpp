#include "app/engine/embed_queue.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "app/error_strings.h"

namespace quire {

void EmbedQueue::add(Job job) {
  m_jobs.push_back({.job = std::move(job)});
}

size_t EmbedQueue::sliceSize(const Running& running, size_t maxTokens) {
  const auto texts = std::span(running.job.texts).subspan(running.result.vectors.size());
  size_t size = 1;
  size_t tokens = texts.front().size();
  while (size < texts.size() && tokens + texts[size].size() <= maxTokens) {
    tokens += texts[size++].size();
  }
  return size;
}

std::vector<RequestId> EmbedQueue::compute(Engine& engine, bool besideAnswers) {
  std::vector<RequestId> ended;
  while (!m_jobs.empty() && m_jobs.front().job.reply.isWithdrawn()) {
    ended.push_back(m_jobs.front().job.id);
    m_jobs.pop_front();
  }
  if (m_jobs.empty()) return ended;
  Running& running = m_jobs.front();
  Embeddings& result = running.result;
  const std::span<const std::vector<TokenId>> texts = running.job.texts;
  const size_t size = sliceSize(running, besideAnswers ? kSliceTokens : kSliceTokensAlone);
  auto vectors = engine.embed(texts.subspan(result.vectors.size(), size), running.job.options);
  if (vectors) {
    std::ranges::move(*vectors, std::back_inserter(result.vectors));
    if (result.vectors.size() < texts.size()) return ended;
    for (const auto& text : texts) result.promptTokens += static_cast<int>(text.size());
  } else {
    result = {.error = errorText(vectors.error()), .errorCode = vectors.error().code};
  }
  running.job.reply(result);
  ended.push_back(running.job.id);
  m_jobs.pop_front();
  return ended;
}

std::vector<RequestId> EmbedQueue::fail(const QString& error) {
  std::vector<RequestId> ended;
  for (const Running& running : std::exchange(m_jobs, {})) {
    running.job.reply({.error = error, .errorCode = ErrorCode::kCancelled});
    ended.push_back(running.job.id);
  }
  return ended;
}

}  // namespace quire
