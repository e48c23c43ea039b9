#pragma once

#include <optional>

#include "app/store/records.h"

namespace quire {

/// In what one answer differs from what the chat would have; nothing is set for an ordinary one.
struct AnswerPlan {
  std::optional<double> temperature;
  std::optional<quint64> seed;
  std::optional<RecordId> personaId;
  QString label;  ///< What it is called among others: "Temperature 0.4".
};

}  // namespace quire
