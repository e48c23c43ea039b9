#include "app/store/sampling_json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/sampling/sampling_fields.h"

namespace quire {
namespace {

using Json = nlohmann::json;

Error corrupt(const std::string& key) {
  return {ErrorCode::kCorruptFile,
          "The stored sampling parameters are damaged at \"" + key + "\"."};
}

// False: the field is missing, or of another type.

bool read(const Json& field, float& value) {
  const double number = field.is_number() ? field.get<double>() : std::nan("");
  if (!(std::abs(number) <= std::numeric_limits<float>::max())) return false;
  value = static_cast<float>(number);
  return true;
}

bool read(const Json& field, int& value) {
  if (!field.is_number_integer()) return false;
  const auto number = field.get<int64_t>();
  if (number < 0 || number > std::numeric_limits<int>::max()) return false;
  value = static_cast<int>(number);
  return true;
}

bool read(const Json& field, uint64_t& value) {
  if (!field.is_number_unsigned()) return false;
  value = field.get<uint64_t>();
  return true;
}

bool read(const Json& field, bool& value) {
  if (!field.is_boolean()) return false;
  value = field.get<bool>();
  return true;
}

bool read(const Json& field, std::vector<std::string>& value) {
  if (!field.is_array()) return false;
  for (const Json& text : field) {
    if (!text.is_string()) return false;
    value.push_back(text.get<std::string>());
  }
  return true;
}

}  // namespace

QString samplingToJson(const SamplingParams& params) {
  Json object = Json::object();
  for_each_sampling_field([&](const auto& field) { object[field.name] = params.*field.member; });
  return QString::fromStdString(object.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Result<SamplingParams> samplingFromJson(const QString& json) {
  Json object = Json::parse(json.toStdString(), nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return corrupt("{");
  SamplingParams params;
  std::string wrong;  // The first field that is not as it should be.
  for_each_sampling_field([&](const auto& field) {
    const bool isRead = read(object.value(field.name, Json()), params.*field.member);
    if (!isRead && wrong.empty()) wrong = field.name;
    object.erase(field.name);
  });
  if (!wrong.empty()) return corrupt(wrong);
  if (object.empty()) return params;
  return Error{ErrorCode::kUnsupported,
               "It was sampled with a parameter that this Quire does not know: \"" +
                   object.begin().key() + "\". Update Quire."};
}

}  // namespace quire
