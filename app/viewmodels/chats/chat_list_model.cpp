#include "app/viewmodels/chats/chat_list_model.h"

#include <QLocale>
#include <QRegularExpression>

#include <algorithm>

namespace quire {
namespace {

bool standsBefore(const ChatRecord& a, const ChatRecord& b) {
  return a.activeMs != b.activeMs ? a.activeMs > b.activeMs : a.id > b.id;
}

}  // namespace

int ChatListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : count();
}

QHash<int, QByteArray> ChatListModel::roleNames() const {
  return {{kChatId, "chatId"},     {kTitle, "title"},        {kColor, "colorIndex"},
          {kSection, "section"},   {kTimeText, "timeText"},  {kIsGenerating, "isGenerating"},
          {kIsUnread, "isUnread"}, {kIsCurrent, "isCurrent"}};
}

QVariant ChatListModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= m_entries.size()) return {};
  const Entry& entry = m_entries[index.row()];
  switch (role) {
    case kChatId:
      return entry.chat.id;
    case kTitle:
      return entry.chat.title.isEmpty() ? tr("New chat") : entry.chat.title;
    case kColor:
      return entry.chat.color;
    case kSection:
      return sectionOf(entry.chat.activeMs);
    case kTimeText:
      return timeTextOf(entry.chat.activeMs);
    case kIsGenerating:
      return entry.generating;
    case kIsUnread:
      return entry.unread;
    case kIsCurrent:
      return entry.chat.id == m_currentChat;
    default:
      return {};
  }
}

QString ChatListModel::sectionOf(qint64 activeMs) const {
  const QDate date = QDateTime::fromMSecsSinceEpoch(activeMs).date();
  if (date >= m_today) return tr("Today");
  return date.daysTo(m_today) == 1 ? tr("Yesterday") : tr("Earlier");
}

QString ChatListModel::timeTextOf(qint64 activeMs) const {
  const QDateTime time = QDateTime::fromMSecsSinceEpoch(activeMs);
  const QLocale locale;
  const qint64 days = time.date().daysTo(m_today);
  static const QRegularExpression kSeconds(QStringLiteral("[:.]ss"));
  const QString clock = locale.timeFormat(QLocale::ShortFormat).remove(kSeconds);
  if (days <= 1) return locale.toString(time.time(), clock);
  if (days < 7) return locale.toString(time.date(), QStringLiteral("ddd"));
  if (time.date().year() == m_today.year()) return locale.toString(time.date(), tr("d MMM"));
  return locale.toString(time.date(), tr("MMM yyyy"));
}

void ChatListModel::setChats(const QList<ChatRecord>& chats) {
  beginResetModel();
  m_entries.clear();
  for (const ChatRecord& chat : chats) m_entries.append({chat, false, false});
  std::sort(m_entries.begin(), m_entries.end(),
            [](const Entry& a, const Entry& b) { return standsBefore(a.chat, b.chat); });
  endResetModel();
  emit countChanged();
  emit currentRowChanged();
}

int ChatListModel::rowOf(RecordId id) const {
  for (int row = 0; row < m_entries.size(); ++row) {
    if (m_entries[row].chat.id == id) return row;
  }
  return -1;
}

RecordId ChatListModel::idAt(int row) const {
  return row >= 0 && row < m_entries.size() ? m_entries[row].chat.id : 0;
}

std::optional<ChatRecord> ChatListModel::find(RecordId id) const {
  const int row = rowOf(id);
  return row < 0 ? std::nullopt : std::optional(m_entries[row].chat);
}

int ChatListModel::placeFor(const ChatRecord& chat) const {
  int place = 0;
  for (const Entry& entry : m_entries) {
    if (entry.chat.id != chat.id && standsBefore(entry.chat, chat)) ++place;
  }
  return place;
}

void ChatListModel::put(const ChatRecord& chat) {
  const int row = rowOf(chat.id);
  const int place = placeFor(chat);
  if (row < 0) {
    beginInsertRows({}, place, place);
    m_entries.insert(place, {chat, false, false});
    endInsertRows();
    emit countChanged();
    emit currentRowChanged();
    return;
  }
  m_entries[row].chat = chat;
  if (place != row) {
    beginMoveRows({}, row, row, {}, place > row ? place + 1 : place);
    m_entries.move(row, place);
    endMoveRows();
    emit currentRowChanged();
  }
  announce(chat.id);
}

std::optional<ChatRecord> ChatListModel::take(RecordId id) {
  const int row = rowOf(id);
  if (row < 0) return std::nullopt;
  beginRemoveRows({}, row, row);
  const ChatRecord chat = m_entries.takeAt(row).chat;
  endRemoveRows();
  emit countChanged();
  emit currentRowChanged();
  return chat;
}

void ChatListModel::announce(RecordId id) {
  const int row = rowOf(id);
  if (row >= 0) emit dataChanged(index(row), index(row));
}

void ChatListModel::setCurrent(RecordId id) {
  const RecordId previous = std::exchange(m_currentChat, id);
  announce(previous);
  setUnread(id, false);
  announce(id);
  emit currentRowChanged();
}

void ChatListModel::setGenerating(RecordId id, bool generating) {
  const int row = rowOf(id);
  if (row < 0 || m_entries[row].generating == generating) return;
  m_entries[row].generating = generating;
  emit dataChanged(index(row), index(row), {kIsGenerating});
}

void ChatListModel::setUnread(RecordId id, bool unread) {
  const int row = rowOf(id);
  if (row < 0 || m_entries[row].unread == unread) return;
  m_entries[row].unread = unread;
  emit dataChanged(index(row), index(row), {kIsUnread});
}

void ChatListModel::refreshToday() {
  const QDate today = QDate::currentDate();
  if (today == m_today) return;
  m_today = today;
  if (!m_entries.isEmpty()) emit dataChanged(index(0), index(count() - 1), {kSection, kTimeText});
}

}  // namespace quire
