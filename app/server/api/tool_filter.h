#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/engine/text_backend.h"
#include "app/server/api/api_error.h"
#include "app/server/api/generation_request.h"

namespace quire {

class ToolSchemas;

/// Finds tool calls in the text of one answer, which arrives in pieces of whole characters and
/// without its reasoning.
class ToolFilter {
 public:
  virtual ~ToolFilter() = default;
  /// Adds to `delta` what the text is: text, pieces of calls, or nothing yet.
  virtual void append(const std::string& text, AnswerDelta& delta) = 0;
  /// Adds what was held back. The answer has ended.
  virtual void finish(AnswerDelta& delta) = 0;
  /// Whether a call was found so far.
  virtual bool hasCalls() const = 0;
};

/// The filter of a model's tool calls; null: the model has no known form of them. `tools`: those of
/// the request, which all its answers share.
std::unique_ptr<ToolFilter> makeToolFilter(const TextModel& model,
                                           std::shared_ptr<const ToolSchemas> tools);

/// Why tools cannot be used with a model as a request asks; nothing if they can. A model without a
/// chat format (on another machine) is not judged.
std::optional<ApiError> checkTools(const TextModel& model, const GenerationRequest& request);

}  // namespace quire
