#include "tests/support/fidelity/held_out_text.h"

#include <cmath>
#include <fstream>
#include <numeric>
#include <string>
#include <string_view>

#include "engine/score.h"

namespace quire::test {
namespace {

constexpr std::string_view kEnd = "<|end|>";

/// The file writes a line break within a message as a backslash and an n.
std::string with_line_breaks(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_break = text.substr(i, 2) == "\\n";
    result += is_break ? '\n' : text[i];
    if (is_break) ++i;
  }
  return result;
}

/// One message, from its mark to its end.
void add_message(std::string_view mark, std::string_view text, const Tokenizer& tokenizer,
                 HeldOutChat& chat) {
  chat.tokens.push_back(*tokenizer.special_token(mark));
  chat.is_said.push_back(false);
  const std::vector<TokenId> ids = tokenizer.encode(with_line_breaks(text));
  chat.tokens.insert(chat.tokens.end(), ids.begin(), ids.end());
  chat.tokens.push_back(*tokenizer.special_token(kEnd));
  chat.is_said.resize(chat.tokens.size(), mark == "<|assistant|>");
}

HeldOutChat read_chat(std::string_view line, const Tokenizer& tokenizer) {
  HeldOutChat chat = {.tokens = {*tokenizer.bos_token()}, .is_said = {false}};
  while (!line.empty()) {
    const size_t mark_end = line.find("|>") + 2;
    const size_t end = line.find(kEnd);
    CHECK(line.starts_with("<|") && mark_end < end && end < line.size());
    add_message(line.substr(0, mark_end), line.substr(mark_end, end - mark_end), tokenizer, chat);
    line.remove_prefix(end + kEnd.size());
  }
  return chat;
}

}  // namespace

double TextScore::perplexity() const {
  return std::exp(nll / static_cast<double>(tokens));
}

std::vector<HeldOutChat> read_held_out(const std::filesystem::path& file,
                                       const Tokenizer& tokenizer, size_t max_tokens) {
  std::ifstream stream(file);
  std::vector<HeldOutChat> chats;
  for (std::string line; std::getline(stream, line);) {
    HeldOutChat chat = read_chat(line, tokenizer);
    if (chat.tokens.size() > max_tokens) chat.tokens.resize(max_tokens);
    chats.push_back(std::move(chat));
  }
  return chats;
}

Result<HeldOutScore> score_held_out(const LoadedModel& model, std::span<const HeldOutChat> chats,
                                    DType kv_dtype) {
  HeldOutScore score;
  const auto vocab_size = static_cast<size_t>(model.config.vocab_size);
  for (const HeldOutChat& chat : chats) {
    const auto inputs = std::span(chat.tokens).first(chat.tokens.size() - 1);
    std::vector<int32_t> rows(inputs.size());
    std::iota(rows.begin(), rows.end(), 0);
    const auto logits = compute_logits(model, inputs, rows, kv_dtype);
    if (!logits) return logits.error();
    for (size_t i = 0; i < rows.size(); ++i) {
      const std::span<const float> row(logits->data() + i * vocab_size, vocab_size);
      const double nll = negative_log_likelihood(row, chat.tokens[i + 1]);
      score.all.add(nll);
      if (chat.is_said[i + 1]) score.said.add(nll);
    }
  }
  return score;
}

}  // namespace quire::test
