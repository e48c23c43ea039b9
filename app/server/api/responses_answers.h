#pragma once

#include <memory>

#include "app/server/api/answer_writer.h"
#include "app/server/api/responses_requests.h"
#include "app/server/http/http_message.h"

namespace quire {

/// The answer to /v1/responses, as a stream of its events or as one response. `model` is its name
/// in the ModelDirectory.
std::unique_ptr<AnswerWriter> makeResponseWriter(std::shared_ptr<HttpExchange> exchange,
                                                 const ResponsesRequest& request,
                                                 const std::string& model);

}  // namespace quire
