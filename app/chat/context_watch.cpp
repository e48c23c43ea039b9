#include "app/chat/context_watch.h"

#include <QLocale>

#include <algorithm>
#include <utility>

#include "app/chat/footer_text.h"

namespace quire {
namespace {

constexpr int kForecastDelayMs = 300;
// Below what nearly every text has, so that the limit is never missed; an unnecessary question to
// the backend costs little.
constexpr int kCharactersPerToken = 3;
constexpr int kDraftCharactersPerToken = 2;

}  // namespace

ContextWatch::ContextWatch(ChatBackend& backend, ModelManager& models,
                           const Conversation& conversation,
                           std::function<QList<ChatRequest>()> next, QObject* parent)
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
  m_asked.clear();
  m_numOpen = 0;
  m_draftLength = 0;
  m_forecast = {};
  m_tooLong.clear();
  emit noteChanged();
}

void ContextWatch::ask() {
  const QList<ChatRequest> requests = isWorthAsking() ? m_next() : QList<ChatRequest>();
  if (requests.isEmpty()) return forget();
  m_asked.clear();
  m_sum = {};
  m_tooLong.clear();
  m_numOpen = static_cast<int>(requests.size());
  for (const ChatRequest& request : requests) {
    const auto reply = [this, chat = request.chatId](const ContextForecast& forecast) {
      onForecast(chat, forecast);
    };
    m_asked.push_back(m_backend.forecast(request, {this, reply}));
  }
}

/// The tokens of requests for several chats are added up.
void ContextWatch::onForecast(RecordId chat, const ContextForecast& forecast) {
  if (isTooLong(forecast)) m_tooLong.insert(chat);
  const ContextForecast before = std::exchange(m_sum, forecast);
  m_sum.promptTokens += before.promptTokens;
  m_sum.cachedTokens += before.cachedTokens;
  if (--m_numOpen > 0) return;
  m_forecast = m_sum;
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

bool ContextWatch::isTooLong(const ContextForecast& forecast) {
  return forecast.contextTokens > 0 && forecast.promptTokens >= forecast.contextTokens;
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
    if (!isTooLong(m_forecast)) return m_forecast.error;
    return tr("Too long for this model: %1 of %2 tokens. Shorten the message.")
        .arg(locale.toString(m_forecast.promptTokens), context);
  }
  if (dropped == 0) return {};
  if (dropped <= m_dropped) {
    return tr("%n oldest message(s) left out to fit the %1-token context.", nullptr, dropped)
        .arg(context);
  }
  return tr("Sending will leave out %n older message(s) to fit the %1-token context.", nullptr,
            dropped - m_dropped)
      .arg(context);
}

}  // namespace quire
