#include "app/richtext/math/math_box.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace quire {
namespace {

template <typename T>
void moveAll(std::vector<T>& from, std::vector<T>& to) {
  if (to.empty()) {
    to = std::move(from);
  } else {
    std::move(from.begin(), from.end(), std::back_inserter(to));
  }
}

}  // namespace

void MathBox::draw(MathBox&& other, double dx, double dy) {
  for (Glyph& glyph : other.glyphs) {
    glyph.x += dx;
    glyph.y += dy;
  }
  for (TextRun& part : other.textRuns) {
    part.x += dx;
    part.y += dy;
  }
  for (QRectF& rule : other.rules) rule.translate(dx, dy);
  for (Stroke& stroke : other.strokes) stroke.line.translate(dx, dy);
  moveAll(other.glyphs, glyphs);
  moveAll(other.textRuns, textRuns);
  moveAll(other.rules, rules);
  moveAll(other.strokes, strokes);
}

void MathBox::place(MathBox&& other, double dx, double dy) {
  ascent = std::max(ascent, other.ascent - dy);
  descent = std::max(descent, other.descent + dy);
  draw(std::move(other), dx, dy);
}

void MathBox::append(MathBox&& other) {
  const double at = width;
  width += other.width;
  italics = other.italics;
  isCharacter = false;
  place(std::move(other), at, 0.0);
}

QFont textFont(bool isBold) {
  QFont font(QStringLiteral("Inter"));
  font.setPixelSize(100);
  font.setHintingPreference(QFont::PreferNoHinting);
  if (isBold) font.setWeight(QFont::DemiBold);
  return font;
}

}  // namespace quire
