#include "app/richtext/math/math_layout.h"

#include <QFontMetricsF>

#include <algorithm>
#include <utility>

#include "app/richtext/math/math_symbols.h"

namespace quire {
namespace {

using Kind = MathNode::Kind;

/// The spaces between two atoms (The TeXbook, p. 170): 1 thin, 2 medium, 3 thick; negative: not in
/// scripts. Rows: the left atom; both in the order of MathClass.
constexpr int kSpaces[8][8] = {{0, 1, -2, -3, 0, 0, 0, -1},     {1, 1, 0, -3, 0, 0, 0, -1},
                               {-2, -2, 0, 0, -2, 0, 0, -2},    {-3, -3, 0, 0, -3, 0, 0, -3},
                               {0, 0, 0, 0, 0, 0, 0, 0},        {0, 1, -2, -3, 0, 0, 0, -1},
                               {-1, -1, 0, -1, -1, -1, -1, -1}, {-1, 1, -2, -3, -1, 0, -1, -1}};

double spaceBetween(MathClass left, MathClass right, bool isScript) {
  const int space = kSpaces[static_cast<int>(left)][static_cast<int>(right)];
  if (space < 0 && isScript) return 0.0;
  constexpr double kWidths[] = {0.0, 3.0 / 18, 4.0 / 18, 5.0 / 18};
  return kWidths[std::abs(space)];
}

bool takesOperand(MathClass c) {
  return c == MathClass::Ord || c == MathClass::Close || c == MathClass::Inner;
}

/// The classes of a row's atoms: a binary operator without two operands is an ordinary sign.
std::vector<MathClass> classesOf(const std::vector<MathNode>& children) {
  std::vector<MathClass> classes;
  const MathNode* before = nullptr;
  for (const MathNode& child : children) {
    MathClass c = child.mathClass;
    const bool isSpace = child.kind == Kind::Space;
    const bool hasLeft = !classes.empty() && before && takesOperand(classes.back());
    if (c == MathClass::Bin && !hasLeft) c = MathClass::Ord;
    const bool endsOperand = c == MathClass::Rel || c == MathClass::Close || c == MathClass::Punct;
    if (endsOperand && before && classes[size_t(before - children.data())] == MathClass::Bin)
      classes[size_t(before - children.data())] = MathClass::Ord;
    classes.push_back(c);
    if (isSpace) {
      if (classes.size() > 1) classes.back() = classes[classes.size() - 2];
    } else {
      before = &child;
    }
  }
  if (before && classes[size_t(before - children.data())] == MathClass::Bin)
    classes[size_t(before - children.data())] = MathClass::Ord;
  return classes;
}

}  // namespace

MathLayout::Style MathLayout::Style::superscript() const {
  return {isScript() ? MathLevel::ScriptScript : MathLevel::Script, isCramped};
}

MathLayout::Style MathLayout::Style::numerator() const {
  switch (level) {
    case MathLevel::Display:
      return {MathLevel::Text, isCramped};
    case MathLevel::Text:
      return {MathLevel::Script, isCramped};
    default:
      return {MathLevel::ScriptScript, isCramped};
  }
}

double MathLayout::scale(Style style) const {
  if (style.level == MathLevel::Script) return m_font.scriptScale();
  return style.level == MathLevel::ScriptScript ? m_font.scriptScriptScale() : 1.0;
}

double MathLayout::constant(MathConstant which, Style style) const {
  return m_font.constant(which) * scale(style);
}

MathBox MathLayout::counted(MathBox box) {
  return m_budget.spend(box.numDrawn() + 1) ? std::move(box) : MathBox();
}

std::optional<MathBox> MathLayout::layout(const MathNode& root, bool isDisplay) {
  MathBox result = box(root, {isDisplay ? MathLevel::Display : MathLevel::Text, false});
  const bool isTooLarge =
      result.width > kMaxWidth || result.height() > kMaxHeight || result.numDrawn() > kMaxDrawn;
  if (m_budget.is_spent() || isTooLarge) return std::nullopt;
  return result;
}

MathBox MathLayout::box(const MathNode& node, Style style) {
  if (!m_budget.spend()) return {};
  switch (node.kind) {
    case Kind::Row:
      return counted(row(node.children, style));
    case Kind::Symbol:
      return symbol(node, style);
    case Kind::Text:
      return text(node, style);
    case Kind::Fraction:
      return counted(fraction(node, style));
    case Kind::Root:
      return counted(root(node, style));
    case Kind::Scripts:
      return counted(scripts(node, style));
    case Kind::Fenced:
      return counted(fenced(node, style));
    case Kind::Delimiter:
      return node.symbol == 0 ? MathBox() : fence(node.symbol, node.amount * scale(style), style);
    case Kind::Accent:
      return counted(accent(node, style));
    case Kind::Line:
      return counted(line(node, style));
    case Kind::Brace:
      return counted(brace(node, style));
    case Kind::Arrow:
      return counted(arrow(node, style));
    case Kind::Grid:
      return counted(grid(node, style));
    case Kind::Space: {
      MathBox space;
      space.width = node.amount * scale(style);
      return space;
    }
    case Kind::Style:
      return counted(box(node.children[0], {node.level, style.isCramped}));
    case Kind::Phantom:
      return phantom(node, style);
    case Kind::Boxed:
      return counted(boxed(node, style));
    case Kind::Struck:
      return counted(struck(node, style));
  }
  return {};
}

MathBox MathLayout::row(const std::vector<MathNode>& children, Style style) {
  if (children.size() == 1) return box(children[0], style);
  MathBox result;
  const std::vector<MathClass> classes = classesOf(children);
  bool isFirst = true;
  for (size_t i = 0; i < children.size() && !m_budget.is_spent(); ++i) {
    const bool isSpace = children[i].kind == Kind::Space;
    if (!isFirst && !isSpace)
      result.width += spaceBetween(classes[i - 1], classes[i], style.isScript()) * scale(style);
    if (isFirst) {
      result.ascent = -1e9;  // A row of things above the baseline may not reach down to it.
      result.descent = -1e9;
      isFirst = false;
    }
    MathBox next = box(children[i], style);
    if (isSpace) {
      result.width += next.width;
    } else {
      result.append(std::move(next));
    }
  }
  if (result.ascent < -1e8) result.ascent = result.descent = 0.0;
  return result;
}

MathBox MathLayout::symbol(const MathNode& node, Style style) {
  const quint16 index = m_font.glyphOf(node.symbol);
  if (index == 0) return textRun(QString::fromUcs4(&node.symbol, 1), false, style);
  if (!node.isLarge) return glyph(index, style);
  MathBox sign = style.isDisplay()
                     ? stretched(node.symbol, m_font.displayOperatorMinHeight(), true, style)
                     : glyph(index, style);
  sign.isCharacter = false;
  // An integral leans out of its width, where its upper limit begins.
  for (const MathBox::Glyph& part : sign.glyphs) {
    const double lean = m_font.metrics(part.glyph).right * part.scale - sign.width;
    if (lean <= 0) continue;
    sign.width += lean;
    sign.italics += lean;
  }
  return onAxis(std::move(sign), style);
}

MathBox MathLayout::text(const MathNode& node, Style style) {
  MathBox result;
  const QList<uint> points = node.text.toUcs4();
  const bool isKnown = std::all_of(points.begin(), points.end(),
                                   [this](uint point) { return m_font.glyphOf(point) != 0; });
  if (!isKnown || !m_budget.spend(points.size())) return textRun(node.text, node.isBold, style);
  for (const uint point : points) {
    const char32_t shown = node.isBold ? letterIn(MathAlphabet::Bold, point) : point;
    result.append(glyph(m_font.glyphOf(shown), style));
  }
  result.italics = 0.0;
  return result;
}

MathBox MathLayout::textRun(const QString& text, bool isBold, Style style) {
  MathBox result;
  if (!m_budget.spend(static_cast<uint64_t>(text.size()) + 1)) return result;
  // The window's font looks larger than that of formulas at the same size.
  const double size = 0.85 * scale(style);
  const QFontMetricsF metrics(textFont(isBold));
  result.width = metrics.horizontalAdvance(text) / 100.0 * size;
  result.ascent = 0.75 * size;
  result.descent = 0.22 * size;
  result.textRuns.push_back({text, isBold, 0.0, 0.0, size});
  return result;
}

MathBox MathLayout::phantom(const MathNode& node, Style style) {
  const MathBox inside = box(node.children[0], style);
  MathBox space;
  if (!node.isBelow) space.width = inside.width;
  if (!node.isWide) {
    space.ascent = inside.ascent;
    space.descent = inside.descent;
  }
  return space;
}

}  // namespace quire
