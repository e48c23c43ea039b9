#pragma once

#include <filesystem>
#include <string>

namespace quire {

struct DraftLikeOptions {
  int max_positions = 2048;
  int window = 0;  ///< Of the layers that have one, or chunks; 0: as the folder's.
  /// If not -1, a layer for multi-token prediction is added, with random weights and the shapes of
  /// this layer.
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

/// Writes a model with the draft model's vocabulary that counts: after each token the next id is
/// the likeliest. Its layer for multi-token prediction guesses the next id from the token and the
/// state before it together, and guesses wrong if either belongs to another token. Aborts if it
/// cannot.
void write_counting_model(const std::filesystem::path& folder);

/// Writes four Medusa heads for the counting model, which guess right from the state alone.
void write_counting_heads(const std::filesystem::path& folder);

}  // namespace quire
