#pragma once

#include <QList>
#include <QString>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/reply.h"
#include "engine/chat/chat_message.h"
#include "engine/chat/prompt_options.h"
#include "engine/chat/tool_choice.h"
#include "engine/request.h"

namespace quire {

/// One message of a chat as the backend needs it.
struct ChatTurn {
  QString role;  ///< "system", "user", "assistant".
  QString text;
  QList<qint32> tokens;  ///< The sampled ids, if it was generated here; else empty.
  /// The ids are from a file that was imported: not used if special tokens are among them.
  bool isImported = false;
  /// Reasoning, tool calls and tool results, with the text among them; empty: `text` is all.
  std::vector<ContentPart> parts = {};
};

/// Priorities of requests: those with a higher one are scheduled first.
/// kFocusedPriority is that of the chat which the user is looking at.
enum RequestPriority : int {
  kApiPriority = 0,
  kBackgroundPriority = 100,  ///< Another chat of the window.
};

/// A text to be continued as it is, without a chat template.
struct RawPrompt {
  /// Special tokens written in it count as such; BOS is added if the model's files ask for it.
  QString text;
  QList<qint32> tokens;  ///< Not empty: these instead of `text`.
};

/// What an answer must be.
struct AnswerFormat {
  enum class Kind {
    kText,
    kJson,        ///< Any JSON object.
    kJsonSchema,  ///< JSON that the schema describes.
    kToolCalls,   ///< Calls of PromptOptions::tools, as `tools` says.
  };
  Kind kind = Kind::kText;
  std::string schema = {};  ///< JSON Schema, of kJsonSchema.
  ToolChoice tools = {};    ///< Of kToolCalls.
};

struct ChatRequest {
  QList<ChatTurn> turns;
  std::optional<RawPrompt> rawPrompt = {};  ///< In place of `turns`.
  SamplingParams sampling;
  /// The last of `turns` is an incomplete answer, which is continued.
  bool continueAnswer = false;
  int priority = kBackgroundPriority;
  qint64 chatId = 0;  ///< The chat whose keys and values are cached between turns; 0: none.
  qint64 personaId = 0;
  /// The path of the model that answers; empty: the primary one. It is loaded if necessary.
  QString modelPath = {};
  QString adapterPath = {};   ///< The LoRA adapter that is to answer with it; empty: none.
  PromptOptions prompt = {};  ///< Tools, and what else the template reads.
  AnswerFormat format = {};
  /// A chat that exceeds the context loses its oldest turns; false: it is refused.
  bool dropsOldTurns = true;
};

/// Everything that is needed to generate an answer again (quire-cli replay).
struct AnswerOrigin {
  QString modelFingerprint;
  QString templateHash;        ///< SHA-256 of the chat template's source, hexadecimal.
  QString deviceName;          ///< "CPU · AVX-512 · 2 threads".
  SamplingParams sampling;     ///< As they were used, stop strings of the model's turns included.
  QString adapterPath;         ///< ChatRequest::adapterPath.
  QList<qint32> promptTokens;  ///< The whole prompt as it was computed.
};

/// Which messages sending a chat would drop, because they exceed the model's context.
struct ContextForecast {
  int promptTokens = 0;     ///< Of the prompt as it would be sent, after dropping.
  int contextTokens = 0;    ///< What the context holds.
  int droppedMessages = 0;  ///< The oldest ones, in whole turns; the system prompt stays.
  int messageTokens = 0;    ///< Of the last turn's text alone.
  int cachedTokens = 0;     ///< Of the prompt: cached, so that they need not be computed.
  QString error;            ///< Why it could not be sent at all; empty if it can.
};

/// How a prompt was computed, reported with the first token of its answer.
struct PromptReport {
  int promptTokens = 0;
  int cachedTokens = 0;     ///< Of the prompt: not computed, their keys and values were cached.
  int diskTokens = 0;       ///< Of the cached: read back from disk.
  int droppedMessages = 0;  ///< The oldest ones, left out because the context is full.
  PrefixMiss miss;          ///< Where and why the cached prefix ended; its message is one of
                            ///< ChatRequest::turns.
  double firstTokenMs = 0.0;
  double queueMs = 0.0;  ///< Of firstTokenMs: until its first tokens were computed.
  qint64 chatId = 0;     ///< ChatRequest::chatId.
  int systemTurns = 0;   ///< At the head of ChatRequest::turns, which miss.message counts.
};

/// A token that was sampled, or might have been.
struct TokenChance {
  qint32 id = 0;
  QByteArray bytes;  ///< Its text, which need not be whole UTF-8 characters.
  float logprob = 0.0f;
};

/// A sampled token and the likeliest ones in its place (SamplingParams::num_logprobs).
struct TokenChances {
  TokenChance sampled;
  QList<TokenChance> likeliest;
};

/// How an answer ended.
struct AnswerReport {
  FinishReason finish = FinishReason::kEnd;
  QString error;  ///< One sentence for the user; empty unless it failed.
  ErrorCode errorCode = ErrorCode::kInternal;  ///< Of `error`.
  QString stop;  ///< With kStop: the stop string that ended it; empty for a stop token.
  PromptReport prompt;
  int outputTokens = 0;
  int draftedTokens = 0;   ///< Guesses of next tokens that were computed.
  int acceptedTokens = 0;  ///< Of them: those that were right. Each saved a step.
  double totalMs = 0.0;
  double tokensPerSecond = 0.0;
  QList<qint32> tokens;  ///< The whole answer's ids, the end token left out.
  AnswerOrigin origin;
};

/// Receives one answer.
/// Thread: a backend's; calls for one answer come one after the other: started once, tokensSampled
/// and textAppended any number of times, finished once, and nothing after it. An answer that fails
/// before it has a token finishes without having started.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  virtual void started(const PromptReport& report) = 0;
  /// The ids of the text that follows, those of what an answer goes on from before the first. Only
  /// from a backend that samples here.
  virtual void tokensSampled(const QList<qint32>& tokens) { static_cast<void>(tokens); }
  /// Of these tokens, before their text; only if the request asks for it.
  virtual void logprobsComputed(const QList<TokenChances>& tokens) { static_cast<void>(tokens); }
  /// `outputTokens`: of the whole answer so far.
  virtual void textAppended(const QString& text, int outputTokens) = 0;
  virtual void finished(const AnswerReport& report) = 0;
};

/// Answers chats: the local engine, or a remote endpoint.
///
/// Thread: any. No call blocks, and none calls a sink or a reply itself. The backend outlives every
/// call; its destructor drops the requests that have not finished.
class ChatBackend {
 public:
  virtual ~ChatBackend() = default;

  /// Queues a request; the sink (never null) receives its answer. A prompt that cannot be served
  /// finishes with an error.
  virtual RequestId submit(const ChatRequest& request, std::shared_ptr<AnswerSink> sink) = 0;
  /// The answer finishes with kCancelled and keeps its text. Unknown and finished ids are ignored.
  virtual void cancel(RequestId id) = 0;
  /// See ChatRequest::priority. Unknown and finished ids are ignored.
  virtual void setPriority(RequestId id, int priority) = 0;
  /// Forecasts what sending this chat would drop. A request that is withdrawn early costs nothing.
  virtual PendingReply forecast(const ChatRequest& request, Reply<ContextForecast> reply) = 0;
};

}  // namespace quire
