#pragma once

#include <QString>

#include "kernels/base/result.h"

namespace quire {

/// Makes the folder that holds the user's data, readable by its owner only, with its parents. One
/// that exists keeps its permissions. Errors: kIo with the path, the reason and what to do.
Result<void> ensureDataFolder(const QString& folder);

/// Makes the file if it is missing, readable by its owner only, and narrows the permissions of one
/// that exists. Errors: kIo as above.
Result<void> ensurePrivateFile(const QString& path);

}  // namespace quire
