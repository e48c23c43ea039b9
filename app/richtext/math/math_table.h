#pragma once

#include <QByteArray>
#include <QHash>
#include <QList>

#include <optional>

namespace quire {

/// The constants of a font's MATH table, in the order of the OpenType specification.
enum class MathConstant {
  AxisHeight = 1,
  AccentBaseHeight,
  FlattenedAccentBaseHeight,
  SubscriptShiftDown,
  SubscriptTopMax,
  SubscriptBaselineDropMin,
  SuperscriptShiftUp,
  SuperscriptShiftUpCramped,
  SuperscriptBottomMin,
  SuperscriptBaselineDropMax,
  SubSuperscriptGapMin,
  SuperscriptBottomMaxWithSubscript,
  SpaceAfterScript,
  UpperLimitGapMin,
  UpperLimitBaselineRiseMin,
  LowerLimitGapMin,
  LowerLimitBaselineDropMin,
  StackTopShiftUp,
  StackTopDisplayStyleShiftUp,
  StackBottomShiftDown,
  StackBottomDisplayStyleShiftDown,
  StackGapMin,
  StackDisplayStyleGapMin,
  StretchStackTopShiftUp,
  StretchStackBottomShiftDown,
  StretchStackGapAboveMin,
  StretchStackGapBelowMin,
  FractionNumeratorShiftUp,
  FractionNumeratorDisplayStyleShiftUp,
  FractionDenominatorShiftDown,
  FractionDenominatorDisplayStyleShiftDown,
  FractionNumeratorGapMin,
  FractionNumDisplayStyleGapMin,
  FractionRuleThickness,
  FractionDenominatorGapMin,
  FractionDenomDisplayStyleGapMin,
  SkewedFractionHorizontalGap,
  SkewedFractionVerticalGap,
  OverbarVerticalGap,
  OverbarRuleThickness,
  OverbarExtraAscender,
  UnderbarVerticalGap,
  UnderbarRuleThickness,
  UnderbarExtraDescender,
  RadicalVerticalGap,
  RadicalDisplayStyleVerticalGap,
  RadicalRuleThickness,
  RadicalExtraAscender,
  RadicalKernBeforeDegree,
  RadicalKernAfterDegree,
  Count
};

/// A larger form of a glyph; `size` is its height, or its width for horizontal ones.
struct GlyphVariant {
  quint16 glyph = 0;
  int size = 0;
};

/// A piece of which a sign of any size is assembled, from the bottom or the left.
struct GlyphPart {
  quint16 glyph = 0;
  int startConnector = 0;
  int endConnector = 0;
  int size = 0;
  bool isExtender = false;  ///< May be repeated or left out.
};

struct GlyphGrowth {
  QList<GlyphVariant> variants;  ///< From the smallest.
  QList<GlyphPart> parts;        ///< Empty: no assembly.
};

/// What a font's MATH table says, in units of the font (OpenType specification 1.9, "MATH").
struct MathTable {
  QList<int> constants;  ///< By MathConstant.
  int scriptPercent = 70;
  int scriptScriptPercent = 50;
  int displayOperatorMinHeight = 0;
  int radicalDegreeRaisePercent = 60;
  int minConnectorOverlap = 0;
  QHash<quint16, int> italics;
  QHash<quint16, int> accentAttachments;
  QHash<quint16, GlyphGrowth> vertical;
  QHash<quint16, GlyphGrowth> horizontal;

  int constant(MathConstant which) const { return constants[static_cast<int>(which)]; }
};

/// Reads a MATH table. Every offset and count is checked against the size of the table; nothing is
/// returned if one is wrong.
std::optional<MathTable> readMathTable(const QByteArray& bytes);

}  // namespace quire
