#pragma once

#include <QThread>

#include <functional>

#include "app/app_model.h"
#include "app/hub_link/hub_downloads.h"
#include "app/hub_link/hub_worker.h"
#include "app/remote/secret_store.h"

namespace quire {

/// Where the window's models come from.
struct HubLinkOptions {
  QUrl endpoint = {};   ///< Empty: HF_ENDPOINT, or Hugging Face itself.
  QString folder = {};  ///< For models; empty: the one that the page Models searches.
  DownloadOptions downloads = {};
};

/// Hugging Face, Ollama's registry and the downloads from them, for the window. The token is kept
/// in the keychain under the hub's host, and sent nowhere else.
///
/// Thread: the window's; hubs and downloads have threads of their own.
class HubLink : public HubAccess {
  Q_OBJECT

 public:
  /// `secrets` outlives this object.
  HubLink(SecretStore& secrets, const HubLinkOptions& options, QObject* parent);
  ~HubLink() override;

  PendingReply search(const QString& text, Reply<HubSearchReport> reply) override;
  PendingReply list(const QString& name, Reply<HubListing> reply) override;
  PendingReply suggest(Reply<QList<ModelSuggestion>> reply) override;
  void keepToken(const QString& token, Reply<QString> reply) override;
  HubError get(const QString& listingId, int choice) override;
  QList<HubDownload> downloads() const override { return m_downloads.list(); }
  void act(quint64 id, DownloadAction action) override { m_downloads.act(id, action); }
  QString setMirror(const QString& address) override;
  QString hubHost() const override;
  void setBytesPerSecond(qint64 bytes) override { m_downloads.setBytesPerSecond(bytes); }
  QString defaultFolder() const override { return m_options.folder; }
  PendingReply examineFolder(const QString& path, Reply<FolderUse> reply) override;
  void setFolder(const QString& folder) override;
  void restore() override;

 private:
  void post(std::function<void(HubWorker& worker)> task);
  void ask(const QString& name, const Reply<HubListing>& reply, bool mayUseToken);
  void onListed(const HubListed& listed, const Reply<HubListing>& reply);
  void deliver(HubListed listed, const Reply<HubListing>& reply);
  void keep(const HubListed& listed);
  void withToken(const std::function<void()>& then);
  QByteArray tokenFor(const DownloadPlan& plan) const;
  QString secretName() const;
  HubOptions hub() const { return {.endpoint = m_endpoint, .token = m_token}; }

  SecretStore& m_secrets;
  HubLinkOptions m_options;
  QUrl m_endpoint;
  QString m_folder;
  QByteArray m_token;  ///< For m_endpoint.
  bool m_isTokenRead = false;
  QList<HubListed> m_listed;  ///< The last ones.
  QThread m_thread;
  HubWorker* m_worker;  ///< In m_thread.
  HubDownloads m_downloads;
};

/// Lets the window find and download models. `secrets` outlives the application's model.
void linkHub(AppModel& app, SecretStore& secrets, const HubLinkOptions& options = {});

}  // namespace quire
