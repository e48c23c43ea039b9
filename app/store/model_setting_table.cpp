#include "app/store/model_setting_table.h"

#include <limits>

#include "app/store/bounded_json.h"

namespace quire::model_setting_table {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxBytes = 512 * 1024;
constexpr int kMaxDepth = 17;  // Generation settings stand one level down.

/// Takes a whole number out of the object; anything else stays in it.
std::optional<int> takeNumber(Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  const auto number = found->get<int64_t>();
  if (number < 0 || number > std::numeric_limits<int>::max()) return std::nullopt;
  object.erase(found);
  return static_cast<int>(number);
}

std::optional<bool> takeFlag(Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_boolean()) return std::nullopt;
  const bool flag = found->get<bool>();
  object.erase(found);
  return flag;
}

QString takeText(Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  const auto text = QString::fromStdString(found->get<std::string>());
  object.erase(found);
  return text;
}

GenerationSettings takeGeneration(Json& object) {
  const auto found = object.find("generation");
  if (found == object.end() || !found->is_object()) return {};
  const auto settings = generationSettingsFromJson(QString::fromStdString(dumpJson(*found)));
  object.erase(found);
  return settings;
}

template <typename T>
void putIfSet(Json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

ModelSettings fromRow(const QSqlQuery& row) {
  return fromJson(row.value(0).toString(), row.value(1).toString(), row.value(2).toLongLong());
}

}  // namespace

QString toJson(const ModelSettings& settings) {
  Json object = Json::object();
  if (!settings.unknown.isEmpty()) {
    auto unknown = parseBounded(settings.unknown.toStdString(), kMaxBytes, kMaxDepth);
    if (unknown && unknown->is_object()) object = std::move(*unknown);
  }
  putIfSet(object, "context_length", settings.contextLength);
  putIfSet(object, "threads", settings.threads);
  putIfSet(object, "kv_mib", settings.kvMiB);
  putIfSet(object, "batch_tokens", settings.batchTokens);
  putIfSet(object, "keep_loaded", settings.keepLoaded);
  putIfSet(object, "unload_after_minutes", settings.unloadAfterMinutes);
  if (!settings.device.isEmpty()) object["device"] = settings.device.toStdString();
  if (!settings.kvType.isEmpty()) object["kv_type"] = settings.kvType.toStdString();
  auto generation =
      parseBounded(quire::toJson(settings.generation).toStdString(), kMaxBytes, kMaxDepth);
  if (generation && !generation->empty()) object["generation"] = std::move(*generation);
  return QString::fromStdString(dumpJson(object));
}

ModelSettings fromJson(const QString& path, const QString& json, qint64 lastUsedMs) {
  ModelSettings settings{.path = path, .lastUsedMs = lastUsedMs};
  auto object = parseBounded(json.toStdString(), kMaxBytes, kMaxDepth);
  if (!object || !object->is_object()) return settings;
  settings.contextLength = takeNumber(*object, "context_length");
  settings.device = takeText(*object, "device");
  settings.threads = takeNumber(*object, "threads");
  settings.kvMiB = takeNumber(*object, "kv_mib");
  settings.kvType = takeText(*object, "kv_type");
  settings.batchTokens = takeNumber(*object, "batch_tokens");
  settings.keepLoaded = takeFlag(*object, "keep_loaded");
  settings.unloadAfterMinutes = takeNumber(*object, "unload_after_minutes");
  settings.generation = takeGeneration(*object);
  if (!object->empty()) settings.unknown = QByteArray::fromStdString(dumpJson(*object));
  return settings;
}

Result<std::optional<ModelSettings>> read(const Database& database, const QString& path) {
  std::optional<ModelSettings> settings;
  Statement select(database, QStringLiteral("SELECT path, settings, last_used_ms "
                                            "FROM model_setting WHERE path = ?"));
  select.bind(path);
  auto done = select.forEach([&](const QSqlQuery& row) { settings = fromRow(row); });
  if (!done) return done.error();
  return settings;
}

Result<QList<ModelSettings>> readAll(const Database& database) {
  QList<ModelSettings> all;
  Statement select(database, QStringLiteral("SELECT path, settings, last_used_ms "
                                            "FROM model_setting ORDER BY last_used_ms DESC, path"));
  auto done = select.forEach([&](const QSqlQuery& row) { all.append(fromRow(row)); });
  if (!done) return done.error();
  return all;
}

Result<void> put(const Database& database, const ModelSettings& settings) {
  return Statement(database,
                   QStringLiteral("INSERT INTO model_setting (path, settings, last_used_ms) "
                                  "VALUES (?, ?, ?) ON CONFLICT (path) DO UPDATE SET "
                                  "settings = excluded.settings, "
                                  "last_used_ms = excluded.last_used_ms"))
      .bind(settings.path)
      .bind(toJson(settings))
      .bind(settings.lastUsedMs)
      .run();
}

}  // namespace quire::model_setting_table
