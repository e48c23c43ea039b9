// The user's actions on the library: folders, dropped files, hidden models.
#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <utility>

#include "app/models/model_labels.h"
#include "app/models/model_library.h"
#include "app/store/visible_string.h"
#include "app/typed_path.h"

namespace quire {

void ModelLibrary::addFolder(const QUrl& folder) {
  if (!folder.isLocalFile()) return;
  const QString path = model_labels::normalPath(folder.toLocalFile());
  QStringList now = folders();
  if (now.contains(path)) return;
  m_settings.setFolders(now << path);
  emit foldersChanged();
  rescan();
}

/// For desktops without a folder dialog.
void ModelLibrary::typeFolder(const QString& path) {
  const QString typed = typedPath(path);
  const bool isFolder = QDir::isAbsolutePath(typed) && QFileInfo(typed).isDir();
  m_folderProblem = isFolder ? QString() : tr("There is no such folder.");
  m_typesFolder = !isFolder;
  if (isFolder) addFolder(QUrl::fromLocalFile(typed));
  emit foldersChanged();
}

QString ModelLibrary::shortPath(const QString& path) const {
  return model_labels::shortPath(path, QDir::homePath() + u'/');
}

void ModelLibrary::toggleScan() {
  if (!isScanning()) return rescan();
  m_scanner->cancel();
}

bool ModelLibrary::accepts(const QList<QUrl>& urls) const {
  return !urls.isEmpty() && std::all_of(urls.cbegin(), urls.cend(), [](const QUrl& url) {
    const QString path = url.toLocalFile();
    return path.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive) || QFileInfo(path).isDir();
  });
}

void ModelLibrary::load(const QString& path) {
  ModelCard* const card = m_cards.find(path);
  if (!card) return;
  // A load that failed is tried again, even if the trial before it was why.
  if (m_scanner && !card->error().isEmpty()) m_scanner->forget(card->path());
  card->load();
}

void ModelLibrary::tryAgain(const QString& path) {
  if (!m_scanner) return;
  m_inspecting.insert(path);
  m_scanner->tryAgain(path);
}

void ModelLibrary::removeFolder(const QString& folder) {
  QStringList now = folders();
  if (now.removeAll(folder) == 0) return;
  m_settings.setFolders(now);
  emit foldersChanged();
  rescan();
}

void ModelLibrary::open(const QList<QUrl>& urls) {
  emit opening();
  if (!m_scanner) return;
  for (const QUrl& url : urls) {
    if (!url.isLocalFile()) continue;
    const QString path = model_labels::normalPath(url.toLocalFile());
    QStringList hidden = m_settings.hidden();
    if (hidden.removeAll(path) > 0) m_settings.setHidden(hidden);
    m_toLoad.insert(path);
    inspect(path);
  }
}

void ModelLibrary::use(const QString& path) {
  ModelCard* card = m_cards.card(path);
  if (card->isServing()) return card->makePrimary();
  if (!m_query.opened.contains(card->path()) && card->found().place.isEmpty() &&
      !card->isDemonstration()) {
    m_query.opened.append(card->path());
    m_settings.setOpened(m_query.opened);
  }
  card->load();
}

void ModelLibrary::addWritten(const QString& path) {
  if (!m_scanner) return;
  const QString normal = model_labels::normalPath(path);
  if (!m_query.opened.contains(normal)) {
    m_query.opened.append(normal);
    m_settings.setOpened(m_query.opened);
  }
  inspect(normal);
}

void ModelLibrary::addDownloaded(const QString& path, const QString& place) {
  const QString normal = model_labels::normalPath(path);
  if (place.isEmpty()) return addWritten(path);
  m_placeOf[normal] = place;
  if (m_scanner) inspect(normal);
}

void ModelLibrary::loadDownloaded(const QString& path) {
  const QString normal = model_labels::normalPath(path);
  const ModelCard* const card = m_cards.find(normal);
  if (card && card->isFound() && !card->hasObstacle()) return use(normal);
  if (!m_scanner) return;
  m_toLoad.insert(normal);
  m_quiet.insert(normal);
  inspect(normal);
}

const ModelCard* ModelLibrary::bestOfOwn() const {
  const quint64 most = m_cards.devices().mostFreeBytes();
  const ModelCard* best = nullptr;
  for (const ModelCard* card : m_cards.all()) {
    if (card->isDemonstration() || !card->isFound() || card->hasObstacle() || isGone(*card)) {
      continue;
    }
    const quint64 bytes = card->found().facts.fileBytes;
    const bool isLarger = best == nullptr || bytes > best->found().facts.fileBytes;
    if (isLarger && bytes + bytes / 10 <= most) best = card;
  }
  return best;
}

void ModelLibrary::hide(const QString& path) {
  const ModelCard* card = m_cards.find(path);
  if (!card || card->hasState()) return;
  if (m_query.opened.removeAll(card->path()) > 0) m_settings.setOpened(m_query.opened);
  m_settings.setHidden(m_settings.hidden() << card->path());
  arrange();
}

void ModelLibrary::showHidden() {
  m_settings.setHidden({});
  arrange();
}

void ModelLibrary::setNotice(const QString& notice, const QString& folder) {
  m_notice = visibleLine(notice);  // It may quote names of files.
  m_noticeModel.clear();
  m_noticeFolder = folders().contains(folder) ? QString() : folder;
  emit noticeChanged();
}

QString ModelLibrary::noticeAction() const {
  return m_noticeFolder.isEmpty() ? QString() : tr("Add its folder");
}

void ModelLibrary::acceptNotice() {
  const QString folder = std::exchange(m_noticeFolder, {});
  dismissNotice();
  if (!folder.isEmpty()) addFolder(QUrl::fromLocalFile(folder));
}

}  // namespace quire
