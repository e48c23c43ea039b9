#include "app/richtext/math/formula.h"

#include <QCache>
#include <QHash>
#include <QPainter>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "app/richtext/math/math_font.h"
#include "app/richtext/math/math_layout.h"
#include "app/richtext/math/math_parser.h"

namespace quire {
namespace {

constexpr int kMaxFormulas = 2000;
constexpr int kMaxImageKilobytes = 16 * 1024;
/// The largest image, in pixels of a side and in all; larger formulas are painted coarser.
constexpr double kMaxSide = 8192.0;
constexpr double kMaxPixels = 4e6;
/// Pixels that are left for each image when all together have kMaxLivePixels, a pixel being 4
/// bytes.
constexpr double kMinPixels = 20'000;
constexpr double kMaxLivePixels = 20e6;
/// The largest ink of a formula within text, in square em; that of a larger one is its source.
constexpr double kMaxInlineArea = 400.0;

std::atomic<qint64> livePixels = 0;  ///< Of all images that anybody has.

/// Counts an image's pixels as long as a copy of the result lives.
std::shared_ptr<void> pixelShareOf(const QImage& image) {
  const qint64 pixels = qint64{image.width()} * image.height();
  livePixels += pixels;
  return {nullptr, [pixels](void*) { livePixels -= pixels; }};
}

/// The extents of the ink, in em: letters lean and accents reach out of their boxes.
QRectF inkOf(const MathBox& box) {
  const MathFont& font = MathFont::instance();
  QRectF ink(0, -box.ascent, box.width, box.height());
  for (const MathBox::Glyph& glyph : box.glyphs) {
    const MathFont::Glyph size = font.metrics(glyph.glyph);
    ink |=
        QRectF(glyph.x + size.left * glyph.scale, glyph.y - size.ascent * glyph.scale,
               (size.right - size.left) * glyph.scale, (size.ascent + size.descent) * glyph.scale);
  }
  return ink;
}

/// A text may have hundreds of formulas, and shows all their images at once.
bool fitsInText(const MathBox& box) {
  if (box.width * box.height() > kMaxInlineArea) return false;
  const QRectF ink = inkOf(box);
  return ink.width() * ink.height() <= kMaxInlineArea;
}

FormulaPtr typeset(const QString& source, bool isDisplay) {
  const MathFont& font = MathFont::instance();
  if (!font.isValid()) return nullptr;
  const std::optional<MathNode> root = MathParser(source).parse();
  if (!root) return nullptr;
  std::optional<MathBox> box = MathLayout(font).layout(*root, isDisplay);
  if (!box) return nullptr;
  if (!isDisplay && !fitsInText(*box)) return nullptr;
  return std::make_shared<const Formula>(Formula{std::move(*box), isDisplay});
}

/// Where a rule begins and how thick it is, in whole pixels, so that its edges are sharp.
QRectF sharpened(const QRectF& rule) {
  const bool isFlat = rule.width() >= rule.height();
  const double thickness = std::max(1.0, std::round(isFlat ? rule.height() : rule.width()));
  if (isFlat)
    return {rule.x(), std::round(rule.center().y() - thickness / 2), rule.width(), thickness};
  return {std::round(rule.center().x() - thickness / 2), rule.y(), thickness, rule.height()};
}

void paint(QPainter& painter, const MathBox& box, double em, QPointF origin, const QColor& color) {
  const MathFont& font = MathFont::instance();
  for (const MathBox::Glyph& glyph : box.glyphs) {
    painter.setTransform(
        QTransform::fromTranslate(origin.x() + glyph.x * em, origin.y() + glyph.y * em)
            .scale(glyph.scale * em, glyph.scale * em));
    painter.fillPath(font.outline(glyph.glyph), color);
  }
  painter.setTransform(QTransform());
  for (const QRectF& rule : box.rules) {
    const QRectF pixels(origin.x() + rule.x() * em, origin.y() + rule.y() * em, rule.width() * em,
                        rule.height() * em);
    painter.fillRect(sharpened(pixels), color);
  }
  for (const MathBox::Stroke& stroke : box.strokes) {
    painter.setPen(QPen(color, std::max(1.0, stroke.width * em)));
    painter.drawLine(QLineF(stroke.line.p1() * em + origin, stroke.line.p2() * em + origin));
  }
  painter.setPen(color);
  for (const MathBox::TextRun& run : box.textRuns) {
    const double size = run.scale * em / 100.0;
    painter.setTransform(QTransform::fromTranslate(origin.x() + run.x * em, origin.y() + run.y * em)
                             .scale(size, size));
    painter.setFont(textFont(run.isBold));
    painter.drawText(QPointF(), run.text);
  }
}

FormulaImage paintImage(const Formula& formula, double em, const QColor& color) {
  const QRectF ink = inkOf(formula.box);
  const double side = std::max({ink.width(), ink.height(), 0.01});
  const double area = std::max(ink.width() * ink.height(), 0.01);
  const double remaining = kMaxLivePixels - static_cast<double>(livePixels.load());
  const double pixels = std::clamp(remaining, kMinPixels, kMaxPixels);
  const double used = std::min({em, kMaxSide / side, std::sqrt(pixels / area)});
  const int left = static_cast<int>(std::ceil(-ink.left() * used)) + 1;
  const int above = static_cast<int>(std::ceil(-ink.top() * used)) + 1;
  const int width = left + static_cast<int>(std::ceil(ink.right() * used)) + 1;
  const int height = above + static_cast<int>(std::ceil(ink.bottom() * used)) + 1;
  QImage image(std::max(1, width), std::max(1, height), QImage::Format_ARGB32_Premultiplied);
  if (image.isNull()) return {};
  image.fill(Qt::transparent);
  image.setDevicePixelRatio(1.0);
  QPainter painter(&image);
  painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
  paint(painter, formula.box, used, QPointF(left, above), color);
  painter.end();
  const double pixel = em / used;
  return {image, QPointF(left, above) * pixel, pixel, pixelShareOf(image)};
}

struct ImageKey {
  FormulaPtr formula;  ///< Kept, so that no other one gets its address.
  double em = 0.0;
  QRgb color = 0;

  bool operator==(const ImageKey&) const = default;
};

size_t qHash(const ImageKey& key, size_t seed = 0) {
  return qHashMulti(seed, key.formula.get(), key.em, key.color);
}

}  // namespace

FormulaPtr formulaOf(const QString& source, bool isDisplay, FormulaCaching caching) {
  static QCache<QString, FormulaPtr> kept(kMaxFormulas);
  const QString key = (isDisplay ? u'd' : u't') + source;
  if (const FormulaPtr* known = kept.object(key)) return *known;
  FormulaPtr formula = typeset(source, isDisplay);
  if (caching == FormulaCaching::Skip) return formula;
  const auto size = formula ? formula->box.glyphs.size() : 0;
  kept.insert(key, new FormulaPtr(formula), 1 + static_cast<int>(size / 50));
  return formula;
}

FormulaImage formulaImage(const FormulaPtr& formula, double emPixels, const QColor& color,
                          FormulaCaching caching) {
  if (!formula || emPixels <= 0) return {};
  static QCache<ImageKey, FormulaImage> kept(kMaxImageKilobytes);
  const ImageKey key{formula, emPixels, color.rgba()};
  if (const FormulaImage* known = kept.object(key)) return *known;
  const FormulaImage painted = paintImage(*formula, emPixels, color);
  // A coarse image is not kept: the next caller may get a finer one.
  if (caching == FormulaCaching::Skip || painted.pixel > 1.0) return painted;
  kept.insert(key, new FormulaImage(painted),
              1 + static_cast<int>(painted.image.sizeInBytes() / 1024));
  return painted;
}

}  // namespace quire
