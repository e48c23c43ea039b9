#include "app/transfer/store_viewer.h"

#include <QClipboard>
#include <QDateTime>
#include <QGuiApplication>
#include <QLocale>

#include "app/store/backup/damaged_store.h"
#include "app/store/visible_string.h"

namespace quire {

void TextRowModel::setRows(const QList<Row>& rows) {
  beginResetModel();
  m_rows = rows;
  endResetModel();
  emit countChanged();
}

void StoreViewer::open() {
  m_isOpen = true;
  m_note = tr("Reading…");
  emit changed();
  m_tasks.runNewest([path = m_path](std::stop_token) { return readableChats(path); },
                    [this](const Result<QList<ChatRecord>>& chats) { setChats(chats); });
}

void StoreViewer::setChats(const Result<QList<ChatRecord>>& chats) {
  if (!chats) return setNote(visibleString(QString::fromStdString(chats.error().message)));
  m_records = *chats;
  QList<TextRowModel::Row> rows;
  for (const ChatRecord& chat : std::as_const(m_records)) {
    const QDateTime when = QDateTime::fromMSecsSinceEpoch(chat.activeMs);
    rows.append({chat.title.isEmpty() ? tr("New chat") : chat.title,
                 QLocale().toString(when.date(), QLocale::ShortFormat)});
  }
  m_chats.setRows(rows);
  setNote(rows.isEmpty() ? tr("None of its chats can be read.") : QString());
  show(0);
}

void StoreViewer::show(int row) {
  if (row < 0 || row >= m_records.size()) return;
  m_tasks.runNewest(
      [path = m_path, chat = m_records[row]](std::stop_token) {
        return readableMessages(path, chat);
      },
      [this, row](const Result<QList<MessageRecord>>& messages) { setMessages(row, messages); });
}

void StoreViewer::setMessages(int row, const Result<QList<MessageRecord>>& messages) {
  m_current = row;
  QList<TextRowModel::Row> rows;
  for (const MessageRecord& message : messages.value_or(QList<MessageRecord>())) {
    const bool isUser = message.role == MessageRole::User;
    const QString who = message.modelName.isEmpty() ? tr("Answer") : message.modelName;
    rows.append({isUser ? tr("You") : who, message.text()});
  }
  m_messages.setRows(rows);
  setNote(rows.isEmpty() ? tr("None of this chat's messages can be read.") : QString());
}

void StoreViewer::setNote(const QString& note) {
  m_note = note;
  emit changed();
}

void StoreViewer::close() {
  m_isOpen = false;
  emit changed();
}

void StoreViewer::copyChat() const {
  QString text;
  for (const TextRowModel::Row& row : m_messages.rows()) {
    text += row.heading + QStringLiteral(":\n\n") + row.words + QStringLiteral("\n\n");
  }
  QGuiApplication::clipboard()->setText(text.trimmed());
}

}  // namespace quire
