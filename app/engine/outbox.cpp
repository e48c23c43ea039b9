#include "app/engine/outbox.h"

#include <algorithm>
#include <utility>

namespace quire {
namespace {

/// The request that an event is about; 0 for none.
RequestId requestOf(const ServiceEvent& event) {
  if (const auto* started = std::get_if<AnswerStarted>(&event)) return started->id;
  if (const auto* text = std::get_if<AnswerText>(&event)) return text->id;
  if (const auto* finished = std::get_if<AnswerFinished>(&event)) return finished->id;
  return 0;
}

}  // namespace

void Outbox::push(ServiceEvent event) {
  bool wake = false;
  {
    const std::lock_guard lock(m_mutex);
    if (!joinedWithLast(event)) m_events.push_back(std::move(event));
    wake = !std::exchange(m_awake, true);
  }
  if (wake) m_wake();
}

std::vector<ServiceEvent> Outbox::take() {
  const std::lock_guard lock(m_mutex);
  m_awake = false;
  return std::exchange(m_events, {});
}

bool Outbox::joinedWithLast(ServiceEvent& event) {
  const auto* progress = std::get_if<LoadProgressed>(&event);
  if (progress != nullptr && !m_events.empty()) {
    auto* last = std::get_if<LoadProgressed>(&m_events.back());
    if (last != nullptr) *last = *progress;
    return last != nullptr;
  }
  if (auto* mapped = std::get_if<BlocksMapped>(&event)) return replaceMap(*mapped);
  auto* text = std::get_if<AnswerText>(&event);
  if (text == nullptr) return false;
  const auto last =
      std::find_if(m_events.rbegin(), m_events.rend(),
                   [&](const ServiceEvent& queued) { return requestOf(queued) == text->id; });
  if (last == m_events.rend()) return false;
  auto* queued = std::get_if<AnswerText>(&*last);
  if (queued == nullptr) return false;
  queued->text += text->text;
  queued->outputTokens = text->outputTokens;
  return true;
}

bool Outbox::replaceMap(BlocksMapped& mapped) {
  for (ServiceEvent& event : m_events) {
    auto* queued = std::get_if<BlocksMapped>(&event);
    if (queued == nullptr) continue;
    *queued = std::move(mapped);
    return true;
  }
  return false;
}

}  // namespace quire
