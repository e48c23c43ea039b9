#include "app/cli/replay_check.h"

#include <algorithm>

#include "engine/chat/chat_format.h"
#include "engine/io/text.h"

namespace quire {
namespace {

/// The first digits of a hash, which suffice to tell two apart by eye.
std::string shortened(const std::string& hash) {
  constexpr size_t kDigits = 12;
  return for_message(hash).substr(0, kDigits);
}

/// Whether the user or an error ended the answer, so that its end does not come from the model.
bool is_cut_off(const RecordedAnswer& recorded) {
  return recorded.finish.empty();
}

/// The new answer is shorter than the stored one.
ReplayVerdict judge_shorter(const RecordedAnswer& recorded, const Completion& now) {
  const size_t count = now.tokens.size();
  if (now.finish == FinishReason::kFailed) return {.reason = now.error};
  if (now.finish == FinishReason::kContext) {
    return {.reason = "The context is full after " + std::to_string(count) + " of its " +
                      std::to_string(recorded.tokens.size()) +
                      " tokens; give it more with --context."};
  }
  return {.kind = ReplayVerdict::Kind::kDiffers,
          .position = static_cast<int>(count) + 1,
          .stored = recorded.tokens[count],
          .now_end = std::string(finish_reason_name(now.finish))};
}

/// Every stored token is equal to the new one.
ReplayVerdict judge_end(const RecordedAnswer& recorded, const Completion& now) {
  const size_t count = recorded.tokens.size();
  ReplayVerdict verdict{.kind = ReplayVerdict::Kind::kIdentical};
  if (is_cut_off(recorded)) return verdict;
  const bool goes_on = now.tokens.size() > count;
  if (!goes_on && now.finish == FinishReason::kFailed) return {.reason = now.error};
  if (!goes_on && recorded.finish == finish_reason_name(now.finish)) return verdict;
  verdict.kind = ReplayVerdict::Kind::kDiffers;
  verdict.position = static_cast<int>(count) + 1;
  verdict.stored_end = recorded.finish;
  if (goes_on) {
    verdict.now = now.tokens[count];
  } else {
    verdict.now_end = finish_reason_name(now.finish);
  }
  return verdict;
}

}  // namespace

std::string find_obstacle(const RecordedAnswer& recorded, const LoadedModel& model) {
  if (!recorded.obstacle.empty()) return recorded.obstacle;
  if (recorded.modelFingerprint != model.fingerprint) {
    return "This answer was made by " + for_message(recorded.modelName) + " (fingerprint " +
           shortened(recorded.modelFingerprint) + "), and this model is " + model.config.name +
           " (" + shortened(model.fingerprint) + "); give its file with --model.";
  }
  const std::string hash = template_hash(model.chat->template_source);
  if (recorded.templateHash == hash) return {};
  return "This answer was made with another chat template (hash " +
         shortened(recorded.templateHash) + "; the model's is now " + shortened(hash) +
         "), which may end it elsewhere.";
}

Request replay_request(const RecordedAnswer& recorded) {
  Request request;
  request.prompt = recorded.prompt;
  request.sampling = recorded.sampling;
  if (is_cut_off(recorded)) request.sampling.max_tokens = static_cast<int>(recorded.tokens.size());
  return request;
}

bool agrees(const RecordedAnswer& recorded, size_t offset, std::span<const TokenId> tokens) {
  const std::span<const TokenId> stored(recorded.tokens);
  if (offset + tokens.size() > stored.size()) return false;
  return std::ranges::equal(stored.subspan(offset, tokens.size()), tokens);
}

ReplayVerdict judge(const RecordedAnswer& recorded, const Completion& now) {
  const auto [stored, other] = std::ranges::mismatch(recorded.tokens, now.tokens);
  if (stored == recorded.tokens.end()) return judge_end(recorded, now);
  if (other == now.tokens.end()) return judge_shorter(recorded, now);
  return {.kind = ReplayVerdict::Kind::kDiffers,
          .position = static_cast<int>(stored - recorded.tokens.begin()) + 1,
          .stored = *stored,
          .now = *other};
}

}  // namespace quire
