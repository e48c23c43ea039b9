#pragma once

#include <string>

#include "app/server/api/field_reader.h"
#include "app/server/api/generation_request.h"

namespace quire {

/// What a request says of the calls that it wants.
struct WantedCalls {
  bool isNone = false;   ///< No calls, and the model does not learn of the tools.
  bool isGiven = false;  ///< There is a tool_choice.
  ToolChoice choice = {};
};

/// Reads tool_choice and parallel_tool_calls as OpenAI's APIs have them. `isFlat`: the name of a
/// tool stands beside its type, as in Responses; else within "function".
WantedCalls readToolChoice(FieldReader& reader, bool isFlat);

/// Two tools of one name are an error: the model's call would not say which is meant. `tools`: in
/// the form of OpenAI's chats.
void checkToolNames(FieldReader& reader, const FieldReader::Json& tools);

/// Constrains the answer's calls to `wanted`, and the arguments of tools whose "strict" is true to
/// their schemas. `tools`: the same list as PromptOptions::tools, in the form of OpenAI's chats.
/// Errors go to `reader`.
void constrainCalls(FieldReader& reader, const FieldReader::Json& tools, const ToolChoice& wanted,
                    GenerationRequest& request);

/// Sets the answer's format, which came from `field`. It cannot be had together with constrained
/// calls.
void setFormat(FieldReader& reader, const std::string& field, AnswerFormat format,
               GenerationRequest& request);

}  // namespace quire
