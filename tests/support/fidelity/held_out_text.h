#pragma once

#include <filesystem>
#include <vector>

#include "engine/model_loader.h"

namespace quire::test {

/// A chat of the bundled model's held-out text.
struct HeldOutChat {
  std::vector<TokenId> tokens;
  std::vector<bool> is_said;  ///< Of each token: whether the assistant said it, its end included.
};

/// The chats of a file of resources/models/training's making, encoded as the model was trained on
/// them (chat_format.py): every message on its own between its marks. No more than max_tokens each.
std::vector<HeldOutChat> read_held_out(const std::filesystem::path& file,
                                       const Tokenizer& tokenizer, size_t max_tokens);

/// Negative log likelihood of so many tokens.
struct TextScore {
  double nll = 0.0;
  int64_t tokens = 0;

  void add(double token_nll) { nll += token_nll, ++tokens; }
  double perplexity() const;
};

struct HeldOutScore {
  TextScore said;  ///< What the assistant said, which is what the model was trained for.
  TextScore all;   ///< Every token but the first of each chat.
};

/// How well the model predicts the chats, with keys and values kept in kv_dtype.
Result<HeldOutScore> score_held_out(const LoadedModel& model, std::span<const HeldOutChat> chats,
                                    DType kv_dtype);

}  // namespace quire::test
