#pragma once

#include <QList>
#include <QString>

#include <functional>

#include "app/store/search/search_text.h"

namespace quire {

/// Characters of a snippet or text, from `start`.
struct TextRange {
  qsizetype start = 0;
  qsizetype length = 0;
  bool operator==(const TextRange&) const = default;
};

/// A piece of a message that shows why it was found.
struct Snippet {
  QString text;            ///< One line; "…" where it was cut.
  QList<TextRange> marks;  ///< What was looked for, in `text`.
  TextRange hit;           ///< The first of it, in the message's own text.
};

/// The place of the message where most terms stand close together, of its first ones. A term that
/// is found nowhere leaves no mark (a word that was stored in an unusual form). `cancelled` is
/// asked now and then for long texts.
Snippet makeSnippet(const QString& text, const QList<SearchTerm>& terms,
                    const std::function<bool()>& cancelled);

}  // namespace quire
