#pragma once

#include <QString>

#include <optional>
#include <span>
#include <variant>

#include "app/store/generation_settings.h"

namespace quire {

/// A row of the sampling settings: which field of GenerationSettings it shows, its texts, the range
/// of its slider, and how its value is read.
struct GenerationField {
  enum class Kind { Number, Whole, Text, Switch };
  using Member = std::variant<
      std::optional<double> GenerationSettings::*, std::optional<int> GenerationSettings::*,
      std::optional<quint64> GenerationSettings::*,
      std::optional<QStringList> GenerationSettings::*, std::optional<bool> GenerationSettings::*>;

  SettingField field;
  Kind kind;
  Member member;
  /// The value in use as a number, for a slider; a switch is 0 or 1. Null: it is no number.
  double (*used)(const ResolvedSettings& resolved);
  double from;  ///< Of the slider, which may be narrower than what can be typed.
  double to;    ///< Not above `from`: no slider.
  double step;
  int decimals;
  // Source texts of the context "quire::GenerationFieldTexts".
  const char* name;
  const char* help;
  const char* range;  ///< Shown where something else was typed.

  QString nameText() const;
  QString helpText() const;
  bool hasSlider() const { return to > from; }
  double number(const ResolvedSettings& resolved) const { return used ? used(resolved) : 0.0; }

  /// The value as text: "0.7", "off", "###|User:"; empty if it is not set. Stop strings are
  /// separated by |, with \n for a new line, and \| and \\ for | and \.
  QString textOf(const GenerationSettings& settings) const;
  /// The same of the value in use; empty only for no stop strings.
  QString textOf(const ResolvedSettings& resolved) const;
  bool isSetIn(const GenerationSettings& settings) const;
  /// Sets the field to a typed text; empty text unsets it. Returns an empty string, or what is
  /// wrong in one sentence, and changes nothing then.
  QString setFromText(GenerationSettings& settings, const QString& text) const;
  void unset(GenerationSettings& settings) const;
};

/// All fields in the order in which they are shown.
std::span<const GenerationField> generationFields();
/// The place of a field in generationFields().
int generationRow(SettingField field);

}  // namespace quire
