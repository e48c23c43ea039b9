#include "app/hub_link.h"

#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <utility>

#include "app/hub_error.h"
#include "app/remote/remote_endpoint.h"

namespace quire {
namespace {

constexpr qsizetype kMostListed = 64;

bool hasSameOrigin(const QUrl& a, const QUrl& b) {
  return a.scheme() == b.scheme() && a.host() == b.host() && a.port() == b.port();
}

/// What is loaded: the model's file, the first one of a split set, or its folder.
QString modelPathOf(const DownloadPlan& plan) {
  if (!plan.isFolder) return plan.targetPath();
  for (const PlannedFile& file : plan.files) {
    if (file.path.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive)) {
      return plan.targetPath() + u'/' + file.path;
    }
  }
  return plan.targetPath();
}

HubDownload::State stateOf(DownloadState state) {
  using State = HubDownload::State;
  switch (state) {
    case DownloadState::kWaiting:
      return State::kWaiting;
    case DownloadState::kChecking:
      return State::kChecking;
    case DownloadState::kRunning:
      return State::kRunning;
    case DownloadState::kRetrying:
      return State::kRetrying;
    case DownloadState::kPaused:
      return State::kPaused;
    case DownloadState::kDone:
      return State::kDone;
    case DownloadState::kFailed:
    case DownloadState::kCancelled:
      break;
  }
  return State::kFailed;
}

}  // namespace

HubLink::HubLink(SecretStore& secrets, const HubLinkOptions& options, QObject* parent)
    : HubAccess(parent),
      m_secrets(secrets),
      m_options(options),
      m_worker(new HubWorker),
      m_queue(options.downloads) {
  if (m_options.folder.isEmpty()) m_options.folder = defaultModelsFolder();
  m_folder = m_options.folder;
  setMirror({});
  m_thread.setObjectName(QStringLiteral("hubs"));
  m_worker->moveToThread(&m_thread);
  m_thread.start();
  connect(&m_queue, &DownloadQueue::changed, this, [this](DownloadId queued) {
    if (const Entry* const entry = findQueued(queued)) emit downloadChanged(entry->id);
  });
  connect(&m_queue, &DownloadQueue::ended, this, &HubLink::onEnded);
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

bool HubLink::namesModel(const QString& text) const {
  static const QRegularExpression kName(QStringLiteral("\\A\\S*[/:]\\S*\\z"));
  return kName.match(text).hasMatch();
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
  const Reply<ListedModel> onListed(this, [=, this](const ListedModel& listed) {
    if (reply.isWithdrawn()) return;
    const bool triesAgain = mayUseToken && listed.listing.problem.needsToken && m_token.isEmpty();
    if (!triesAgain) return deliver(listed, reply);
    withToken([=, this] {
      if (m_token.isEmpty()) return deliver(listed, reply);
      ask(name, reply, false);
    });
  });
  post([name, hub = hub(), folder = m_folder, onListed](HubWorker& worker) {
    worker.list(name, hub, folder, onListed);
  });
}

void HubLink::deliver(const ListedModel& listed, const Reply<HubListing>& reply) {
  m_listed.removeIf([&](const ListedModel& one) { return one.listing.id == listed.listing.id; });
  if (!listed.plans.isEmpty()) m_listed.append(listed);
  if (m_listed.size() > kMostListed) m_listed.removeFirst();
  reply(listed.listing);
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
      m_listed, [&](const ListedModel& one) { return one.listing.id == listingId; });
  if (listed == m_listed.end() || choice < 0 || choice >= listed->plans.size()) {
    return {tr("The model is not known any more. Search for it again.")};
  }
  const Result<DownloadPlan>& planned = listed->plans[choice];
  if (!planned) return hubErrorOf(planned.error());
  DownloadPlan plan = *planned;
  const auto same = std::ranges::find_if(
      m_entries, [&](const Entry& one) { return one.plan.targetPath() == plan.targetPath(); });
  if (same != m_entries.end()) {
    if (!m_queue.status(same->queued).hasEnded()) return {};
    remove(same->id);
  }
  plan.token = tokenFor(plan);
  append(plan, m_queue.add(plan));
  emit downloadsChanged();
  return {};
}

void HubLink::append(const DownloadPlan& plan, DownloadId queued) {
  m_entries.append(
      {.id = ++m_lastId, .queued = queued, .plan = plan, .isTokenTried = !plan.token.isEmpty()});
  sendOrder();
}

void HubLink::sendOrder() {
  QList<DownloadId> order;
  for (const Entry& entry : std::as_const(m_entries)) order.append(entry.queued);
  m_queue.setOrder(order);
}

HubLink::Entry* HubLink::find(quint64 id) {
  const auto found = std::ranges::find(m_entries, id, &Entry::id);
  return found == m_entries.end() ? nullptr : &*found;
}

HubLink::Entry* HubLink::findQueued(DownloadId queued) {
  const auto found = std::ranges::find(m_entries, queued, &Entry::queued);
  return found == m_entries.end() ? nullptr : &*found;
}

HubDownload HubLink::downloadOf(const Entry& entry) const {
  const DownloadStatus status = m_queue.status(entry.queued);
  return {.id = entry.id,
          .title = entry.plan.title,
          .target = entry.plan.targetPath(),
          .path = modelPathOf(entry.plan),
          .state = stateOf(status.state),
          .bytes = status.bytes,
          .totalBytes = status.totalBytes,
          .bytesPerSecond = status.bytesPerSecond,
          .retryInMs = status.retryInMs,
          .problem = status.error ? hubErrorOf(*status.error) : HubError(),
          .wasThere = status.wasThere};
}

QList<HubDownload> HubLink::downloads() const {
  QList<HubDownload> all;
  for (const Entry& entry : m_entries) all.append(downloadOf(entry));
  return all;
}

void HubLink::pause(quint64 id) {
  if (const Entry* const entry = find(id)) m_queue.pause(entry->queued);
}

void HubLink::resume(quint64 id) {
  Entry* const entry = find(id);
  if (!entry) return;
  const bool isFailed = m_queue.status(entry->queued).state == DownloadState::kFailed;
  if (isFailed && tokenFor(entry->plan) != entry->plan.token) return requeue(*entry);
  m_queue.resume(entry->queued);
}

/// A download keeps the token that it began with, so another token needs another one. It goes on
/// from the bytes on the disk.
void HubLink::requeue(Entry& entry) {
  m_queue.forget(entry.queued);
  entry.plan.token = tokenFor(entry.plan);
  entry.queued = m_queue.add(entry.plan);
  sendOrder();
  emit downloadChanged(entry.id);
}

void HubLink::cancel(quint64 id) {
  if (const Entry* const entry = find(id)) m_queue.cancel(entry->queued);
}

void HubLink::forget(quint64 id) {
  const Entry* const entry = find(id);
  if (!entry || !m_queue.status(entry->queued).hasEnded()) return;
  remove(id);
  emit downloadsChanged();
}

void HubLink::remove(quint64 id) {
  if (const Entry* const entry = find(id)) m_queue.forget(entry->queued);
  m_entries.removeIf([id](const Entry& entry) { return entry.id == id; });
}

void HubLink::moveUp(quint64 id) {
  const Entry* const entry = find(id);
  if (!entry || entry == &m_entries.first()) return;
  const qsizetype at = entry - &std::as_const(m_entries).first();
  m_entries.swapItemsAt(at, at - 1);
  sendOrder();
  emit downloadsChanged();
}

void HubLink::onEnded(DownloadId queued) {
  Entry* const entry = findQueued(queued);
  if (!entry) return;
  const DownloadStatus status = m_queue.status(queued);
  if (status.state == DownloadState::kCancelled) {
    remove(entry->id);
    return emit downloadsChanged();
  }
  emit downloadChanged(entry->id);
  if (status.state == DownloadState::kDone) return emit downloaded(modelPathOf(entry->plan));
  const bool wantsToken = status.error && hubErrorOf(*status.error).needsToken;
  if (!wantsToken || std::exchange(entry->isTokenTried, true)) return;
  withToken([this, id = entry->id] { retryWithToken(id); });
}

void HubLink::retryWithToken(quint64 id) {
  Entry* const entry = find(id);
  if (!entry || tokenFor(entry->plan).isEmpty()) return;
  if (m_queue.status(entry->queued).state == DownloadState::kFailed) requeue(*entry);
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
  const Reply<QList<LeftDownload>> found(this, [this](const QList<LeftDownload>& left) {
    for (const LeftDownload& one : left) {
      const bool isKnown = std::ranges::any_of(m_entries, [&](const Entry& entry) {
        return entry.plan.targetPath() == one.plan.targetPath();
      });
      if (!isKnown) append(one.plan, m_queue.addPaused(one.plan, one.bytes));
    }
    if (!left.isEmpty()) emit downloadsChanged();
  });
  post([folders, found](HubWorker& worker) { worker.findLeft(folders, found); });
}

void linkHub(AppModel& app, SecretStore& secrets, const HubLinkOptions& options) {
  app.getModels()->setAccess(new HubLink(secrets, options, &app));
}

}  // namespace quire
