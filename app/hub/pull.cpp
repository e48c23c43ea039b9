#include "app/hub/pull.h"

#include <QCoreApplication>
#include <QDir>
#include <QTimer>

#include <array>
#include <atomic>
#include <memory>
#include <optional>

#include "app/hub/download_queue.h"
#include "app/hub/hub_problem.h"
#include "app/hub/hub_token.h"
#include "app/hub/hugging_face_hub.h"
#include "app/hub/ollama_hub.h"
#include "app/hub/recommended_models.h"
#include "platform/terminal.h"

namespace quire {
namespace {

std::atomic<bool> isInterrupted = false;

Error stopped() {
  return make_error(ErrorCode::kCancelled, "Stopped");
}

Error downloadStopped() {
  return make_error(ErrorCode::kCancelled,
                    "Stopped. What was downloaded is kept: the same command goes on from there");
}

/// Qt's event loop for programs that have none. It ends with a value, or at a signal.
class EventLoop {
 public:
  EventLoop() {
    platform::flag_interrupts(isInterrupted, true);
    QObject::connect(&m_poll, &QTimer::timeout, [] {
      if (isInterrupted) QCoreApplication::quit();
    });
    m_poll.start(50);
  }
  /// Runs until end() was called. False: a signal ended it.
  bool run() {
    m_hasEnded = false;
    QCoreApplication::exec();
    return m_hasEnded;
  }
  void end() {
    m_hasEnded = true;
    QCoreApplication::quit();
  }

 private:
  int m_argc = 1;
  std::string m_name = "quire-cli";
  std::array<char*, 2> m_argv = {m_name.data(), nullptr};
  QCoreApplication m_application{m_argc, m_argv.data()};
  QTimer m_poll;
  bool m_hasEnded = false;
};

/// A hub's client, and the token that its downloads need too.
struct OpenHub {
  std::unique_ptr<HubClient> client;
  QByteArray token;
};

Result<QUrl> endpointOf(const HubQuery& query, HubName::Hub kind) {
  const bool isOllama = kind == HubName::Hub::kOllama;
  QString typed = QString::fromStdString(query.endpoint);
  if (typed.isEmpty() && !isOllama) typed = qEnvironmentVariable("HF_ENDPOINT");
  if (typed.isEmpty()) return isOllama ? kOllamaUrl : kHuggingFaceUrl;
  return readEndpoint(typed);
}

Result<OpenHub> openHub(const HubQuery& query, HubName::Hub kind,
                        const TextRetries& retries = {.limits = kShortRetries}) {
  const bool isOllama = kind == HubName::Hub::kOllama;
  const Result<QUrl> endpoint = endpointOf(query, kind);
  if (!endpoint) return endpoint.error();
  HubOptions options{.endpoint = *endpoint, .retries = retries};
  // A stored token is Hugging Face's; one that was given is for this hub.
  options.token = QByteArray::fromStdString(query.token);
  if (options.token.isEmpty() && !isOllama) options.token = storedToken();
  OpenHub open{.token = options.token};
  if (isOllama) {
    open.client = std::make_unique<OllamaHub>(options);
  } else {
    open.client = std::make_unique<HuggingFaceHub>(options);
  }
  return open;
}

/// The model with its files, and the token for them.
struct WantedModel {
  HubName name;
  HubModel model;
  QByteArray token;
};

Result<WantedModel> findModel(EventLoop& loop, const HubQuery& query,
                              const TextRetries& retries = {.limits = kShortRetries}) {
  const Result<HubName> name = readHubName(QString::fromStdString(query.name));
  if (!name) return name.error();
  const Result<OpenHub> open = openHub(query, name->hub, retries);
  if (!open) return open.error();
  std::optional<Result<HubModel>> model;
  open->client->model(*name, [&](const Result<HubModel>& found) {
    model = found;
    loop.end();
  });
  if (!loop.run()) return stopped();
  if (!*model) return model->error();
  return WantedModel{*name, **model, open->token};
}

/// What the hub has of a model now; its licence replaces the one that was known.
Result<ModelChoice> choiceNow(EventLoop& loop, const HubQuery& query, std::string& license) {
  const Result<WantedModel> found = findModel(loop, query);
  if (!found) return found.error();
  if (!found->model.license.isEmpty()) license = found->model.license.toStdString();
  return chooseFiles(found->model, found->name.tag);
}

Result<DownloadPlan> planPull(const WantedModel& found, const PullOptions& options) {
  const bool isOllama = found.name.hub == HubName::Hub::kOllama;
  Result<ModelChoice> choice = chooseFiles(found.model, isOllama ? QString() : found.name.tag);
  if (!choice) return choice.error();
  if (options.hasProjector) {
    const Result<HubFile> projector = chooseProjector(found.model);
    if (!projector) return projector.error();
    choice->files.append(*projector);
  }
  QString folder = QString::fromStdString(options.folder);
  if (folder.isEmpty()) folder = defaultModelsFolder();
  if (folder.isEmpty()) {
    return noFolder();
  }
  Result<DownloadPlan> plan = planDownload(found.model, *choice, QDir(folder).absolutePath());
  if (plan) plan->token = found.token;
  return plan;
}

/// A download waits for hours, also before it knows its files.
TextRetries patientRetries(const PullOptions& options) {
  return {
      .limits = {}, .waiting = [&options](const HubFailure& failure, qint64 pauseMs) {
        if (!options.progress) return;
        options.progress(
            {.title = options.query.name, .error = failure.error.message, .retryInMs = pauseMs});
      }};
}

PullProgress progressOf(const DownloadQueue& queue, DownloadId id) {
  const DownloadStatus status = queue.status(id);
  return {.title = queue.plan(id).title.toStdString(),
          .bytes = status.bytes,
          .totalBytes = status.totalBytes,
          .bytesPerSecond = status.bytesPerSecond,
          .isChecking = status.state == DownloadState::kChecking,
          .error = status.error ? status.error->message : std::string(),
          .retryInMs = status.retryInMs};
}

}  // namespace

Result<void> checkModelQuery(const HubQuery& query) {
  const Result<HubName> name = readHubName(QString::fromStdString(query.name));
  if (!name) return name.error();
  const Result<QUrl> endpoint = endpointOf(query, name->hub);
  return endpoint ? Result<void>() : endpoint.error();
}

Result<void> checkSearchQuery(const HubQuery& query) {
  const Result<QUrl> endpoint = endpointOf(query, HubName::Hub::kHuggingFace);
  return endpoint ? Result<void>() : endpoint.error();
}

Result<std::vector<PullRecommendation>> recommendedNow(const HubQuery& query, int64_t freeBytes) {
  EventLoop loop;
  std::vector<PullRecommendation> list;
  for (const RecommendedModel& model : recommendedModels(freeBytes)) {
    PullRecommendation one{.name = model.name.toStdString(),
                           .title = model.title.toStdString(),
                           .summary = model.summary.toStdString(),
                           .license = model.licence.toStdString(),
                           .asOf = model.asOf.toString(Qt::ISODate).toStdString(),
                           .bytes = model.bytes};
    HubQuery now = query;
    now.name = one.name;
    const Result<ModelChoice> choice = choiceNow(loop, now, one.license);
    if (!choice && choice.error().code == ErrorCode::kCancelled) return choice.error();
    if (choice) {
      one.type = choice->type.toStdString();
      one.bytes = choice->bytes();
    } else {
      one.whyNot = choice.error().message;
    }
    list.push_back(std::move(one));
  }
  return list;
}

Result<std::vector<PullEntry>> searchModels(const HubQuery& query) {
  EventLoop loop;
  const Result<OpenHub> open = openHub(query, HubName::Hub::kHuggingFace);
  if (!open) return open.error();
  std::optional<Result<QList<HubEntry>>> entries;
  open->client->search(QString::fromStdString(query.name),
                       [&](const Result<QList<HubEntry>>& found) {
                         entries = found;
                         loop.end();
                       });
  if (!loop.run()) return stopped();
  if (!*entries) return entries->error();
  std::vector<PullEntry> list;
  for (const HubEntry& entry : **entries) {
    list.push_back(
        {entry.name.toStdString(), entry.downloads, entry.license.toStdString(), entry.isGated});
  }
  return list;
}

Result<PullListing> listModel(const HubQuery& query) {
  EventLoop loop;
  const Result<WantedModel> found = findModel(loop, query);
  if (!found) return found.error();
  const HubModel& model = found->model;
  PullListing listing{.hub = hubTitle(model.hub).toStdString(),
                      .name = model.name.toStdString(),
                      .license = model.license.toStdString(),
                      .page = model.page.toString().toStdString(),
                      .isGated = model.isGated};
  for (const ModelChoice& choice : choicesOf(model)) {
    listing.choices.push_back({choice.label.toStdString(), choice.type.toStdString(),
                               choice.bytes(), choice.files.size()});
  }
  return listing;
}

Result<PullResult> pullModel(const PullOptions& options) {
  EventLoop loop;
  const Result<WantedModel> found = findModel(loop, options.query, patientRetries(options));
  if (!found) {
    const bool isStopped = found.error().code == ErrorCode::kCancelled;
    return isStopped ? downloadStopped() : found.error();
  }
  const Result<DownloadPlan> plan = planPull(*found, options);
  if (!plan) return plan.error();
  DownloadQueue queue;
  queue.setBytesPerSecond(options.bytesPerSecond);
  const DownloadId id = queue.add(*plan);
  QObject::connect(&queue, &DownloadQueue::changed, [&] {
    // How it ended is said once, by the result.
    const bool hasFailed = queue.status(id).error && queue.status(id).hasEnded();
    if (options.progress && !hasFailed) options.progress(progressOf(queue, id));
  });
  EventLoop* const waiting = &loop;
  QObject::connect(&queue, &DownloadQueue::ended, [waiting] { waiting->end(); });
  if (!loop.run() || queue.status(id).state == DownloadState::kCancelled) return downloadStopped();
  const DownloadStatus status = queue.status(id);
  if (status.error) return *status.error;
  return PullResult{.path = plan->targetPath().toStdString(),
                    .license = found->model.license.toStdString(),
                    .bytes = plan->bytes(),
                    .wasThere = status.wasThere};
}

}  // namespace quire
