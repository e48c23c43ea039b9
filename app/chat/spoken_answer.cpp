#include "app/chat/spoken_answer.h"

#include <QAccessible>
#include <QRegularExpression>

#include <utility>

namespace quire {

QString spokenText(const QString& sentence) {
  static const QRegularExpression kLead(QStringLiteral("^\\s*(#{1,6}\\s+|[-*+]\\s+|>\\s*|```.*$)"));
  static const QRegularExpression kLink(QStringLiteral("!?\\[([^\\]]*)\\]\\([^)]*\\)"));
  static const QRegularExpression kMarks(QStringLiteral("\\*\\*|__|[*`]"));
  static const QRegularExpression kThought(QStringLiteral("</?think(ing)?>"));
  QString text = sentence;
  return text.remove(kThought)
      .remove(kLead)
      .replace(kLink, QStringLiteral("\\1"))
      .remove(kMarks)
      .simplified();
}

SpokenAnswer::SpokenAnswer(PaneListModel& panes, QObject* parent)
    : QObject(parent), m_panes(panes), m_isHeard(&QAccessible::isActive) {
  m_pause.setSingleShot(true);
  m_pause.setInterval(kPauseMs);
  connect(&m_pause, &QTimer::timeout, this, &SpokenAnswer::speak);
  connect(&panes, &PaneListModel::focusChanged, this, &SpokenAnswer::follow);
}

void SpokenAnswer::follow() {
  ChatModel* chat = m_panes.focusedChat();
  if (chat == m_chat) return;
  if (m_chat) disconnect(m_chat, nullptr, this, nullptr);
  m_chat = chat;
  m_waiting.clear();
  m_splitter = {};
  m_message = 0;
  if (!chat) return;
  if (const MessageRecord* message = chat->conversation().find(chat->conversation().head())) {
    m_message = message->id;
    m_read = message->text().size();
  }
  connect(chat, &ChatModel::contentChanged, this, &SpokenAnswer::onGrown);
  connect(chat, &ChatModel::answerEnded, this, &SpokenAnswer::onEnded);
}

void SpokenAnswer::onGrown() {
  const Conversation& conversation = m_chat->conversation();
  const MessageRecord* message = conversation.find(conversation.head());
  if (!message || message->role != MessageRole::Assistant) return;
  if (message->id != m_message) {
    m_message = message->id;
    m_scanner = {};
    m_splitter = {};
    m_waiting.clear();
    m_read =
        m_chat->turns()->isGenerating() ? 0 : message->text().size();  // Another version is shown.
  }
  const QString text = message->text();
  const QStringView grown = QStringView(text).mid(std::min(m_read, text.size()));
  m_read = message->text().size();
  if (grown.isEmpty() || !m_isHeard()) return;
  take(m_scanner.append(grown));
  speak();
}

void SpokenAnswer::take(const QList<ReasoningScanner::Piece>& pieces) {
  for (const ReasoningScanner::Piece& piece : pieces) {
    if (!piece.isThought) m_waiting += m_splitter.append(piece.text);
  }
}

void SpokenAnswer::onEnded() {
  onGrown();
  take(m_scanner.finish());
  const QString rest = m_splitter.finish();
  if (!rest.isEmpty() && m_isHeard()) m_waiting.append(rest);
  speak();
}

void SpokenAnswer::speak() {
  if (m_waiting.isEmpty() || m_pause.isActive()) return;
  QStringList words;
  for (const QString& sentence : std::exchange(m_waiting, {})) {
    const QString word = spokenText(sentence);
    if (!word.isEmpty()) words.append(word);
  }
  if (words.isEmpty()) return;
  m_pause.start();
  m_text = words.join(u' ');
  emit spoken();
  if (!m_speaker) return;
#if QT_VERSION >= QT_VERSION_CHECK(6, 8, 0)
  QAccessibleAnnouncementEvent event(m_speaker, m_text);
#else
  QAccessibleEvent event(m_speaker, QAccessible::Alert);  // Its name changed just before.
#endif
  QAccessible::updateAccessibility(&event);
}

}  // namespace quire
