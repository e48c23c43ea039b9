#include "app/transfer/store_viewer.h"

#include <QClipboard>
#include <QDateTime>
#include <QGuiApplication>
#include <QLocale>

#include "app/store/backup/damaged_store.h"

namespace quire {

StoreViewer::~StoreViewer() {
  if (m_thread.joinable()) m_thread.join();
}

/// Does the work on a thread, and what it returns on the window's.
void StoreViewer::run(const std::function<std::function<void()>()>& work) {
  if (m_thread.joinable()) m_thread.join();  // It has ended: it only has to be taken down.
  m_isBusy = true;
  m_thread = std::thread([this, work] {
    const std::function<void()> then = work();
    QMetaObject::invokeMethod(
        this,
        [this, then] {
          m_isBusy = false;
          then();
        },
        Qt::QueuedConnection);
  });
}

void StoreViewer::open() {
  m_isOpen = true;
  if (m_isBusy) return emit changed();  // Closed while it was read, and opened again.
  m_note = tr("Reading…");
  emit changed();
  run([this, path = m_path]() -> std::function<void()> {
    const auto chats = readableChats(path);
    return [this, chats] { takeChats(chats); };
  });
}

void StoreViewer::takeChats(const Result<QList<ChatRecord>>& chats) {
  if (!chats) return setNote(QString::fromStdString(chats.error().message));
  m_records = *chats;
  QList<TextRowModel::Row> rows;
  for (const ChatRecord& chat : std::as_const(m_records)) {
    const QDateTime when = QDateTime::fromMSecsSinceEpoch(chat.activeMs);
    rows.append({chat.title.isEmpty() ? tr("New chat") : chat.title,
                 QLocale().toString(when.date(), QLocale::ShortFormat)});
  }
  m_chats.setRows(rows);
  setNote(rows.isEmpty() ? tr("No chat of it can be read.") : QString());
  show(0);
}

void StoreViewer::show(int row) {
  if (row < 0 || row >= m_records.size()) return;
  m_wanted = row;
  if (m_isBusy) return;
  run([this, row, chat = m_records[row], path = m_path]() -> std::function<void()> {
    const auto messages = readableMessages(path, chat);
    return [this, row, messages] { takeMessages(row, messages); };
  });
}

void StoreViewer::takeMessages(int row, const Result<QList<MessageRecord>>& messages) {
  if (m_wanted != row) return show(m_wanted);
  m_current = row;
  QList<TextRowModel::Row> rows;
  for (const MessageRecord& message : messages.value_or(QList<MessageRecord>())) {
    const bool isUser = message.role == MessageRole::User;
    const QString who = message.modelName.isEmpty() ? tr("Answer") : message.modelName;
    rows.append({isUser ? tr("You") : who, message.text()});
  }
  m_messages.setRows(rows);
  setNote(rows.isEmpty() ? tr("No message of this chat can be read.") : QString());
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
