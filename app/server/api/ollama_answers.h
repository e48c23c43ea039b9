#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/server/api/answer_writer.h"
#include "app/server/api/ollama_requests.h"
#include "app/server/http/http_message.h"

namespace quire {

/// The answer to /api/chat or /api/generate, as a stream of JSON lines or as one object. `model` is
/// its name in the ModelDirectory.
std::unique_ptr<AnswerWriter> makeOllamaWriter(std::shared_ptr<HttpExchange> exchange,
                                               const OllamaRequest& request,
                                               const std::string& model);

/// The answer to a request that only loads its model.
std::string loadedJson(const OllamaRequest& request, const std::string& model);

/// A moment as Ollama writes it: "2026-11-26T09:31:45.123Z".
std::string ollamaTime(int64_t msSinceEpoch);

}  // namespace quire
