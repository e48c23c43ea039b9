#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/chat/default_template.h"
#include "engine/model_loader.h"
#include "engine/tokenizer/gguf_tokenizer.h"
#include "kernels/base/check.h"

namespace quire {

inline const std::filesystem::path kConformanceFolder =
    std::filesystem::path(QUIRE_SOURCE_DIR) / "../shared/conformance";

inline std::string read_template(const std::string& name) {
  std::ifstream file(kConformanceFolder / "templates" / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A model without weights: a published vocabulary with a published template, or, for an empty
/// name, with what stands in for a missing one.
inline LoadedModel template_model(const std::string& vocabulary, const std::string& template_name) {
  LoadedModel model;
  const auto gguf = GgufFile::open(kConformanceFolder / "tokenizers" / vocabulary);
  CHECK(gguf.has_value());
  auto tokenizer = load_gguf_tokenizer(*gguf);
  CHECK(tokenizer.has_value());
  model.tokenizer = std::move(*tokenizer);
  model.template_source = template_name.empty() ? default_template(*model.tokenizer).source
                                                : read_template(template_name);
  auto compiled = ChatTemplate::compile(model.template_source);
  CHECK(compiled.has_value());
  model.chat_template = std::move(*compiled);
  return model;
}

}  // namespace quire
