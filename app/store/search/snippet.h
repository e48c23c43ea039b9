#pragma once

#include <QList>
#include <QString>

#include <functional>

#include "app/store/search/search_text.h"

namespace quire {

/// A range of characters in a snippet or text.
struct TextRange {
  qsizetype start = 0;
  qsizetype length = 0;
  bool operator==(const TextRange&) const = default;
};

/// A piece of a message that shows why it was found.
struct Snippet {
  QString text;            ///< One line; "…" where it was cut.
  QList<TextRange> marks;  ///< The matches, in `text`.
  TextRange hit;           ///< The first match, in the message's own text.
};

/// Among the first matches, the place of the message where most terms stand close together. A term
/// that is not found (a word that was stored in an unusual form) has no mark. For long texts,
/// `cancelled` is called repeatedly.
Snippet makeSnippet(const QString& text, const QList<SearchTerm>& terms,
                    const std::function<bool()>& cancelled);

}  // namespace quire
