#include "app/store/json_values.h"

namespace quire {

std::optional<Json> boundedJson(const std::string& text, size_t maxBytes, int maxDepth) {
  if (text.size() > maxBytes) return std::nullopt;
  bool tooDeep = false;
  const auto watch = [&](int depth, Json::parse_event_t, Json&) {
    tooDeep = tooDeep || depth > maxDepth;
    return !tooDeep;
  };
  Json parsed = Json::parse(text, watch, /*allow_exceptions=*/false);
  if (tooDeep || parsed.is_discarded()) return std::nullopt;
  return parsed;
}

Json boundedObject(const std::string& text, size_t maxBytes, int maxDepth) {
  auto parsed = boundedJson(text, maxBytes, maxDepth);
  return parsed && parsed->is_object() ? std::move(*parsed) : Json::object();
}

std::string dumpJson(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool readJson(const Json& field, bool& value) {
  if (!field.is_boolean()) return false;
  value = field.get<bool>();
  return true;
}

bool readJson(const Json& field, QString& value) {
  if (!field.is_string()) return false;
  value = QString::fromStdString(field.get_ref<const std::string&>());
  return true;
}

bool readJson(const Json& field, std::vector<std::string>& value) {
  const auto isText = [](const Json& text) { return text.is_string(); };
  if (!field.is_array() || !std::all_of(field.begin(), field.end(), isText)) return false;
  value = field.get<std::vector<std::string>>();
  return true;
}

bool readJson(const Json& field, QStringList& value) {
  std::vector<std::string> texts;
  if (!readJson(field, texts)) return false;
  value.clear();
  for (const std::string& text : texts) value.append(QString::fromStdString(text));
  return true;
}

bool readJson(const Json& field, QList<qint32>& value) {
  if (!field.is_array()) return false;
  QList<qint32> ids;
  for (const Json& id : field) {
    if (!readJson(id, ids.emplaceBack())) return false;
  }
  value = std::move(ids);
  return true;
}

Json jsonOf(const QStringList& texts) {
  Json array = Json::array();
  for (const QString& text : texts) array.push_back(text.toStdString());
  return array;
}

}  // namespace quire
