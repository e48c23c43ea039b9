#include "app/quantize_link.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QStringList>

#include <utility>

#include "app/engine/thread_priority.h"
#include "app/models/scan/model_inspector.h"
#include "engine/quantize/compare_models.h"
#include "engine/quantize/measure_importance.h"
#include "engine/quantize/quantize_job.h"
#include "kernels/backend.h"

namespace quire {
namespace {

constexpr qint64 kMostTextBytes = qint64{64} << 20;

/// A model that is open as a source of tensors.
struct OpenSource {
  OpenedModel model;
  std::unique_ptr<TensorSource> tensors;
};

/// Errors: those of ModelInspector::tryOut, open_any_model and open_tensor_source.
Result<std::unique_ptr<OpenSource>> openSource(const QString& path, ModelInspector* inspector) {
  if (inspector != nullptr) {
    if (auto tried = inspector->tryOut(path, {}); !tried) return tried.error();
  }
  const std::filesystem::path file = path.toStdString();
  auto model = open_any_model(file, kWholeContext);
  if (!model) return model.error();
  auto source = std::make_unique<OpenSource>(OpenSource{std::move(*model), nullptr});
  auto tensors = open_tensor_source(source->model, file);
  if (!tensors) return tensors.error();
  source->tensors = std::move(*tensors);
  return source;
}

quint64 freeMemory() {
  const auto backend = create_backend({.device = "cpu", .num_threads = 1});
  return backend ? (*backend)->info().free_bytes : 0;
}

QuantizeSurvey survey(const QString& path, ModelInspector* inspector) {
  runInTheBackground();
  auto source = openSource(path, inspector);
  if (!source) return {.error = source.error()};
  TensorSource& tensors = *(*source)->tensors;
  QuantizeSurvey found = {.sourceBytes = tensors.weights().file_bytes(),
                          .freeMemory = freeMemory(),
                          .isQuantized = has_quantized_tensors(tensors)};
  for (const QuantizeRecipe& recipe : quantize_recipes()) {
    const auto plan = plan_quantization(tensors, {.output = {}, .recipe = recipe});
    if (!plan) return {.error = plan.error()};
    const std::string name(recipe.name);
    found.types.append({QString::fromStdString(name), plan->layout.file_bytes});
  }
  return found;
}

Result<std::string> readText(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) {
    return make_error(ErrorCode::kIo, "%1 cannot be read: %2",
                      {path.toStdString(), file.errorString().toStdString()});
  }
  return file.read(kMostTextBytes).toStdString();
}

/// One run of the quantiser.
class Run {
 public:
  Run(const QuantizeRequest& request, const std::function<void(const QuantizeStep&)>& progress,
      const std::atomic<bool>& cancelled)
      : m_request(request), m_progress(progress), m_cancelled(cancelled) {}

  QuantizeResult write(TensorSource& source) {
    const auto recipe = find_quantize_recipe(m_request.type.toStdString());
    if (!recipe) return {.error = recipe.error()};
    auto importance = measure();
    if (!importance) return {.error = importance.error()};
    const auto plan = quantize_model(source, {.output = m_request.outputPath.toStdString(),
                                              .recipe = *recipe,
                                              .resume = m_request.resumes,
                                              .importance = *importance ? &**importance : nullptr,
                                              .progress =
                                                  [this](uint64_t done, uint64_t total) {
                                                    report(QuantizeStage::Writing, done, total);
                                                  },
                                              .cancelled = &m_cancelled});
    if (!plan) return {.error = plan.error()};
    return {.bytes = plan->layout.file_bytes};
  }

  void compare(const std::string& text, QuantizeResult& result) {
    report(QuantizeStage::Comparing, 0, 0);
    const auto found =
        compare_models(m_request.modelPath.toStdString(), m_request.outputPath.toStdString(), text,
                       /*with_special=*/false, options(QuantizeStage::Comparing));
    if (!found) {
      result.comparisonError = found.error();
      return;
    }
    result.comparison = {.perplexity = found->other_perplexity,
                         .originalPerplexity = found->perplexity,
                         .divergence = found->mean_divergence,
                         .sameTop = found->same_top_fraction,
                         .numTokens = found->num_tokens};
  }

 private:
  void report(QuantizeStage stage, uint64_t done, uint64_t total) const {
    m_progress({stage, done, total});
  }

  MeasureOptions options(QuantizeStage stage) const {
    return {.progress = [this, stage](size_t done, size_t total) { report(stage, done, total); },
            .cancelled = &m_cancelled};
  }

  Result<std::optional<Importance>> measure() {
    if (m_request.textPath.isEmpty()) return std::optional<Importance>();
    report(QuantizeStage::Importance, 0, 0);
    const auto text = readText(m_request.textPath);
    if (!text) return text.error();
    auto found = measure_importance(m_request.modelPath.toStdString(), *text,
                                    options(QuantizeStage::Importance));
    if (!found) return found.error();
    return std::optional(std::move(*found));
  }

  const QuantizeRequest& m_request;
  const std::function<void(const QuantizeStep&)>& m_progress;
  const std::atomic<bool>& m_cancelled;
};

}  // namespace

QuantizeTools makeQuantizeTools(const std::string& comparisonText,
                                const std::shared_ptr<ModelInspector>& inspector) {
  return {
      .survey = [inspector](const QString& path) { return survey(path, inspector.get()); },
      .run = [inspector, comparisonText](const QuantizeRequest& request,
                                         const std::function<void(const QuantizeStep&)>& progress,
                                         const std::atomic<bool>& cancelled) -> QuantizeResult {
        runInTheBackground();
        progress({});
        Run run(request, progress, cancelled);
        QuantizeResult result;
        {
          auto source = openSource(request.modelPath, inspector.get());
          if (!source) return {.error = source.error()};
          result = run.write(*(*source)->tensors);
        }
        if (result.error.message.empty() && request.compares) run.compare(comparisonText, result);
        return result;
      }};
}

std::string promptsOf(const QByteArray& presets) {
  QStringList prompts;
  for (const QString& language : {QStringLiteral("en"), QStringLiteral("ko")}) {
    for (const QJsonValue& preset : QJsonDocument::fromJson(presets).array()) {
      prompts += preset[language]["prompt"].toString();
    }
  }
  return prompts.join(QStringLiteral("\n\n")).toStdString();
}

}  // namespace quire
