#pragma once

#include <string>
#include <vector>

#include "app/hub/pull.h"

namespace quire {

/// "Qwen/Qwen3-8B-GGUF · Q4_K_M: 12% of 5.0 GB, 34.1 MB/s, 2 min left", or why it waits.
std::string progress_text(const PullProgress& progress);
/// Text from a hub in one line of visible characters.
std::string visible_line(const std::string& text);

/// The models of a search, one a line.
void print_entries(const std::vector<PullEntry>& entries, bool as_json);
/// With the memory that each choice needs and the tokens a second to expect on this machine.
void print_listing(const PullListing& listing, bool as_json);
/// The memory that a model can have: of the GPU or the host, whichever has more.
int64_t free_memory();
/// Models for this machine, and those that their hub did not confirm.
void print_recommended(const std::vector<PullRecommendation>& models, bool as_json);
/// An error as one JSON object on standard output: {"error": {"kind": "no_space", "message": …}}.
void print_failure(const Error& error, const std::string& sentence);
/// The path on standard output; what was done on standard error.
void print_pulled(const PullResult& result, bool as_json);

}  // namespace quire
