#pragma once

#include <QString>

#include <optional>

#include "app/models/quantize_tools.h"

namespace quire {

/// What a run was asked for, stored until its file is whole: a run that the end of Quire interrupts
/// is offered at the next start.
struct StartedQuantize {
  QString modelName;
  QuantizeRequest request;  ///< `resumes` is not stored.
};

QString toSetting(const StartedQuantize& started);
/// Nothing where the text is not what toSetting() made, or its paths are not absolute.
std::optional<StartedQuantize> startedQuantize(const QString& setting);

}  // namespace quire
