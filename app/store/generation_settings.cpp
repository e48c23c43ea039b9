#include "app/store/generation_settings.h"

#include <utility>

#include "app/store/json_values.h"
#include "engine/io/text.h"
#include "engine/sampling/sampling_fields.h"

namespace quire {
namespace {

constexpr size_t kMaxBytes = 256 * 1024;
constexpr int kMaxDepth = 16;
constexpr qsizetype kMaxStops = 64;

/// False if the field has another type or is out of its range.
template <typename T, typename S>
bool readSetting(const Json& field, const SamplingField<S>& about, std::optional<T>& value) {
  T read{};
  if (!readJson(field, read)) return false;
  if constexpr (std::is_same_v<T, QStringList>) {
    if (read.size() > kMaxStops) return false;
  } else if constexpr (std::is_floating_point_v<T>) {
    // Rounded to a float, it must still be in the range, which may exclude 0.
    if (!about.accepts(read) || !about.accepts(static_cast<float>(read))) return false;
  } else if (!about.accepts(static_cast<double>(read))) {
    return false;
  }
  value = read;
  return true;
}

template <typename From, typename To>
void assign(const From& from, To& to) {
  to = static_cast<To>(from);
}
void assign(const QStringList& from, std::vector<std::string>& to) {
  to.clear();
  for (const QString& text : from) to.push_back(text.toStdString());
}

/// Overrides the settings by those of one layer.
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
  Json object = boundedObject(settings.unknown.toStdString(), kMaxBytes, kMaxDepth);
  forEachSetting([&](const auto& entry) {
    const auto& value = settings.*entry.setting;
    if (value) object[sampling_field(entry.sampling).name] = jsonOf(*value);
  });
  if (settings.showReasoning) object[kShowReasoning] = *settings.showReasoning;
  return dumpText(object);
}

GenerationSettings generationSettingsFromJson(const QString& json) {
  GenerationSettings settings;
  if (json.size() <= 2) return settings;  // "{}", which nearly every chat has.
  Json object = boundedObject(json.toStdString(), kMaxBytes, kMaxDepth);
  forEachSetting([&](const auto& entry) {
    const auto about = sampling_field(entry.sampling);
    const auto found = object.find(about.name);
    if (found == object.end()) return;
    if (readSetting(*found, about, settings.*entry.setting)) object.erase(found);
  });
  takeField(object, kShowReasoning, settings.showReasoning);
  if (!object.empty()) settings.unknown = QByteArray::fromStdString(dumpJson(object));
  return settings;
}

QString samplingToJson(const SamplingParams& params) {
  Json object = Json::object();
  for_each_sampling_field([&](const auto& field) { object[field.name] = params.*field.member; });
  return dumpText(object);
}

Result<SamplingParams> samplingFromJson(const QString& json) {
  const auto damagedAt = [](const std::string& key) {
    return Error{ErrorCode::kCorruptFile,
                 "The stored sampling parameters are damaged at \"" + key + "\"."};
  };
  auto parsed = boundedJson(json.toStdString(), kMaxBytes, kMaxDepth);
  if (!parsed || !parsed->is_object()) return damagedAt("{");
  Json& object = *parsed;
  SamplingParams params;
  std::string wrong;  // The first field that is invalid.
  for_each_sampling_field([&](const auto& field) {
    const auto found = object.find(field.name);
    if (found == object.end()) return;
    if (!readJson(*found, params.*field.member) && wrong.empty()) wrong = field.name;
    object.erase(found);
  });
  if (!wrong.empty()) return damagedAt(wrong);
  if (object.empty()) return params;
  return Error{ErrorCode::kUnsupported,
               "It was sampled with a parameter that this Quire does not know: \"" +
                   for_message(object.begin().key()) + "\". Update Quire."};
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
