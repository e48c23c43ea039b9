#pragma once

#include <optional>

#include "app/store/records.h"

namespace quire {

/// How one answer differs from the chat's settings.
struct AnswerPlan {
  std::optional<double> temperature;
  std::optional<quint64> seed;
  std::optional<RecordId> personaId;
  QString label;  ///< Shown above its column: "Temperature 0.4".
};

}  // namespace quire
