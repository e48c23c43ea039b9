#pragma once

#include <QByteArray>
#include <QList>

#include "app/store/records.h"
#include "kernels/base/result.h"

namespace quire {

/// A persona that comes with Quire, to be made into one of the user's.
struct PersonaPreset {
  PersonaRecord persona;  ///< Without an id yet.
  bool isFirst = false;   ///< Made into a persona when there are none yet.
};

/// Reads presets: a JSON list of {id, icon, color, first, settings, en: {name, description,
/// prompt}, ko: {...}}. `language`: whose words; where it lacks them English stands in. Errors:
/// kCorruptFile with what is wrong.
Result<QList<PersonaPreset>> parsePersonaPresets(const QByteArray& json, const QString& language);

}  // namespace quire
