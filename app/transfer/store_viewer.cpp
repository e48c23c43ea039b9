#include "app/transfer/store_viewer.h"

#include <QClipboard>
#include <QDateTime>
#include <QGuiApplication>
#include <QLocale>

#include "app/documents/attachment_reader.h"
#include "app/richtext/message_copy.h"
#include "app/store/backup/damaged_store.h"
#include "app/store/visible_string.h"

namespace quire {
namespace {

/// A row is laid out at once, and a message may have many MiB.
void appendPieces(QList<TextRowModel::Row>& rows, const QString& heading, const QString& text) {
  constexpr int kLines = 40;
  constexpr qsizetype kCharacters = 4000;
  qsizetype at = 0;
  do {
    const qsizetype end = pieceEnd(text, at, kLines, kCharacters);
    rows.append({at == 0 ? heading : QString(), text.mid(at, end - at)});
    at = end;
  } while (at < text.size());
}

}  // namespace

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
    appendPieces(rows, isUser ? tr("You") : who, withoutControls(message.text()));
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
    if (!row.heading.isEmpty()) {
      text += QStringLiteral("\n\n") + row.heading + QStringLiteral(":\n\n");
    }
    text += row.words;
  }
  QGuiApplication::clipboard()->setText(text.trimmed());
}

}  // namespace quire
