#pragma once

#include <memory>

#include "app/server/api/answer_writer.h"
#include "app/server/api/anthropic_requests.h"
#include "app/server/http/http_message.h"

namespace quire {

/// The answer to /v1/messages, as a stream of Anthropic's events or as one message. `model` is its
/// name in the ModelDirectory.
std::unique_ptr<AnswerWriter> makeMessageWriter(std::shared_ptr<HttpExchange> exchange,
                                                const MessagesRequest& request,
                                                const std::string& model);

}  // namespace quire
