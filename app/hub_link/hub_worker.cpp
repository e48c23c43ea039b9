#include "app/hub_link/hub_worker.h"

#include <QFileInfo>

#include <algorithm>

#include "app/hub/download_journal.h"
#include "app/hub/hub_token.h"
#include "app/hub/hugging_face_hub.h"
#include "app/hub/model_choice.h"
#include "app/hub/ollama_hub.h"
#include "app/hub/recommended_models.h"
#include "app/hub_link/hub_error.h"

namespace quire {
namespace {

constexpr int kMostChoices = 300;
constexpr qint64 kMachineMs = 30'000;    ///< How long a reading of the free memory is reused,
constexpr qint64 kUnmeasuredMs = 1'000;  ///< and how long one without figures of the tuner.

/// Bytes of the finished files and of the parts.
qint64 bytesOnDisk(const DownloadPlan& plan) {
  qint64 bytes = 0;
  for (const PlannedFile& file : plan.files) {
    const QString path = plan.stagingPath() + QStringLiteral("/files/") + file.path;
    bytes += QFileInfo(path).size() + QFileInfo(path + QStringLiteral(".part")).size();
  }
  return std::min(bytes, plan.bytes());
}

}  // namespace

HubClient* HubWorker::clientFor(HubName::Hub hub, const HubOptions& options) {
  if (hub == HubName::Hub::kHuggingFace) return new HuggingFaceHub(options, this);
  return new OllamaHub({.endpoint = kOllamaUrl, .timeouts = options.timeouts}, this);
}

void HubWorker::search(const QString& text, const HubOptions& hub,
                       const Reply<HubSearchReport>& reply) {
  HubClient* const client = clientFor(HubName::Hub::kHuggingFace, hub);
  client->search(text, [client, reply](const Result<QList<HubEntry>>& entries) {
    client->deleteLater();
    HubSearchReport report;
    if (!entries) {
      report.problem = hubErrorOf(entries.error());
      return reply(report);
    }
    for (const HubEntry& entry : *entries) {
      report.found.append({entry.name, entry.downloads, entry.license, entry.isGated});
    }
    reply(report);
  });
}

void HubWorker::list(const QString& name, const HubOptions& hub, const QString& folder,
                     const Reply<HubListed>& reply) {
  const auto refuse = [reply](const Error& error) {
    HubListed refused;
    refused.listing.problem = hubErrorOf(error);
    reply(refused);
  };
  const Result<HubName> read = readHubName(name);
  if (!read) return refuse(read.error());
  HubClient* const client = clientFor(read->hub, hub);
  client->model(*read, [=, this, asked = *read](const Result<HubModel>& model) {
    client->deleteLater();
    if (!model) return refuse(model.error());
    reply(listed(asked, *model, folder));
  });
}

HubListed HubWorker::listed(const HubName& name, const HubModel& model, const QString& folder) {
  const bool isOllama = name.hub == HubName::Hub::kOllama;
  const QString hub = hubTitle(name.hub);
  HubListed listed{.listing = {.id = hub + u' ' + model.name + u' ' + model.revision,
                               .hub = hub,
                               .name = model.name,
                               .license = model.license,
                               .page = model.page,
                               .isGated = model.isGated},
                   .folder = folder};
  const QList<ModelChoice> choices = choicesOf(model);
  const Result<ModelChoice> named = chooseFiles(model, isOllama ? QString() : name.tag);
  for (const ModelChoice& choice : choices) {
    const Result<DownloadPlan> plan = planDownload(model, choice, folder);
    const bool isNamed = named && named->label == choice.label && named->type == choice.type &&
                         named->files.first().path == choice.files.first().path;
    // The window has a row for each.
    if (listed.listing.choices.size() >= kMostChoices && !isNamed) continue;
    if (isNamed) listed.listing.usual = static_cast<int>(listed.listing.choices.size());
    HubChoice one{.label = choice.label, .bytes = choice.bytes(), .numFiles = choice.files.size()};
    complete(one, choice.type, plan);
    listed.listing.choices.append(one);
    listed.types.append(choice.type);
    listed.plans.append(plan);
  }
  // A tag that the model does not have is an error, which is shown above its choices.
  if (!named && !name.tag.isEmpty() && !isOllama && !choices.isEmpty()) {
    listed.listing.problem = hubErrorOf(named.error());
  }
  return listed;
}

/// What the disk and the machine say of a choice.
void HubWorker::complete(HubChoice& choice, const QString& type, const Result<DownloadPlan>& plan) {
  choice.fit = machine().fit(choice.bytes);
  choice.tokensPerSecond = machine().tokens_per_second(type.toStdString(), choice.bytes);
  if (!plan) {
    choice.problem = hubErrorOf(plan.error()).text;
    return;
  }
  choice.target = plan->targetPath();
  choice.path = plan->modelPath();
  choice.isThere = QFileInfo::exists(choice.target);
}

HubListed HubWorker::renewed(const HubListed& listed, const QString& folder) {
  HubListed now = listed;
  now.folder = folder;
  for (qsizetype i = 0; i < now.plans.size(); ++i) {
    if (now.plans[i]) now.plans[i]->folder = folder;
    complete(now.listing.choices[i], now.types[i], now.plans[i]);
  }
  return now;
}

/// A machine that was not measured may have been since.
const MachineAbility& HubWorker::machine() {
  const qint64 longest = m_machine.formats.empty() ? kUnmeasuredMs : kMachineMs;
  if (!m_machineAge.isValid() || m_machineAge.elapsed() > longest) {
    m_machine = MachineAbility::find();
    m_machineAge.start();
  }
  return m_machine;
}

void HubWorker::suggest(const QString& language, const Reply<QList<ModelSuggestion>>& reply) {
  QList<ModelSuggestion> suggestions;
  const qint64 free = std::max(machine().gpu_bytes, machine().host_bytes);
  for (const RecommendedModel& model : recommendedModels(free, language)) {
    suggestions.append({model.name, model.title, model.summary});
  }
  reply(suggestions);
}

void HubWorker::findLeft(const QStringList& folders, const Reply<QList<LeftDownload>>& reply) {
  QList<LeftDownload> left;
  for (const QString& folder : folders) {
    for (const DownloadPlan& plan : unfinishedDownloads(folder)) {
      left.append({plan, bytesOnDisk(plan)});
    }
  }
  reply(left);
}

void HubWorker::findToken(const Reply<QByteArray>& reply) {
  reply(storedToken());
}

}  // namespace quire
