#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/chat/chat_format.h"
#include "engine/model_loader.h"
#include "engine/tokenizer/tokenizer_loader.h"
#include "kernels/base/check.h"

namespace quire {

inline const std::filesystem::path kConformanceFolder =
    std::filesystem::path(QUIRE_SOURCE_DIR) / "../shared/conformance";

inline std::string read_template(const std::string& name) {
  std::ifstream file(kConformanceFolder / "templates" / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Replaces the model's chat template.
inline void set_template(LoadedModel& model, const std::string& source) {
  auto compiled = ChatTemplate::compile(source);
  CHECK(compiled.has_value());
  model.chat = std::make_shared<ChatFormat>(ChatFormat{.tokenizer = model.chat->tokenizer,
                                                       .chat_template = std::move(*compiled),
                                                       .template_source = source});
}

/// A model without weights: a published vocabulary with a published template, or, for an empty
/// name, with the default one.
inline LoadedModel template_model(const std::string& vocabulary, const std::string& template_name) {
  const auto gguf = GgufFile::open(kConformanceFolder / "tokenizers" / vocabulary);
  CHECK(gguf.has_value());
  auto tokenizer = load_gguf_tokenizer(*gguf);
  CHECK(tokenizer.has_value());
  LoadedModel model;
  model.chat = std::make_shared<ChatFormat>(ChatFormat{.tokenizer = std::move(*tokenizer)});
  set_template(model, template_name.empty() ? default_template(*model.chat->tokenizer).source
                                            : read_template(template_name));
  return model;
}

}  // namespace quire
