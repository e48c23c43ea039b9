#pragma once

#include "app/store/json_values.h"
#include "app/store/transfer/chat_bundle.h"

namespace quire::export_json {

// The records of docs/export.md. A missing field gets its default; a field of a wrong type, or a
// number out of its range, is kCorruptFile with the field's name.

inline constexpr const char* kFormat = "quire-export";
inline constexpr int kVersion = 2;

Json toJson(const PersonaRecord& persona);
Json toJson(const FolderRecord& folder);
Json toJson(const ModelSettings& settings);
Json toJson(const ChatBundle& bundle);  ///< Without its messages.
Json toJson(const BundledMessage& message);

Result<PersonaRecord> readPersona(const Json& object);
Result<FolderRecord> readFolder(const Json& object);
Result<ModelSettings> readModelSettings(const Json& object);
Result<ChatBundle> readChat(const Json& object);

}  // namespace quire::export_json
