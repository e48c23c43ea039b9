#pragma once

#include "app/server/api/field_reader.h"
#include "app/server/api/generation_request.h"
#include "engine/sampling/sampling_fields.h"

namespace quire {

/// The most tokens that a field may ask for.
inline constexpr auto kMaxTokens = static_cast<int64_t>(kMaxSamplingInt);
/// The most texts of one request.
inline constexpr size_t kMaxInputs = 2048;

/// How a streamed answer is sent.
struct StreamChoice {
  bool isStreamed = false;
  bool includesUsage = false;
};

/// Reads what /v1/chat/completions and /v1/completions have in common: sampling parameters with
/// vLLM's further ones, n, priority, and fields that cannot change an answer.
void readSampling(FieldReader& reader, GenerationRequest& request);

StreamChoice readStream(FieldReader& reader);

/// best_of, which needs `n`.
void readBestOf(FieldReader& reader, const StreamChoice& stream, GenerationRequest& request);

/// Token ids that are written as an array; `name` is the array's in messages.
QList<qint32> readTokens(FieldReader& reader, const FieldReader::Json& array,
                         const std::string& name);

}  // namespace quire
