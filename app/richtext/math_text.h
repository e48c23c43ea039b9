#pragma once

#include <QString>
#include <QStringView>

namespace quire {

enum class MathStyle {
  Inline,   ///< One line: a matrix is [a b; c d].
  Display,  ///< Several lines, aligned in a monospaced font.
};

/// Converts a LaTeX formula to readable text: Greek letters, operators, scripts and accents become
/// Unicode characters; other constructs are spelled out, such as x^(n+k) or (a+b)/(c). Unknown
/// commands are unchanged. A formula that exceeds the limits of depth or size is returned
/// unchanged.
QString mathText(QStringView source, MathStyle style = MathStyle::Inline);

}  // namespace quire
