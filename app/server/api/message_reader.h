#pragma once

#include <nlohmann/json_fwd.hpp>

#include <vector>

#include "app/server/api/field_reader.h"
#include "app/server/api/generation_request.h"

namespace quire {

/// Reads the messages of /v1/chat/completions: text, parts of text, reasoning, tool calls and their
/// results. Errors go to `reader` and name the message: "messages[2].content".
void readMessages(FieldReader& reader, QList<ChatTurn>& turns);

/// Reads tools, tool_choice and parallel_tool_calls.
void readTools(FieldReader& reader, GenerationRequest& request);

/// The sentence that refuses a part of a message that is not text ("image_url").
ApiError unsupportedPart(const std::string& name, const std::string& type);

}  // namespace quire
