#include "app/chat/context_watch.h"

#include <QLocale>

#include <algorithm>

#include "app/chat/footer_text.h"

namespace quire {
namespace {

constexpr int kForecastDelayMs = 300;
// Fewer characters a token than nearly any text has: a question too many costs little.
constexpr int kCharactersPerToken = 3;
constexpr int kDraftCharactersPerToken = 2;

}  // namespace

ContextWatch::ContextWatch(ChatBackend& backend, ModelManager& models,
                           const Conversation& conversation, std::function<ChatRequest()> next,
                           QObject* parent)
    : QObject(parent),
      m_backend(backend),
      m_models(models),
      m_conversation(conversation),
      m_next(std::move(next)) {
  m_timer.setSingleShot(true);
  m_timer.setInterval(kForecastDelayMs);
  connect(&m_timer, &QTimer::timeout, this, &ContextWatch::ask);
}

void ContextWatch::look(qsizetype draftLength) {
  m_draftLength = draftLength;
  m_timer.start();
}

void ContextWatch::forget() {
  m_timer.stop();
  m_asked.reset();
  m_draftLength = 0;
  m_forecast = {};
  emit noteChanged();
}

void ContextWatch::setDropped(int droppedMessages) {
  m_dropped = droppedMessages;
}

void ContextWatch::ask() {
  if (!isWorthAsking()) return forget();
  m_asked = m_backend.forecast(
      m_next(), {this, [this](const ContextForecast& forecast) { onForecast(forecast); }});
}

void ContextWatch::onForecast(const ContextForecast& forecast) {
  m_forecast = forecast;
  emit noteChanged();
}

bool ContextWatch::isWorthAsking() const {
  if (m_models.state() != ModelManager::State::Ready) return false;
  if (m_dropped > 0 || m_draftLength > 0) return true;
  qsizetype characters = 0;
  for (const RecordId id : m_conversation.path()) {
    characters += m_conversation.find(id)->text().size();
  }
  const qsizetype known = std::max<qsizetype>(tokens(), characters / kCharactersPerToken);
  return 2 * (known + m_draftLength / kDraftCharactersPerToken) >= m_models.contextLength();
}

int ContextWatch::tokens() const {
  const QList<RecordId>& path = m_conversation.path();
  for (auto id = path.crbegin(); id != path.crend(); ++id) {
    const MessageRecord* message = m_conversation.find(*id);
    if (message->promptTokens > 0) return message->promptTokens + message->outputTokens;
  }
  return 0;
}

double ContextWatch::fraction() const {
  const int length = m_models.contextLength();
  return length > 0 ? std::min(1.0, static_cast<double>(tokens()) / length) : 0.0;
}

QString ContextWatch::text() const {
  const QLocale locale;
  const int length = m_models.contextLength();
  const QString used = locale.toString(tokens());
  return length > 0 ? tr("%1 / %2").arg(used, locale.toString(length)) : used;
}

bool ContextWatch::isTooLong() const {
  return m_forecast.contextTokens > 0 && m_forecast.promptTokens >= m_forecast.contextTokens;
}

bool ContextWatch::isWarning() const {
  return !m_forecast.error.isEmpty() || m_forecast.droppedMessages > m_dropped;
}

QString ContextWatch::estimate() const {
  if (!m_forecast.error.isEmpty() || m_draftLength == 0) return {};
  return estimateText(m_forecast.messageTokens, m_forecast.promptTokens - m_forecast.cachedTokens);
}

QString ContextWatch::note() const {
  const QLocale locale;
  const QString context = locale.toString(m_forecast.contextTokens);
  const int dropped = m_forecast.droppedMessages;
  if (!m_forecast.error.isEmpty()) {
    if (!isTooLong()) return m_forecast.error;
    return tr("Too long for this model: %1 of %2 tokens. Shorten the message.")
        .arg(locale.toString(m_forecast.promptTokens), context);
  }
  if (dropped == 0) return {};
  if (dropped <= m_dropped) {
    return tr("The %1 oldest messages are left out to fit into %2 tokens.")
        .arg(locale.toString(dropped), context);
  }
  if (m_dropped > 0) {
    return tr("Sending drops %1 more old messages to fit into %2 tokens.")
        .arg(locale.toString(dropped - m_dropped), context);
  }
  if (dropped == 1) {
    return tr("Sending drops the oldest message to fit into %1 tokens.").arg(context);
  }
  return tr("Sending drops the %1 oldest messages to fit into %2 tokens.")
      .arg(locale.toString(dropped), context);
}

}  // namespace quire
