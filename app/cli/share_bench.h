#pragma once

#include <string>

#include "app/cli/cli_options.h"

namespace quire {

/// `bench --share`: measures one chat and several, and prints a text about this machine without
/// private data (app/machine/bench_text.h). Takes about half a minute.
Result<int> bench_to_share(const CommonOptions& common, const std::string& version);

}  // namespace quire
