#pragma once

#include <QRegularExpression>
#include <QString>
#include <QStringView>

namespace quire {

// What the beginning of a line of Markdown says about the block that it belongs to.

/// The columns of the line's spaces and tabs; a tab is four.
int indentOf(QStringView line);
/// The line without up to `columns` columns of spaces and tabs at its beginning.
QStringView dropIndent(QStringView line, int columns);
/// The line without its quote marks (>) and without spaces at its ends.
QStringView withoutQuoteMarks(QStringView line);

/// Whether it is a space, a tab or a quote mark, as may stand before a line's content.
bool isBeforeContent(QChar c);

/// The backticks or tildes that begin a code block; empty if none does.
QStringView fenceOf(QStringView text);
/// Whether a line closes the code block that `fence` opened. False for an empty fence.
bool closesFence(QStringView line, const QString& fence);
/// Matches a number with its delimiter, or a bullet, and the spaces after it. Captures: the number,
/// its delimiter, the bullet, the spaces.
const QRegularExpression& listMarker();
/// Whether a line without spaces at its beginning begins with a list marker.
bool beginsWithMarker(QStringView text);

// These take a line that is not empty and has no spaces at its ends.
bool isHeading(QStringView text);
bool isRule(QStringView text);
bool isUnderline(QStringView text);  ///< One that makes the line above it a heading.
bool isTableDelimiter(QStringView text);
bool consistsOf(QStringView text, QChar mark);  ///< Of nothing but that character.

/// The open paragraph of a streaming answer with its open emphasis and code closed, and without an
/// incomplete marker in its last line (see MessageBlocks::append).
QString closeOpenMarkup(const QString& open);
/// Whether a last line such as "-", "1." or "``" may become a list, a fence or an underline with
/// the next characters. Such a line is not shown yet, because it would flicker.
bool mayBecomeMarker(QStringView line);

}  // namespace quire
