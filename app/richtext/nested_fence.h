#pragma once

#include <QString>
#include <QStringView>

namespace quire {

/// The fenced code within an item of a list or within a quote, followed line by line.
///
/// md4c also ends such code where an item or quote ends that holds it. That is not followed, but
/// noticed: from then on it is in doubt whether a fence begins or ends code.
class NestedFence {
 public:
  /// Begins an item with its first line, whose content is at `contentAt` and, for BlockReader, in
  /// the column `contentIndent`.
  void beginItem(QStringView line, qsizetype contentAt, int contentIndent);
  /// Reads another line of the item. `beginsItem`: it has the marker of an inner item.
  void followItem(QStringView line, int contentIndent, bool beginsItem);
  void followQuote(QStringView line);
  /// The open code may have ended.
  void doubt() { m_isDoubtful |= isOpen(); }

  bool isOpen() const { return !m_fence.isEmpty(); }
  /// Whether the next line is code for md4c too, unless it is the closing fence.
  bool isCode() const { return isOpen() && !m_isDoubtful; }
  /// The line that opened the code, to open it again: without list markers, and in an item without
  /// its indentation.
  const QString& opener() const { return m_opener; }
  /// A line that closes the code.
  const QString& closer() const { return m_closer; }

 private:
  void follow(QStringView line, bool isQuote);

  QString m_fence;  ///< Of the open code; empty outside of code.
  QString m_opener;
  QString m_closer;
  int m_depth = 0;  ///< Code is in doubt after a line of less depth.
  bool m_isDoubtful = false;
  bool m_hasInnerItems = false;  ///< md4c may have opened items within the item.
};

}  // namespace quire
