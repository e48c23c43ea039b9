#pragma once

#include <optional>

#include "app/richtext/math/math_box.h"
#include "app/richtext/math/math_font.h"
#include "app/richtext/math/math_node.h"
#include "kernels/base/work_budget.h"

namespace quire {

/// The distances of a kind of grid, in em.
struct MathGridLook {
  double columnGap = 1.0;
  double rowGap = 0.0;   ///< Between the struts of two rows.
  double ascent = 0.84;  ///< Of a row, at least.
  double descent = 0.36;
};

/// Sets a formula as TeX does (The TeXbook, appendix G), with the constants of the font's MATH
/// table (OpenType specification 1.9).
/// Thread: the window's, as MathFont.
/// Invariants: m_budget bounds what is built, whatever the formula; once it is spent, all boxes are
/// empty and layout() returns nothing.
class MathLayout {
 public:
  /// A formula larger than that, in em, is not set.
  static constexpr double kMaxWidth = 400.0;
  static constexpr double kMaxHeight = 120.0;
  /// Nor is one that draws more glyphs, rules, strokes and runs of text than that: while a formula
  /// arrives, it is painted again for each piece.
  static constexpr size_t kMaxDrawn = 10'000;
  /// Glyphs, each time that one is placed.
  static constexpr uint64_t kMaxSteps = 400'000;

  explicit MathLayout(const MathFont& font) : m_font(font) {}

  /// Nothing if the formula is too large.
  std::optional<MathBox> layout(const MathNode& root, bool isDisplay);

 private:
  struct Style {
    MathLevel level = MathLevel::Text;
    bool isCramped = false;

    bool isDisplay() const { return level == MathLevel::Display; }
    bool isScript() const { return level == MathLevel::Script || level == MathLevel::ScriptScript; }
    Style cramped() const { return {level, true}; }
    Style superscript() const;
    Style subscript() const { return superscript().cramped(); }
    Style numerator() const;
    Style denominator() const { return numerator().cramped(); }
  };

  double scale(Style style) const;
  double constant(MathConstant which, Style style) const;
  double axis(Style style) const { return constant(MathConstant::AxisHeight, style); }
  /// Counts what a box draws before it is moved.
  MathBox counted(MathBox box);

  // math_layout.cpp
  MathBox box(const MathNode& node, Style style);
  MathBox row(const std::vector<MathNode>& children, Style style);
  MathBox symbol(const MathNode& node, Style style);
  MathBox text(const MathNode& node, Style style);
  MathBox textRun(const QString& text, bool isBold, Style style);
  MathBox phantom(const MathNode& node, Style style);

  // layout_stacks.cpp: what stands above or below something.
  MathBox fraction(const MathNode& node, Style style);
  MathBox scripts(const MathNode& node, Style style);
  MathBox sideScripts(const MathNode& node, MathBox base, Style style);
  MathBox limits(const MathNode& node, MathBox base, Style style);
  MathBox accent(const MathNode& node, Style style);
  MathBox line(const MathNode& node, Style style);
  MathBox brace(const MathNode& node, Style style);
  MathBox arrow(const MathNode& node, Style style);
  MathBox boxed(const MathNode& node, Style style);
  MathBox struck(const MathNode& node, Style style);

  // layout_fences.cpp: signs that grow.
  MathBox glyph(quint16 index, Style style) const;
  /// The sign in the first size of at least `wanted`, or assembled to it.
  MathBox stretched(char32_t character, double wanted, bool isVertical, Style style);
  MathBox assembled(const QList<GlyphPart>& parts, double wanted, bool isVertical, Style style);
  /// Moves a box so that it stands centred about the axis.
  MathBox onAxis(MathBox sign, Style style) const;
  MathBox fence(char32_t character, double wanted, Style style);
  MathBox fenced(const MathNode& node, Style style);
  MathBox root(const MathNode& node, Style style);

  // layout_grid.cpp
  MathBox grid(const MathNode& node, Style style);
  MathBox gridOf(const MathNode& node, std::vector<MathBox> cells, size_t numColumns,
                 const MathGridLook& look);

  const MathFont& m_font;
  WorkBudget m_budget{{.steps = kMaxSteps}};
};

}  // namespace quire
