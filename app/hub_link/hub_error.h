#pragma once

#include "app/get_models/hub_access.h"
#include "kernels/base/result.h"

namespace quire {

/// An error of a hub or of a download in the words of the window, which has no command line.
/// Thread: any.
HubError hubErrorOf(const Error& error);

}  // namespace quire
