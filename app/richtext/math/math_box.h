#pragma once

#include <QFont>
#include <QLineF>
#include <QList>
#include <QRectF>
#include <QString>

#include <vector>

namespace quire {

/// Part of a formula with its place. The unit is one em of the formula; x grows to the right from
/// the left edge, y downwards from the baseline.
struct MathBox {
  struct Glyph {
    quint16 glyph = 0;
    double x = 0.0;
    double y = 0.0;
    double scale = 1.0;
  };
  /// Text in the font of the window, because the font of formulas lacks some of its letters.
  struct TextRun {
    QString text;
    bool isBold = false;
    double x = 0.0;
    double y = 0.0;
    double scale = 1.0;
  };
  struct Stroke {
    QLineF line;
    double width = 0.0;
  };

  double width = 0.0;
  double ascent = 0.0;       ///< Above the baseline; may be negative.
  double descent = 0.0;      ///< Below the baseline; may be negative.
  double italics = 0.0;      ///< How far the last letter leans out, which is within `width`.
  double attachment = -1.0;  ///< Where an accent stands; negative: in the middle.
  bool isCharacter = false;  ///< A single glyph, whose scripts do not follow its size.
  std::vector<Glyph> glyphs;
  std::vector<QRectF> rules;
  std::vector<TextRun> textRuns;
  std::vector<Stroke> strokes;

  double height() const { return ascent + descent; }
  /// How many things it draws.
  size_t numDrawn() const {
    return glyphs.size() + rules.size() + textRuns.size() + strokes.size();
  }
  /// Adds what `other` draws, moved, without changing the extents.
  void draw(MathBox&& other, double dx, double dy);
  /// Adds `other` and grows ascent and descent to contain it, but not the width.
  void place(MathBox&& other, double dx, double dy);
  /// Adds `other` at the right edge.
  void append(MathBox&& other);
};

/// The font of MathBox::TextRun, of a hundred pixels to the em.
QFont textFont(bool isBold);

}  // namespace quire
