#pragma once

#include <memory>

#include "app/server/api/answer_writer.h"
#include "app/server/api/openai_requests.h"
#include "app/server/http/http_message.h"

namespace quire {

/// What a writer needs to know of an OpenAI request.
struct OpenAiAnswerOptions {
  std::string model;   ///< Its name in the ModelDirectory.
  int numAnswers = 1;  ///< Of all prompts together.
  int numLogprobs = -1;
  StreamChoice stream = {};
};

/// The answers to /v1/chat/completions: as a stream of chunks or as one object.
std::unique_ptr<AnswerWriter> makeChatWriter(std::shared_ptr<HttpExchange> exchange,
                                             const OpenAiAnswerOptions& options);

/// The same of /v1/completions.
std::unique_ptr<AnswerWriter> makeCompletionWriter(std::shared_ptr<HttpExchange> exchange,
                                                   const OpenAiAnswerOptions& options);

/// "chatcmpl-0f3a...", with 128 random bits.
std::string makeAnswerId(const std::string& prefix);
/// In seconds since 1970.
int64_t secondsNow();

}  // namespace quire
