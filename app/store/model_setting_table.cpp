#include "app/store/model_setting_table.h"

#include <limits>
#include <tuple>

#include "app/store/bounded_json.h"

namespace quire::model_setting_table {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxBytes = 512 * 1024;
constexpr int kMaxDepth = 17;  // Generation settings stand one level down.

template <typename T>
struct JsonField {
  const char* key;
  T ModelSettings::*member;
};
constexpr auto kFields = std::tuple{
    JsonField{"context_length", &ModelSettings::contextLength},
    JsonField{"device", &ModelSettings::device},
    JsonField{"threads", &ModelSettings::threads},
    JsonField{"kv_mib", &ModelSettings::kvMiB},
    JsonField{"kv_type", &ModelSettings::kvType},
    JsonField{"batch_tokens", &ModelSettings::batchTokens},
    JsonField{"keep_loaded", &ModelSettings::keepLoaded},
    JsonField{"unload_after_minutes", &ModelSettings::unloadAfterMinutes},
};

// False: it is of another type, and stays where it is.
bool read(const Json& field, std::optional<int>& value) {
  if (!field.is_number_integer()) return false;
  const auto number = field.get<int64_t>();
  if (number < 0 || number > std::numeric_limits<int>::max()) return false;
  value = static_cast<int>(number);
  return true;
}
bool read(const Json& field, std::optional<bool>& value) {
  if (!field.is_boolean()) return false;
  value = field.get<bool>();
  return true;
}
bool read(const Json& field, QString& value) {
  if (!field.is_string()) return false;
  value = QString::fromStdString(field.get<std::string>());
  return true;
}

template <typename T>
void write(Json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}
void write(Json& object, const char* key, const QString& value) {
  if (!value.isEmpty()) object[key] = value.toStdString();
}

template <typename Visit>
void forEachJsonField(const Visit& visit) {
  std::apply([&](const auto&... fields) { (visit(fields), ...); }, kFields);
}

GenerationSettings takeGeneration(Json& object) {
  const auto found = object.find("generation");
  if (found == object.end() || !found->is_object()) return {};
  const auto settings = generationSettingsFromJson(QString::fromStdString(dumpJson(*found)));
  object.erase(found);
  return settings;
}

ModelSettings fromRow(const Statement& row) {
  return fromJson(row.get<QString>(0), row.get<QString>(1), row.number(2));
}

}  // namespace

QString toJson(const ModelSettings& settings) {
  Json object = Json::object();
  if (!settings.unknown.isEmpty()) {
    auto unknown = parseBounded(settings.unknown.toStdString(), kMaxBytes, kMaxDepth);
    if (unknown && unknown->is_object()) object = std::move(*unknown);
  }
  forEachJsonField([&](const auto& field) { write(object, field.key, settings.*field.member); });
  auto generation =
      parseBounded(quire::toJson(settings.generation).toStdString(), kMaxBytes, kMaxDepth);
  if (generation && !generation->empty()) object["generation"] = std::move(*generation);
  return QString::fromStdString(dumpJson(object));
}

ModelSettings fromJson(const QString& path, const QString& json, qint64 lastUsedMs) {
  ModelSettings settings{.path = path, .lastUsedMs = lastUsedMs};
  auto object = parseBounded(json.toStdString(), kMaxBytes, kMaxDepth);
  if (!object || !object->is_object()) return settings;
  forEachJsonField([&](const auto& field) {
    const auto found = object->find(field.key);
    if (found != object->end() && read(*found, settings.*field.member)) object->erase(found);
  });
  settings.generation = takeGeneration(*object);
  if (!object->empty()) settings.unknown = QByteArray::fromStdString(dumpJson(*object));
  return settings;
}

Result<std::optional<ModelSettings>> read(const Database& database, const QString& path) {
  std::optional<ModelSettings> settings;
  Statement select(database,
                   "SELECT path, settings, last_used_ms FROM model_setting WHERE path = ?");
  auto done = select.bind(path).forEach([&](const Statement& row) { settings = fromRow(row); });
  if (!done) return done.error();
  return settings;
}

Result<QList<ModelSettings>> readAll(const Database& database) {
  QList<ModelSettings> all;
  Statement select(database,
                   "SELECT path, settings, last_used_ms FROM model_setting "
                   "ORDER BY last_used_ms DESC, path");
  auto done = select.forEach([&](const Statement& row) { all.append(fromRow(row)); });
  if (!done) return done.error();
  return all;
}

Result<void> put(const Database& database, const ModelSettings& settings) {
  return Statement(database,
                   "INSERT OR REPLACE INTO model_setting (path, settings, last_used_ms) "
                   "VALUES (?, ?, ?)")
      .bind(settings.path)
      .bind(toJson(settings))
      .bind(settings.lastUsedMs)
      .run();
}

}  // namespace quire::model_setting_table

namespace quire::setting_table {

Result<std::optional<QString>> read(const Database& database, const QString& key) {
  return Statement(database, "SELECT value FROM setting WHERE key = ?").bind(key).first<QString>();
}

Result<void> put(const Database& database, const QString& key, const QString& value) {
  return Statement(database, "INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)")
      .bind(key)
      .bind(value)
      .run();
}

}  // namespace quire::setting_table
