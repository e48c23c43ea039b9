#include "app/transfer/import_offer.h"

#include "app/store/visible_string.h"

namespace quire {

bool ImportOffer::accepts(const QList<QUrl>& urls) {
  if (urls.size() != 1 || !urls.first().isLocalFile()) return false;
  const QString name = urls.first().fileName();
  return name.endsWith(QLatin1String(".json"), Qt::CaseInsensitive) ||
         name.endsWith(QLatin1String(".md"), Qt::CaseInsensitive);
}

void ImportOffer::examine(const QUrl& file) {
  if (m_tasks.isBusy()) return;
  m_file = file;
  m_mayAttach = m_isAttachable && m_isAttachable();
  m_tasks.run([path = file.toLocalFile()](std::stop_token) { return exportKindOf(path); },
              [this](ExportKind kind) { onExamined(kind); });
}

void ImportOffer::onExamined(ExportKind kind) {
  if (kind != ExportKind::None) return setOpen(true);
  if (m_mayAttach) return emit attachWanted(m_file);
  emit refused(
      tr("“%1” was not exported by Quire, so there is nothing to import.").arg(shownName()));
}

QString ImportOffer::title() const {
  return tr("Import the chats in “%1”?").arg(shownName());
}

QString ImportOffer::shownName() const {
  return visibleLine(m_file.fileName());
}

void ImportOffer::importNow() {
  setOpen(false);
  emit importWanted(m_file);
}

void ImportOffer::attach() {
  setOpen(false);
  emit attachWanted(m_file);
}

void ImportOffer::setOpen(bool isOpen) {
  if (isOpen == m_isOpen) return;
  m_isOpen = isOpen;
  emit changed();
}

}  // namespace quire
