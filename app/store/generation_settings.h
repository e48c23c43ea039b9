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

/// Sampling settings of a model, a persona or a chat. A field that is unset comes from the layer
/// below.
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
  /// Other fields of the stored form, such as those of a newer Quire: one JSON object, or empty.
  /// They are written back.
  QByteArray unknown;

  bool operator==(const GenerationSettings&) const = default;
};

/// One JSON object with the fields that are set, named as in SamplingParams.
QString toJson(const GenerationSettings& settings);
/// The inverse. Never fails, so that a chat with damaged settings can be opened: a field of a wrong
/// type or out of its range goes to `unknown`; a text that is not a JSON object, or is too large,
/// sets nothing.
GenerationSettings generationSettingsFromJson(const QString& json);

/// Sampling parameters in the form of an answer's origin: one JSON object with every field that
/// changes an answer (all but num_logprobs), with keys in alphabetical order and exact numbers: the
/// seed has 64 bits without a sign, and floats keep their value.
QString samplingToJson(const SamplingParams& params);
/// The inverse. A field that is absent, because it is newer than the answer, has its default.
/// Errors, which name the field: kCorruptFile for any other text; kUnsupported for an unknown
/// field, without which the answer would differ.
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

/// For clang 14, which does not deduce an aggregate's type.
template <typename T, typename S>
SettingEntry(SettingField, std::optional<T> GenerationSettings::*, S SamplingParams::*)
    -> SettingEntry<T, S>;

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

/// The layer that decides a field, lowest first. Default is the program.
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

/// The settings that are used: each field comes from the highest layer that sets it, else from
/// `defaults`. The value that a field would revert to results from resolving without that layer's.
ResolvedSettings resolve(const SamplingParams& defaults, const SettingsLayers& layers);

}  // namespace quire
