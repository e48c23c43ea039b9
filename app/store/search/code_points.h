#pragma once

#include <QChar>
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

}  // namespace quire
