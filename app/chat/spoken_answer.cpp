#include "app/chat/spoken_answer.h"

#include <QAccessible>
#include <QRegularExpression>

#include <algorithm>
#include <iterator>

#include "app/session/announcement.h"

namespace quire {
namespace {

constexpr qsizetype kLongest = 240;

bool isWideEnd(QChar letter) {
  return letter == u'。' || letter == u'！' || letter == u'？' || letter == u'｡';
}

bool isEnd(QChar letter) {
  return letter == u'.' || letter == u'!' || letter == u'?' || letter == u'…';
}

/// Quotation marks and brackets that belong to the sentence they close.
bool isClosing(QChar letter) {
  return QStringView(u"\"')]»”’」』）】*_").contains(letter);
}

/// Whether the full stop at `dot` follows a single letter, a short title or the number of a list
/// item, as in "e.g.", "Dr." or "1.".
bool isAbbreviation(const QString& text, qsizetype dot) {
  qsizetype begin = dot;
  while (begin > 0 && text[begin - 1].isLetterOrNumber()) --begin;
  const QStringView word = QStringView(text).mid(begin, dot - begin);
  const bool beginsLine = begin == 0 || text[begin - 1] == u'\n';
  if (beginsLine && !word.isEmpty() && word.front().isDigit()) return true;
  if (word.size() == 1 && word.front().isLetter() && word.front().script() == QChar::Script_Latin)
    return true;
  constexpr QStringView kTitles[] = {u"Dr", u"Mr", u"Mrs", u"Ms", u"St", u"vs", u"Prof"};
  return std::find(std::begin(kTitles), std::end(kTitles), word) != std::end(kTitles);
}

}  // namespace

qsizetype SentenceSplitter::endOfSentence() const {
  for (qsizetype at = 0; at < m_rest.size(); ++at) {
    const QChar letter = m_rest[at];
    if (letter == u'\n') return at + 1;
    if (!isEnd(letter) && !isWideEnd(letter)) {
      if (at >= kLongest && letter.isSpace()) return at + 1;
      continue;
    }
    qsizetype after = at + 1;
    while (after < m_rest.size() &&
           (isEnd(m_rest[after]) || isWideEnd(m_rest[after]) || isClosing(m_rest[after])))
      ++after;
    if (after == m_rest.size()) return -1;  // A closing mark may follow.
    if (isWideEnd(letter)) return after;
    if (m_rest[after].isSpace() && !isAbbreviation(m_rest, at)) return after;
  }
  return m_rest.size() > 2 * kLongest ? m_rest.size() : -1;
}

QStringList SentenceSplitter::append(QStringView text) {
  m_rest += text;
  QStringList sentences;
  for (qsizetype end = endOfSentence(); end >= 0; end = endOfSentence()) {
    const QString sentence = m_rest.left(end).trimmed();
    m_rest.remove(0, end);
    if (!sentence.isEmpty()) sentences.append(sentence);
  }
  return sentences;
}

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
    // Without a running answer the new head is another version, which is not announced.
    m_read = m_chat->turns()->isGenerating() ? 0 : message->text().size();
  }
  const QString text = message->text();
  const QStringView grown = QStringView(text).mid(std::min(m_read, text.size()));
  m_read = text.size();
  if (grown.isEmpty() || !m_isHeard()) return;
  addPieces(m_scanner.append(grown));
  speak();
}

void SpokenAnswer::addPieces(const QList<ReasoningScanner::Piece>& pieces) {
  for (const ReasoningScanner::Piece& piece : pieces) {
    if (!piece.isThought) m_waiting += m_splitter.append(piece.text);
  }
}

void SpokenAnswer::onEnded() {
  onGrown();
  addPieces(m_scanner.finish());
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
  announce(m_speaker, m_text);
}

}  // namespace quire
