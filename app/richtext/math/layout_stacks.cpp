#include <algorithm>
#include <utility>

#include "app/richtext/math/math_layout.h"

namespace quire {
namespace {

using Constant = MathConstant;

/// The empty space at both sides of a fraction.
constexpr double kFractionMargin = 0.12;

}  // namespace

MathBox MathLayout::fraction(const MathNode& node, Style style) {
  MathBox top = box(node.children[0], style.numerator());
  MathBox bottom = box(node.children[1], style.denominator());
  const bool isDisplay = style.isDisplay();
  const auto pick = [&](Constant display, Constant other) {
    return constant(isDisplay ? display : other, style);
  };
  const double thickness = constant(Constant::FractionRuleThickness, style);
  double up, down;
  if (node.hasRule) {
    up = pick(Constant::FractionNumeratorDisplayStyleShiftUp, Constant::FractionNumeratorShiftUp);
    down = pick(Constant::FractionDenominatorDisplayStyleShiftDown,
                Constant::FractionDenominatorShiftDown);
    up = std::max(
        up, axis(style) + thickness / 2 + top.descent +
                pick(Constant::FractionNumDisplayStyleGapMin, Constant::FractionNumeratorGapMin));
    down = std::max(down, bottom.ascent - axis(style) + thickness / 2 +
                              pick(Constant::FractionDenomDisplayStyleGapMin,
                                   Constant::FractionDenominatorGapMin));
  } else {
    up = pick(Constant::StackTopDisplayStyleShiftUp, Constant::StackTopShiftUp);
    down = pick(Constant::StackBottomDisplayStyleShiftDown, Constant::StackBottomShiftDown);
    const double gap = (up - top.descent) - (bottom.ascent - down);
    const double wanted = pick(Constant::StackDisplayStyleGapMin, Constant::StackGapMin);
    if (gap < wanted) {
      up += (wanted - gap) / 2;
      down += (wanted - gap) / 2;
    }
  }
  const double margin = kFractionMargin * scale(style);
  const double width = std::max(top.width, bottom.width);
  const double topX = margin + (width - top.width) / 2;
  const double bottomX = margin + (width - bottom.width) / 2;
  MathBox result;
  result.width = width + 2 * margin;
  result.place(std::move(top), topX, -up);
  result.place(std::move(bottom), bottomX, down);
  if (node.hasRule)
    result.rules.emplace_back(margin, -axis(style) - thickness / 2, width, thickness);
  return result;
}

MathBox MathLayout::scripts(const MathNode& node, Style style) {
  MathBox base = box(node.children[0], style);
  const bool stack = node.forcesLimits || (node.hasLimits && style.isDisplay());
  return stack ? limits(node, std::move(base), style) : sideScripts(node, std::move(base), style);
}

MathBox MathLayout::sideScripts(const MathNode& node, MathBox base, Style style) {
  const bool hasSub = !node.children[1].isEmptyRow();
  const bool hasSup = !node.children[2].isEmptyRow();
  MathBox sub = box(node.children[1], style.subscript());
  MathBox sup = box(node.children[2], style.superscript());
  double up = constant(
      style.isCramped ? Constant::SuperscriptShiftUpCramped : Constant::SuperscriptShiftUp, style);
  double down = constant(Constant::SubscriptShiftDown, style);
  if (!base.isCharacter) {
    up = std::max(up, base.ascent - constant(Constant::SuperscriptBaselineDropMax, style));
    down = std::max(down, base.descent + constant(Constant::SubscriptBaselineDropMin, style));
  }
  up = std::max(up, sup.descent + constant(Constant::SuperscriptBottomMin, style));
  if (!hasSup) down = std::max(down, sub.ascent - constant(Constant::SubscriptTopMax, style));
  if (hasSub && hasSup) {
    const double gap = (up - sup.descent) - (sub.ascent - down);
    down += std::max(0.0, constant(Constant::SubSuperscriptGapMin, style) - gap);
    const double lift =
        constant(Constant::SuperscriptBottomMaxWithSubscript, style) - (up - sup.descent);
    if (lift > 0 && gap < constant(Constant::SubSuperscriptGapMin, style)) {
      up += lift;
      down -= lift;
    }
  }
  const double subX = base.width - base.italics;
  const double supX = base.width;
  MathBox result = std::move(base);
  result.isCharacter = false;
  result.italics = 0.0;
  result.width = std::max({hasSub ? subX + sub.width : 0.0, hasSup ? supX + sup.width : 0.0}) +
                 constant(Constant::SpaceAfterScript, style);
  if (hasSub) result.place(std::move(sub), subX, down);
  if (hasSup) result.place(std::move(sup), supX, -up);
  return result;
}

MathBox MathLayout::limits(const MathNode& node, MathBox base, Style style) {
  MathBox below = box(node.children[1], style.subscript());
  MathBox above = box(node.children[2], style.superscript());
  const bool hasBelow = !node.children[1].isEmptyRow();
  const bool hasAbove = !node.children[2].isEmptyRow();
  const double lean = base.isCharacter ? 0.0 : base.italics / 2;
  const double width = std::max({base.width, below.width, above.width});
  const double up = base.ascent + above.descent +
                    std::max(constant(Constant::UpperLimitGapMin, style),
                             constant(Constant::UpperLimitBaselineRiseMin, style) - above.descent);
  const double down = base.descent + below.ascent +
                      std::max(constant(Constant::LowerLimitGapMin, style),
                               constant(Constant::LowerLimitBaselineDropMin, style) - below.ascent);
  MathBox result;
  result.width = width;
  result.ascent = base.ascent;
  result.descent = base.descent;
  const double aboveX = (width - above.width) / 2 + lean;
  const double belowX = (width - below.width) / 2 - lean;
  const double baseX = (width - base.width) / 2;
  result.place(std::move(base), baseX, 0);
  if (hasAbove) result.place(std::move(above), aboveX, -up);
  if (hasBelow) result.place(std::move(below), belowX, down);
  return result;
}

MathBox MathLayout::accent(const MathNode& node, Style style) {
  MathBox base = box(node.children[0], node.isBelow ? style : style.cramped());
  const quint16 small = m_font.glyphOf(node.symbol);
  if (small == 0) return base;
  MathBox mark = glyph(small, style);
  if (node.isWide) {  // The widest that is not wider; arrows are assembled.
    const GlyphGrowth growth = m_font.growth(small, false);
    for (const GlyphVariant& variant : growth.variants) {
      if (m_font.em(variant.size) * scale(style) <= base.width) mark = glyph(variant.glyph, style);
    }
    if (!growth.parts.isEmpty() && base.width > mark.width)
      mark = assembled(growth.parts, base.width, false, style);
  }
  double left = 1e9, right = -1e9;  // Of the ink: combining characters have no width.
  for (const MathBox::Glyph& part : mark.glyphs) {
    const MathFont::Glyph size = m_font.metrics(part.glyph);
    left = std::min(left, part.x + size.left * part.scale);
    right = std::max(right, part.x + size.right * part.scale);
  }
  const double middle = base.attachment >= 0 && !node.isWide ? base.attachment : base.width / 2;
  const double x = middle - (left + right) / 2;
  MathBox result = std::move(base);
  const double baseHeight = std::min(result.ascent, constant(Constant::AccentBaseHeight, style));
  const double y = node.isBelow ? result.descent : baseHeight - result.ascent;
  mark.width = 0;
  result.place(std::move(mark), x, y);
  return result;
}

MathBox MathLayout::line(const MathNode& node, Style style) {
  MathBox result = box(node.children[0], node.isBelow ? style : style.cramped());
  result.isCharacter = false;
  if (node.isBelow) {
    const double thickness = constant(Constant::UnderbarRuleThickness, style);
    const double y = result.descent + constant(Constant::UnderbarVerticalGap, style);
    result.rules.emplace_back(0.0, y, result.width, thickness);
    result.descent = y + thickness + constant(Constant::UnderbarExtraDescender, style);
    return result;
  }
  const double thickness = constant(Constant::OverbarRuleThickness, style);
  const double y = result.ascent + constant(Constant::OverbarVerticalGap, style) + thickness;
  result.rules.emplace_back(0.0, -y, result.width, thickness);
  result.ascent = y + constant(Constant::OverbarExtraAscender, style);
  return result;
}

MathBox MathLayout::brace(const MathNode& node, Style style) {
  MathBox result = box(node.children[0], style);
  MathBox sign = stretched(node.isBelow ? U'⏟' : U'⏞', result.width, false, style);
  const double gap = 0.12 * scale(style);
  const double x = (result.width - sign.width) / 2;
  const double y =
      node.isBelow ? result.descent + gap + sign.ascent : -(result.ascent + gap + sign.descent);
  result.isCharacter = false;
  result.italics = 0.0;
  result.place(std::move(sign), x, y);
  return result;
}

MathBox MathLayout::arrow(const MathNode& node, Style style) {
  MathBox above = box(node.children[0], style.superscript());
  MathBox below = box(node.children[1], style.subscript());
  const double wanted = std::max(above.width, below.width) + 0.6 * scale(style);
  MathBox result = stretched(node.symbol, wanted, false, style);
  const double aboveX = (result.width - above.width) / 2;
  const double belowX = (result.width - below.width) / 2;
  const double gap = 0.1 * scale(style);
  const double up = result.ascent + gap + above.descent;
  const double down = result.descent + gap + below.ascent;
  result.isCharacter = false;
  if (above.width > 0) result.place(std::move(above), aboveX, -up);
  if (below.width > 0) result.place(std::move(below), belowX, down);
  return result;
}

MathBox MathLayout::boxed(const MathNode& node, Style style) {
  MathBox inside = box(node.children[0], style);
  const double margin = 0.3 * scale(style);
  const double rule = constant(Constant::FractionRuleThickness, style);
  MathBox result;
  result.width = inside.width + 2 * margin;
  result.ascent = inside.ascent + margin;
  result.descent = inside.descent + margin;
  result.draw(std::move(inside), margin, 0);
  const double top = -result.ascent;
  const double height = result.height();
  result.rules.emplace_back(0, top, result.width, rule);
  result.rules.emplace_back(0, result.descent - rule, result.width, rule);
  result.rules.emplace_back(0, top, rule, height);
  result.rules.emplace_back(result.width - rule, top, rule, height);
  return result;
}

MathBox MathLayout::struck(const MathNode& node, Style style) {
  MathBox result = box(node.children[0], style);
  result.isCharacter = false;
  const QLineF line(0, result.descent, result.width, -result.ascent);
  result.strokes.push_back({line, constant(Constant::FractionRuleThickness, style)});
  return result;
}

}  // namespace quire
