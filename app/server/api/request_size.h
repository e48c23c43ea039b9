#pragma once

#include <optional>
#include <string>

#include "app/engine/chat_backend.h"
#include "app/server/api/api_error.h"

namespace quire {

/// Bounds on the parts of a request that are copied, or read again, for each of its answers.
inline constexpr size_t kMaxVariablesBytes = size_t{64} << 10;
inline constexpr size_t kMaxToolsBytes = size_t{2} << 20;
/// Of the tools of one answer times the number of answers.
inline constexpr size_t kMaxToolsBytesOfAll = size_t{64} << 20;
/// Of all messages of a chat together; one without parts counts as one.
inline constexpr size_t kMaxMessageParts = 20'000;

/// Why a request asks for too much whatever the model is: of template variables, tools, schemas (at
/// most Grammar::kMaxSchemaBytes) or messages. `path` is the endpoint's, `formatField` the field
/// that the answer's format came from.
std::optional<ApiError> checkRequestSize(const ChatRequest& chat, const std::string& path,
                                         const std::string& formatField = {});

}  // namespace quire
