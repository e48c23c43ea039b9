#include <algorithm>
#include <cmath>
#include <utility>

#include "app/richtext/math/math_layout.h"

namespace quire {
namespace {

using Constant = MathConstant;

/// A sign that needs more repeats of its extenders is not assembled any larger.
constexpr int kMaxRepeats = 300;

/// How often the extenders of a sign are repeated so that it reaches a size, in units of the font.
int repeatsFor(const QList<GlyphPart>& parts, int wanted, int minOverlap) {
  qint64 fixed = minOverlap, growth = 0;  // One part has no joint.
  bool hasFixed = false;
  for (const GlyphPart& part : parts) {
    (part.isExtender ? growth : fixed) += part.size - minOverlap;
    hasFixed = hasFixed || !part.isExtender;
  }
  const qint64 least = hasFixed ? 0 : 1;
  if (growth <= 0) return static_cast<int>(least);
  const qint64 missing = std::max<qint64>(0, wanted - fixed);
  return static_cast<int>(std::clamp<qint64>((missing + growth - 1) / growth, least, kMaxRepeats));
}

qsizetype numPartsOf(const QList<GlyphPart>& parts, int repeats) {
  qsizetype count = 0;
  for (const GlyphPart& part : parts) count += part.isExtender ? repeats : 1;
  return count;
}

/// The parts of a sign in their order, and how far neighbours overlap.
struct Assembly {
  QList<GlyphPart> parts;
  double overlap = 0.0;
  double size = 0.0;
};

Assembly assemblyOf(const QList<GlyphPart>& parts, int repeats, int wanted, int minOverlap) {
  Assembly result;
  result.parts.reserve(numPartsOf(parts, repeats));
  double most = 1e9;
  for (const GlyphPart& part : parts) {
    for (int i = part.isExtender ? repeats : 1; i > 0; --i) {
      if (!result.parts.isEmpty())
        most =
            std::min<double>(most, std::min(result.parts.last().endConnector, part.startConnector));
      result.parts.append(part);
      result.size += part.size;
    }
  }
  const auto joints = static_cast<double>(result.parts.size() - 1);
  if (joints <= 0) return result;
  const double least = minOverlap;
  result.overlap = std::clamp((result.size - wanted) / joints, least, std::max(most, least));
  result.size -= joints * result.overlap;
  return result;
}

}  // namespace

MathBox MathLayout::glyph(quint16 index, Style style) const {
  const MathFont::Glyph size = m_font.metrics(index);
  const double s = scale(style);
  MathBox result;
  result.italics = m_font.italics(index) * s;
  result.width = size.advance * s + result.italics;
  result.ascent = size.ascent * s;
  result.descent = size.descent * s;
  result.attachment = m_font.accentAttachment(index) * s;
  result.isCharacter = true;
  result.glyphs.push_back({index, 0.0, 0.0, s});
  return result;
}

MathBox MathLayout::assembled(const QList<GlyphPart>& parts, double wanted, bool isVertical,
                              Style style) {
  const double s = scale(style);
  const double unit = m_font.em(1) * s;
  const int minOverlap = static_cast<int>(m_font.minConnectorOverlap() / m_font.em(1));
  const int units = static_cast<int>(std::ceil(wanted / unit));
  const int repeats = repeatsFor(parts, units, minOverlap);
  MathBox result;
  if (!m_budget.spend(static_cast<uint64_t>(numPartsOf(parts, repeats)) + 1)) return result;
  const Assembly assembly = assemblyOf(parts, repeats, units, minOverlap);
  double at = 0.0;
  for (const GlyphPart& part : assembly.parts) {
    const MathFont::Glyph size = m_font.metrics(part.glyph);
    if (isVertical) {  // From the bottom, which is at the baseline.
      result.glyphs.push_back({part.glyph, 0.0, -at - size.descent * s, s});
      result.width = std::max(result.width, size.advance * s);
    } else {
      result.glyphs.push_back({part.glyph, at - size.left * s, 0.0, s});
      result.ascent = std::max(result.ascent, size.ascent * s);
      result.descent =
          result.glyphs.size() == 1 ? size.descent * s : std::max(result.descent, size.descent * s);
    }
    at += (part.size - assembly.overlap) * unit;
  }
  (isVertical ? result.ascent : result.width) = assembly.size * unit;
  return result;
}

MathBox MathLayout::stretched(char32_t character, double wanted, bool isVertical, Style style) {
  const quint16 index = m_font.glyphOf(character);
  if (index == 0) return textRun(QString::fromUcs4(&character, 1), false, style);
  const GlyphGrowth growth = m_font.growth(index, isVertical);
  MathBox result = glyph(index, style);
  if ((isVertical ? result.height() : result.width) >= wanted) return result;
  for (const GlyphVariant& variant : growth.variants) {
    result = glyph(variant.glyph, style);
    if (m_font.em(variant.size) * scale(style) >= wanted) return result;
  }
  return growth.parts.isEmpty() ? result : assembled(growth.parts, wanted, isVertical, style);
}

MathBox MathLayout::onAxis(MathBox sign, Style style) const {
  const double dy = (sign.ascent - sign.descent) / 2 - axis(style);
  MathBox result;
  result.width = sign.width;
  result.italics = sign.italics;
  result.ascent = sign.ascent - dy;
  result.descent = sign.descent + dy;
  result.draw(std::move(sign), 0, dy);
  return result;
}

MathBox MathLayout::fence(char32_t character, double wanted, Style style) {
  return onAxis(stretched(character, wanted, true, style), style);
}

MathBox MathLayout::fenced(const MathNode& node, Style style) {
  std::vector<MathBox> parts;
  double reach = 0.0;  // From the axis.
  for (const MathNode& child : node.children) {
    parts.push_back(box(child, style));
    reach =
        std::max({reach, parts.back().ascent - axis(style), parts.back().descent + axis(style)});
  }
  // TeX's \delimiterfactor and \delimitershortfall.
  const double wanted = std::max(2 * reach * 0.901, 2 * reach - 0.5 * scale(style));
  MathBox result;
  result.ascent = result.descent = -1e9;
  for (qsizetype i = 0; i < node.fences.size() && !m_budget.is_spent(); ++i) {
    if (node.fences[i] == 0) {
      result.width += 0.12 * scale(style);
    } else {
      result.append(fence(node.fences[i], wanted, style));
    }
    if (static_cast<size_t>(i) < parts.size())
      result.append(std::move(parts[static_cast<size_t>(i)]));
  }
  result.italics = 0.0;
  return result;
}

MathBox MathLayout::root(const MathNode& node, Style style) {
  MathBox inside = box(node.children[0], style.cramped());
  const double rule = constant(Constant::RadicalRuleThickness, style);
  double gap = constant(
      style.isDisplay() ? Constant::RadicalDisplayStyleVerticalGap : Constant::RadicalVerticalGap,
      style);
  MathBox sign = stretched(U'√', inside.height() + gap + rule, true, style);
  gap = std::max(gap, (gap + sign.height() - rule - inside.height()) / 2);
  const double top = inside.ascent + gap + rule;
  const double signY = sign.ascent - top;
  const double bottom = sign.descent + signY;
  const double rootHeight = sign.height();
  MathBox result;
  if (!node.children[1].isEmptyRow()) {
    MathBox degree = box(node.children[1], {MathLevel::ScriptScript, false});
    const double y = bottom - m_font.radicalDegreeRaise() * rootHeight - degree.descent;
    result.width = std::max(0.0, constant(Constant::RadicalKernBeforeDegree, style) + degree.width);
    const double x = constant(Constant::RadicalKernBeforeDegree, style);
    result.place(std::move(degree), x, y);
    result.width = std::max(0.0, result.width + constant(Constant::RadicalKernAfterDegree, style));
  }
  const double signX = result.width;
  const double insideX = signX + sign.width;
  const double width = inside.width;
  result.place(std::move(sign), signX, signY);
  result.place(std::move(inside), insideX, 0);
  result.rules.emplace_back(insideX, -top, width, rule);
  result.width = insideX + width;
  result.ascent = std::max(result.ascent, top + constant(Constant::RadicalExtraAscender, style));
  return result;
}

}  // namespace quire
