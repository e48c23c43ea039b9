#pragma once

#include <string>
#include <string_view>

namespace quire {

/// A regular expression with callouts `(?C1)` where a backtracking search can come by very often:
/// before an item that matches a varying length of text, if what follows it can fail, so that the
/// search returns to it. Between two callouts a search does no more work than one pass over the
/// text. An item at which a search cannot spend much is left alone: a short one that is the first
/// of its alternative, the last one of its alternative. What the expression matches does not
/// change.
///
/// `pattern` is what translate_oniguruma wrote.
std::string with_callouts(std::string_view pattern);

}  // namespace quire
