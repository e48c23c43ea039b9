#include "app/chat/chat_composer.h"

#include "app/chat/chat_model.h"
#include "app/documents/attachment_file.h"

namespace quire {

constexpr int kDraftDelayMs = 600;

ChatComposer::ChatComposer(ChatModel& chat)
    : m_chat(chat),
      m_files(chat.m_services.backend, chat.m_services.models),
      m_context(chat.m_services.backend, chat.m_services.models, chat.m_conversation,
                [this] { return QList<ChatRequest>{nextRequest()}; }) {
  m_saveTimer.setSingleShot(true);
  m_saveTimer.setInterval(kDraftDelayMs);
  connect(&m_saveTimer, &QTimer::timeout, this, &ChatComposer::saveDraftNow);
  m_files.setModel(chat.m_record.modelPath);
  connect(&m_files, &AttachmentList::changed, this, &ChatComposer::onFilesChanged);
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
  m_saveTimer.start();
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
    writer.putDraft(m_chat.m_record, m_savedFiles);
  } else {
    writer.putChat(m_chat.m_record);
  }
  emit m_chat.recordChanged();
}

void ChatComposer::saveIfChanged() {
  if (m_saveTimer.isActive()) saveDraftNow();
}

bool ChatComposer::hasUnsavedFiles() const {
  return !isSameFiles(m_files.records(), m_savedFiles);
}

void ChatComposer::prepend(const QString& text, const QList<AttachmentRecord>& files) {
  QString& own = m_chat.m_record.draft;
  own = own.isEmpty() ? text : text + u'\n' + own;
  m_files.prepend(files);
  emit draftChanged();
}

void ChatComposer::keep(const QString& text, const QList<AttachmentRecord>& files) {
  prepend(text, files);
  saveDraftNow();
  onDraftReplaced();
}

void ChatComposer::onFilesChanged() {
  if (m_chat.isLoaded() && hasUnsavedFiles()) m_saveTimer.start();
  updateForecast();
  emit m_chat.stateChanged();
}

void ChatComposer::onModelChanged() {
  m_files.setModel(m_chat.m_record.modelPath);
  m_context.forget();  // The forecast was made for the previous model.
  emit contextChanged();
}

bool ChatComposer::canSend() const {
  const bool hasContent = !draft().trimmed().isEmpty() || !m_files.isEmpty();
  return m_chat.turns()->canAsk() && hasContent && m_files.isSendable() && !m_context.isTooLong();
}

QString ChatComposer::obstacle() const {
  if (m_chat.turns()->canAsk()) return {};
  if (!m_chat.isLoaded()) return tr("still opening");
  if (m_chat.turns()->isGenerating()) return tr("still answering");
  if (m_chat.isRemote()) return tr("its machine was removed");
  return m_chat.m_services.engine.isLoading() ? tr("model still loading") : tr("no model loaded");
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
  if (!files()->isEmpty() && draft().trimmed().isEmpty())
    return tr("Write what to do with it, or send it as it is.");
  if (!m_context.estimate().isEmpty()) return m_context.estimate();
  if (const RemoteEndpoint* const at = m_chat.endpoint()) {
    return tr("Enter to send to %1, Shift+Enter for a new line").arg(at->name);
  }
  return tr("Enter to send, Shift+Enter for a new line");
}

bool ChatComposer::warns() const {
  if (m_chat.isRemote() && !m_chat.isReady()) return true;
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
  m_chat.turns()->keepAllAnswers();
  const QString text = draft();
  const QList<AttachmentRecord> sent = m_files.records();
  m_files.clear();
  m_chat.m_record.draft.clear();
  m_saveTimer.stop();
  m_chat.turns()->askAfter(m_chat.m_conversation.head(), text, plans, sent);
  if (hasUnsavedFiles()) saveDraftNow();  // The sent files are no longer part of the draft.
  emit draftChanged();
}

ChatRequest ChatComposer::nextRequest() const {
  return m_chat.turns()->requestAsking(attachmentPrompt(files()->records(), draft().trimmed()),
                                       m_chat.m_conversation.head());
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
