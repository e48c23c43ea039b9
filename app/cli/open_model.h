#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/cli/cli_options.h"
#include "engine/llm.h"

namespace quire {

/// Loads the chosen model, after a trial in a process without rights, and makes an engine for it;
/// shows the progress of a long load on a terminal. `max_sequences` is the largest number of
/// answers that are computed together.
Result<Llm> open_llm(const CommonOptions& options, int max_sequences = 64);

/// Refuses a --context that is longer than what the model reads, before anything is allocated. The
/// model was tried before. Errors: also those of reading its header.
Result<void> check_context(const CommonOptions& options);

/// The prefix cache in that file, when its index is read; null for an empty path. Errors: kIo,
/// kCorruptFile and kUnsupported for a file that is none.
Result<std::shared_ptr<PrefixStore>> open_prefix_cache(const std::string& path);

/// What requests name as their adapter: that of the options, or 0 for none.
Result<AdapterId> chosen_adapter(Llm& llm, const CommonOptions& options);

/// The model's chat template; adds bos_token and eos_token to `variables` if they are missing.
/// Errors: those of reading the model, and kUnsupported for a model without a template.
Result<ChatTemplate> open_chat_template(const CommonOptions& options,
                                        nlohmann::ordered_json& variables);

}  // namespace quire
