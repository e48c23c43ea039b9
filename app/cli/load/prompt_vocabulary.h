#pragma once

#include "app/cli/load/http_posts.h"
#include "app/cli/load/load_plan.h"

namespace quire {

/// Asks the endpoint's /tokenize, in the shape of vLLM's, which of the words are one token each,
/// and how many tokens a prompt has beside its words. An endpoint without it, or with few such
/// words, changes nothing: prompts are then longer than planned.
void fit_vocabulary(HttpPosts& posts, TrafficOptions& options);
/// The same by a tokenizer of one's own, for an endpoint that takes no token ids.
void fit_vocabulary(const Tokenizer& tokenizer, TrafficOptions& options);

}  // namespace quire
