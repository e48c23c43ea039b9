#include "app/get_models/get_models.h"

#include <QDesktopServices>
#include <QDir>
#include <QLocale>

#include <algorithm>
#include <iterator>

#include "app/get_models/get_labels.h"
#include "app/size_text.h"
#include "app/store/setting_keys.h"
#include "app/typed_path.h"

namespace quire {
namespace {

constexpr qint64 kMegabyte = 1'000'000;
const QString kLimitKey = QStringLiteral("downloads.limit");  ///< Bytes a second; 0: none.
/// Of the choices, in bytes a second. 0: no limit.
constexpr qint64 kLimits[] = {
    0, 1 * kMegabyte, 2 * kMegabyte, 5 * kMegabyte, 10 * kMegabyte, 20 * kMegabyte, 50 * kMegabyte};

/// Why models cannot be stored there; empty: they can.
QString problemOf(FolderUse use) {
  switch (use) {
    case FolderUse::kMissing:
      return GetModels::tr("There is no such folder.");
    case FolderUse::kNotWritable:
      return GetModels::tr("You may not write to this folder. Choose another one.");
    case FolderUse::kUsable:
      break;
  }
  return {};
}

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
    m_files.setDownloads(m_downloads.rows());
    m_offers.setDownloads(m_downloads.rows());
    emit nextChanged();
  });
  connect(&m_offers, &ModelOffers::changed, this, &GetModels::nextChanged);
  connect(this, &GetModels::changed, this, &GetModels::nextChanged);
}

void GetModels::setAccess(HubAccess* access) {
  m_access = access;
  m_usualHub = access->hubHost();
  connect(access, &HubAccess::downloaded, this, [this](const QString& path) {
    const QString home = m_access->defaultFolder();
    emit downloaded(path, path.startsWith(home + u'/') ? home : QString());
  });
  connect(access, &HubAccess::relisted, this, [this](const HubListing& listing) {
    if (m_files.listing().id == listing.id) m_files.set(listing);
    m_offers.renew(listing);
    emit changed();
  });
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
  m_access->setFolder(usedFolder());
  const qint64 limit = m_session.setting(kLimitKey).toLongLong();
  const auto known = std::ranges::find(kLimits, limit);
  m_limitIndex = known == std::end(kLimits) ? 0 : static_cast<int>(known - std::begin(kLimits));
  m_access->setBytesPerSecond(kLimits[m_limitIndex]);
  m_access->restore();
  emit optionsChanged();
}

/// The machine may have been measured since the model was listed.
void GetModels::open() {
  if (!m_isOpen && m_access && showsFiles()) m_access->setFolder(usedFolder());
  m_isOpen = true;
  emit changed();
}

void GetModels::openFor(const QString& text) {
  m_text = text;
  m_view = View::kStart;
  showProblem({});
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

QString GetModels::askingText() const {
  return isAsking() && m_access ? get_labels::asking(*m_access) : QString();
}

QString GetModels::note() const {
  if (isAsking()) return {};
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

bool GetModels::showsOffers() const {
  return m_view == View::kStart && !isAsking() && m_problem.isEmpty() && !m_hasOffersElsewhere;
}

void GetModels::setOffersElsewhere(bool isElsewhere) {
  if (isElsewhere == m_hasOffersElsewhere) return;
  m_hasOffersElsewhere = isElsewhere;
  emit changed();
}

GetModels::Step GetModels::nextStep() const {
  if (isAsking()) return Step::kNone;
  if (needsToken()) return m_token.isEmpty() && canOpenPage() ? Step::kPage : Step::kToken;
  const QString text = m_text.trimmed();
  if (canSearch() && text != m_searched) return Step::kSearch;
  if (m_canRetry) return Step::kRetry;
  if (showsFiles()) return Step::kFiles;
  if (showsResults()) return Step::kNone;  // The results themselves.
  if (canSearch()) return Step::kSearch;
  return showsOffers() ? Step::kOffers : Step::kNone;
}

bool GetModels::isNext() const {
  const bool arePageOffersNext = m_hasOffersElsewhere && !m_offers.hasNothing();
  return isAvailable() && !arePageOffersNext && !m_downloads.hasFinished();
}

QString GetModels::failureText() const {
  QStringList shown;
  if (showsFiles()) shown = m_files.targets();
  if (showsOffers()) shown = m_offers.targets();
  return m_downloads.failureText(shown);
}

void GetModels::search() {
  if (!canSearch()) return;
  const QString text = m_text.trimmed();
  m_searched = text;
  namesModel(text) ? openModel(text) : searchFor(text);
}

void GetModels::searchFor(const QString& text) {
  m_asked = text;
  m_asksModel = false;
  showProblem({});
  m_pending = m_access->search(
      text, Reply<HubSearchReport>(this, [this](const HubSearchReport& r) { onFound(r); }));
  emit changed();
}

void GetModels::onFound(const HubSearchReport& report) {
  m_pending.reset();
  m_results.set(report.found);
  m_view = View::kResults;
  showProblem(report.problem, true);
}

void GetModels::openModel(const QString& name) {
  if (!m_access) return;
  m_asked = name;
  m_asksModel = true;
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
  showProblem(listing.problem, listing.id.isEmpty());
}

void GetModels::retry() {
  if (m_canRetry) m_asksModel ? openModel(m_asked) : searchFor(m_asked);
}

void GetModels::cancel() {
  m_pending.reset();
  emit changed();
}

void GetModels::showProblem(const HubError& problem, bool canRetry) {
  m_problem = problem.text;
  m_needsToken = problem.needsToken;
  m_canRetry = canRetry && !problem.text.isEmpty() && !problem.needsToken;
  emit changed();
}

void GetModels::back() {
  m_pending.reset();
  m_view = hasResults() ? View::kResults : View::kStart;
  showProblem({});
}

void GetModels::get(int row) {
  if (!m_access || !showsFiles() || row < 0 || row >= m_files.count()) return;
  if (const QString path = m_files.pathOf(row); !path.isEmpty()) return emit loadWanted(path);
  if (const HubDownload* const open = m_files.openDownload(row)) {
    return isWorking(open->state) ? m_downloads.pause(open->id) : m_downloads.resume(open->id);
  }
  const HubError refusal = m_access->get(m_files.listing().id, row);
  m_files.setRefusal(row, refusal.text);
  showProblem({{}, refusal.needsToken});
}

bool GetModels::canOpenPage() const {
  return showsFiles() && m_files.listing().page.scheme() == QLatin1String("https");
}

void GetModels::openPage() const {
  if (canOpenPage()) QDesktopServices::openUrl(m_files.listing().page);
}

bool GetModels::needsToken() const {
  const bool isMissing = m_files.isGated() && !m_files.listing().hasToken && !m_hasToken;
  return m_needsToken || (showsFiles() && isMissing);
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
  m_hasToken = true;
  m_tokenNote = tr("Asking the system's keychain to keep the token…");
  m_access->keepToken(
      token, Reply<QString>(this, [this](const QString& problem) { onTokenKept(problem); }));
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

void GetModels::onTokenKept(const QString& problem) {
  m_tokenNote = problem.isEmpty() ? tr("The token is kept in the system's keychain.")
                                  : tr("No keychain can be reached, so the token is remembered "
                                       "only until Quire ends. (%1)")
                                        .arg(problem);
  emit changed();
}

void GetModels::setMirror(const QString& address) {
  const QString typed = address.trimmed();
  if (!m_access || typed == mirror()) return;
  m_mirrorProblem = m_access->setMirror(typed);
  m_typedMirror = typed;
  if (m_mirrorProblem.isEmpty()) {
    m_mirror = typed;
    m_hasToken = false;
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

QString GetModels::usedFolder() const {
  return m_folder.isEmpty() && m_access ? m_access->defaultFolder() : m_folder;
}

QString GetModels::folder() const {
  return m_typedFolder.isEmpty() ? usedFolder() : m_typedFolder;
}

/// One that could not be used is examined again: the user may have made it in the meantime.
void GetModels::setFolder(const QString& folder) {
  const QString typed = typedPath(folder);
  if (!m_access || (typed == this->folder() && m_folderProblem.isEmpty())) return;
  m_examined.reset();
  if (typed.isEmpty()) return useFolder({});
  if (typed != m_typedFolder) m_folderProblem.clear();
  m_typedFolder = typed;
  if (!QDir::isAbsolutePath(typed)) {
    m_folderProblem = tr("Type the whole path, such as ~/models.");
  } else {
    m_examined = m_access->examineFolder(
        typed, Reply<FolderUse>(this, [this](FolderUse use) { onFolderExamined(use); }));
  }
  emit optionsChanged();
}

void GetModels::onFolderExamined(FolderUse use) {
  m_examined.reset();
  m_folderProblem = problemOf(use);
  if (m_folderProblem.isEmpty()) return useFolder(QDir::cleanPath(m_typedFolder));
  emit optionsChanged();
}

/// Empty: the default.
void GetModels::useFolder(const QString& path) {
  m_folder = path;
  m_typedFolder.clear();
  m_folderProblem.clear();
  m_session.putSetting(setting_keys::kDownloadFolder, m_folder);
  m_access->setFolder(usedFolder());
  emit optionsChanged();
}

}  // namespace quire
