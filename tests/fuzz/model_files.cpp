#include "tests/fuzz/model_files.h"

namespace quire::fuzz {

std::filesystem::path write_model(const ScratchFolder& folder, std::string_view bytes) {
  folder.clear();
  if (bytes.starts_with("GGUF")) return folder.write("input.gguf", bytes);
  constexpr const char* kNames[] = {"config.json", "tokenizer.json", "tokenizer_config.json",
                                    "chat_template.jinja", "model.safetensors"};
  const auto parts = split_at_zeros(bytes, std::size(kNames));
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].empty()) folder.write(kNames[i], parts[i]);
  }
  return folder.path();
}

}  // namespace quire::fuzz
