#pragma once

#include <QHash>
#include <QPainterPath>
#include <QRawFont>

#include "app/richtext/math/math_table.h"

namespace quire {

/// The font of formulas, which is part of the program. All lengths are in em.
/// Thread: the window's; the const functions fill caches.
class MathFont {
 public:
  struct Glyph {
    double advance = 0.0;
    double ascent = 0.0;   ///< Above the baseline.
    double descent = 0.0;  ///< Below the baseline.
    double left = 0.0;     ///< Where the ink begins and ends.
    double right = 0.0;
  };

  /// The font; isValid() is false where Qt cannot load fonts.
  static const MathFont& instance();

  bool isValid() const { return m_isValid; }
  /// 0 if the font has no such character.
  quint16 glyphOf(char32_t character) const;
  Glyph metrics(quint16 glyph) const;
  /// The outline, one unit to the em, y growing downwards.
  QPainterPath outline(quint16 glyph) const;

  double constant(MathConstant which) const { return em(m_table.constant(which)); }
  double scriptScale() const { return m_table.scriptPercent / 100.0; }
  double scriptScriptScale() const { return m_table.scriptScriptPercent / 100.0; }
  double displayOperatorMinHeight() const { return em(m_table.displayOperatorMinHeight); }
  double radicalDegreeRaise() const { return m_table.radicalDegreeRaisePercent / 100.0; }
  double minConnectorOverlap() const { return em(m_table.minConnectorOverlap); }
  double italics(quint16 glyph) const { return em(m_table.italics.value(glyph)); }
  /// Where an accent stands over the glyph, from its left.
  double accentAttachment(quint16 glyph) const;
  GlyphGrowth growth(quint16 glyph, bool isVertical) const;
  double em(int units) const { return units / m_unitsPerEm; }

 private:
  MathFont();

  QRawFont m_font;
  MathTable m_table;
  double m_unitsPerEm = 1000.0;
  bool m_isValid = false;
  mutable QHash<char32_t, quint16> m_glyphs;
  mutable QHash<quint16, Glyph> m_metrics;
  mutable QHash<quint16, QPainterPath> m_outlines;
};

}  // namespace quire
