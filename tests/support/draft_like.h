#pragma once

#include <filesystem>
#include <string>

namespace quire {

struct DraftLikeOptions {
  int max_positions = 2048;
  int window = 0;  ///< Of the layers that have one, or chunks; 0: as the folder's.
  /// The layer that one for multi-token prediction, with random weights, is to be like; -1: none.
  int mtp_like = -1;
};

/// Writes a model with the draft model's tokenizer and vocabulary and the layers of a folder of
/// tests/data/models, with random embeddings and head, so that tests of the whole engine can have
/// any architecture. Aborts if it cannot. Set QUIRE_TEST_MODEL to `folder` without its "-draft" for
/// draft_model_folder() to return it.
void write_draft_like(const std::string& tiny_model, const std::filesystem::path& folder,
                      const DraftLikeOptions& options = {});

/// Writes the draft model itself with a random layer for multi-token prediction. Aborts if it
/// cannot.
void write_draft_with_mtp(const std::filesystem::path& folder);

/// Writes a model of the same vocabulary that counts: after each token the next id is likeliest.
/// Its layer for multi-token prediction guesses this from the token and the state before it
/// together, and is wrong if either is another's. Aborts if it cannot.
void write_counting_model(const std::filesystem::path& folder);

/// Writes four Medusa heads for it, which guess from the state alone.
void write_counting_heads(const std::filesystem::path& folder);

}  // namespace quire
