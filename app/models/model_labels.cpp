#include "app/models/model_labels.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QHash>
#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

#include "app/size_text.h"
#include "app/store/visible_string.h"

namespace quire::model_labels {
namespace {

struct ModelLabels {
  Q_DECLARE_TR_FUNCTIONS(quire::ModelLabels)
};

}  // namespace

QString parameters(qint64 count) {
  if (count <= 0) return {};
  const QLocale locale;
  if (count >= 950'000'000) {
    const double billions = static_cast<double>(count) / 1e9;
    return ModelLabels::tr("%1 billion parameters")
        .arg(locale.toString(billions, 'f', billions < 99.5 ? 1 : 0));
  }
  if (count >= 950'000)
    return ModelLabels::tr("%1 million parameters").arg(locale.toString(std::llround(count / 1e6)));
  return ModelLabels::tr("%1 parameters").arg(locale.toString(count));
}

QString tokens(int count) {
  return ModelLabels::tr("%1 tokens").arg(QLocale().toString(count));
}

QString device(const QString& name) {
  static const QRegularExpression kThreads(QStringLiteral("\\b([0-9]+) threads$"));
  const QRegularExpressionMatch match = kThreads.match(name);
  if (!match.hasMatch()) return name;
  return name.left(match.capturedStart()) + ModelLabels::tr("%1 threads").arg(match.captured(1));
}

QString timeLeft(double seconds) {
  if (seconds < 0.0) return {};
  const int rounded = static_cast<int>(std::lround(seconds));
  if (rounded < 90) return ModelLabels::tr("%n second(s) left", nullptr, std::max(1, rounded));
  return ModelLabels::tr("%n minute(s) left", nullptr, (rounded + 30) / 60);
}

QString phase(const ModelState& state) {
  switch (state.phase) {
    case LoadPhase::kWaiting:
      return ModelLabels::tr("Waiting for another load");
    case LoadPhase::kHead:
      return ModelLabels::tr("Reading the file's header");
    case LoadPhase::kWeights:
      if (state.bytesToRead == 0) return ModelLabels::tr("Reading weights");
      return ModelLabels::tr("Reading weights, %1 of %2")
          .arg(sizeText(state.bytesRead), sizeText(state.bytesToRead));
    case LoadPhase::kPreparing:
      return ModelLabels::tr("Preparing the weights");
    case LoadPhase::kCache:
      return ModelLabels::tr("Allocating memory for chats");
    case LoadPhase::kNone:
      break;
  }
  return ModelLabels::tr("Loading");
}

QString architecture(const QString& id) {
  static const QHash<QString, QString> kNames = {
      {"llama", "Llama"},
      {"mistral", "Mistral"},
      {"mistral3", "Mistral 3"},
      {"mixtral", "Mixtral"},
      {"qwen2", "Qwen 2"},
      {"qwen3", "Qwen 3"},
      {"qwen3moe", "Qwen 3 MoE"},
      {"gemma2", "Gemma 2"},
      {"gemma3", "Gemma 3"},
      {"phi3", "Phi 3"},
      {"smollm3", "SmolLM 3"},
      {"olmo2", "OLMo 2"},
      {"granite", "Granite"},
      {"gpt-oss", "gpt-oss"},
      {"gptoss", "gpt-oss"},
      {"granitemoe", "Granite MoE"},
      {"glm4", "GLM 4"},
      {"glm4moe", "GLM 4 MoE"},
      {"qwen2moe", "Qwen 2 MoE"},
      {"minimaxm2", "MiniMax M2"},
      {"olmo3", "OLMo 3"},
      {"exaone4", "EXAONE 4"},
      {"ernie4_5", "ERNIE 4.5"},
      {"ernie4_5_moe", "ERNIE 4.5 MoE"},
      {"cohere2", "Command"},
      {"seedoss", "Seed-OSS"},
      {"phi", "Phi"},
      {"stablelm", "StableLM"},
      {"starcoder2", "StarCoder 2"},
      {"gptneox", "GPT-NeoX"},
      {"opt", "OPT"},
      {"MuseGlimmerForConditionalGeneration", "Muse Glimmer"},
      {"gemma4", "Gemma 4"},
      {"gemma3n", "Gemma 3n"},
      {"Gemma3nForConditionalGeneration", "Gemma 3n"},
      {"Gemma4ForConditionalGeneration", "Gemma 4"},
      {"gpt2", "GPT-2"},
      {"GPT2LMHeadModel", "GPT-2"},
      {"phi2", "Phi 2"},
      {"minimax-m2", "MiniMax M2"},
      {"muse-glimmer", "Muse Glimmer"},
      {"ernie4_5-moe", "ERNIE 4.5 MoE"},
      {"seed_oss", "Seed-OSS"},
      {"qwen35", "Qwen 3.5"},
      {"qwen35moe", "Qwen 3.5 MoE"},
      {"qwen3_5", "Qwen 3.5"},
      {"qwen3_5moe", "Qwen 3.5 MoE"},
      {"Qwen3_5ForConditionalGeneration", "Qwen 3.5"},
      {"Qwen3_5MoeForConditionalGeneration", "Qwen 3.5 MoE"},
      {"qwen3next", "Qwen 3 Next"},
      {"lfm2", "LFM2"},
      {"lfm2moe", "LFM2 MoE"},
      {"lfm2_moe", "LFM2 MoE"},
      {"lfm3", "LFM3"},
      {"granitehybrid", "Granite 4"},
      {"granitemoehybrid", "Granite 4"},
      {"nemotron_h", "Nemotron-H"},
      {"nemotron_h_moe", "Nemotron-H MoE"},
      {"nemotronh", "Nemotron-H"},
      {"falcon-h1", "Falcon-H1"},
      {"falconh1", "Falcon-H1"},
      {"deepseek2", "DeepSeek V2"},
      {"deepseekv2", "DeepSeek V2"},
      {"deepseekv3", "DeepSeek V3"},
      {"glm4moelite", "GLM 4 Flash"},
      {"mistral4", "Mistral 4"},
      {"ministral3", "Ministral 3"},
      {"Mistral3ForConditionalGeneration", "Mistral 3"},
      {"Gemma3ForConditionalGeneration", "Gemma 3"},
      {"apertus", "Apertus"},
      {"arcee", "AFM"},
      {"dots1", "dots.llm1"},
      {"hunyuan-dense", "Hunyuan"},
      {"hunyuan-moe", "Hunyuan MoE"},
      {"hy_v3", "Hunyuan 3"},
      {"hunyuandensev1", "Hunyuan"},
      {"hunyuanmoev1", "Hunyuan MoE"},
      {"hyv3", "Hunyuan 3"},
      {"llama4", "Llama 4"},
      {"Llama4ForConditionalGeneration", "Llama 4"}};
  // Hugging Face models name a class: "Qwen3MoeForCausalLM".
  const QLatin1String suffix("ForCausalLM");
  const bool isClass = id.endsWith(suffix);
  return kNames.value(isClass ? id.chopped(suffix.size()).toLower() : id, id);
}

QString facts(const ModelFacts& facts) {
  QStringList words = {architecture(facts.architecture), parameters(facts.parameters),
                       facts.quantisation};
  if (facts.fileBytes > 0) words += sizeText(facts.fileBytes);
  if (facts.contextLength > 0)
    words += ModelLabels::tr("%1-token context").arg(QLocale().toString(facts.contextLength));
  words.removeAll(QString());
  return visibleString(words.join(QStringLiteral(" · ")));
}

int idleIndex(int minutes) {
  const auto* found = std::ranges::find(kIdleMinutes, minutes);
  return found == std::end(kIdleMinutes) ? -1 : static_cast<int>(found - kIdleMinutes);
}

QString idleTime(int minutes) {
  return minutes == 0 ? ModelLabels::tr("Never") : ModelLabels::tr("After %1 minutes").arg(minutes);
}

QString nameOf(const QString& path) {
  const QString name = visibleString(QFileInfo(path).fileName());
  return name.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive) ? name.chopped(5) : name;
}

QString shortPath(const QString& path, const QString& home) {
  const bool isBelow = path.startsWith(home);
  return visibleString(isBelow ? QStringLiteral("~/") + path.mid(home.size()) : path);
}

QString normalPath(const QString& path) {
  return path.isEmpty() ? path : QDir::cleanPath(QDir::current().absoluteFilePath(path));
}

}  // namespace quire::model_labels
