#pragma once

#include "app/server/api/field_reader.h"
#include "app/server/api/ollama_requests.h"

namespace quire {

/// Reads "options". Those of a server's machine and memory are accepted, because they cannot change
/// an answer; those of samplers that are not built in are errors unless they are switched off.
void readOllamaOptions(FieldReader& reader, OllamaRequest& request);

/// Reads what /api/chat and /api/generate have in common beside the options: format, think, stream,
/// keep_alive and the model.
void readOllamaCommon(FieldReader& reader, OllamaRequest& request);

/// Reads keep_alive, which is accepted: models are unloaded as --idle-unload says.
void readKeepAlive(FieldReader& reader);

}  // namespace quire
