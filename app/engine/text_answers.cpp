#include "app/engine/text_answers.h"

#include <algorithm>
#include <string>

#include "app/engine/chat_preparation.h"
#include "app/engine/prompt_length.h"
#include "app/error_strings.h"
#include "engine/embed.h"
#include "engine/io/text.h"
#include "engine/tokenizer/length_check.h"

namespace quire {
namespace {

/// "Input 3": as people count.
std::string nameOf(size_t input) {
  return "Input " + std::to_string(input + 1);
}

/// What one question may ask for: a second's work, and an answer that fits into memory many times.
constexpr size_t kMaxTokenizedBytes = 4 << 20;
constexpr size_t kMaxDetokenizedBytes = 16 << 20;

Error tooMuchText(const char* what, size_t bytes, size_t most) {
  return {ErrorCode::kInvalidArgument, std::string(what) + " has " + with_separators(bytes) +
                                           " bytes, and at most " + with_separators(most) +
                                           " are converted at once; send it in parts."};
}

/// Before a text is encoded, which may be much longer than any context.
Result<void> checkText(const TextModel& model, const std::string& text, size_t input) {
  const auto limit = static_cast<size_t>(std::max(model.contextLength, 0));
  const std::string_view view = text;
  if (!is_far_beyond(*model.chat->tokenizer, {&view, 1}, limit)) return {};
  return Error{ErrorCode::kContextOverflow, nameOf(input) + " has more than " +
                                                with_separators(2 * limit) +
                                                " tokens, more than the model's context of " +
                                                with_separators(limit) + "; shorten it."};
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

TokenizedText tokenizedText(const TextModel& model, const ChatRequest& request, bool withPieces) {
  TokenizedText text = {.contextLength = model.contextLength};
  // UTF-8 never has fewer bytes: what is certainly too long is not converted to count them.
  size_t bytes = promptBytes(request);
  if (bytes <= kMaxTokenizedBytes) bytes += moreBytesInUtf8(request);
  if (bytes > kMaxTokenizedBytes) {
    const Error error = tooMuchText("The text", bytes, kMaxTokenizedBytes);
    text.error = errorText(error);
    text.errorCode = error.code;
    return text;
  }
  const auto tokens = promptTokens(*model.chat, request);
  if (!tokens) {
    text.error = errorText(tokens.error());
    text.errorCode = tokens.error().code;
    return text;
  }
  text.tokens = {tokens->begin(), tokens->end()};
  if (!withPieces) return text;
  for (const TokenId id : *tokens) {
    const std::string_view piece = model.chat->tokenizer->token_piece(id);
    text.pieces.append(QByteArray(piece.data(), static_cast<qsizetype>(piece.size())));
  }
  return text;
}

DetokenizedText detokenizedText(const TextModel& model, const QList<qint32>& tokens) {
  const Tokenizer& tokenizer = *model.chat->tokenizer;
  const std::vector<TokenId> ids(tokens.begin(), tokens.end());
  size_t bytes = 0;
  for (const TokenId id : ids) {
    if (id >= 0 && id < tokenizer.vocab_size()) {
      bytes += std::max(tokenizer.token_bytes(id).size(), tokenizer.token_piece(id).size());
      continue;
    }
    const std::string message = "Token " + std::to_string(id) +
                                " is not in this model's vocabulary of " +
                                std::to_string(tokenizer.vocab_size()) + " tokens.";
    return {.error = QString::fromStdString(message), .errorCode = ErrorCode::kInvalidArgument};
  }
  if (bytes > kMaxDetokenizedBytes) {
    const Error error = tooMuchText("The tokens' text", bytes, kMaxDetokenizedBytes);
    return {.error = errorText(error), .errorCode = error.code};
  }
  return {.text = QString::fromStdString(tokenizer.decode(ids, /*with_special=*/true))};
}

Result<std::vector<std::vector<TokenId>>> embeddingTokens(const TextModel& model,
                                                          const std::vector<RawPrompt>& inputs) {
  std::vector<std::vector<TokenId>> all;
  for (const RawPrompt& input : inputs) {
    std::vector<TokenId> tokens(input.tokens.begin(), input.tokens.end());
    if (tokens.empty()) {
      const std::string text = input.text.toStdString();
      if (const auto fits = checkText(model, text, all.size()); !fits) return fits.error();
      tokens = embedding_tokens(*model.chat->tokenizer, text);
    }
    if (const auto fits = checkInput(model, tokens, all.size()); !fits) return fits.error();
    all.push_back(std::move(tokens));
  }
  return all;
}

}  // namespace quire
