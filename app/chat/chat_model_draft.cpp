// What stands in the composer: the reader's own words and files, or those of a message that is
// edited.
#include <algorithm>
#include <utility>

#include "app/chat/chat_model.h"

namespace quire {

void ChatModel::setDraft(const QString& draft) {
  if (draft == m_record.draft) return;
  m_record.draft = draft;
  if (!isEditing()) m_draftTimer.start();
  lookAhead();
  emit draftChanged();
  emit sendStateChanged();
}

void ChatModel::saveDraftNow() {
  m_draftTimer.stop();
  if (hasUnsavedFiles()) {
    m_savedFiles = m_files.ownRecords();
    m_services.writer.putDraft(recordToSave(), m_savedFiles);
  } else {
    m_services.writer.putChat(recordToSave());
  }
  emit recordChanged();
}

/// As it goes to the disk: while a message is edited, the composer holds that message's text.
ChatRecord ChatModel::recordToSave() const {
  ChatRecord record = m_record;
  if (isEditing()) record.draft = m_draftBeforeEdit;
  return record;
}

bool ChatModel::hasUnsavedFiles() const {
  const QList<AttachmentRecord> files = m_files.ownRecords();
  return !std::equal(files.begin(), files.end(), m_savedFiles.begin(), m_savedFiles.end(),
                     isSameFile);
}

/// What could not be saved goes back to where it was typed, before what was typed there since, and
/// to the disk as the draft: it is all that is left of it.
void ChatModel::giveBack(const QString& text, const QList<AttachmentRecord>& files) {
  QString& own = isEditing() ? m_draftBeforeEdit : m_record.draft;
  own = own.isEmpty() ? text : text + u'\n' + own;
  m_files.giveBack(files);
  emit draftChanged();
}

void ChatModel::onFilesChanged() {
  if (hasUnsavedFiles()) m_draftTimer.start();
  lookAhead();
  emit sendStateChanged();
}

void ChatModel::edit(qint64 messageId) {
  const MessageRecord* message = m_conversation.find(messageId);
  if (!message || !canChange()) return;
  if (!isEditing()) m_draftBeforeEdit = m_record.draft;
  m_editedMessage = messageId;
  m_record.draft = message->text();
  m_files.showInstead(m_conversation.attachments(messageId));
  lookAhead();
  emit draftChanged();
  emit sendStateChanged();
  emit editStarted();
}

void ChatModel::cancelEdit() {
  if (!isEditing()) return;
  endEdit();
  lookAhead();
  emit draftChanged();
  emit sendStateChanged();
}

/// The draft is the reader's own again, as it was before the edit; without one it is empty.
void ChatModel::endEdit() {
  const bool wasEditing = std::exchange(m_editedMessage, 0) != 0;
  m_record.draft = std::exchange(m_draftBeforeEdit, QString());
  if (wasEditing) {
    m_files.showOwn();
  } else {
    m_files.clear();
  }
}

bool ChatModel::isEditOfAnswer() const {
  const MessageRecord* edited = m_conversation.find(m_editedMessage);
  return edited && edited->role == MessageRole::Assistant;
}

/// The user's own words in the place of an answer: a version like any other.
void ChatModel::saveVersion(const MessageRecord& edited, const QString& text) {
  MessageRecord version = newMessage(MessageRole::Assistant, edited.parentId);
  version.setText(text.trimmed());
  version.modelName = edited.modelName;
  m_conversation.append(version);
  m_record.headMessageId = version.id;
  m_record.activeMs = version.createdMs;
  setNotice({});
  const auto ticket = m_services.writer.beginTurn(recordToSave(), std::nullopt, version);
  m_versions.insert(ticket, version.id);
  announceTurn();
  lookAhead();
}

/// The disk did not take a version. What was asked after it meanwhile is refused for itself.
void ChatModel::onWriteFailed(quint64 ticket, const QString& sentence) {
  if (!m_versions.contains(ticket)) return;
  const QList<MessageRecord> lost = m_conversation.take(m_versions.take(ticket));
  if (lost.isEmpty()) return;  // It was deleted meanwhile.
  giveBack(lost.first().text(), {});
  setNotice(
      tr("Your version was not saved, and its words are in the composer again. %1").arg(sentence));
  announcePath();
  saveDraftNow();
}

}  // namespace quire
