#pragma once

#include <memory>

#include "kernels/backend.h"

namespace quire {

/// A backend that takes everything and keeps nothing: loading onto it reads and checks a model's
/// tensors as any other would, and computing on it does nothing. For asking what would stop a model
/// from loading without the memory that it needs.
std::unique_ptr<Backend> make_null_backend();

}  // namespace quire
