#pragma once

#include <QList>
#include <QString>

#include <vector>

namespace quire {

/// What an atom of a formula is for the spaces around it (The TeXbook, chapter 18).
enum class MathClass { Ord, Op, Bin, Rel, Open, Close, Punct, Inner };

/// The four sizes in which TeX sets a formula, from the largest.
enum class MathLevel { Display, Text, Script, ScriptScript };

/// How the cells of a grid stand in it.
enum class GridKind { Matrix, SmallMatrix, Cases, Aligned, Gathered, Substack };

/// A node of a parsed formula. Which members are used depends on the kind.
struct MathNode {
  enum class Kind {
    Row,        ///< The children side by side.
    Symbol,     ///< One character of the formula's font.
    Text,       ///< `text` in upright letters, with its spaces.
    Fraction,   ///< Numerator and denominator, with a rule if `hasRule`.
    Root,       ///< What is under the sign, and the degree (an empty row: none).
    Scripts,    ///< Base, subscript, superscript (an empty row: none).
    Fenced,     ///< The children between `fences`, which are one more; 0: no sign.
    Delimiter,  ///< One sign of a height of `amount` em.
    Accent,     ///< `symbol` above the child; as wide as it if `isWide`, below it if `isBelow`.
    Line,       ///< A rule above the child, or below it.
    Brace,      ///< A brace above the child, or below it.
    Arrow,      ///< An arrow as wide as its labels: above, below.
    Grid,       ///< Rows of `numColumns` cells.
    Space,      ///< `amount` em.
    Style,      ///< The child at `level`.
    Phantom,    ///< The space of the child; `isWide`: only its width, `isBelow`: only its height.
    Boxed,      ///< The child in a frame.
    Struck,     ///< The child with a line through it.
  };

  Kind kind = Kind::Row;
  MathClass mathClass = MathClass::Ord;
  MathLevel level = MathLevel::Text;
  char32_t symbol = 0;
  double amount = 0.0;
  bool isLarge = false;       ///< Symbol: an operator such as a sum, larger in displayed formulas.
  bool hasLimits = false;     ///< Symbol, Text, Scripts: scripts stand above and below in displays.
  bool forcesLimits = false;  ///< Scripts: above and below everywhere.
  bool hasRule = true;
  bool isWide = false;
  bool isBelow = false;
  bool isBold = false;  ///< Text.
  GridKind grid = GridKind::Matrix;
  int numColumns = 0;
  QString text;            ///< Text; Grid: the alignment of the columns (l, c, r) and rules (|).
  QList<char32_t> fences;  ///< Fenced.
  QList<int> rules;        ///< Grid: the rows above which a rule stands.
  QList<double> gaps;      ///< Grid: additional space below each row, in em.
  std::vector<MathNode> children;

  bool isEmptyRow() const { return kind == Kind::Row && children.empty(); }
};

}  // namespace quire
