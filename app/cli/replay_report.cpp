#include "app/cli/replay_check.h"

#include <nlohmann/json.hpp>

#include "engine/io/text.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;
using Kind = ReplayVerdict::Kind;

/// Empty for an id outside the vocabulary, which a damaged file may hold.
std::string piece_of(TokenId id, const Tokenizer* tokenizer) {
  if (tokenizer == nullptr || id < 0 || id >= tokenizer->vocab_size()) return {};
  return std::string(tokenizer->token_piece(id));
}

std::string end_words(const std::string& finish) {
  if (finish == "end") return "the model's end";
  if (finish == "stop") return "the end at a stop string";
  if (finish == "length") return "the end at the token limit";
  return "the end (" + finish + ")";
}

std::string side_words(const std::optional<TokenId>& id, const std::string& end,
                       const Tokenizer* tokenizer) {
  if (!id) return end_words(end);
  return "'" + for_message(piece_of(*id, tokenizer)) + "' (" + std::to_string(*id) + ")";
}

std::string count_words(size_t count) {
  return std::to_string(count) + (count == 1 ? " token" : " tokens");
}

std::string difference_words(const RecordedAnswer& recorded, const ReplayVerdict& verdict,
                             const Tokenizer* tokenizer) {
  const size_t count = recorded.tokens.size();
  const bool after = static_cast<size_t>(verdict.position) > count;
  const std::string where =
      after ? "after its " + count_words(count)
            : "at token " + std::to_string(verdict.position) + " of " + std::to_string(count);
  return "differs " + where + ": stored " +
         side_words(verdict.stored, verdict.stored_end, tokenizer) + ", now " +
         side_words(verdict.now, verdict.now_end, tokenizer) + ". It was made on " +
         for_message(recorded.deviceName) + ".";
}

std::string title_of(const RecordedAnswer& recorded) {
  const std::string title = for_message(recorded.chatTitle);
  return title.empty() ? "chat " + std::to_string(recorded.chatId) : "\"" + title + "\"";
}

Json side_json(const std::optional<TokenId>& id, const std::string& end,
               const Tokenizer* tokenizer) {
  if (!id) return {{"end", end}};
  return {{"id", *id}, {"token", piece_of(*id, tokenizer)}};
}

const char* result_name(Kind kind) {
  if (kind == Kind::kIdentical) return "identical";
  if (kind == Kind::kFailed) return "failed";
  return kind == Kind::kDiffers ? "differs" : "unknown";
}

Json head_json(const RecordedAnswer& recorded) {
  return {{"message", recorded.messageId},
          {"chat", recorded.chatId},
          {"title", recorded.chatTitle},
          {"model", recorded.modelName},
          {"tokens", recorded.tokens.size()}};
}

}  // namespace

std::string replay_line(const RecordedAnswer& recorded, const ReplayVerdict& verdict,
                        const Tokenizer* tokenizer) {
  const std::string head =
      "Message " + std::to_string(recorded.messageId) + " of " + title_of(recorded) + ": ";
  if (verdict.kind == Kind::kUnknown) return head + "cannot be replayed. " + verdict.reason + "\n";
  if (verdict.kind == Kind::kFailed) return head + "failed: there is nothing to compare.\n";
  if (verdict.kind == Kind::kDiffers) {
    return head + difference_words(recorded, verdict, tokenizer) + "\n";
  }
  const std::string tail = recorded.finish.empty() ? ", where it was cut off" : "";
  return head + "identical (" + count_words(recorded.tokens.size()) + tail + ").\n";
}

Json replay_json(const RecordedAnswer& recorded, const ReplayVerdict& verdict,
                 const Tokenizer* tokenizer) {
  Json json = head_json(recorded);
  json["result"] = result_name(verdict.kind);
  if (!verdict.reason.empty()) json["reason"] = verdict.reason;
  if (verdict.kind != Kind::kDiffers) return json;
  json["position"] = verdict.position;
  json["stored"] = side_json(verdict.stored, verdict.stored_end, tokenizer);
  json["now"] = side_json(verdict.now, verdict.now_end, tokenizer);
  json["device"] = recorded.deviceName;
  return json;
}

std::string listing_line(const RecordedAnswer& recorded) {
  std::string line = "Message " + std::to_string(recorded.messageId) + " of " + title_of(recorded) +
                     " (chat " + std::to_string(recorded.chatId) +
                     "): " + count_words(recorded.tokens.size()) + " by " +
                     for_message(recorded.modelName) + ".";
  if (recorded.failed) return line + " " + recorded.obstacle + "\n";
  if (!recorded.obstacle.empty()) line += " It cannot be replayed. " + recorded.obstacle;
  return line + "\n";
}

Json listing_json(const RecordedAnswer& recorded) {
  Json json = head_json(recorded);
  json["fingerprint"] = recorded.modelFingerprint;
  if (!recorded.obstacle.empty()) json["reason"] = recorded.obstacle;
  return json;
}

}  // namespace quire
