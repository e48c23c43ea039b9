#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <array>
#include <optional>
#include <tuple>

#include "engine/sampling/sampling_params.h"
#include "kernels/base/result.h"

namespace quire {

/// How answers are sampled, as far as someone decided it: what is unset comes from the layer
/// below. Kept for a model, a persona and a chat.
struct GenerationSettings {
  std::optional<double> temperature;
  std::optional<int> topK;
  std::optional<double> topP;
  std::optional<double> minP;
  std::optional<double> repetitionPenalty;
  std::optional<double> presencePenalty;
  std::optional<double> frequencyPenalty;
  std::optional<int> maxTokens;
  std::optional<quint64> seed;  ///< Unset: a new one for every answer.
  std::optional<QStringList> stop;
  std::optional<bool> showReasoning;
  /// What the stored form held beyond the above (a newer Quire's fields, say): one JSON object, or
  /// empty. It is written back.
  QByteArray unknown;

  bool operator==(const GenerationSettings&) const = default;
};

/// One JSON object with the fields that are set, named as in SamplingParams.
QString toJson(const GenerationSettings& settings);
/// The same read back. Never fails, so that damaged settings keep no chat from opening: a field of
/// a wrong type or out of its range stays unset and stands in `unknown`; what is no JSON object, or
/// a huge one, reads as nothing set.
GenerationSettings generationSettingsFromJson(const QString& json);

/// Sampling parameters as an answer's origin keeps them: one JSON object with every field that
/// changes an answer (all but num_logprobs), the keys in alphabetical order, numbers exact: the
/// seed is an unsigned number of 64 bits, floats are written so that they are read back as they
/// were.
QString samplingToJson(const SamplingParams& params);
/// The same read back. Errors: kCorruptFile for what is no such object; kUnsupported for a field
/// that this Quire does not know, since it would draw another answer. They name the field.
Result<SamplingParams> samplingFromJson(const QString& json);

/// The fields of GenerationSettings, in its order.
enum class SettingField {
  Temperature,
  TopK,
  TopP,
  MinP,
  RepetitionPenalty,
  PresencePenalty,
  FrequencyPenalty,
  MaxTokens,
  Seed,
  Stop,
  ShowReasoning,
};
inline constexpr int kNumSettingFields = 11;

/// A field of GenerationSettings that decides one of SamplingParams.
template <typename T, typename S>
struct SettingEntry {
  SettingField field;
  std::optional<T> GenerationSettings::*setting;
  S SamplingParams::*sampling;
};

/// All but ShowReasoning, which is the window's. Names and ranges:
/// engine/sampling/sampling_fields.h.
inline constexpr auto kSettingEntries = std::tuple{
    SettingEntry{SettingField::Temperature, &GenerationSettings::temperature,
                 &SamplingParams::temperature},
    SettingEntry{SettingField::TopK, &GenerationSettings::topK, &SamplingParams::top_k},
    SettingEntry{SettingField::TopP, &GenerationSettings::topP, &SamplingParams::top_p},
    SettingEntry{SettingField::MinP, &GenerationSettings::minP, &SamplingParams::min_p},
    SettingEntry{SettingField::RepetitionPenalty, &GenerationSettings::repetitionPenalty,
                 &SamplingParams::repetition_penalty},
    SettingEntry{SettingField::PresencePenalty, &GenerationSettings::presencePenalty,
                 &SamplingParams::presence_penalty},
    SettingEntry{SettingField::FrequencyPenalty, &GenerationSettings::frequencyPenalty,
                 &SamplingParams::frequency_penalty},
    SettingEntry{SettingField::MaxTokens, &GenerationSettings::maxTokens,
                 &SamplingParams::max_tokens},
    SettingEntry{SettingField::Seed, &GenerationSettings::seed, &SamplingParams::seed},
    SettingEntry{SettingField::Stop, &GenerationSettings::stop, &SamplingParams::stop},
};

template <typename Visit>
void forEachSetting(const Visit& visit) {
  std::apply([&](const auto&... entries) { (visit(entries), ...); }, kSettingEntries);
}

/// Calls `visit` with the member of that field, a std::optional.
template <typename Settings, typename Visit>
void visitSetting(Settings& settings, SettingField field, const Visit& visit) {
  if (field == SettingField::ShowReasoning) return visit(settings.showReasoning);
  forEachSetting([&](const auto& entry) {
    if (entry.field == field) visit(settings.*entry.setting);
  });
}

/// Who decided a field, lowest first. Default: the program.
enum class SettingsLayer { Default, ModelFile, Model, Persona, Chat };

struct SettingsLayers {
  GenerationSettings modelFile;  ///< What the model's own files recommend.
  GenerationSettings model;      ///< The user's for this model.
  GenerationSettings persona;
  GenerationSettings chat;
};

struct ResolvedSettings {
  SamplingParams sampling;
  bool showReasoning = true;
  std::array<SettingsLayer, kNumSettingFields> origins = {};

  SettingsLayer originOf(SettingField field) const { return origins[static_cast<size_t>(field)]; }
};

/// What is used: of each field the highest layer's that has it, else that of `defaults`. To show
/// what a field would go back to, resolve again with that layer's field unset.
ResolvedSettings resolve(const SamplingParams& defaults, const SettingsLayers& layers);

}  // namespace quire
