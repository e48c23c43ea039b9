#pragma once

#include <QList>
#include <QString>
#include <QStringView>

namespace quire {

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
