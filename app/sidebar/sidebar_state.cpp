#include "app/sidebar/sidebar_state.h"

#include <algorithm>

namespace quire {
namespace {

constexpr int kUsualWidth = 256;
constexpr int kLeastWidth = 208;
constexpr int kMostWidth = 440;
const QString kSidebarKey = QStringLiteral("window.sidebar");

int bounded(int width) {
  return std::clamp(width, kLeastWidth, kMostWidth);
}

}  // namespace

SidebarState::SidebarState(DataSession& session, QObject* parent)
    : QObject(parent), m_session(session), m_width(kUsualWidth) {}

void SidebarState::load() {
  const QStringList parts = m_session.setting(kSidebarKey).split(u':');
  if (parts.size() != 2) return;
  m_isOpen = parts[0] != QLatin1String("closed");
  m_width = bounded(parts[1].toInt());
  emit changed();
}

void SidebarState::setOpen(bool isOpen) {
  if (isOpen == this->isOpen()) return;
  (isNarrow() ? m_isOpenWhileNarrow : m_isOpen) = isOpen;
  if (!isNarrow()) save();
  emit changed();
}

void SidebarState::setWindowWidth(double width) {
  const bool wasOpen = isOpen();
  m_windowWidth = width;
  if (!isNarrow()) m_isOpenWhileNarrow = false;
  if (isOpen() != wasOpen) emit changed();
}

void SidebarState::resize(double width) {
  const int wanted = bounded(static_cast<int>(width));
  if (wanted == m_width) return;
  m_width = wanted;
  emit changed();
}

void SidebarState::save() {
  const QString state = m_isOpen ? QStringLiteral("open") : QStringLiteral("closed");
  m_session.putSetting(kSidebarKey, QStringLiteral("%1:%2").arg(state).arg(m_width));
}

void SidebarState::beginRename(RecordId chat, RecordId folder) {
  setOpen(true);
  m_renamedChat = chat;
  m_renamedFolder = folder;
  emit renamingChanged();
}

void SidebarState::endRename(qint64 id) {
  if (id == 0 || (id != m_renamedChat && id != m_renamedFolder)) return;
  m_renamedChat = 0;
  m_renamedFolder = 0;
  emit renamingChanged();
}

}  // namespace quire
