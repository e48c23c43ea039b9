#pragma once

#include <filesystem>
#include <string>

#include "kernels/base/result.h"

namespace quire {

/// The Jinja source of a model folder's chat template: chat_template.jinja, or chat_template of
/// tokenizer_config.json (of several, the one named "default"). Empty if there is none.
/// Errors: kIo, kCorruptFile.
Result<std::string> read_template_source(const std::filesystem::path& folder);

}  // namespace quire
