#include "app/chat/sentence_splitter.h"

#include <utility>

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

/// "Dr.", "e.g." or "1." at `dot`: a single letter, a short title or a number of a list.
bool isAbbreviation(const QString& text, qsizetype dot) {
  qsizetype begin = dot;
  while (begin > 0 && text[begin - 1].isLetterOrNumber()) --begin;
  const QStringView word = QStringView(text).mid(begin, dot - begin);
  const bool beginsLine = begin == 0 || text[begin - 1] == u'\n';
  if (beginsLine && !word.isEmpty() && word.front().isDigit()) return true;
  if (word.size() == 1 && word.front().isLetter() && word.front().script() == QChar::Script_Latin)
    return true;
  for (const QStringView title : {u"Dr", u"Mr", u"Mrs", u"Ms", u"St", u"vs", u"Prof"}) {
    if (word == title) return true;
  }
  return false;
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
    if (after == m_rest.size()) return -1;  // The mark that closes it may still come.
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

}  // namespace quire
