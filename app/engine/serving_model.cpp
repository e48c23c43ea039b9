#include "app/engine/serving_model.h"

#include <QCoreApplication>

#include <filesystem>
#include <new>

#include "app/error_strings.h"
#include "app/store/visible_string.h"
#include "engine/draft_model.h"

namespace quire {
namespace {

struct ModelDescriptionTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::ModelDescriptionTexts)
};

/// "CPU · AVX-512 · 2 threads": the processor's own long name does not help to choose.
QString deviceName(const DeviceInfo& info) {
  QStringList parts = QString::fromStdString(info.description).split(QStringLiteral(", "));
  if (info.name == "cpu") parts.first() = QStringLiteral("CPU");
  return parts.join(QStringLiteral(" · "));
}

/// "Layers 1 to 20 on cuda:0, 21 to 32 on cpu" if they are spread, or why no GPU is used.
QString deviceNote(ServingModel& serving) {
  const LayerPlacement& placement = serving.engine->model().decoder->placement();
  if (placement.size() == 1) {
    const bool passes_over = placement[0].backend != &serving.devices.front();
    return passes_over ? ModelDescriptionTexts::tr(
                             "Not a single layer of the model fits into the GPU's free memory.")
                       : deviceReason(serving.devices.gpu_reason());
  }
  QStringList parts;
  for (const LayerRange& range : placement) {
    parts.append(ModelDescriptionTexts::tr("%1 to %2 on %3")
                     .arg(range.first + 1)
                     .arg(range.end())
                     .arg(QString::fromStdString(range.backend->info().name)));
  }
  return ModelDescriptionTexts::tr("Its layers are spread: %1.")
      .arg(parts.join(QStringLiteral(", ")));
}

ModelSampling samplingOf(const ModelConfig& config) {
  ModelSampling sampling;
  if (config.default_temperature >= 0.0f) sampling.temperature = config.default_temperature;
  if (config.default_top_p > 0.0f) sampling.topP = config.default_top_p;
  if (config.default_top_k >= 0) sampling.topK = config.default_top_k;
  return sampling;
}

Result<std::shared_ptr<DraftModel>> loadDraft(const ServingModel& serving,
                                              const LoadOptions& load) try {
  const std::filesystem::path path(serving.draftPath.toStdU16String());
  return DraftModel::open(path, serving.draftBackend, *serving.engine, load);
} catch (const std::bad_alloc&) {
  return outOfMemory(serving.draftPath);
}

}  // namespace

void openDraft(ServingModel& serving, const LoadOptions& load) {
  if (serving.draftPath.isEmpty()) return;
  const auto draft = loadDraft(serving, load);
  serving.draftNote = draft ? QString() : unusedDraft(draft.error());
  if (!draft) return;
  serving.draftName = visibleString(QString::fromStdString((*draft)->model().config.name));
  serving.engine->set_drafter(*draft);
}

void closeDraft(ServingModel& serving) {
  serving.engine->set_drafter(nullptr);
  serving.draftName.clear();
}

QString unusedDraft(const Error& error) {
  return ModelDescriptionTexts::tr("The draft model is not used: %1").arg(errorText(error));
}

Error outOfMemory(const QString& path) {
  return make_error(ErrorCode::kOutOfMemory,
                    "There is not enough memory to load \"%1\". Close other programs, or choose a "
                    "smaller model.",
                    {path.toStdString()});
}

Result<void> reopen(ServingModel& serving) try {
  const std::filesystem::path path(serving.path.toStdU16String());
  closeDraft(serving);  // It may be on the devices that failed.
  auto reopened =
      serving.engine->reopen(path, {.max_context = serving.maxContext}, serving.devices);
  if (reopened) openDraft(serving);
  return reopened;
} catch (const std::bad_alloc&) {
  return outOfMemory(serving.path);
}

ModelDescription describe(ServingModel& serving) {
  const LoadedModel& model = serving.engine->model();
  return {.name = visibleString(QString::fromStdString(model.config.name)),
          .fingerprint = QString::fromStdString(model.fingerprint),
          .deviceName = deviceName(model.decoder->placement().front().backend->info()),
          .deviceNote = deviceNote(serving),
          .draftName = serving.draftName,
          .draftNote = serving.draftNote,
          .contextLength = serving.engine->max_context(),
          .isDemonstration = false,
          .defaultTemplate = QString::fromStdString(model.chat->default_template_name),
          .sampling = samplingOf(model.config)};
}

}  // namespace quire
