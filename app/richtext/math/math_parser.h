#pragma once

#include <QString>
#include <QStringView>

#include <optional>

#include "app/richtext/math/math_node.h"
#include "app/richtext/math/math_symbols.h"

namespace quire {

/// A recursive-descent parser of LaTeX formulas, for text that a model wrote: what is not closed
/// ends with the source, and commands that it does not know are shown as they are written.
///
/// Thread: any; a parser reads one source.
/// Invariants: m_depth bounds the recursion, and m_numNodes the result; when one is exceeded,
/// m_failed ends all loops and parse() returns nothing.
class MathParser {
 public:
  static constexpr qsizetype kMaxSource = 20'000;
  static constexpr int kMaxDepth = 40;
  static constexpr int kMaxNodes = 8'000;
  static constexpr int kMaxCells = 2'500;

  explicit MathParser(QStringView source) : m_source(source) {}

  std::optional<MathNode> parse();

 private:
  using Children = std::vector<MathNode>;
  /// Where a row ends, beside the end of a group.
  struct Ends {
    bool atCell = false;     ///< At & and \\.
    bool atFence = false;    ///< At \right and \middle.
    bool atBracket = false;  ///< At ].
  };

  // Reading, in math_parser.cpp.
  bool atEnd() const { return m_failed || m_at >= m_source.size(); }
  QChar peek() const { return atEnd() ? QChar() : m_source[m_at]; }
  bool isAt(QStringView text) const { return !m_failed && m_source.mid(m_at).startsWith(text); }
  bool isAtCommand(QStringView name) const;
  bool endsRow(const Ends& ends) const;
  void skipSpaces();
  QString commandName();
  QString rawGroup();
  double length();
  MathNode row(const Ends& ends);
  /// An atom with its scripts; several nodes for a command that ends the row, such as \over.
  void appendAtom(Children& nodes, const Ends& ends);
  MathNode atom(const Ends& ends);
  MathNode group();
  MathNode argument();
  MathNode optionalArgument();
  MathNode character();
  MathNode withScripts(MathNode base);
  void appendScript(MathNode& scripts);
  MathNode node(MathNode::Kind kind, Children children = {});
  MathNode letter(char32_t character);

  // Commands, in math_commands.cpp.
  using Reader = MathNode (MathParser::*)(const QString& name);
  static Reader readerOf(const QString& name);
  MathNode command(const Ends& ends);
  MathNode symbolOrSource(const QString& name);
  std::optional<MathNode> infix(const QString& name, Children& before, const Ends& ends);
  bool modifiesLast(const QString& name, Children& nodes);
  MathNode alphabet(const QString& name);
  MathNode big(const QString& name);
  MathNode binomial(const QString& name);
  MathNode classed(const QString& name);
  MathNode coloured(const QString& name);
  MathNode fraction(const QString& name);
  MathNode horizontalSpace(const QString& name);
  MathNode ignored(const QString& name);
  MathNode ignoredArgument(const QString& name);
  MathNode root(const QString& name);
  MathNode substack(const QString& name);

  // Marks and labels around an argument, in math_decorations.cpp.
  MathNode accent(const QString& name);
  MathNode boxed(const QString& name);
  MathNode brace(const QString& name);
  MathNode line(const QString& name);
  MathNode negated(const QString& name);
  MathNode phantom(const QString& name);
  MathNode set(const QString& name);
  MathNode struck(const QString& name);
  MathNode wideArrow(const QString& name);

  // Commands with words, in math_words.cpp.
  MathNode modulo(const QString& name);
  MathNode namedOperator(const QString& name);
  MathNode tag(const QString& name);
  MathNode text(const QString& name);

  // What is between delimiters, and grids, in math_grids.cpp.
  char32_t delimiter();
  MathNode fenced(const QString& name);
  MathNode environment(const QString& name);
  MathNode grid(GridKind kind, const QString& alignment, bool isTop);
  std::vector<Children> cells(MathNode& grid, bool isTop);
  void readRowEnd(MathNode& grid);
  void readRules(MathNode& grid, int row);

  QStringView m_source;
  qsizetype m_at = 0;
  int m_depth = 0;
  int m_numNodes = 0;
  bool m_failed = false;
  MathAlphabet m_alphabet = MathAlphabet::Italic;
};

}  // namespace quire
