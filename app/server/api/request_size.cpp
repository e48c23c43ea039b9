#include "app/server/api/request_size.h"

#include <algorithm>

#include "engine/grammar/grammar.h"
#include "engine/io/text.h"

namespace quire {
namespace {

std::optional<ApiError> tooMuch(const std::string& field, const std::string& what, size_t has,
                                const char* unit, size_t most) {
  if (has <= most) return std::nullopt;
  return badField(field, what + " has " + with_separators(has) + " " + unit + "; at most " +
                             with_separators(most) + " are allowed.");
}

}  // namespace

std::optional<ApiError> checkRequestSize(const ChatRequest& chat, const std::string& path,
                                         const std::string& formatField) {
  const std::string messages = path == "/v1/responses" ? "input" : "messages";
  size_t parts = 0;
  for (const ChatTurn& turn : chat.turns) {
    parts += std::max<size_t>(1, turn.parts.size());
  }
  auto error = tooMuch("chat_template_kwargs", "chat_template_kwargs", chat.prompt.variables.size(),
                       "bytes", kMaxVariablesBytes);
  if (!error) error = tooMuch("tools", "tools", chat.prompt.tools.size(), "bytes", kMaxToolsBytes);
  if (!error) {
    error = tooMuch(formatField, "The schema of the answer", chat.format.schema.size(), "bytes",
                    Grammar::kMaxSchemaBytes);
  }
  if (!error) error = tooMuch(messages, messages, parts, "parts of messages", kMaxMessageParts);
  return error;
}

}  // namespace quire
