#pragma once

#include <string_view>

#include "engine/grammar/grammar_rules.h"
#include "kernels/base/result.h"

namespace quire {

/// The rules of the JSON that a JSON Schema describes (draft 2020-12, of which Grammar's comment
/// says what is left out). Bounds what a hostile schema may cost: its bytes, depth and values, and
/// the rules made of it. Thread: any. Errors: kInvalidArgument, naming the keyword and its place.
Result<GrammarRules> compile_schema(std::string_view schema);

}  // namespace quire
