#include "app/panes/draft_estimate.h"

#include "app/chat/footer_text.h"

namespace quire {
namespace {

constexpr int kEstimateDelayMs = 300;

}  // namespace

DraftEstimate::DraftEstimate(ChatBackend& backend, ModelManager& models,
                             std::function<QList<ChatRequest>()> requests, QObject* parent)
    : QObject(parent), m_backend(backend), m_models(models), m_requests(std::move(requests)) {
  m_timer.setSingleShot(true);
  m_timer.setInterval(kEstimateDelayMs);
  connect(&m_timer, &QTimer::timeout, this, &DraftEstimate::ask);
  // A model that was unloaded does not reply any more.
  connect(&models, &ModelManager::stateChanged, this, [this] {
    if (m_numOpen > 0) look();
  });
}

void DraftEstimate::look() {
  m_timer.start();
}

void DraftEstimate::ask() {
  m_asked.clear();
  m_messageTokens = 0;
  m_computedTokens = 0;
  if (m_models.state() == ModelManager::State::Ready) {
    for (const ChatRequest& request : m_requests()) {
      m_asked.push_back(m_backend.forecast(
          request, {this, [this](const ContextForecast& forecast) { onForecast(forecast); }}));
    }
  }
  m_numOpen = static_cast<int>(m_asked.size());
  emit changed();
}

void DraftEstimate::onForecast(const ContextForecast& forecast) {
  m_messageTokens = forecast.messageTokens;
  m_computedTokens += forecast.promptTokens - forecast.cachedTokens;
  if (--m_numOpen == 0) emit changed();
}

QString DraftEstimate::text() const {
  return m_numOpen == 0 ? estimateText(m_messageTokens, m_computedTokens) : QString();
}

}  // namespace quire
