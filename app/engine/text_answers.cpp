#include "app/engine/text_answers.h"

#include <algorithm>
#include <string>

#include "app/engine/chat_preparation.h"
#include "app/error_strings.h"
#include "engine/embed.h"
#include "engine/io/text.h"

namespace quire {
namespace {

/// "Input 3": as people count.
std::string nameOf(size_t input) {
  return "Input " + std::to_string(input + 1);
}

Result<void> checkInput(const TextModel& model, const std::vector<TokenId>& tokens, size_t input) {
  const int vocabulary = model.chat->tokenizer->vocab_size();
  if (tokens.empty()) {
    return Error{ErrorCode::kInvalidArgument, nameOf(input) + " has no tokens; leave it out."};
  }
  const auto unknown =
      std::ranges::find_if(tokens, [vocabulary](TokenId id) { return id < 0 || id >= vocabulary; });
  if (unknown != tokens.end()) {
    return Error{ErrorCode::kInvalidArgument, nameOf(input) + " has the token " +
                                                  std::to_string(*unknown) +
                                                  ", which is not in this model's vocabulary of " +
                                                  std::to_string(vocabulary) + " tokens."};
  }
  if (tokens.size() <= static_cast<size_t>(std::max(model.contextLength, 0))) return {};
  return Error{ErrorCode::kContextOverflow,
               nameOf(input) + " has " + with_separators(tokens.size()) +
                   " tokens, more than the model's context of " +
                   with_separators(static_cast<uint64_t>(model.contextLength)) + "; shorten it."};
}

}  // namespace

TokenizedText tokenizedText(const TextModel& model, const ChatRequest& request) {
  TokenizedText text = {.contextLength = model.contextLength};
  const auto tokens = promptTokens(*model.chat, request);
  if (!tokens) {
    text.error = errorText(tokens.error());
    text.errorCode = tokens.error().code;
    return text;
  }
  text.tokens = {tokens->begin(), tokens->end()};
  for (const TokenId id : *tokens) {
    const std::string_view piece = model.chat->tokenizer->token_piece(id);
    text.pieces.append(QByteArray(piece.data(), static_cast<qsizetype>(piece.size())));
  }
  return text;
}

DetokenizedText detokenizedText(const TextModel& model, const QList<qint32>& tokens) {
  const Tokenizer& tokenizer = *model.chat->tokenizer;
  const std::vector<TokenId> ids(tokens.begin(), tokens.end());
  for (const TokenId id : ids) {
    if (id >= 0 && id < tokenizer.vocab_size()) continue;
    const std::string message = "Token " + std::to_string(id) +
                                " is not in this model's vocabulary of " +
                                std::to_string(tokenizer.vocab_size()) + " tokens.";
    return {.error = QString::fromStdString(message), .errorCode = ErrorCode::kInvalidArgument};
  }
  return {.text = QString::fromStdString(tokenizer.decode(ids, /*with_special=*/true))};
}

Result<std::vector<std::vector<TokenId>>> embeddingTokens(const TextModel& model,
                                                          const std::vector<RawPrompt>& inputs) {
  std::vector<std::vector<TokenId>> all;
  for (const RawPrompt& input : inputs) {
    std::vector<TokenId> tokens(input.tokens.begin(), input.tokens.end());
    if (tokens.empty()) {
      tokens = embedding_tokens(*model.chat->tokenizer, input.text.toStdString());
    }
    if (const auto fits = checkInput(model, tokens, all.size()); !fits) return fits.error();
    all.push_back(std::move(tokens));
  }
  return all;
}

}  // namespace quire
