#pragma once

#include <QList>
#include <QString>

#include <optional>

namespace quire {

/// How well a few typed letters fit a text.
struct FuzzyMatch {
  int score = 0;         ///< Higher is better; only to be compared for one query.
  QList<int> positions;  ///< Where the letters are found in the text, rising.
};

/// Whether the letters of `query` come in `text` in that order, whatever their case and the spaces
/// between. Letters that follow one another, and those that begin a word, count more. None: they
/// do not. An empty query fits everything.
std::optional<FuzzyMatch> fuzzyMatch(const QString& query, const QString& text);

/// The text as styled text, with the letters at `positions` bold.
QString markedText(const QString& text, const QList<int>& positions);

}  // namespace quire
