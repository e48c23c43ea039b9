#include "app/search/word_match.h"

#include <algorithm>

#include "app/commands/fuzzy_match.h"

namespace quire {

WordMatch::WordMatch(const QString& query)
    : m_words(query.simplified().split(u' ', Qt::SkipEmptyParts)) {}

bool WordMatch::fits(const QString& text) const {
  return std::all_of(m_words.cbegin(), m_words.cend(),
                     [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

QString WordMatch::marked(const QString& text) const {
  QList<int> positions;
  for (const QString& word : m_words) {
    for (qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive); at >= 0;
         at = text.indexOf(word, at + word.size(), Qt::CaseInsensitive)) {
      for (qsizetype i = 0; i < word.size(); ++i) positions.append(static_cast<int>(at + i));
    }
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return markedText(text, positions);
}

}  // namespace quire
