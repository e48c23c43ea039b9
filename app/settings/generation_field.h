#pragma once

#include <QString>

#include <span>

#include "app/store/generation_settings.h"

namespace quire {

/// A row of the sampling settings: which field of GenerationSettings it shows, its texts, the range
/// of its slider, and how its value is read.
struct GenerationField {
  SettingField field;
  double from;  ///< Of the slider, whose range may be smaller than the valid one.
  double to;    ///< There is no slider if this is not above `from`.
  double step;
  int decimals;
  // Source texts of the context "quire::GenerationFieldTexts".
  const char* name;
  const char* help;
  const char* range;  ///< The error for an invalid text.

  QString nameText() const;
  QString helpText() const;
  bool hasSlider() const { return to > from; }
  /// Folded until it is asked for: all but the temperature, the length and the reasoning.
  bool isAdvanced() const;
  /// The value in use as a number, for a slider; a switch is 0 or 1.
  double number(const ResolvedSettings& resolved) const;

  /// The value in use as text: "0.7", "off", "###|User:"; empty only for no stop strings. These are
  /// separated by |, with \n for a new line, and \| and \\ for | and \.
  QString textOf(const ResolvedSettings& resolved) const;
  bool isSetIn(const GenerationSettings& settings) const;
  /// Sets the field to a typed text; empty text unsets it. Returns an empty string, or an error
  /// sentence if the text is invalid and nothing was changed.
  QString setFromText(GenerationSettings& settings, const QString& text) const;
  void unset(GenerationSettings& settings) const;
};

/// All fields in the order in which they are shown.
std::span<const GenerationField> generationFields();

}  // namespace quire
