#pragma once

#include <QString>
#include <QStringList>
#include <QStringView>

namespace quire {

// What the lines of a Markdown export mean, for its writer and its reader.

/// Which lines stand in a fence, where no heading begins.
class FenceWatch {
 public:
  /// True: the line is outside of fences, and is none itself.
  bool isOutside(QStringView line);
  /// What ends the fence that is open; empty: none is.
  QString closing() const { return QString(m_open, u'`'); }

 private:
  qsizetype m_open = 0;  ///< Backticks of the fence that is open; 0: none.
};

/// "## You", "## Answer" or "## Answer (model)": a message begins.
bool isMessageHeading(QStringView line);
/// "# Title", an empty line, a date: a chat begins. A heading of an answer has no date below it.
bool isChatHeading(const QStringList& lines, qsizetype line);

/// A message's words as they are written: a line that would be taken for a heading of ours gets a
/// backslash, which Markdown does not show, and a fence that was cut off is closed.
QString toExportedText(const QString& text);
/// Such a line as it was.
QString withoutMark(const QStringList& lines, qsizetype line);

}  // namespace quire
