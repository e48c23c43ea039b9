#include "app/hub_link/hub_link.h"

#include <QLocale>

#include <algorithm>
#include <utility>

#include "app/hub_link/hub_error.h"
#include "app/remote/remote_endpoint.h"

namespace quire {
namespace {

constexpr qsizetype kMostListed = 64;

bool hasSameOrigin(const QUrl& a, const QUrl& b) {
  return a.scheme() == b.scheme() && a.host() == b.host() && a.port() == b.port();
}

}  // namespace

HubLink::HubLink(SecretStore& secrets, const HubLinkOptions& options, QObject* parent)
    : HubAccess(parent),
      m_secrets(secrets),
      m_options(options),
      m_worker(new HubWorker),
      m_downloads(
          options.downloads, [this](const DownloadPlan& plan) { return tokenFor(plan); }, this) {
  if (m_options.folder.isEmpty()) m_options.folder = defaultModelsFolder();
  m_folder = m_options.folder;
  setMirror({});
  m_thread.setObjectName(QStringLiteral("hubs"));
  m_worker->moveToThread(&m_thread);
  m_thread.start();
  connect(&m_downloads, &HubDownloads::listChanged, this, &HubAccess::downloadsChanged);
  connect(&m_downloads, &HubDownloads::changed, this, &HubAccess::downloadChanged);
  connect(&m_downloads, &HubDownloads::done, this, &HubAccess::downloaded);
  connect(&m_downloads, &HubDownloads::tokenWanted, this,
          [this](quint64 id) { withToken([this, id] { m_downloads.retryWithToken(id); }); });
}

HubLink::~HubLink() {
  m_worker->deleteLater();  // By the thread, when its event loop ends.
  m_thread.quit();
  m_thread.wait();
}

void HubLink::post(std::function<void(HubWorker& worker)> task) {
  QMetaObject::invokeMethod(
      m_worker, [worker = m_worker, task = std::move(task)] { task(*worker); },
      Qt::QueuedConnection);
}

PendingReply HubLink::search(const QString& text, Reply<HubSearchReport> reply) {
  post([text, hub = hub(), reply](HubWorker& worker) { worker.search(text, hub, reply); });
  return reply.pending();
}

PendingReply HubLink::list(const QString& name, Reply<HubListing> reply) {
  ask(name, reply, true);
  return reply.pending();
}

/// The keychain, which may ask the user to unlock it, is opened only if the hub wants a token.
void HubLink::ask(const QString& name, const Reply<HubListing>& reply, bool mayUseToken) {
  const Reply<HubListed> listed(this, [=, this](const HubListed& model) {
    if (reply.isWithdrawn()) return;
    const bool triesAgain = mayUseToken && model.listing.problem.needsToken && m_token.isEmpty();
    if (!triesAgain) return onListed(model, reply);
    withToken([=, this] {
      if (m_token.isEmpty()) return onListed(model, reply);
      ask(name, reply, false);
    });
  });
  post([name, hub = hub(), folder = m_folder, listed](HubWorker& worker) {
    worker.list(name, hub, folder, listed);
  });
}

/// The files of a gated model need a token, although it can be listed without.
void HubLink::onListed(const HubListed& listed, const Reply<HubListing>& reply) {
  if (!listed.listing.isGated) return deliver(listed, reply);
  withToken([=, this] { deliver(listed, reply); });
}

void HubLink::deliver(HubListed listed, const Reply<HubListing>& reply) {
  listed.listing.hasToken = !m_token.isEmpty();
  const bool isMoved = listed.folder != m_folder && !listed.plans.isEmpty();
  if (!isMoved) {
    keep(listed);
    return reply(listed.listing);
  }
  const Reply<HubListed> renewed(this,
                                 [=, this](const HubListed& model) { deliver(model, reply); });
  post([listed, folder = m_folder, renewed](HubWorker& worker) {
    renewed(worker.renewed(listed, folder));
  });
}

void HubLink::keep(const HubListed& listed) {
  m_listed.removeIf([&](const HubListed& one) { return one.listing.id == listed.listing.id; });
  if (!listed.plans.isEmpty()) m_listed.append(listed);
  if (m_listed.size() > kMostListed) m_listed.removeFirst();
}

PendingReply HubLink::examineFolder(const QString& path, Reply<FolderUse> reply) {
  post([path, reply](HubWorker&) {
    if (!reply.isWithdrawn()) reply(folderUse(path));
  });
  return reply.pending();
}

void HubLink::setFolder(const QString& folder) {
  m_folder = folder;
  const Reply<HubListed> renewed(this, [this](const HubListed& listed) {
    const bool isKnown = std::ranges::any_of(
        m_listed, [&](const HubListed& one) { return one.listing.id == listed.listing.id; });
    if (!isKnown || listed.folder != m_folder) return;
    keep(listed);
    emit relisted(listed.listing);
  });
  for (const HubListed& listed : std::as_const(m_listed)) {
    post([listed, folder, renewed](HubWorker& worker) { renewed(worker.renewed(listed, folder)); });
  }
}

PendingReply HubLink::suggest(Reply<QList<ModelSuggestion>> reply) {
  const QString language = QLocale::languageToCode(QLocale().language());
  post([language, reply](HubWorker& worker) { worker.suggest(language, reply); });
  return reply.pending();
}

QString HubLink::secretName() const {
  return QStringLiteral("hub.token@") + hubHost();
}

/// Calls `then` when the token is known: of the keychain, or where other programs keep it.
void HubLink::withToken(const std::function<void()>& then) {
  if (m_isTokenRead) return then();
  const QString name = secretName();
  m_secrets.read(name, Reply<SecretReading>(this, [=, this](const SecretReading& reading) {
                   if (name != secretName()) return then();
                   m_token = reading.secret.toUtf8();
                   m_isTokenRead = true;
                   if (!m_token.isEmpty()) return then();
                   const Reply<QByteArray> found(this, [=, this](const QByteArray& token) {
                     if (m_token.isEmpty() && name == secretName()) m_token = token;
                     then();
                   });
                   post([found](HubWorker& worker) { worker.findToken(found); });
                 }));
}

void HubLink::keepToken(const QString& token, Reply<QString> reply) {
  m_token = token.toUtf8();
  m_isTokenRead = true;
  m_secrets.write(secretName(), token, Reply<SecretStoring>([reply](const SecretStoring& storing) {
                    reply(storing.isStored ? QString() : storing.error);
                  }));
}

/// The token goes only to the hub that it was entered for.
QByteArray HubLink::tokenFor(const DownloadPlan& plan) const {
  const bool isOfHub = std::ranges::all_of(
      plan.files, [this](const PlannedFile& file) { return hasSameOrigin(file.url, m_endpoint); });
  return isOfHub ? m_token : QByteArray();
}

HubError HubLink::get(const QString& listingId, int choice) {
  const auto listed = std::ranges::find_if(
      m_listed, [&](const HubListed& one) { return one.listing.id == listingId; });
  if (listed == m_listed.end() || choice < 0 || choice >= listed->plans.size()) {
    return {tr("The model is not known any more. Search for it again.")};
  }
  const Result<DownloadPlan>& planned = listed->plans[choice];
  if (!planned) return hubErrorOf(planned.error());
  DownloadPlan plan = *planned;
  plan.folder = m_folder;  // It may have been changed while the listing is being renewed.
  m_downloads.add(plan);
  return {};
}

QString HubLink::setMirror(const QString& address) {
  QUrl endpoint = m_options.endpoint.isEmpty() ? kHuggingFaceUrl : m_options.endpoint;
  const bool isUsual = address.isEmpty();
  const QString typed =
      isUsual && m_options.endpoint.isEmpty() ? qEnvironmentVariable("HF_ENDPOINT") : address;
  if (!typed.isEmpty()) {
    const Result<QUrl> read = readEndpoint(typed);
    if (!read && !isUsual) return hubErrorOf(read.error()).text;
    if (read) endpoint = *read;
  }
  if (endpoint == m_endpoint) return {};
  m_endpoint = endpoint;
  m_token.clear();
  m_isTokenRead = false;
  return {};
}

QString HubLink::hubHost() const {
  return hostOf(m_endpoint);
}

void HubLink::restore() {
  QStringList folders = {m_folder, m_options.folder};
  folders.removeDuplicates();
  folders.removeAll(QString());
  const Reply<QList<LeftDownload>> found(
      this, [this](const QList<LeftDownload>& left) { m_downloads.addLeft(left); });
  post([folders, found](HubWorker& worker) { worker.findLeft(folders, found); });
}

void linkHub(AppModel& app, SecretStore& secrets, const HubLinkOptions& options) {
  app.getModels()->setAccess(new HubLink(secrets, options, &app));
}

}  // namespace quire
