#pragma once

#include <QString>
#include <QStringView>

namespace quire {

/// What a command such as alpha or leq stands for; empty: not known.
QString mathSymbol(const QString& command);
/// Whether the command is a function's name, written as it is: sin, log, lim.
bool isMathFunction(const QString& command);
/// The combining mark of an accent such as hat; null: none.
QChar mathAccent(const QString& command);
/// Letters of \mathbb and \mathcal where Unicode has them, else as they are.
QString blackboardLetters(QStringView text);
QString scriptLetters(QStringView text);
/// All of `text` raised or lowered; empty if Unicode lacks any of it.
QString superscript(QStringView text);
QString subscript(QStringView text);

}  // namespace quire
