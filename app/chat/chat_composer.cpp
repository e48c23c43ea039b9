#include "app/chat/chat_composer.h"

#include <utility>

#include "app/chat/chat_model.h"
#include "app/documents/attachment_file.h"

namespace quire {

constexpr int kDraftDelayMs = 600;

ChatComposer::ChatComposer(ChatModel& chat)
    : m_chat(chat),
      m_files(chat.m_services.backend, chat.m_services.models),
      m_editedFiles(chat.m_services.backend, chat.m_services.models),
      m_context(chat.m_services.backend, chat.m_services.models, chat.m_conversation,
                [this] { return QList<ChatRequest>{nextRequest()}; }) {
  m_saveTimer.setSingleShot(true);
  m_saveTimer.setInterval(kDraftDelayMs);
  connect(&m_saveTimer, &QTimer::timeout, this, &ChatComposer::saveDraftNow);
  for (AttachmentList* files : {&m_files, &m_editedFiles}) {
    files->setModel(chat.m_record.modelPath);
    connect(files, &AttachmentList::changed, this, &ChatComposer::onFilesChanged);
  }
  connect(&m_context, &ContextWatch::noteChanged, &chat, &ChatModel::stateChanged);
  connect(&chat, &ChatModel::contentChanged, this, &ChatComposer::contextChanged);
  connect(&chat.m_services.engine, &EngineStatus::changed, this, &ChatComposer::contextChanged);
}

void ChatComposer::load(const QList<AttachmentRecord>& files) {
  m_savedFiles = files;
  m_files.prepend(files);
  updateForecast();
}

QString ChatComposer::draft() const {
  return m_chat.m_record.draft;
}

void ChatComposer::setDraft(const QString& draft) {
  if (draft == m_chat.m_record.draft) return;
  m_chat.m_record.draft = draft;
  if (!isEditing()) m_saveTimer.start();
  onDraftReplaced();
}

void ChatComposer::onDraftReplaced() {
  updateForecast();
  emit draftChanged();
  emit m_chat.stateChanged();
}

void ChatComposer::saveDraftNow() {
  m_saveTimer.stop();
  StoreWriter& writer = m_chat.m_services.writer;
  if (m_chat.isLoaded() && hasUnsavedFiles()) {
    m_savedFiles = m_files.records();
    writer.putDraft(recordToSave(), m_savedFiles);
  } else {
    writer.putChat(recordToSave());
  }
  emit m_chat.recordChanged();
}

void ChatComposer::saveIfChanged() {
  if (m_saveTimer.isActive()) saveDraftNow();
}

ChatRecord ChatComposer::recordToSave() const {
  ChatRecord record = m_chat.m_record;
  if (isEditing()) record.draft = m_draftBeforeEdit;
  return record;
}

bool ChatComposer::hasUnsavedFiles() const {
  return !isSameFiles(m_files.records(), m_savedFiles);
}

void ChatComposer::prepend(const QString& text, const QList<AttachmentRecord>& files) {
  QString& own = isEditing() ? m_draftBeforeEdit : m_chat.m_record.draft;
  own = own.isEmpty() ? text : text + u'\n' + own;
  m_files.prepend(files);
  emit draftChanged();
}

void ChatComposer::onFilesChanged() {
  if (m_chat.isLoaded() && hasUnsavedFiles()) m_saveTimer.start();
  updateForecast();
  emit m_chat.stateChanged();
}

void ChatComposer::onModelChanged() {
  m_files.setModel(m_chat.m_record.modelPath);
  m_editedFiles.setModel(m_chat.m_record.modelPath);
  m_context.forget();  // The forecast was made for the previous model.
  emit contextChanged();
}

void ChatComposer::edit(qint64 messageId) {
  const MessageRecord* message = m_chat.m_conversation.find(messageId);
  if (!message || !m_chat.turns()->canChange()) return;
  if (!isEditing()) m_draftBeforeEdit = m_chat.m_record.draft;
  m_editedMessage = messageId;
  m_chat.m_record.draft = message->text();
  m_editedFiles.setRecords(m_chat.m_conversation.attachments(messageId));
  onDraftReplaced();
  emit editStarted();
}

void ChatComposer::cancelEdit() {
  if (!isEditing()) return;
  endEdit();
  onDraftReplaced();
}

/// Restores the draft from before the edit, or clears the draft that was sent.
void ChatComposer::endEdit() {
  files()->clear();
  m_editedMessage = 0;
  m_chat.m_record.draft = std::exchange(m_draftBeforeEdit, QString());
}

bool ChatComposer::isEditOfAnswer() const {
  const MessageRecord* edited = m_chat.m_conversation.find(m_editedMessage);
  return edited && edited->role == MessageRole::Assistant;
}

bool ChatComposer::canSend() const {
  const bool isVersion = isEditOfAnswer();
  const bool isPossible = isVersion ? m_chat.turns()->canChange() : m_chat.turns()->canAsk();
  const bool hasText = !draft().trimmed().isEmpty();
  const bool hasFiles = !files()->isEmpty() && !isVersion;
  if (!isPossible || !(hasText || hasFiles) || !files()->isSendable()) return false;
  return isVersion || !m_context.isTooLong();
}

QString ChatComposer::hint() const {
  return m_chat.isEmpty() ? tr("Write a message") : tr("Write a reply");
}

double ChatComposer::contextFraction() const {
  return m_chat.isRemote() ? 0.0 : m_context.fraction();
}

/// Why the model cannot be asked now; empty: it can.
QString ChatComposer::modelProblem() const {
  const EngineStatus& engine = m_chat.m_services.engine;
  if (m_chat.isRemote()) {
    return m_chat.isReady() ? QString()
                            : tr("This machine is not on the page Models any more. Choose another "
                                 "model for this chat.");
  }
  if (engine.isFailed()) return tr("No model loaded. Load one to continue.");
  return engine.isLoading() ? engine.notice() : QString();
}

QString ChatComposer::note() const {
  if (const QString problem = modelProblem(); !problem.isEmpty()) return problem;
  if (m_chat.turns()->isPaused()) return tr("Paused. Resume to continue the answer.");
  if (m_chat.turns()->isGenerating()) return tr("Answering… type your next message");
  if (!files()->note().isEmpty()) return files()->note();
  if (!m_context.note().isEmpty()) return m_context.note();
  if (isEditOfAnswer()) return tr("Saves your edit as a version of the answer; nothing is sent.");
  if (!files()->isEmpty() && draft().trimmed().isEmpty())
    return tr("Write what to do with it, or send it as it is.");
  if (isEditing()) return tr("Sends your edit as a new version; the old one is kept.");
  if (!m_context.estimate().isEmpty()) return m_context.estimate();
  if (const RemoteEndpoint* const at = m_chat.endpoint()) {
    return tr("Enter to send to %1, Shift+Enter for a new line").arg(at->name);
  }
  return tr("Enter to send, Shift+Enter for a new line");
}

bool ChatComposer::warns() const {
  const EngineStatus& engine = m_chat.m_services.engine;
  if (m_chat.isRemote() ? !m_chat.isReady() : engine.isFailed()) return true;
  return m_chat.isReady() && !m_chat.turns()->isGenerating() &&
         (!files()->note().isEmpty() || m_context.isWarning());
}

void ChatComposer::sendText(const QString& text) {
  if (m_chat.turns()->isGenerating()) return;
  setDraft(text);
  send();
}

void ChatComposer::send() {
  sendFor({AnswerPlan()});
}

void ChatComposer::sendFor(const QList<AnswerPlan>& plans) {
  if (!canSend()) return;
  const MessageRecord* edited = m_chat.m_conversation.find(m_editedMessage);
  const bool isAnswer = isEditOfAnswer();
  if (!edited) m_chat.turns()->keepAllAnswers();
  const RecordId parent = edited ? edited->parentId : m_chat.m_conversation.head();
  const QString text = draft();
  const QList<AttachmentRecord> sent = files()->records();
  endEdit();
  m_saveTimer.stop();
  if (isAnswer) {
    m_chat.turns()->saveVersion(*edited, text);
  } else {
    m_chat.turns()->askAfter(parent, text, plans, sent);
  }
  if (hasUnsavedFiles()) saveDraftNow();  // The sent files are no longer part of the draft.
  emit draftChanged();
}

ChatRequest ChatComposer::nextRequest() const {
  const MessageRecord* edited = m_chat.m_conversation.find(m_editedMessage);
  const RecordId last = edited ? edited->parentId : m_chat.m_conversation.head();
  return m_chat.turns()->requestAsking(attachmentPrompt(files()->records(), draft().trimmed()),
                                       last);
}

void ChatComposer::updateForecast() {
  if (!m_chat.isLoaded() || m_chat.turns()->isGenerating()) return;
  if (!files()->fits()) return m_context.forget();  // The note of the files reports this already.
  int dropped = 0;
  for (const RecordId id : m_chat.m_conversation.path()) {
    if (const PromptNote* prompt = m_chat.m_timeline.findPrompt(id)) {
      dropped = prompt->report.droppedMessages;
    }
  }
  m_context.setDropped(dropped);
  m_context.look(draft().size() + files()->characters());
}

}  // namespace quire
