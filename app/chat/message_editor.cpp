#include "app/chat/message_editor.h"

#include <utility>

#include "app/chat/chat_model.h"
#include "app/chat/message_key.h"
#include "app/documents/attachment_file.h"

namespace quire {
namespace {

constexpr int kStoreDelayMs = 600;

}  // namespace

MessageEditor::MessageEditor(ChatModel& chat)
    : m_chat(chat),
      m_files(chat.services().backend, chat.services().models),
      m_context(chat.services().backend, chat.services().models, chat.conversation(),
                [this] { return QList<ChatRequest>{nextRequest()}; }) {
  m_files.setModel(chat.record().modelPath);
  connect(&m_files, &AttachmentList::changed, this, &MessageEditor::updateForecast);
  connect(&m_context, &ContextWatch::noteChanged, this, &MessageEditor::changed);
  connect(&chat, &ChatModel::stateChanged, this, &MessageEditor::changed);
  m_storeTimer.setSingleShot(true);
  m_storeTimer.setInterval(kStoreDelayMs);
  connect(&m_storeTimer, &QTimer::timeout, this, &MessageEditor::storeNow);
}

bool MessageEditor::isAnswer() const {
  const MessageRecord* edited = m_chat.conversation().find(m_message);
  return edited && edited->role == MessageRole::Assistant;
}

void MessageEditor::setText(const QString& text) {
  if (text == m_text) return;
  m_text = text;
  if (isOpen()) m_storeTimer.start();
  updateForecast();
  emit textChanged();
}

void MessageEditor::load(const MessageEdit& unsaved) {
  m_isStored = open(unsaved.messageId, unsaved.text);
}

void MessageEditor::edit(qint64 messageId) {
  const MessageRecord* message = m_chat.conversation().find(messageId);
  if (message && open(messageId, message->text())) emit started();
}

/// False: this message cannot be edited now.
bool MessageEditor::open(RecordId messageId, const QString& text) {
  const bool isShown = m_chat.conversation().path().contains(messageId);
  if (!isShown || !m_chat.turns()->canChange()) return false;
  forgetStored();
  m_message = messageId;
  m_files.setRecords(m_chat.conversation().attachments(messageId));
  setText(text);
  m_storeTimer.stop();  // Only what the user changes is stored.
  m_chat.timeline()->setEdited(messageId);
  emit openChanged();
  emit changed();
  return true;
}

void MessageEditor::saveIfChanged() {
  if (m_storeTimer.isActive()) storeNow();
}

void MessageEditor::storeNow() {
  m_storeTimer.stop();
  if (!isOpen()) return;
  m_isStored = true;
  m_chat.services().writer.putEdit(m_chat.chatId(), {.messageId = m_message, .text = m_text});
}

void MessageEditor::forgetStored() {
  m_storeTimer.stop();
  if (std::exchange(m_isStored, false)) m_chat.services().writer.putEdit(m_chat.chatId(), {});
}

bool MessageEditor::editLastQuestion() {
  const QList<RecordId>& path = m_chat.conversation().path();
  for (auto id = path.crbegin(); id != path.crend(); ++id) {
    if (m_chat.conversation().find(*id)->role != MessageRole::User) continue;
    edit(*id);
    return m_message == *id;
  }
  return false;
}

void MessageEditor::end() {
  forgetStored();
  m_message = 0;
  m_files.clear();
  m_context.forget();
  setText({});
  m_chat.timeline()->setEdited(0);
  emit openChanged();
  emit changed();
  emit ended();
}

void MessageEditor::cancel() {
  if (isOpen()) end();
}

void MessageEditor::onPathChanged() {
  if (!m_chat.conversation().path().contains(m_message)) cancel();
}

void MessageEditor::onModelChanged() {
  m_files.setModel(m_chat.record().modelPath);
  m_context.forget();  // The forecast was made for the previous model.
}

bool MessageEditor::canSave() const {
  if (!isOpen() || !m_chat.turns()->canChange()) return false;
  const bool hasText = !m_text.trimmed().isEmpty();
  if (isAnswer()) return hasText;
  return m_chat.turns()->canAsk() && (hasText || !m_files.isEmpty()) && m_files.isSendable() &&
         !m_context.isTooLong();
}

QString MessageEditor::note() const {
  if (m_chat.turns()->isGenerating()) return tr("You can save this when the answer is complete.");
  if (isAnswer()) return tr("Saves your edit as a version of the answer; nothing is sent.");
  if (!m_chat.turns()->canAsk()) return tr("You can save this when a model is loaded.");
  if (!m_files.note().isEmpty()) return m_files.note();
  if (!m_context.note().isEmpty()) return m_context.note();
  return tr("The old version is kept.");
}

bool MessageEditor::warns() const {
  const bool isAsking = isOpen() && !isAnswer() && !m_chat.turns()->isGenerating();
  return isAsking && (!m_files.note().isEmpty() || m_context.isWarning());
}

void MessageEditor::save() {
  if (!canSave()) return;
  const MessageRecord edited = *m_chat.conversation().find(m_message);
  const bool isOfAnswer = isAnswer();
  const QString text = m_text;
  const QList<AttachmentRecord> files = m_files.records();
  const bool isStored = std::exchange(m_isStored, false);
  end();
  if (isOfAnswer) {
    m_chat.turns()->saveVersion(edited, text);
  } else {
    m_chat.turns()->askAfter(edited.parentId, text, {AnswerPlan()}, files);
  }
  // After the version, so that one of them is always on disk.
  if (isStored) m_chat.services().writer.putEdit(m_chat.chatId(), {});
}

bool MessageEditor::handleKey(int key, int modifiers, bool composing) {
  return handleMessageKey(
      key, modifiers, composing, [this] { save(); }, [this] { cancel(); });
}

bool MessageEditor::pasteFiles() {
  return isOpen() && !isAnswer() && m_files.addFromClipboard();
}

ChatRequest MessageEditor::nextRequest() const {
  const MessageRecord* edited = m_chat.conversation().find(m_message);
  const RecordId last = edited ? edited->parentId : m_chat.conversation().head();
  return m_chat.turns()->requestAsking(attachmentPrompt(m_files.records(), m_text.trimmed()), last);
}

void MessageEditor::updateForecast() {
  emit changed();
  if (!isOpen() || isAnswer()) return;
  if (!m_files.fits()) return m_context.forget();  // The note of the files reports this already.
  m_context.look(m_text.size() + m_files.characters());
}

}  // namespace quire
