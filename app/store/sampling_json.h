#pragma once

#include <QString>

#include "engine/sampling/sampling_params.h"
#include "kernels/base/result.h"

namespace quire {

/// Sampling parameters as the store keeps them: one JSON object with every field that changes an
/// answer (all but num_logprobs), the keys in alphabetical order, numbers exact: the seed is an
/// unsigned number of 64 bits, floats are written so that they are read back as they were.
QString samplingToJson(const SamplingParams& params);

/// The same read back. Errors: kCorruptFile for what is no such object; kUnsupported for a field
/// that this Quire does not know, since it would draw another answer. They name the field.
Result<SamplingParams> samplingFromJson(const QString& json);

}  // namespace quire
