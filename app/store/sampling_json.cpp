#include "app/store/sampling_json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace quire {
namespace {

using Json = nlohmann::json;

Error corrupt(const std::string& key) {
  return {ErrorCode::kCorruptFile,
          "The stored sampling parameters are damaged at \"" + key + "\"."};
}

/// Takes one field after another out of an object; the first that is missing or of another type is
/// the error.
class SamplingFields {
 public:
  explicit SamplingFields(Json object) : m_object(std::move(object)) {}

  void take(const char* key, float& value) {
    const Json field = remove(key);
    const double number = field.is_number() ? field.get<double>() : std::nan("");
    if (!(std::abs(number) <= std::numeric_limits<float>::max())) return fail(key);
    value = static_cast<float>(number);
  }

  void take(const char* key, int& value) {
    const Json field = remove(key);
    if (!field.is_number_integer()) return fail(key);
    const auto number = field.get<int64_t>();
    if (number < 0 || number > std::numeric_limits<int>::max()) return fail(key);
    value = static_cast<int>(number);
  }

  void take(const char* key, uint64_t& value) {
    const Json field = remove(key);
    if (!field.is_number_unsigned()) return fail(key);
    value = field.get<uint64_t>();
  }

  void take(const char* key, bool& value) {
    const Json field = remove(key);
    if (!field.is_boolean()) return fail(key);
    value = field.get<bool>();
  }

  void take(const char* key, std::vector<std::string>& value) {
    const Json field = remove(key);
    if (!field.is_array()) return fail(key);
    for (const Json& text : field) {
      if (!text.is_string()) return fail(key);
      value.push_back(text.get<std::string>());
    }
  }

  Result<void> finish() const {
    if (!m_wrong.empty()) return corrupt(m_wrong);
    if (m_object.empty()) return {};
    return Error{ErrorCode::kUnsupported,
                 "It was drawn with a sampling parameter that this Quire does not know: \"" +
                     m_object.begin().key() + "\". Update Quire."};
  }

 private:
  Json remove(const char* key) {
    const auto found = m_object.find(key);
    if (found == m_object.end()) return {};
    Json value = std::move(*found);
    m_object.erase(found);
    return value;
  }

  void fail(const char* key) {
    if (m_wrong.empty()) m_wrong = key;
  }

  Json m_object;
  std::string m_wrong;
};

}  // namespace

QString samplingToJson(const SamplingParams& params) {
  const Json object = {{"frequency_penalty", params.frequency_penalty},
                       {"ignore_eos", params.ignore_eos},
                       {"max_tokens", params.max_tokens},
                       {"min_p", params.min_p},
                       {"presence_penalty", params.presence_penalty},
                       {"repetition_penalty", params.repetition_penalty},
                       {"seed", params.seed},
                       {"stop", params.stop},
                       {"temperature", params.temperature},
                       {"top_k", params.top_k},
                       {"top_p", params.top_p}};
  return QString::fromStdString(object.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Result<SamplingParams> samplingFromJson(const QString& json) {
  Json object = Json::parse(json.toStdString(), nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return corrupt("{");
  SamplingFields fields(std::move(object));
  SamplingParams params;
  fields.take("frequency_penalty", params.frequency_penalty);
  fields.take("ignore_eos", params.ignore_eos);
  fields.take("max_tokens", params.max_tokens);
  fields.take("min_p", params.min_p);
  fields.take("presence_penalty", params.presence_penalty);
  fields.take("repetition_penalty", params.repetition_penalty);
  fields.take("seed", params.seed);
  fields.take("stop", params.stop);
  fields.take("temperature", params.temperature);
  fields.take("top_k", params.top_k);
  fields.take("top_p", params.top_p);
  if (auto finished = fields.finish(); !finished) return finished.error();
  return params;
}

}  // namespace quire
