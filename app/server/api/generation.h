#pragma once

#include <functional>
#include <memory>

#include "app/server/api/answer_writer.h"
#include "app/server/api/endpoint.h"

namespace quire {

/// Makes the writer of a request's answers, once it is certain that they will be computed.
using MakeWriter = std::function<std::unique_ptr<AnswerWriter>(const GenerationRequest& request)>;

/// Has the answers of a request computed and written: finds the model by its name, loads it if
/// necessary, fills in what the request leaves open, submits each answer, splits reasoning and tool
/// calls, keeps the best (best_of), and cancels everything if the client disconnects.
///
/// An error before the writer exists is answered in the dialect of the exchange's path. `model` of
/// the request that the writer gets is the name in the ModelDirectory.
/// Thread: any; the writer is called on a backend's.
void generate(const ApiContext& context, const std::shared_ptr<HttpExchange>& exchange,
              GenerationRequest request, MakeWriter makeWriter);

}  // namespace quire
