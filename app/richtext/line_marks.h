#pragma once

#include <QRegularExpression>
#include <QString>
#include <QStringView>

namespace quire {

// What the beginning of a line of Markdown says about the block that it belongs to.

/// The columns of the line's spaces and tabs; a tab is four.
int indentOf(QStringView line);
/// The line without so many columns of them, as far as it has any.
QStringView dropIndent(QStringView line, int columns);
QStringView withoutQuoteMarks(QStringView line);

/// The backticks or tildes that begin a code block; empty if none does.
QStringView fenceOf(QStringView text);
bool closesFence(QStringView line, const QString& fence);
/// A number with its delimiter, or a bullet; and the spaces after it.
const QRegularExpression& listMarker();

// Of a line without spaces at its ends, which is not empty.
bool isHeading(QStringView text);
bool isRule(QStringView text);
bool isUnderline(QStringView text);  ///< Of the heading above it.
bool isTableDelimiter(QStringView text);
bool consistsOf(QStringView text, QChar mark);

/// The open paragraph of a streaming answer with its open emphasis and code closed, and without an
/// incomplete marker in its last line (see MessageBlocks::append).
QString closeOpenMarkup(const QString& open);
/// Whether a last line such as "-", "1." or "``" may become a list, a fence or an underline with
/// the next characters. Such a line is not shown yet, because it would flicker.
bool mayBecomeMarker(QStringView line);

}  // namespace quire
