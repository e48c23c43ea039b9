#pragma once

#include <filesystem>
#include <string>

namespace quire {

struct DraftLikeOptions {
  int max_positions = 2048;
  int window = 0;  ///< Of the layers that have one, or chunks; 0: as the folder's.
};

/// Writes a model with the draft model's tokenizer and vocabulary and the layers of a folder of
/// tests/data/models, with random embeddings and head, so that tests of the whole engine can have
/// any architecture. Aborts if it cannot. Set QUIRE_TEST_MODEL to `folder` without its "-draft" for
/// draft_model_folder() to return it.
void write_draft_like(const std::string& tiny_model, const std::filesystem::path& folder,
                      const DraftLikeOptions& options = {});

}  // namespace quire
