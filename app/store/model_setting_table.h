#pragma once

#include "app/store/database.h"
#include "app/store/records.h"

namespace quire::model_setting_table {

/// The settings as one JSON object (context_length, device, threads, kv_mib, kv_type, batch_tokens,
/// keep_loaded, unload_after_minutes, generation), without path and time.
QString toJson(const ModelSettings& settings);
/// Never fails, as generationSettingsFromJson.
ModelSettings fromJson(const QString& path, const QString& json, qint64 lastUsedMs);

Result<std::optional<ModelSettings>> read(const Database& database, const QString& path);
Result<QList<ModelSettings>> readAll(const Database& database);  ///< Last used first.
Result<void> put(const Database& database, const ModelSettings& settings);

}  // namespace quire::model_setting_table

namespace quire::setting_table {

Result<std::optional<QString>> read(const Database& database, const QString& key);
Result<void> put(const Database& database, const QString& key, const QString& value);

}  // namespace quire::setting_table
