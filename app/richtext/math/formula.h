#pragma once

#include <QColor>
#include <QImage>
#include <QString>

#include <memory>

#include "app/richtext/math/math_box.h"

namespace quire {

/// A typeset formula; lengths are in em of the formula.
struct Formula {
  MathBox box;
  bool isDisplay = false;
};
using FormulaPtr = std::shared_ptr<const Formula>;

/// Letters of formulas are that much larger than those of the text around them, whose small letters
/// are taller.
inline constexpr double kFormulaScale = 1.18;

/// Whether a result is kept for the next caller. What is shown of a formula that is still being
/// written is not asked for again.
enum class FormulaCaching { Keep, Skip };

/// The formula of a LaTeX source without delimiters; null if it is beyond the limits of size, depth
/// or work, and its source has to be shown. The most recent ones are kept.
/// Thread: the window's.
FormulaPtr formulaOf(const QString& source, bool isDisplay,
                     FormulaCaching caching = FormulaCaching::Keep);

/// A formula as pixels. `origin` is where the left end of its baseline is in the image, in device
/// pixels.
struct FormulaImage {
  QImage image;
  QPointF origin;
  double pixel = 1.0;  ///< Device pixels of one of the image; more if it had to be coarser.
  std::shared_ptr<void> share = {};  ///< Of the pixels that all images may have.
};
/// `emPixels`: device pixels of one em. The most recent images are kept, up to some megabytes. All
/// images together have a limited number of pixels; when it is reached, new ones are coarser.
/// Thread: the window's, never the renderer's: the outlines of MathFont are read.
FormulaImage formulaImage(const FormulaPtr& formula, double emPixels, const QColor& color,
                          FormulaCaching caching = FormulaCaching::Keep);

}  // namespace quire
