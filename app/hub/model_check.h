#pragma once

#include <QString>

#include <stop_token>

#include "app/hub/download_plan.h"

namespace quire {

/// Whether what was downloaded is a model, which its hash does not tell: hubs also keep error pages
/// and empty files under the names of models.
///
/// The first bytes of each weight file are checked here. The rest is read by quire-inspect, in a
/// process without rights (docs/security.md); without that program, nothing more is read. An intact
/// model of an unsupported architecture passes: another version of Quire may load it.
/// `files`: the folder with the plan's files. Waits for up to 20 seconds.
/// Errors: HubProblem::kNotAModel.
Result<void> checkModel(const QString& files, const DownloadPlan& plan, const QString& inspector,
                        const std::stop_token& stop = {});

/// quire-inspect beside this program.
QString inspectorBesideProgram();

}  // namespace quire
