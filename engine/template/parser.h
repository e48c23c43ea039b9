#pragma once

#include <memory>
#include <string_view>

#include "engine/template/ast.h"
#include "kernels/base/result.h"

namespace quire::jinja {

/// Parses a template. `max_depth` bounds the nesting of expressions and of blocks, each.
/// Errors: kTemplate with line and column.
Result<std::unique_ptr<const SyntaxTree>> parse(std::string_view source, int max_depth);

}  // namespace quire::jinja
