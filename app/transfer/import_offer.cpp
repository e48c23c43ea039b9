#include "app/transfer/import_offer.h"

namespace quire {

ImportOffer::~ImportOffer() {
  if (m_thread.joinable()) m_thread.join();
}

bool ImportOffer::accepts(const QList<QUrl>& urls) {
  if (urls.size() != 1 || !urls.first().isLocalFile()) return false;
  const QString name = urls.first().fileName();
  return name.endsWith(QLatin1String(".json"), Qt::CaseInsensitive) ||
         name.endsWith(QLatin1String(".md"), Qt::CaseInsensitive);
}

void ImportOffer::look(const QUrl& file, bool mayAttach) {
  if (m_isLooking) return;
  if (m_thread.joinable()) m_thread.join();  // It has ended: it only has to be taken down.
  m_isLooking = true;
  m_file = file;
  m_mayAttach = mayAttach;
  m_thread = std::thread([this, path = file.toLocalFile()] {
    const ExportKind kind = exportKindOf(path);
    QMetaObject::invokeMethod(
        this, [this, kind] { onLooked(kind); }, Qt::QueuedConnection);
  });
}

void ImportOffer::onLooked(ExportKind kind) {
  m_isLooking = false;
  if (kind != ExportKind::None) return setOpen(true);
  if (m_mayAttach) return emit attachWanted(m_file);
  emit refused(tr("“%1” holds no chats that Quire exported, so there is nothing to import.")
                   .arg(m_file.fileName()));
}

QString ImportOffer::title() const {
  return tr("Import the chats of “%1”?").arg(m_file.fileName());
}

void ImportOffer::importNow() {
  setOpen(false);
  emit importWanted(m_file);
}

void ImportOffer::attach() {
  setOpen(false);
  emit attachWanted(m_file);
}

void ImportOffer::dismiss() {
  setOpen(false);
}

void ImportOffer::setOpen(bool isOpen) {
  if (isOpen == m_isOpen) return;
  m_isOpen = isOpen;
  emit changed();
}

}  // namespace quire
