#include "app/get_models/get_models.h"

#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QLocale>

#include <algorithm>
#include <iterator>

#include "app/size_text.h"
#include "app/store/setting_keys.h"

namespace quire {
namespace {

const QString kLimitKey = QStringLiteral("downloads.limit");
constexpr qint64 kMegabyte = 1'000'000;
/// Of the choices, in bytes a second. 0: no limit.
constexpr qint64 kLimits[] = {
    0, 1 * kMegabyte, 2 * kMegabyte, 5 * kMegabyte, 10 * kMegabyte, 20 * kMegabyte, 50 * kMegabyte};

}  // namespace

GetModels::GetModels(DataSession& session, QObject* parent) : QObject(parent), m_session(session) {
  connect(&m_picker, &FolderPicker::picked, this,
          [this](const QUrl& folder) { setFolder(folder.toLocalFile()); });
  connect(&m_downloads, &DownloadList::loadWanted, this, &GetModels::loadWanted);
  connect(&m_downloads, &DownloadList::tokenWanted, this, [this](const QString& why) {
    m_view = View::kStart;
    m_refused.clear();
    m_tokenNote.clear();
    showProblem({why, true});
    open();
  });
  connect(&m_downloads, &DownloadList::progressed, this, [this] {
    const DownloadTargets targets = m_downloads.targets();
    m_files.setTargets(targets);
    m_offers.setTargets(targets);
  });
}

void GetModels::setAccess(HubAccess* access) {
  m_access = access;
  connect(access, &HubAccess::downloaded, this, &GetModels::downloaded);
  m_downloads.setAccess(access);
  m_offers.setAccess(access);
  emit changed();
  emit optionsChanged();
}

void GetModels::load() {
  if (!m_access) return;
  m_mirror = m_session.setting(setting_keys::kHubMirror);
  if (!m_access->setMirror(m_mirror).isEmpty()) m_mirror.clear();
  m_folder = m_session.setting(setting_keys::kDownloadFolder);
  if (!QDir::isAbsolutePath(m_folder)) m_folder.clear();
  m_access->setFolder(folder());
  const qint64 limit = m_session.setting(kLimitKey).toLongLong();
  const auto known = std::ranges::find(kLimits, limit);
  m_limitIndex = known == std::end(kLimits) ? 0 : static_cast<int>(known - std::begin(kLimits));
  m_access->setBytesPerSecond(kLimits[m_limitIndex]);
  m_access->restore();
  emit optionsChanged();
}

void GetModels::open() {
  m_isOpen = true;
  emit changed();
}

void GetModels::openFor(const QString& text) {
  m_text = text;
  m_view = View::kStart;
  m_problem.clear();
  open();
}

/// Withdraws a request that is still running; the results stay.
void GetModels::close() {
  if (!m_isOpen) return;
  m_isOpen = false;
  m_pending.reset();
  m_token.clear();
  emit changed();
}

void GetModels::setText(const QString& text) {
  if (text == m_text) return;
  m_text = text;
  emit changed();
}

QString GetModels::note() const {
  if (isAsking()) return tr("Asking %1…").arg(m_access ? m_access->hubHost() : QString());
  if (showsResults() && !hasResults() && m_problem.isEmpty()) {
    return tr("Nothing was found. Try fewer or other words.");
  }
  if (showsFiles() && m_files.hasNothing()) {
    return tr(
        "This model has neither a GGUF file nor a complete folder of safetensors. Choose "
        "another one, such as one whose name ends with GGUF.");
  }
  return {};
}

void GetModels::search() {
  if (!canSearch()) return;
  const QString text = m_text.trimmed();
  if (m_access->namesModel(text)) return openModel(text);
  showProblem({});
  m_pending = m_access->search(
      text, Reply<HubSearchReport>(this, [this](const HubSearchReport& r) { onFound(r); }));
  emit changed();
}

void GetModels::onFound(const HubSearchReport& report) {
  m_pending.reset();
  m_results.set(report.found);
  m_view = View::kResults;
  showProblem(report.problem);
}

void GetModels::openModel(const QString& name) {
  if (!m_access) return;
  m_asked = name;
  m_tokenNote.clear();
  showProblem({});
  m_pending =
      m_access->list(name, Reply<HubListing>(this, [this](const HubListing& l) { onListed(l); }));
  emit changed();
}

void GetModels::onListed(const HubListing& listing) {
  m_pending.reset();
  m_refused = listing.problem.needsToken ? m_asked : QString();
  if (!listing.id.isEmpty()) {
    m_files.set(listing);
    m_view = View::kFiles;
  }
  showProblem(listing.problem);
}

void GetModels::showProblem(const HubError& problem) {
  m_problem = problem.text;
  m_needsToken = problem.needsToken;
  emit changed();
}

void GetModels::back() {
  m_pending.reset();
  m_view = hasResults() ? View::kResults : View::kStart;
  showProblem({});
}

void GetModels::get(int row) {
  if (!m_access || !showsFiles() || row < 0 || row >= m_files.count()) return;
  showProblem(m_access->get(m_files.listing().id, row));
}

void GetModels::openPage() const {
  const QUrl page = m_files.listing().page;
  if (page.scheme() == QLatin1String("https")) QDesktopServices::openUrl(page);
}

void GetModels::setToken(const QString& token) {
  m_token = token;
  emit changed();
}

/// Repeats what was refused, with the token.
void GetModels::saveToken() {
  const QString token = m_token.trimmed();
  if (token.isEmpty() || !m_access) return;
  m_token.clear();
  m_tokenNote = tr("The token is kept in the system's keychain.");
  m_access->keepToken(token, Reply<QString>(this, [this](const QString& problem) {
                        if (problem.isEmpty()) return;
                        m_tokenNote = tr("No keychain can be reached, so the token is remembered "
                                         "only until Quire ends. (%1)")
                                          .arg(problem);
                        emit changed();
                      }));
  m_downloads.retryRefused();
  const QString note = m_tokenNote;
  if (!m_refused.isEmpty()) {
    openModel(m_refused);
  } else if (!showsFiles()) {
    showProblem({});
  }
  m_tokenNote = note;
  emit changed();
}

void GetModels::setMirror(const QString& address) {
  const QString typed = address.trimmed();
  if (!m_access || typed == m_mirror) return;
  m_mirrorProblem = m_access->setMirror(typed);
  if (m_mirrorProblem.isEmpty()) {
    m_mirror = typed;
    m_session.putSetting(setting_keys::kHubMirror, m_mirror);
  }
  emit optionsChanged();
}

QStringList GetModels::limits() const {
  QStringList limits = {tr("No limit")};
  for (const qint64 limit : kLimits) {
    if (limit > 0) limits += tr("%1 a second").arg(sizeText(static_cast<quint64>(limit)));
  }
  return limits;
}

void GetModels::setLimitIndex(int index) {
  if (index < 0 || index >= static_cast<int>(std::size(kLimits)) || !m_access) return;
  m_limitIndex = index;
  m_access->setBytesPerSecond(kLimits[index]);
  m_session.putSetting(kLimitKey, QString::number(kLimits[index]));
  emit optionsChanged();
}

QString GetModels::folder() const {
  return m_folder.isEmpty() && m_access ? m_access->defaultFolder() : m_folder;
}

void GetModels::setFolder(const QString& folder) {
  if (!m_access) return;
  QString typed = folder.trimmed();
  if (typed.startsWith(QLatin1String("~/"))) typed = QDir::homePath() + typed.mid(1);
  if (typed == this->folder()) return;
  const QFileInfo info(typed);
  m_folderProblem.clear();
  if (!typed.isEmpty() && (!QDir::isAbsolutePath(typed) || !info.isDir())) {
    m_folderProblem = tr("There is no such folder.");
  } else if (!typed.isEmpty() && !info.isWritable()) {
    m_folderProblem = tr("You may not write to this folder. Choose another one.");
  } else {
    m_folder = typed.isEmpty() ? QString() : QDir::cleanPath(typed);
    m_session.putSetting(setting_keys::kDownloadFolder, m_folder);
    m_access->setFolder(this->folder());
  }
  emit optionsChanged();
}

}  // namespace quire
