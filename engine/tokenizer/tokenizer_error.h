#pragma once

#include <string>

#include "kernels/base/result.h"

namespace quire {

/// The sentence for a tokenizer that cannot be used: names the `file`, then `reason` (a clause,
/// which may quote the file's own text), and for a damaged file says what to do.
Error tokenizer_error(const std::string& file, const Error& reason);

}  // namespace quire
