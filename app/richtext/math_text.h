#pragma once

#include <QString>
#include <QStringView>

namespace quire {

enum class MathStyle {
  Inline,   ///< One line: a matrix is [a b; c d].
  Display,  ///< As many lines as it takes; they line up in a font of equal widths.
};

/// A LaTeX formula as readable text: Greek letters, operators, scripts and accents as Unicode has
/// them, all else spelled out, such as x^(n+k) or (a+b)/(c). Nothing is lost: a command that is not
/// known stays as it is. Depth and size are bounded; a formula beyond them comes back unchanged.
QString mathText(QStringView source, MathStyle style = MathStyle::Inline);

}  // namespace quire
