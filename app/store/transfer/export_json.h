#pragma once

#include <nlohmann/json.hpp>

#include "app/store/transfer/chat_bundle.h"

namespace quire::export_json {

// The records of docs/export.md. Reading takes what is missing as its default; a field of a wrong
// type, or a number out of its range, is kCorruptFile with the field's name.

inline constexpr const char* kFormat = "quire-export";
inline constexpr int kVersion = 2;

nlohmann::json toJson(const PersonaRecord& persona);
nlohmann::json toJson(const FolderRecord& folder);
nlohmann::json toJson(const ModelSettings& settings);
nlohmann::json toJson(const ChatBundle& bundle);  ///< Without its messages.
nlohmann::json toJson(const BundledMessage& message);

Result<PersonaRecord> readPersona(const nlohmann::json& object);
Result<FolderRecord> readFolder(const nlohmann::json& object);
Result<ModelSettings> readModelSettings(const nlohmann::json& object);
Result<ChatBundle> readChat(const nlohmann::json& object);

}  // namespace quire::export_json
