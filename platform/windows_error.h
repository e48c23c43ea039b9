#pragma once

namespace quire::platform {

/// Sets errno by the calling thread's last Windows error. Returns false, for the caller to return.
bool set_errno();

}  // namespace quire::platform
