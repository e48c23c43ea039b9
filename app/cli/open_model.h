#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "app/cli/cli_options.h"
#include "engine/llm.h"

namespace quire {

/// Loads the chosen model and makes an engine for it; shows the progress of a long load on a
/// terminal. `max_sequences` is how many answers will be computed together at most.
Result<Llm> open_llm(const CommonOptions& options, int max_sequences = 64);

/// Only the model's tokenizer: its weights are not read.
Result<std::unique_ptr<Tokenizer>> open_tokenizer(const CommonOptions& options);

/// The model's chat template; adds bos_token and eos_token to `variables` where they are missing.
/// Errors: also kUnsupported for a model without one.
Result<ChatTemplate> open_chat_template(const CommonOptions& options,
                                        nlohmann::ordered_json& variables);

}  // namespace quire
