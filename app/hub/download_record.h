#pragma once

#include "app/hub/download_plan.h"

namespace quire {

/// Keeps the hashes that a hub promised beside a model that was downloaded, so that its files can
/// be verified later: ".quire-hashes/NAME.json" in the folder of the target, which
/// app/models/files/hash_record.h reads. A record that cannot be written costs no download.
void keepHashes(const DownloadPlan& plan);

}  // namespace quire
