#pragma once

#include <QString>
#include <QStringView>

#include "app/richtext/math/math_node.h"

namespace quire {

/// A character of a formula.
struct MathSymbol {
  char32_t character = 0;  ///< 0: unknown.
  MathClass mathClass = MathClass::Ord;
  bool isLarge = false;    ///< Larger in displayed formulas: a sum.
  bool hasLimits = false;  ///< Its scripts stand above and below in displayed formulas.
};

/// The symbol of a command such as alpha or leq.
MathSymbol symbolOfCommand(const QString& command);
/// The symbol that a character stands for: "-" is a minus, "≤" a relation.
MathSymbol symbolOfCharacter(char32_t character);
/// The name that a command such as sin or limsup prints ("lim sup"); empty if it is none.
QString operatorName(const QString& command);
/// Whether the scripts of that operator stand above and below it in displayed formulas.
bool operatorHasLimits(const QString& command);

struct MathAccent {
  char32_t character = 0;  ///< 0: the command is no accent.
  bool isWide = false;
  bool isBelow = false;
};
MathAccent accentOfCommand(const QString& command);

/// The letters that a command such as mathbb chooses.
enum class MathAlphabet {
  Italic,  ///< What letters are in unless told.
  Roman,
  Bold,
  BoldItalic,
  Script,
  Fraktur,
  Blackboard,
  Sans,
  Mono,
};
/// The character of Unicode's mathematical alphabets, or the same if it has none.
char32_t letterIn(MathAlphabet alphabet, char32_t letter);

}  // namespace quire
