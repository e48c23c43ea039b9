#pragma once

#include <QString>
#include <QStringView>

namespace quire {

/// The symbol of a command such as alpha or leq; empty if it is unknown.
QString mathSymbol(const QString& command);
/// Whether the command is the name of a function: sin, log, lim.
bool isMathFunction(const QString& command);
/// The combining mark of an accent such as hat; null if it is none.
QChar mathAccent(const QString& command);
/// The letters of \mathbb and \mathcal; unchanged where Unicode has none.
QString blackboardLetters(QStringView text);
QString scriptLetters(QStringView text);
/// `text` as a superscript or subscript; empty if Unicode lacks one of its characters.
QString superscript(QStringView text);
QString subscript(QStringView text);

}  // namespace quire
