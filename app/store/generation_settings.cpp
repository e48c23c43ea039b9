#include "app/store/generation_settings.h"

#include <utility>

#include "app/store/bounded_json.h"
#include "engine/sampling/sampling_fields.h"

namespace quire {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxBytes = 256 * 1024;
constexpr int kMaxDepth = 16;
constexpr qsizetype kMaxStops = 64;

// False: the field is of another type, or out of its range.

template <typename T>
bool read(const Json& field, const SamplingField<T>& about, std::optional<double>& value) {
  if (!field.is_number()) return false;
  const auto number = field.get<double>();
  // As a float it must still be more than 0 where that is excluded.
  if (!about.accepts(number) || !about.accepts(static_cast<float>(number))) return false;
  value = number;
  return true;
}

bool read(const Json& field, const SamplingField<int>& about, std::optional<int>& value) {
  if (!field.is_number_integer()) return false;
  const auto number = field.get<int64_t>();
  if (!about.accepts(static_cast<double>(number))) return false;
  value = static_cast<int>(number);
  return true;
}

bool read(const Json& field, const SamplingField<uint64_t>&, std::optional<quint64>& value) {
  if (!field.is_number_unsigned()) return false;
  value = field.get<quint64>();
  return true;
}

bool read(const Json& field, const SamplingField<std::vector<std::string>>&,
          std::optional<QStringList>& value) {
  if (!field.is_array() || field.size() > kMaxStops) return false;
  QStringList texts;
  for (const Json& text : field) {
    if (!text.is_string()) return false;
    texts.append(QString::fromStdString(text.get<std::string>()));
  }
  value = texts;
  return true;
}

template <typename T>
Json toValue(const T& value) {
  return value;
}
Json toValue(const QStringList& texts) {
  Json array = Json::array();
  for (const QString& text : texts) array.push_back(text.toStdString());
  return array;
}

template <typename From, typename To>
void assign(const From& from, To& to) {
  to = static_cast<To>(from);
}
void assign(const QStringList& from, std::vector<std::string>& to) {
  to.clear();
  for (const QString& text : from) to.push_back(text.toStdString());
}

/// Lays one layer over what is below it.
void lay(ResolvedSettings& result, SettingsLayer layer, const GenerationSettings& from) {
  const auto decided = [&](SettingField field) -> SettingsLayer& {
    return result.origins[static_cast<size_t>(field)];
  };
  forEachSetting([&](const auto& entry) {
    const auto& value = from.*entry.setting;
    if (!value) return;
    assign(*value, result.sampling.*entry.sampling);
    decided(entry.field) = layer;
  });
  if (!from.showReasoning) return;
  result.showReasoning = *from.showReasoning;
  decided(SettingField::ShowReasoning) = layer;
}

constexpr const char* kShowReasoning = "show_reasoning";

}  // namespace

QString toJson(const GenerationSettings& settings) {
  // Unknown fields were bounded when they were read.
  Json object = Json::object();
  if (!settings.unknown.isEmpty()) {
    auto unknown = parseBounded(settings.unknown.toStdString(), kMaxBytes, kMaxDepth);
    if (unknown && unknown->is_object()) object = std::move(*unknown);
  }
  forEachSetting([&](const auto& entry) {
    const auto& value = settings.*entry.setting;
    if (value) object[sampling_field(entry.sampling).name] = toValue(*value);
  });
  if (settings.showReasoning) object[kShowReasoning] = *settings.showReasoning;
  return QString::fromStdString(dumpJson(object));
}

GenerationSettings generationSettingsFromJson(const QString& json) {
  GenerationSettings settings;
  if (json.size() <= 2) return settings;  // "{}", what nearly every chat has.
  auto object = parseBounded(json.toStdString(), kMaxBytes, kMaxDepth);
  if (!object || !object->is_object()) return settings;
  forEachSetting([&](const auto& entry) {
    const auto about = sampling_field(entry.sampling);
    const auto found = object->find(about.name);
    if (found == object->end()) return;
    if (read(*found, about, settings.*entry.setting)) object->erase(found);
  });
  const auto shown = object->find(kShowReasoning);
  if (shown != object->end() && shown->is_boolean()) {
    settings.showReasoning = shown->get<bool>();
    object->erase(shown);
  }
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
