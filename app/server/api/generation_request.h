#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/chat_backend.h"

namespace quire {

/// The sampling parameters that a request may leave open, to be filled in from what the model's
/// files recommend, and from its context.
struct OpenSampling {
  std::optional<float> temperature = {};
  std::optional<float> topP = {};
  std::optional<int> topK = {};
  std::optional<uint64_t> seed = {};  ///< None: a random one. Answer i is sampled with seed + i.
  std::optional<int> maxTokens = {};  ///< None: what the context holds.
};

/// What any API asks for: answers to one chat, or continuations of texts.
struct GenerationRequest {
  std::string model;  ///< As the client names it; empty: the first one.
  /// The chat with its tools, format and priority. Its sampling holds everything that is not in
  /// `open`; its modelPath is filled in by the Generation.
  ChatRequest chat;
  OpenSampling open = {};
  /// Texts to be continued in place of the chat; each gets `numAnswers` answers.
  std::vector<RawPrompt> prompts = {};
  int numAnswers = 1;
  int numSampled = 0;         ///< Of which the best `numAnswers` are kept (best_of); 0: all.
  bool echoesPrompt = false;  ///< The text of each answer begins with its prompt.
  /// The field that `chat.format` came from, for errors.
  std::string formatField = {};
  /// The model's tool calls are found in its answers.
  bool findsToolCalls = false;
  /// Reasoning is separated from the answer; false: it stays in the text, with its marks.
  bool splitsReasoning = true;

  int numPrompts() const { return prompts.empty() ? 1 : static_cast<int>(prompts.size()); }
};

/// A piece of a tool call.
struct ToolCallPiece {
  int index = 0;               ///< Of the call in its answer.
  std::string id = {};         ///< With the first piece of a call.
  std::string name = {};       ///< With the first piece of a call.
  std::string arguments = {};  ///< Part of the JSON text.
};

/// What an answer grows by.
struct AnswerDelta {
  std::string reasoning = {};
  std::string text = {};
  std::vector<ToolCallPiece> toolCalls = {};
  QList<TokenChances> logprobs = {};  ///< Of the tokens since the last delta, if asked for.
  QList<qint32> tokens = {};          ///< The ids since the last delta.

  bool isEmpty() const {
    return reasoning.empty() && text.empty() && toolCalls.empty() && logprobs.isEmpty();
  }
};

/// How an answer ended.
struct AnswerEnd {
  FinishReason finish = FinishReason::kEnd;  ///< Never kFailed.
  std::string stop = {};                     ///< The stop string that ended it.
  bool hasToolCalls = false;
  int promptTokens = 0;
  int cachedTokens = 0;
  int outputTokens = 0;
  double queueMs = 0.0;
  double firstTokenMs = 0.0;
  double totalMs = 0.0;
};

/// Of all answers together; a prompt counts once for its answers.
struct GenerationUsage {
  int promptTokens = 0;
  int cachedTokens = 0;
  int outputTokens = 0;
};

}  // namespace quire
