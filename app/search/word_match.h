#pragma once

#include <QString>
#include <QStringList>

namespace quire {

/// Whether the words of a search are in a short text such as a title, and where.
class WordMatch {
 public:
  explicit WordMatch(const QString& query);

  bool isEmpty() const { return m_words.isEmpty(); }
  /// Each word is somewhere in the text, whatever its case.
  bool fits(const QString& text) const;
  /// The text as styled text, what fits in bold.
  QString marked(const QString& text) const;

 private:
  QStringList m_words;
};

}  // namespace quire
