#pragma once

#include <filesystem>
#include <string_view>

#include "engine/quantize/quantize_job.h"
#include "engine/quantize/text_windows.h"

namespace quire {

/// The mean squared input of each column of each matrix over a text, by the engine's own forward
/// pass on the CPU in f32. Experts that no token chose take the mean of the others. Tensors that
/// the loader reorders on reading (gpt-oss folders' experts) have none. Errors: those of
/// load_model; kInvalidArgument for a text of less than two tokens; kCancelled.
Result<Importance> measure_importance(const std::filesystem::path& path, std::string_view text,
                                      const MeasureOptions& options);

}  // namespace quire
