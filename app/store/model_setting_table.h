#pragma once

#include <QHash>

#include "app/store/database.h"
#include "app/store/fields.h"

namespace quire {

namespace model_setting_table {

/// The settings as one JSON object (context_length, device, threads, kv_mib, kv_type, batch_tokens,
/// speculates, draft_model, keep_loaded, unload_after_minutes, generation), without path and time.
QString toJson(const ModelSettings& settings);
/// Never fails, like generationSettingsFromJson.
ModelSettings fromJson(const QString& path, const QString& json, qint64 lastUsedMs);

/// The settings in the form of the database and of exports.
struct Row {
  QString path;
  JsonText settings;
  qint64 lastUsedMs = 0;
};
Row toRow(const ModelSettings& settings);
ModelSettings fromRow(const Row& row);

Result<std::optional<ModelSettings>> read(const Database& database, const QString& path);
Result<QList<ModelSettings>> readAll(const Database& database);  ///< Last used first.
Result<void> put(const Database& database, const ModelSettings& settings);

}  // namespace model_setting_table

namespace setting_table {

Result<std::optional<QString>> read(const Database& database, const QString& key);
Result<QHash<QString, QString>> readAll(const Database& database);
Result<void> put(const Database& database, const QString& key, const QString& value);

}  // namespace setting_table

template <>
struct Fields<model_setting_table::Row> {
  using R = model_setting_table::Row;
  static constexpr const char* kTable = "model_setting";
  static constexpr auto kAll = std::tuple{
      Field{"path", "path", &R::path},
      Field{"settings", "settings", &R::settings},
      Field{"last_used_ms", "last_used_ms", &R::lastUsedMs},
  };
};

}  // namespace quire
