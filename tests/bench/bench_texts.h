#pragma once

#include <QString>
#include <QStringList>

namespace quire {

/// Long answers of one kind each, for what a token costs. A token is counted as four characters.
constexpr int kTokenLetters = 4;

inline QString benchText(const QString& kind, qsizetype letters) {
  static const QString kSentence = QStringLiteral(
      "The table of small blocks takes the **next block** only when the last one is `full`, and ");
  QString text = kind == u"code" ? QStringLiteral("```cpp\n") : QString();
  if (kind == u"table") text = QStringLiteral("| name | count | note |\n|---|---:|---|\n");
  if (kind == u"reasoning") text = QStringLiteral("<think>\n");
  for (int i = 0; text.size() < letters; ++i) {
    if (kind == u"code") {
      text += QStringLiteral("  int value%1 = compute(%1, \"text\");  // line %1\n").arg(i);
    } else if (kind == u"list") {
      text += QStringLiteral("- item %1 of a **list** that is long\n").arg(i);
    } else if (kind == u"table") {
      text += QStringLiteral("| row %1 | %1 | some `words` of a note |\n").arg(i);
    } else if (kind == u"quote") {
      text += QStringLiteral("> line %1 of a quote\n").arg(i);
    } else if (kind == u"mixed" || kind == u"reasoning") {
      text += QStringLiteral("## Part %1\n\n").arg(i) + kSentence.repeated(4) +
              QStringLiteral("done.\n\n1. one\n2. two\n   - deep\n\n```py\nx = %1\n```\n\n").arg(i);
      if (i % 8 == 0) text += QStringLiteral("| a | b |\n|---|---|\n| 1 | $x_%1^2$ |\n\n").arg(i);
    } else {
      text += kSentence;
    }
  }
  return text;
}

inline QStringList benchKinds() {
  return {"paragraph", "code", "list", "table", "quote", "mixed", "reasoning"};
}

}  // namespace quire
