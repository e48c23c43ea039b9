#pragma once

#include "app/cli/load/http_posts.h"
#include "app/cli/load/load_plan.h"

namespace quire {

/// Asks the endpoint's /tokenize, in the shape of vLLM's, which of the words are one token each,
/// and how many tokens a prompt has beside its words. An endpoint without it, or with few such
/// words, changes nothing: prompts are then longer than planned.
void fit_words(HttpPosts& posts, TrafficOptions& options);

}  // namespace quire
