#pragma once

#include <QString>

#include <optional>

#include "app/store/generation_settings.h"

namespace quire {

/// What a field of GenerationSettings is to the window: its words and its bounds.
struct GenerationField {
  enum class Kind { Number, Whole, Text, Switch };

  SettingField field = SettingField::Temperature;
  Kind kind = Kind::Number;
  double from = 0.0;  ///< Of the slider, which may be narrower than what can be typed.
  double to = 0.0;    ///< Not above `from`: no slider.
  double step = 0.0;
  int decimals = 2;
  QString name = {};
  QString help = {};
};

/// All fields in the order in which they are shown.
const QList<SettingField>& shownFields();
/// In the language of the moment.
GenerationField describe(SettingField field);

/// The value as text: "0.7", "off", "###|User:"; empty if it is not set. Stop strings are parted by
/// |, with \n for a line's end, \| and \\ for themselves.
QString textOf(const GenerationSettings& settings, SettingField field);
/// The same of what is used in the end; never empty, save for no stop strings.
QString textOf(const ResolvedSettings& resolved, SettingField field);
/// The value as a number, for a slider; a switch is 0 or 1.
double numberOf(const ResolvedSettings& resolved, SettingField field);

/// Takes a typed text as the field's value; empty text unsets it. Returns what is wrong in one
/// sentence, and changes nothing then; empty if nothing is.
QString setFromText(GenerationSettings& settings, SettingField field, const QString& text);
void unset(GenerationSettings& settings, SettingField field);

}  // namespace quire
