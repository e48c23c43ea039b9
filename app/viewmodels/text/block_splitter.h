#pragma once

#include <QString>
#include <QStringList>
#include <QStringView>

namespace quire {

/// Cuts growing Markdown into chunks that can be parsed by themselves, so that a new token costs
/// the parsing of the last chunk and not of the whole answer.
///
/// Cuts are conservative: before a line at column 0 that follows a blank line and does not go on a
/// list, and around fenced code that stands at column 0. Decisions are made on whole lines only, so
/// the chunks do not depend on how the text arrived.
///
/// Invariants: all chunks taken so far followed by open() are the text appended so far.
class BlockSplitter {
 public:
  void append(QStringView text);
  /// The chunks closed since the last call; they never change again.
  QStringList takeClosed();
  /// What may still change.
  const QString& open() const { return m_open; }

 private:
  void scanLine(qsizetype begin, qsizetype end);
  void cutAt(qsizetype position);

  QString m_open;
  QStringList m_closed;
  qsizetype m_scanned = 0;  ///< Of m_open: begin of the first line not yet seen whole.
  QChar m_fence;            ///< Null: not in fenced code.
  qsizetype m_fenceLength = 0;
  bool m_fenceAtMargin = false;
  bool m_afterBlank = false;
  bool m_isList = false;  ///< The open chunk begins with a list item.
};

}  // namespace quire
