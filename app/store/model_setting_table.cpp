#include "app/store/model_setting_table.h"

#include "app/store/json_values.h"
#include "app/store/record_rows.h"

namespace quire::model_setting_table {
namespace {

constexpr const char* kGeneration = "generation";

/// Calls `visit(key, member)` for each setting with a key of its own.
template <typename Settings, typename Visit>
void forEachJsonField(Settings& settings, const Visit& visit) {
  visit("context_length", settings.contextLength);
  visit("device", settings.device);
  visit("threads", settings.threads);
  visit("kv_mib", settings.kvMiB);
  visit("kv_type", settings.kvType);
  visit("batch_tokens", settings.batchTokens);
  visit("speculates", settings.speculates);
  visit("draft_model", settings.draftModel);
  visit("keep_loaded", settings.keepLoaded);
  visit("unload_after_minutes", settings.unloadAfterMinutes);
}

template <typename T>
void write(Json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}
void write(Json& object, const char* key, const QString& value) {
  if (!value.isEmpty()) object[key] = value.toStdString();
}

}  // namespace

QString toJson(const ModelSettings& settings) {
  Json object = boundedObject(settings.unknown.toStdString());
  forEachJsonField(settings,
                   [&](const char* key, const auto& value) { write(object, key, value); });
  Json generation = boundedObject(quire::toJson(settings.generation).toStdString());
  if (!generation.empty()) object[kGeneration] = std::move(generation);
  return dumpText(object);
}

ModelSettings fromJson(const QString& path, const QString& json, qint64 lastUsedMs) {
  ModelSettings settings{.path = path, .lastUsedMs = lastUsedMs};
  Json object = boundedObject(json.toStdString());
  forEachJsonField(settings, [&](const char* key, auto& value) { takeField(object, key, value); });
  const auto generation = object.find(kGeneration);
  if (generation != object.end() && generation->is_object()) {
    settings.generation = generationSettingsFromJson(dumpText(*generation));
    object.erase(generation);
  }
  if (!object.empty()) settings.unknown = QByteArray::fromStdString(dumpJson(object));
  return settings;
}

Row toRow(const ModelSettings& settings) {
  return {settings.path, {toJson(settings)}, settings.lastUsedMs};
}

ModelSettings fromRow(const Row& row) {
  return fromJson(row.path, row.settings.text, row.lastUsedMs);
}

Result<std::optional<ModelSettings>> read(const Database& database, const QString& path) {
  const auto row = firstOf(readRecords<Row>(database, "WHERE path = ?", path));
  if (!row) return row.error();
  return *row ? std::optional(fromRow(**row)) : std::nullopt;
}

Result<QList<ModelSettings>> readAll(const Database& database) {
  const auto rows = readRecords<Row>(database, "ORDER BY last_used_ms DESC, path");
  if (!rows) return rows.error();
  QList<ModelSettings> all;
  for (const Row& row : *rows) all.append(fromRow(row));
  return all;
}

Result<void> put(const Database& database, const ModelSettings& settings) {
  return putRecord(database, toRow(settings));
}

}  // namespace quire::model_setting_table

namespace quire::setting_table {

Result<std::optional<QString>> read(const Database& database, const QString& key) {
  return Statement(database, "SELECT value FROM setting WHERE key = ?").bind(key).first<QString>();
}

Result<QHash<QString, QString>> readAll(const Database& database) {
  QHash<QString, QString> settings;
  Statement select(database, "SELECT key, value FROM setting");
  const auto read = select.forEach(
      [&](const Statement& row) { settings.insert(row.get<QString>(0), row.get<QString>(1)); });
  if (!read) return read.error();
  return settings;
}

Result<void> put(const Database& database, const QString& key, const QString& value) {
  return Statement(database, "INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)")
      .bind(key)
      .bind(value)
      .run();
}

}  // namespace quire::setting_table
