#include "app/hub/pull.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QTimer>

#include <signal.h>
#include <array>
#include <atomic>
#include <memory>
#include <optional>

#include "app/hub/download_queue.h"
#include "app/hub/hugging_face_hub.h"
#include "app/hub/ollama_hub.h"
#include "engine/io/private_file.h"

namespace quire {
namespace {

std::atomic<bool> isInterrupted = false;

/// The first SIGINT or SIGTERM sets the flag, the second ends the program.
void watchSignals() {
  struct sigaction action {};
  action.sa_handler = [](int) { isInterrupted = true; };
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

Error stopped() {
  return make_error(ErrorCode::kCancelled,
                    "Stopped. What was downloaded is kept: the same command goes on from there");
}

/// Qt's event loop for programs that have none. It ends with a value, or at a signal.
class EventLoop {
 public:
  EventLoop() {
    watchSignals();
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

QByteArray firstLine(const QString& path) {
  QFile file(path);
  if (path.isEmpty() || !file.open(QIODevice::ReadOnly)) return {};
  return file.read(1000).split('\n').constFirst().trimmed();
}

/// Where the Hugging Face libraries keep the user's token.
QByteArray storedToken() {
  const QByteArray token = qgetenv("HF_TOKEN").trimmed();
  if (!token.isEmpty()) return token;
  const QString named = qEnvironmentVariable("HF_TOKEN_PATH");
  if (!named.isEmpty()) return firstLine(named);
  const QString home = qEnvironmentVariable("HF_HOME");
  if (!home.isEmpty()) return firstLine(home + QStringLiteral("/token"));
  const auto cache = base_folder("XDG_CACHE_HOME", ".cache");
  if (cache.empty()) return {};
  return firstLine(QString::fromStdString((cache / "huggingface" / "token").string()));
}

/// A hub's client, and the token that its downloads need too.
struct OpenHub {
  std::unique_ptr<HubClient> client;
  QByteArray token;
};

Result<OpenHub> openHub(const PullHub& hub, HubName::Hub kind) {
  const bool isOllama = kind == HubName::Hub::kOllama;
  QString typed = QString::fromStdString(hub.endpoint);
  if (typed.isEmpty() && !isOllama) typed = qEnvironmentVariable("HF_ENDPOINT");
  HubOptions options{.endpoint = isOllama ? kOllamaUrl : kHuggingFaceUrl};
  if (!typed.isEmpty()) {
    const Result<QUrl> endpoint = readEndpoint(typed);
    if (!endpoint) return endpoint.error();
    options.endpoint = *endpoint;
  }
  // A stored token is Hugging Face's; one that was given is for this hub.
  options.token = QByteArray::fromStdString(hub.token);
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

Result<WantedModel> findModel(EventLoop& loop, const PullHub& hub) {
  const Result<HubName> name = readHubName(QString::fromStdString(hub.name));
  if (!name) return name.error();
  const Result<OpenHub> open = openHub(hub, name->hub);
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
    return make_error(ErrorCode::kInvalidArgument,
                      "there is no home folder for models. Name a folder with --folder");
  }
  Result<DownloadPlan> plan = planDownload(found.model, *choice, QDir(folder).absolutePath());
  if (plan) plan->token = found.token;
  return plan;
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

Result<std::vector<PullEntry>> searchModels(const PullHub& hub) {
  EventLoop loop;
  const Result<OpenHub> open = openHub(hub, HubName::Hub::kHuggingFace);
  if (!open) return open.error();
  std::optional<Result<QList<HubEntry>>> entries;
  open->client->search(QString::fromStdString(hub.name), [&](const Result<QList<HubEntry>>& found) {
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

Result<PullListing> listModel(const PullHub& hub) {
  EventLoop loop;
  const Result<WantedModel> found = findModel(loop, hub);
  if (!found) return found.error();
  const HubModel& model = found->model;
  PullListing listing{.hub = model.hub.toStdString(),
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
  const Result<WantedModel> found = findModel(loop, options.hub);
  if (!found) return found.error();
  const Result<DownloadPlan> plan = planPull(*found, options);
  if (!plan) return plan.error();
  DownloadQueue queue;
  queue.setBytesPerSecond(options.bytesPerSecond);
  const DownloadId id = queue.add(*plan);
  QObject::connect(&queue, &DownloadQueue::changed, [&] {
    if (options.progress) options.progress(progressOf(queue, id));
  });
  EventLoop* const waiting = &loop;
  QObject::connect(&queue, &DownloadQueue::ended, [waiting] { waiting->end(); });
  if (!loop.run() || queue.status(id).state == DownloadState::kCancelled) return stopped();
  const DownloadStatus status = queue.status(id);
  if (status.error) return *status.error;
  return PullResult{.path = plan->targetPath().toStdString(),
                    .license = found->model.license.toStdString(),
                    .bytes = plan->bytes(),
                    .wasThere = status.wasThere};
}

}  // namespace quire
