#pragma once

#include <QElapsedTimer>
#include <QObject>

#include "app/engine/reply.h"
#include "app/get_models/hub_access.h"
#include "app/hub/download_plan.h"
#include "app/hub/hub_client.h"
#include "app/hub/machine_fit.h"
#include "app/hub_link/hub_downloads.h"

namespace quire {

/// A listing, with what its choices would download.
struct HubListed {
  HubListing listing;
  QList<Result<DownloadPlan>> plans;  ///< As many as choices.
  QStringList types;                  ///< Of the choices: "Q4_K_M"; empty: not known.
  QString folder;                     ///< Where they would be stored.
};

/// Asks hubs for HubLink, and reads their replies, the devices and the folders in its thread.
/// Thread: its own, which has an event loop; it lives there.
class HubWorker : public QObject {
 public:
  using QObject::QObject;

  void search(const QString& text, const HubOptions& hub, const Reply<HubSearchReport>& reply);
  /// `folder`: where models are stored. Ollama's registry is asked without the options of `hub`.
  void list(const QString& name, const HubOptions& hub, const QString& folder,
            const Reply<HubListed>& reply);
  /// `language`: of the summaries.
  void suggest(const QString& language, const Reply<QList<ModelSuggestion>>& reply);
  void findLeft(const QStringList& folders, const Reply<QList<LeftDownload>>& reply);
  /// The listing for that folder, with what lies there and what this machine can do now.
  HubListed renewed(const HubListed& listed, const QString& folder);
  void findToken(const Reply<QByteArray>& reply);

 private:
  HubClient* clientFor(HubName::Hub hub, const HubOptions& options);
  HubListed listed(const HubName& name, const HubModel& model, const QString& folder);
  void complete(HubChoice& choice, const QString& type, const Result<DownloadPlan>& plan);
  const MachineAbility& machine();

  MachineAbility m_machine;
  QElapsedTimer m_machineAge;  ///< Not valid: m_machine was not read yet.
};

}  // namespace quire
