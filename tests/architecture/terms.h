#pragma once

#include "tests/architecture/layering.h"

namespace quire {

/// Finds terms that the project has replaced by those of the field, in code, comments, names and
/// documents.
std::vector<Violation> check_terms(std::string_view path, std::string_view content);

}  // namespace quire
