#pragma once

#include <QList>
#include <QString>
#include <QStringView>

namespace quire {

/// The code point at `index`, and how many units it takes; a lone surrogate is itself.
struct CodePoint {
  char32_t value = 0;
  int units = 1;
};

inline CodePoint codePointAt(QStringView text, qsizetype index) {
  const QChar first = text[index];
  if (first.isHighSurrogate() && index + 1 < text.size() && text[index + 1].isLowSurrogate()) {
    return {QChar::surrogateToUcs4(first, text[index + 1]), 2};
  }
  return {first.unicode(), 1};
}

/// A text as the index compares it: lower case without accents, words separated by one space.
struct FoldedText {
  QString text;
  QList<qsizetype> origins;  ///< For each character of `text`, its position in the original.
};

FoldedText foldText(QStringView text);

/// The position of a needle in a folded text from `from` on; -1 if it is not there. Words that are
/// written with spaces match whole, or their beginning if `isPrefix`; CJK matches anywhere.
qsizetype findFolded(const FoldedText& folded, const QString& needle, bool isPrefix,
                     qsizetype from);

}  // namespace quire
