#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/sampling/sampling_params.h"
#include "kernels/base/result.h"

namespace quire {

/// An answer of the store with everything that is needed to make it again.
struct RecordedAnswer {
  int64_t messageId = 0;
  int64_t chatId = 0;
  std::string chatTitle;
  std::string text;
  std::string obstacle;  ///< Why it cannot be made again, in a sentence; the rest may be empty.
  bool failed = false;   ///< An error ended it before its first token; `obstacle` says so.
  std::string modelName;
  std::string modelFingerprint;
  std::string templateHash;
  std::string deviceName;
  SamplingParams sampling;
  std::vector<int32_t> prompt;  ///< Token ids.
  std::vector<int32_t> tokens;  ///< The answer's, without an end token.
  /// The finish_reason_name (engine/request.h) of its end; empty if the user or an error ended it.
  std::string finish;
};

/// The answers of a conversation store for programs without Qt. It only reads: another Quire may be
/// running on the same folder.
/// Thread: one.
class RecordedAnswers {
 public:
  /// Errors: those of ConversationStore::openForReading.
  static Result<std::unique_ptr<RecordedAnswers>> open(const std::string& folder);
  ~RecordedAnswers();

  /// The answers of a chat, or of all chats for 0, that are no longer being written; oldest first.
  /// Errors: kNotFound if there is no such chat.
  Result<std::vector<int64_t>> ids(int64_t chatId = 0) const;
  /// Errors: kNotFound if there is no such message, or it is not an answer.
  Result<RecordedAnswer> read(int64_t messageId) const;

 private:
  struct State;
  explicit RecordedAnswers(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

/// Where Quire keeps conversations unless it is told otherwise: ~/.local/share/quire.
std::string defaultDataFolder();

}  // namespace quire
