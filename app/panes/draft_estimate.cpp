#include "app/panes/draft_estimate.h"

#include "app/chat/context_watch.h"
#include "app/chat/footer_text.h"

namespace quire {
namespace {

constexpr int kEstimateDelayMs = 300;

}  // namespace

DraftEstimate::DraftEstimate(ChatBackend& backend, std::function<QList<ChatRequest>()> requests,
                             QObject* parent)
    : QObject(parent), m_backend(backend), m_requests(std::move(requests)) {
  m_timer.setSingleShot(true);
  m_timer.setInterval(kEstimateDelayMs);
  connect(&m_timer, &QTimer::timeout, this, &DraftEstimate::ask);
  connect(&backend, &ChatBackend::forecast, this, &DraftEstimate::onForecast);
  // A model that was asked and has left says nothing any more.
  connect(&backend, &ChatBackend::stateChanged, this, [this] {
    if (!m_asked.isEmpty()) look();
  });
}

void DraftEstimate::look() {
  m_timer.start();
}

void DraftEstimate::ask() {
  m_asked.clear();
  m_messageTokens = 0;
  m_computedTokens = 0;
  if (m_backend.state() == ChatBackend::State::Ready) {
    for (ChatRequest request : m_requests()) {
      // The backend keeps one question a chat, and the chat itself asks too: this is another's.
      request.chatId = -request.chatId;
      m_asked.append(ContextWatch::nextNumber());
      m_backend.askForecast(m_asked.last(), request);
    }
  }
  emit changed();
}

void DraftEstimate::onForecast(quint64 number, const ContextForecast& forecast) {
  if (!m_asked.removeOne(number)) return;
  m_messageTokens = forecast.messageTokens;
  m_computedTokens += forecast.promptTokens - forecast.cachedTokens;
  if (m_asked.isEmpty()) emit changed();
}

QString DraftEstimate::text() const {
  return m_asked.isEmpty() ? estimateText(m_messageTokens, m_computedTokens) : QString();
}

}  // namespace quire
