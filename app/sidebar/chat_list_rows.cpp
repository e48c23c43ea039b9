// Contents and selection of the sidebar's rows.
#include <utility>

#include "app/sidebar/chat_list_model.h"

namespace quire {

using Zone = ChatPlace::Zone;

namespace {

constexpr int kMaxDraft = 80;  ///< Most characters of a draft in a row.

}  // namespace

ChatListModel::ChatListModel(QObject* parent) : RoleListModel(parent) {
  const auto role = [this](Role id, const char* name, auto value) -> RoleValue {
    return {id, name, [this, id, value](int row) -> QVariant {
              const ChatPlace& place = m_rows[row];
              if (!place.isChat) return lineData(place, id);
              const auto chat = m_chats.constFind(place.id);
              return chat == m_chats.cend() ? QVariant() : QVariant(value(*chat));
            }};
  };
  setRoles({{kSection, "section", [this](int row) { return sectionOf(m_rows[row]); }},
            role(kKind, "kind", [](const Chat&) { return QVariant::fromValue(RowKind::Chat); }),
            role(kChatId, "chatId", [](const Chat& chat) { return chat.record.id; }),
            role(kFolderId, "folderId", [](const Chat& chat) { return chat.place.folderId; }),
            role(kTitle, "title", [](const Chat& chat) { return titleOf(chat.record); }),
            role(kColor, "colorIndex", [](const Chat& chat) { return chat.record.color; }),
            role(kTimeText, "timeText",
                 [this](const Chat& chat) { return m_dates.timeTextOf(chat.record.activeMs); }),
            role(kCountText, "countText", [](const Chat&) { return QString(); }),
            role(kIsGenerating, "isGenerating", [](const Chat& chat) { return chat.generating; }),
            role(kIsUnread, "isUnread", [](const Chat& chat) { return chat.record.unread; }),
            role(kIsCurrent, "isCurrent",
                 [this](const Chat& chat) { return chat.record.id == m_currentChat; }),
            role(kIsSelected, "isSelected",
                 [this](const Chat& chat) { return m_selected.contains(chat.record.id); }),
            role(kIsPinned, "isPinned", [](const Chat& chat) { return chat.record.pinned; }),
            role(kIsArchived, "isArchived", [](const Chat& chat) { return chat.record.archived; }),
            role(kIsOpen, "isOpen", [](const Chat&) { return false; }),
            role(kIsFork, "isFork", [](const Chat& chat) { return chat.record.forkedFrom != 0; })});
}

QString ChatListModel::sectionOf(const ChatPlace& place) const {
  switch (place.zone) {
    case Zone::Pinned:
      return tr("Pinned");
    case Zone::Folders:
      return tr("Folders");
    case Zone::Recent:
      return m_dates.sectionOf(place.activeMs);
    case Zone::ArchiveLine:
    case Zone::Archived:
      break;
  }
  return {};
}

/// The title of a chat without messages is its draft.
QString ChatListModel::titleOf(const ChatRecord& chat) {
  if (!chat.title.isEmpty()) return chat.title;
  const QString draft = chat.draft.left(kMaxDraft).simplified();
  return draft.isEmpty() ? tr("New chat") : tr("Draft: %1").arg(draft);
}

/// The value of a role for the line of a folder or of the archive.
QVariant ChatListModel::lineData(const ChatPlace& place, int role) const {
  const bool isFolder = place.zone == Zone::Folders;
  const FolderRecord folder = isFolder ? m_folders.value(place.folderId) : FolderRecord();
  const Tally tally = m_tallies.value(place.folderId);
  const bool isOpen = isFolder ? folder.isOpen : m_archiveOpen;
  switch (role) {
    case kKind:
      return QVariant::fromValue(isFolder ? RowKind::Folder : RowKind::Archive);
    case kFolderId:
      return place.folderId;
    case kTitle:
      return isFolder ? folder.name : tr("%1 archived").arg(tally.chats);
    case kCountText:
      return QString::number(tally.chats);
    case kIsOpen:
      return isOpen;
    case kIsGenerating:
      return !isOpen && tally.generating > 0;
    case kIsUnread:
      return !isOpen && tally.unread > 0;
    default:
      return {};
  }
}

void ChatListModel::announce(RecordId id, const QList<int>& roles) {
  const int row = rowOf(id);
  if (row >= 0) emit dataChanged(index(row), index(row), roles);
}

void ChatListModel::setCurrent(RecordId id) {
  const RecordId previous = std::exchange(m_currentChat, id);
  announce(previous, {kIsCurrent});
  announce(id, {kIsCurrent});
  emit currentRowChanged();
}

void ChatListModel::setGenerating(RecordId id, bool generating) {
  const auto chat = m_chats.find(id);
  if (chat == m_chats.end() || chat->generating == generating) return;
  count(*chat, -1);
  chat->generating = generating;
  count(*chat, 1);
  announce(id, {kIsGenerating});
  noteGenerating(id, generating);
  if (!chat->isShown) announceLine(chat->place);
}

void ChatListModel::noteGenerating(RecordId id, bool generating) {
  const int before = numGenerating();
  if (generating) {
    m_generating.insert(id);
  } else {
    m_generating.remove(id);
  }
  if (numGenerating() != before) emit generatingChanged();
}

void ChatListModel::refreshToday() {
  const QDate today = QDate::currentDate();
  if (today == m_dates.today()) return;
  m_dates = ChatDates(today);
  announceRows({kSection, kTimeText});
}

void ChatListModel::toggleSelected(qint64 id) {
  if (!contains(id)) return;
  // The first chat is added to the shown one, as is usual for lists.
  if (m_selected.isEmpty() && id != m_currentChat && rowOf(m_currentChat) >= 0) {
    m_selected.insert(m_currentChat);
    announce(m_currentChat, {kIsSelected});
  }
  if (!m_selected.remove(id)) m_selected.insert(id);
  m_selectionStart = m_selectionEnd = id;
  announce(id, {kIsSelected});
  emit selectionChanged();
}

void ChatListModel::selectTo(qint64 id) {
  int start = rowOf(m_selectionStart);
  if (start < 0) start = currentRow();
  const int end = rowOf(id);
  if (end < 0) return;
  if (start < 0) start = end;
  m_selected.clear();
  for (int row = std::min(start, end); row <= std::max(start, end); ++row) {
    if (m_rows[row].isChat) m_selected.insert(m_rows[row].id);
  }
  m_selectionStart = m_rows[start].id;
  m_selectionEnd = id;
  announceRows({kIsSelected});
  emit selectionChanged();
}

void ChatListModel::extendSelection(int step) {
  const RecordId end = rowOf(m_selectionEnd) < 0 ? m_currentChat : m_selectionEnd;
  if (const RecordId next = neighbourOf(end, step); next != 0) selectTo(next);
}

void ChatListModel::selectAll() {
  for (const ChatPlace& place : std::as_const(m_rows)) {
    if (place.isChat) m_selected.insert(place.id);
  }
  announceRows({kIsSelected});
  emit selectionChanged();
}

void ChatListModel::clearSelection() {
  m_selectionStart = m_selectionEnd = 0;
  if (m_selected.isEmpty()) return;
  m_selected.clear();
  announceRows({kIsSelected});
  emit selectionChanged();
}

QList<RecordId> ChatListModel::targetsOf(RecordId id) const {
  if (!m_selected.contains(id)) return {id};
  QList<RecordId> targets;
  for (const ChatPlace& place : m_rows) {
    if (place.isChat && m_selected.contains(place.id)) targets.append(place.id);
  }
  return targets.isEmpty() ? QList<RecordId>{id} : targets;
}

}  // namespace quire
