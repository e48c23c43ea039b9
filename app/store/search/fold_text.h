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

/// A text as the index compares it: small letters without accents; all between words is one space.
struct FoldedText {
  QString text;
  QList<qsizetype> origins;  ///< Of each character of `text`: where in the original it comes from.
};

FoldedText foldText(QStringView text);

/// Where a needle stands in a folded text from `from` on; -1: nowhere. Words written with spaces
/// match whole, or their beginning if `isPrefix`; CJK matches anywhere.
qsizetype findFolded(const FoldedText& folded, const QString& needle, bool isPrefix,
                     qsizetype from);

}  // namespace quire
