#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <array>
#include <optional>

#include "engine/sampling/sampling_params.h"

namespace quire {

/// How answers are drawn, as far as somebody decided it: what is unset comes from the layer below.
/// Kept for a model, a persona and a chat.
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
