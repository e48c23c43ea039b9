#pragma once

#include <QList>
#include <QString>
#include <QStringView>

namespace quire {

/// A match in a text, in UTF-16 units.
struct TextSpan {
  qsizetype begin = 0;
  qsizetype length = 0;

  bool operator==(const TextSpan&) const = default;
};

/// What "Find in this chat" looks for. Letters match in any case (Unicode's full case folding, so
/// that ß is ss) and in any composition (é as one letter or with a combining accent); all white
/// space is equal, and characters without a width, such as a soft hyphen, are ignored.
class FindPattern {
 public:
  static constexpr qsizetype kMaxLength = 200;  ///< Longer queries are cut.

  FindPattern() = default;
  explicit FindPattern(const QString& query);

  bool isEmpty() const { return m_folded.isEmpty(); }
  /// The matches in a text, ascending; none overlap.
  QList<TextSpan> find(QStringView text) const;
  bool operator==(const FindPattern&) const = default;

 private:
  QString m_folded;
};

}  // namespace quire
