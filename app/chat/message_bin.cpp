#include "app/chat/message_bin.h"

#include <algorithm>
#include <utility>

namespace quire {
namespace {

constexpr int kMessageUndoMs = 8000;

}  // namespace

MessageBin::MessageBin(QObject* parent) : QObject(parent) {
  m_timer.setSingleShot(true);
  m_timer.setInterval(kMessageUndoMs);
  connect(&m_timer, &QTimer::timeout, this, &MessageBin::empty);
}

void MessageBin::put(const QList<MessageRecord>& messages, RecordId head, bool kept) {
  empty();
  m_messages = messages;
  m_head = head;
  m_isKept = kept;
  m_timer.start();
  emit changed();
}

bool MessageBin::contains(RecordId id) const {
  return std::any_of(m_messages.cbegin(), m_messages.cend(),
                     [id](const MessageRecord& message) { return message.id == id; });
}

QString MessageBin::text() const {
  if (m_messages.isEmpty()) return {};
  if (m_isKept && m_messages.size() == 1) return tr("Kept. The other answer was deleted.");
  if (m_isKept) return tr("Kept. The other %1 answers were deleted.").arg(m_messages.size());
  if (m_messages.size() == 1) return tr("The message was deleted.");
  return tr("%1 messages were deleted.").arg(m_messages.size());
}

void MessageBin::update(const MessageRecord& message) {
  for (MessageRecord& one : m_messages) {
    if (one.id == message.id) one = message;
  }
}

QList<MessageRecord> MessageBin::takeBack() {
  m_timer.stop();
  const QList<MessageRecord> messages = std::exchange(m_messages, {});
  emit changed();
  return messages;
}

void MessageBin::empty() {
  m_timer.stop();
  if (m_messages.isEmpty()) return;
  QList<RecordId> ids;
  for (const MessageRecord& message : std::exchange(m_messages, {})) ids.append(message.id);
  emit emptied(ids);
  emit changed();
}

}  // namespace quire
