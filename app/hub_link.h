#pragma once

#include <QThread>

#include <functional>

#include "app/app_model.h"
#include "app/hub/download_queue.h"
#include "app/hub_worker.h"
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

  bool namesModel(const QString& text) const override;
  PendingReply search(const QString& text, Reply<HubSearchReport> reply) override;
  PendingReply list(const QString& name, Reply<HubListing> reply) override;
  PendingReply suggest(Reply<QList<ModelSuggestion>> reply) override;
  void keepToken(const QString& token, Reply<QString> reply) override;
  HubError get(const QString& listingId, int choice) override;
  QList<HubDownload> downloads() const override;
  void pause(quint64 id) override;
  void resume(quint64 id) override;
  void cancel(quint64 id) override;
  void forget(quint64 id) override;
  void moveUp(quint64 id) override;
  QString setMirror(const QString& address) override;
  QString hubHost() const override;
  void setBytesPerSecond(qint64 bytes) override { m_queue.setBytesPerSecond(bytes); }
  QString defaultFolder() const override { return m_options.folder; }
  void setFolder(const QString& folder) override { m_folder = folder; }
  void restore() override;

 private:
  /// A download; `queued` is another one after each new start with a token.
  struct Entry {
    quint64 id = 0;
    DownloadId queued = 0;
    DownloadPlan plan;
    bool isTokenTried = false;
  };
  void post(std::function<void(HubWorker& worker)> task);
  void ask(const QString& name, const Reply<HubListing>& reply, bool mayUseToken);
  void deliver(const ListedModel& listed, const Reply<HubListing>& reply);
  void withToken(const std::function<void()>& then);
  QByteArray tokenFor(const DownloadPlan& plan) const;
  QString secretName() const;
  HubOptions hub() const { return {.endpoint = m_endpoint, .token = m_token}; }
  void append(const DownloadPlan& plan, DownloadId queued);
  void requeue(Entry& entry);
  void sendOrder();
  void onEnded(DownloadId queued);
  void retryWithToken(quint64 id);
  Entry* find(quint64 id);
  Entry* findQueued(DownloadId queued);
  void remove(quint64 id);
  HubDownload downloadOf(const Entry& entry) const;

  SecretStore& m_secrets;
  HubLinkOptions m_options;
  QUrl m_endpoint;
  QString m_folder;
  QByteArray m_token;  ///< For m_endpoint.
  bool m_isTokenRead = false;
  QList<ListedModel> m_listed;  ///< The last ones.
  QList<Entry> m_entries;       ///< In the order in which they start.
  quint64 m_lastId = 0;
  QThread m_thread;
  HubWorker* m_worker;  ///< In m_thread.
  DownloadQueue m_queue;
};

/// Lets the window find and download models. `secrets` outlives the application's model.
void linkHub(AppModel& app, SecretStore& secrets, const HubLinkOptions& options = {});

}  // namespace quire
