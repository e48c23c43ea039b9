#include "app/engine/window_sink.h"

#include <algorithm>
#include <utility>

namespace quire {

void WindowSink::started(const PromptReport& report) {
  add([&](Pending& pending) { pending.started = report; });
}

void WindowSink::tokensSampled(const QList<qint32>& tokens) {
  add([&](Pending& pending) { pending.tokens += tokens; });
}

void WindowSink::textAppended(const QString& text, int outputTokens) {
  add([&](Pending& pending) {
    pending.text += text;
    pending.outputTokens = outputTokens;
  });
}

void WindowSink::finished(const AnswerReport& report) {
  add([&](Pending& pending) { pending.finished = report; });
}

void WindowSink::add(const std::function<void(Pending&)>& change) {
  const bool isDirect = m_receiver.isCurrentThread();
  qint64 delayMs = 0;
  {
    const std::lock_guard lock(m_mutex);
    change(m_pending);
    if (!isDirect) {
      if (std::exchange(m_isScheduled, true)) return;
      const qint64 waited = m_sinceDelivery.isValid() ? m_sinceDelivery.elapsed() : kIntervalMs;
      delayMs = std::max<qint64>(0, kIntervalMs - waited);
    }
  }
  if (isDirect) return deliver();
  m_receiver.post([self = shared_from_this()] { self->deliver(); }, static_cast<int>(delayMs));
}

void WindowSink::deliver() {
  Pending pending;
  {
    const std::lock_guard lock(m_mutex);
    pending = std::exchange(m_pending, {});
    m_isScheduled = false;
    m_sinceDelivery.start();
  }
  const auto call = [this](const auto& handler, const auto&... values) {
    if (handler && m_receiver.isAlive()) handler(values...);
  };
  if (pending.started) call(m_handlers.started, *pending.started);
  if (!pending.tokens.isEmpty()) call(m_handlers.tokensSampled, pending.tokens);
  if (!pending.text.isEmpty()) call(m_handlers.textAppended, pending.text, pending.outputTokens);
  if (pending.finished) call(m_handlers.finished, *pending.finished);
}

}  // namespace quire
