#pragma once

#include <optional>
#include <string>

#include "app/server/api/generation_request.h"
#include "app/server/api/sampling_reader.h"

namespace quire {

/// A request of /v1/chat/completions or /v1/completions.
struct OpenAiRequest {
  GenerationRequest generation;
  StreamChoice stream;
  int numLogprobs = -1;  ///< As SamplingParams::num_logprobs, for the client.
};

/// Both read a request's body. Errors: 400, with the field at fault.
std::optional<ApiError> parseChatRequest(const std::string& body, OpenAiRequest& request);
std::optional<ApiError> parseCompletionRequest(const std::string& body, OpenAiRequest& request);

/// Reads a text, an array of texts, token ids or an array of arrays of them.
std::vector<RawPrompt> readPrompts(FieldReader& reader, const std::string& field);

/// Reads response_format.
AnswerFormat readFormat(FieldReader& reader);

/// Reads chat_template_kwargs and reasoning_effort, which the template sees as variables, and what
/// it does at the end (add_generation_prompt, continue_final_message).
void readTemplateOptions(FieldReader& reader, ChatRequest& chat);

}  // namespace quire
