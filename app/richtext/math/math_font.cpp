#include "app/richtext/math/math_font.h"

#include <QChar>
#include <QFile>

namespace quire {
namespace {

constexpr char kFile[] = ":/quire/fonts/STIXMath-Regular.otf";

}  // namespace

const MathFont& MathFont::instance() {
  // It is never deleted: static objects are destroyed after Qt has freed its fonts.
  static const auto* const kFont = new MathFont;
  return *kFont;
}

MathFont::MathFont() {
  QFile file(QString::fromLatin1(kFile));
  if (!file.open(QIODevice::ReadOnly)) return;
  const QByteArray bytes = file.readAll();
  m_font.loadFromData(bytes, 1000.0, QFont::PreferNoHinting);
  if (!m_font.isValid() || m_font.unitsPerEm() <= 0) return;
  m_unitsPerEm = m_font.unitsPerEm();
  m_font.setPixelSize(m_unitsPerEm);  // Lengths of the font are units then.
  const std::optional<MathTable> table = readMathTable(m_font.fontTable("MATH"));
  if (!table) return;
  m_table = *table;
  m_isValid = true;
}

quint16 MathFont::glyphOf(char32_t character) const {
  const auto known = m_glyphs.constFind(character);
  if (known != m_glyphs.cend()) return *known;
  const QList<quint32> glyphs = m_font.glyphIndexesForString(QString::fromUcs4(&character, 1));
  const auto glyph =
      static_cast<quint16>(glyphs.size() == 1 && glyphs[0] <= 0xFFFF ? glyphs[0] : 0);
  m_glyphs.insert(character, glyph);
  return glyph;
}

MathFont::Glyph MathFont::metrics(quint16 glyph) const {
  const auto known = m_metrics.constFind(glyph);
  if (known != m_metrics.cend()) return *known;
  const QPointF advance = m_font.advancesForGlyphIndexes({glyph}).value(0);
  const QRectF ink = outline(glyph).boundingRect();
  return *m_metrics.insert(
      glyph, {advance.x() / m_unitsPerEm, -ink.top(), ink.bottom(), ink.left(), ink.right()});
}

QPainterPath MathFont::outline(quint16 glyph) const {
  const auto known = m_outlines.constFind(glyph);
  if (known != m_outlines.cend()) return *known;
  QPainterPath path = m_font.pathForGlyph(glyph);
  path.setFillRule(Qt::WindingFill);
  return *m_outlines.insert(glyph,
                            QTransform::fromScale(1 / m_unitsPerEm, 1 / m_unitsPerEm).map(path));
}

double MathFont::accentAttachment(quint16 glyph) const {
  const auto found = m_table.accentAttachments.constFind(glyph);
  if (found != m_table.accentAttachments.cend()) return em(*found);
  const Glyph size = metrics(glyph);
  return size.advance > 0 ? (size.advance + italics(glyph)) / 2 : (size.left + size.right) / 2;
}

GlyphGrowth MathFont::growth(quint16 glyph, bool isVertical) const {
  return (isVertical ? m_table.vertical : m_table.horizontal).value(glyph);
}

}  // namespace quire
