#include "app/store/generation_settings.h"

#include <limits>
#include <utility>

#include "app/store/bounded_json.h"

namespace quire {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxBytes = 256 * 1024;
constexpr int kMaxDepth = 16;
constexpr int kMaxInt = std::numeric_limits<int>::max();
constexpr qsizetype kMaxStops = 64;

struct Range {
  double low = 0.0;
  double high = 0.0;
};

/// Takes known fields out of an object; one that is not as it should be stays in it.
class SettingsFields {
 public:
  explicit SettingsFields(Json& object) : m_object(object) {}

  void take(const char* key, std::optional<double>& value, Range range) {
    takeIf(key, [&](const Json& field) {
      if (!field.is_number()) return false;
      const auto number = field.get<double>();
      if (!(number >= range.low && number <= range.high)) return false;
      value = number;
      return true;
    });
  }

  void take(const char* key, std::optional<int>& value, int low) {
    takeIf(key, [&](const Json& field) {
      if (!field.is_number_integer()) return false;
      const auto number = field.get<int64_t>();
      if (number < low || number > kMaxInt) return false;
      value = static_cast<int>(number);
      return true;
    });
  }

  void take(const char* key, std::optional<quint64>& value) {
    takeIf(key, [&](const Json& field) {
      if (!field.is_number_unsigned()) return false;
      value = field.get<quint64>();
      return true;
    });
  }

  void take(const char* key, std::optional<bool>& value) {
    takeIf(key, [&](const Json& field) {
      if (!field.is_boolean()) return false;
      value = field.get<bool>();
      return true;
    });
  }

  void take(const char* key, std::optional<QStringList>& value) {
    takeIf(key, [&](const Json& field) {
      if (!field.is_array() || field.size() > kMaxStops) return false;
      QStringList texts;
      for (const Json& text : field) {
        if (!text.is_string()) return false;
        texts.append(QString::fromStdString(text.get<std::string>()));
      }
      value = texts;
      return true;
    });
  }

 private:
  template <typename Read>
  void takeIf(const char* key, const Read& read) {
    const auto found = m_object.find(key);
    if (found != m_object.end() && read(*found)) m_object.erase(found);
  }

  Json& m_object;
};

template <typename T>
void put(Json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

/// Lays one layer over what is below it.
class Overlay {
 public:
  Overlay(ResolvedSettings& result, SettingsLayer layer) : m_result(result), m_layer(layer) {}

  template <typename From, typename To>
  void set(SettingField field, const std::optional<From>& from, To& to) {
    if (!from) return;
    to = static_cast<To>(*from);
    m_result.origins[static_cast<size_t>(field)] = m_layer;
  }

  void setStops(const std::optional<QStringList>& from) {
    if (!from) return;
    m_result.sampling.stop.clear();
    for (const QString& text : *from) m_result.sampling.stop.push_back(text.toStdString());
    m_result.origins[static_cast<size_t>(SettingField::Stop)] = m_layer;
  }

 private:
  ResolvedSettings& m_result;
  SettingsLayer m_layer;
};

void lay(ResolvedSettings& result, SettingsLayer layer, const GenerationSettings& from) {
  Overlay overlay(result, layer);
  SamplingParams& to = result.sampling;
  overlay.set(SettingField::Temperature, from.temperature, to.temperature);
  overlay.set(SettingField::TopK, from.topK, to.top_k);
  overlay.set(SettingField::TopP, from.topP, to.top_p);
  overlay.set(SettingField::MinP, from.minP, to.min_p);
  overlay.set(SettingField::RepetitionPenalty, from.repetitionPenalty, to.repetition_penalty);
  overlay.set(SettingField::PresencePenalty, from.presencePenalty, to.presence_penalty);
  overlay.set(SettingField::FrequencyPenalty, from.frequencyPenalty, to.frequency_penalty);
  overlay.set(SettingField::MaxTokens, from.maxTokens, to.max_tokens);
  overlay.set(SettingField::Seed, from.seed, to.seed);
  overlay.setStops(from.stop);
  overlay.set(SettingField::ShowReasoning, from.showReasoning, result.showReasoning);
}

}  // namespace

QString toJson(const GenerationSettings& settings) {
  // Unknown fields were bounded when they were read.
  Json object = Json::object();
  if (!settings.unknown.isEmpty()) {
    auto unknown = parseBounded(settings.unknown.toStdString(), kMaxBytes, kMaxDepth);
    if (unknown && unknown->is_object()) object = std::move(*unknown);
  }
  put(object, "temperature", settings.temperature);
  put(object, "top_k", settings.topK);
  put(object, "top_p", settings.topP);
  put(object, "min_p", settings.minP);
  put(object, "repetition_penalty", settings.repetitionPenalty);
  put(object, "presence_penalty", settings.presencePenalty);
  put(object, "frequency_penalty", settings.frequencyPenalty);
  put(object, "max_tokens", settings.maxTokens);
  put(object, "seed", settings.seed);
  put(object, "show_reasoning", settings.showReasoning);
  if (settings.stop) {
    Json texts = Json::array();
    for (const QString& text : *settings.stop) texts.push_back(text.toStdString());
    object["stop"] = std::move(texts);
  }
  return QString::fromStdString(dumpJson(object));
}

GenerationSettings generationSettingsFromJson(const QString& json) {
  GenerationSettings settings;
  if (json.size() <= 2) return settings;  // "{}", what nearly every chat has.
  auto object = parseBounded(json.toStdString(), kMaxBytes, kMaxDepth);
  if (!object || !object->is_object()) return settings;
  // The ranges are those of validate(SamplingParams).
  constexpr double kTiny = std::numeric_limits<float>::min();
  SettingsFields fields(*object);
  fields.take("temperature", settings.temperature, {0.0, 100.0});
  fields.take("top_k", settings.topK, 0);
  fields.take("top_p", settings.topP, {kTiny, 1.0});
  fields.take("min_p", settings.minP, {0.0, 1.0});
  fields.take("repetition_penalty", settings.repetitionPenalty, {kTiny, 100.0});
  fields.take("presence_penalty", settings.presencePenalty, {-100.0, 100.0});
  fields.take("frequency_penalty", settings.frequencyPenalty, {-100.0, 100.0});
  fields.take("max_tokens", settings.maxTokens, 1);
  fields.take("seed", settings.seed);
  fields.take("show_reasoning", settings.showReasoning);
  fields.take("stop", settings.stop);
  if (!object->empty()) settings.unknown = QByteArray::fromStdString(dumpJson(*object));
  return settings;
}

ResolvedSettings resolve(const SamplingParams& defaults, const SettingsLayers& layers) {
  ResolvedSettings result{.sampling = defaults};
  lay(result, SettingsLayer::ModelFile, layers.modelFile);
  lay(result, SettingsLayer::Model, layers.model);
  lay(result, SettingsLayer::Persona, layers.persona);
  lay(result, SettingsLayer::Chat, layers.chat);
  return result;
}

}  // namespace quire
