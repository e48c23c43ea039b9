#include "app/chat/chat_model.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QSet>

#include <algorithm>
#include <utility>

#include "app/models/model_labels.h"
#include "app/richtext/message_copy.h"

namespace quire {
namespace {

constexpr int kDraftDelayMs = 600;

}  // namespace

ChatModel::ChatModel(const ChatServices& services, const ChatRecord& record,
                     const QList<MessageRecord>& messages, QObject* parent)
    : QObject(parent),
      m_services(services),
      m_record(record),
      m_conversation(messages, record.headMessageId),
      m_timeline(m_conversation),
      m_context(services.backend, services.models, m_conversation,
                [this] { return nextRequest(); }),
      m_files(services.backend, services.models) {
  m_files.setModel(record.modelPath);
  m_draftTimer.setSingleShot(true);
  m_draftTimer.setInterval(kDraftDelayMs);
  connect(&m_draftTimer, &QTimer::timeout, this, &ChatModel::saveDraftNow);
  connect(&services.engine, &EngineStatus::changed, this, &ChatModel::sendStateChanged);
  connect(&services.engine, &EngineStatus::changed, this, &ChatModel::contextChanged);
  connect(&services.engine, &EngineStatus::changed, this, &ChatModel::lookAhead);
  connect(&services.models, &ModelManager::pausedChanged, this, &ChatModel::sendStateChanged);
  connect(&m_timeline, &TimelineModel::rowsInserted, this, [this] {
    if (m_revealedMessage != 0) emit revealChanged();
  });
  connect(&services.writer, &StoreWriter::committed, this,
          [this](quint64 ticket) { m_versions.remove(ticket); });
  connect(&services.writer, &StoreWriter::failed, this, &ChatModel::onWriteFailed);
  connect(&m_bin, &MessageBin::changed, this, &ChatModel::undoChanged);
  connect(&m_bin, &MessageBin::emptied, this, &ChatModel::removeForGood);
  connect(&m_files, &AttachmentList::changed, this, &ChatModel::onFilesChanged);
  connect(&m_context, &ContextWatch::noteChanged, this, &ChatModel::sendStateChanged);
  connect(&services.personas, &PersonaListModel::changed, this, &ChatModel::recordChanged);
  lookAhead();
}

ChatModel::~ChatModel() = default;

void ChatModel::restore(const QList<AttachmentRecord>& draftFiles,
                        const QList<ComparedAnswer>& compared) {
  m_savedFiles = draftFiles;
  m_files.setRecords(draftFiles);
  reopenGroup(compared);
}

void ChatModel::takeIn(const ChatRecord& record, const QList<MessageRecord>& messages) {
  QList<MessageRecord> fresh;
  for (const MessageRecord& message : messages) {
    if (m_conversation.find(message.id) || m_bin.contains(message.id)) continue;
    fresh.append(message);
  }
  RecordId head = m_conversation.head();
  if (record.activeMs > m_record.activeMs) {
    const QString draft = std::exchange(m_record, record).draft;
    if (!draft.isEmpty() || isEditing()) m_record.draft = draft;
    m_files.setModel(m_record.modelPath);
    if (!m_group && !isEditing()) head = record.headMessageId;
  }
  m_conversation.restore(fresh, head);
  if (!m_group) m_conversation.select(m_conversation.head());
  announcePath();
  emit draftChanged();
}

QString ChatModel::title() const {
  return m_record.title.isEmpty() ? tr("New chat") : m_record.title;
}

QString ChatModel::personaName() const {
  const PersonaRecord* persona = m_services.personas.find(m_record.personaId);
  return persona ? persona->name : tr("No persona");
}

QString ChatModel::personaHint() const {
  if (isEmpty()) return tr("Who answers in this chat");
  return tr(
      "Who answers in this chat. A change applies from the next answer on, "
      "and the conversation is read anew once.");
}

bool ChatModel::canSend() const {
  const bool isPossible = isEditOfAnswer() ? canChange() : canAsk();
  const bool hasWords = !m_record.draft.trimmed().isEmpty();
  const bool hasFiles = !m_files.isEmpty() && !isEditOfAnswer();
  if (!isPossible || !(hasWords || hasFiles) || !m_files.isSendable()) return false;
  return m_files.isEmpty() || !m_context.isTooLong();
}

QString ChatModel::composerHint() const {
  return isEmpty() ? tr("Write a message") : tr("Write a reply");
}

QString ChatModel::composerNote() const {
  if (m_services.engine.isFailed())
    return tr("No model is loaded: chats can be read, not continued.");
  if (m_services.engine.isLoading()) return m_services.engine.notice();
  if (isPaused()) return tr("Paused. The answer goes on from where it is when you resume.");
  if (isGenerating()) return tr("Answering. You can already write what comes next.");
  if (!m_files.note().isEmpty()) return m_files.note();
  if (!m_context.note().isEmpty()) return m_context.note();
  if (isEditOfAnswer()) return tr("Your edit becomes a version of the answer; nothing is asked.");
  if (!m_files.isEmpty() && m_record.draft.trimmed().isEmpty())
    return tr("Write what is to be done with it, or send it as it is.");
  if (isEditing()) return tr("Your edit becomes a new version; the old one is kept.");
  if (!m_context.estimate().isEmpty()) return m_context.estimate();
  return tr("Enter sends, Shift+Enter begins a line");
}

bool ChatModel::composerWarns() const {
  if (m_services.engine.isFailed()) return true;
  return m_services.engine.isReady() && !isGenerating() &&
         (!m_files.note().isEmpty() || m_context.isWarning());
}

void ChatModel::rename(const QString& title) {
  const QString wanted = title.simplified();
  if (wanted.isEmpty() || wanted == m_record.title) return;
  m_record.title = wanted;
  m_record.titleIsAutomatic = false;
  saveDraftNow();
}

void ChatModel::changeRecord(const std::function<void(ChatRecord&)>& change) {
  change(m_record);
  saveDraftNow();
}

void ChatModel::setPersona(qint64 personaId) {
  if (personaId == m_record.personaId) return;
  m_record.personaId = personaId;
  lookAhead();
  if (isBlank()) {
    emit recordChanged();  // Nothing worth keeping yet; it is written with the first words.
  } else {
    saveDraftNow();
  }
}

QString ChatModel::ownModelName() const {
  return model_labels::nameOf(m_record.modelPath);
}

void ChatModel::setOwnModel(const QString& path) {
  if (path == m_record.modelPath) return;
  m_record.modelPath = path;
  m_files.setModel(path);
  m_context.forget();  // It was of another model, and one that is not loaded yet foretells nothing.
  lookAhead();
  if (isBlank()) {
    emit recordChanged();
  } else {
    saveDraftNow();
  }
}

void ChatModel::setFocused(bool focused) {
  m_focused = focused;
  for (AnswerRun* run : m_runs) run->setFocused(focused && run == m_runs.first());
  emit sendStateChanged();
}

QString ChatModel::activityText() const {
  if (isPaused()) return tr("Paused");
  return isGenerating() && !m_focused ? tr("In the background") : QString();
}

void ChatModel::send() {
  sendFor({AnswerPlan()});
}

void ChatModel::sendFor(const QList<AnswerPlan>& plans) {
  if (!canSend()) return;
  const MessageRecord* edited = m_conversation.find(m_editedMessage);
  const bool isAnswer = isEditOfAnswer();
  if (!edited) keepAllAnswers();
  const RecordId parent = edited ? edited->parentId : m_conversation.head();
  const QString text = m_record.draft;
  const QList<AttachmentRecord> files = m_files.records();
  endEdit();
  m_draftTimer.stop();
  if (isAnswer) {
    saveVersion(*edited, text);
  } else {
    askAfter(parent, text, plans, files);
  }
  if (hasUnsavedFiles()) saveDraftNow();  // They went with the message.
  emit draftChanged();
}

void ChatModel::ask(const QString& text, const QList<AnswerPlan>& plans,
                    const QList<AttachmentRecord>& files) {
  if (!canAsk() || (text.trimmed().isEmpty() && files.isEmpty())) return;
  keepAllAnswers();
  askAfter(m_conversation.head(), text, plans, files);
}

void ChatModel::askAfter(RecordId parent, const QString& text, const QList<AnswerPlan>& plans,
                         const QList<AttachmentRecord>& files) {
  MessageRecord message = newMessage(MessageRole::User, parent);
  message.setText(text.trimmed());
  message.setAttachments(files);
  if (m_record.titleIsAutomatic && m_record.title.isEmpty()) {
    m_record.title = titleFromMessage(
        message.text().isEmpty() && !files.isEmpty() ? files.first().name : message.text());
  }
  beginTurn(message, message.id, plans);
}

AttachmentList* ChatModel::filesOf(qint64 messageId) {
  if (AttachmentList* known = m_sentFiles.value(messageId)) return known;
  const QList<AttachmentRecord> records = m_conversation.attachments(messageId);
  if (records.isEmpty()) return nullptr;
  auto* files = new AttachmentList(m_services.backend, m_services.models, this);
  files->keepCounts();
  files->setModel(m_record.modelPath);
  files->setRecords(records);
  m_sentFiles.insert(messageId, files);
  return files;
}

void ChatModel::sendText(const QString& text) {
  if (isGenerating()) return;
  setDraft(text);
  send();
}

void ChatModel::stop() {
  const QList<AnswerRun*> runs = m_runs;
  for (AnswerRun* run : runs) run->stop();
}

void ChatModel::cancel() {
  if (isGenerating()) {
    stop();
  } else {
    cancelEdit();
  }
}

void ChatModel::showVersion(qint64 messageId, int step) {
  if (!canChange() || !m_conversation.showVersion(messageId, step)) return;
  cancelEdit();
  announcePath();
}

/// Another branch is shown, or the shown one is shorter or longer.
void ChatModel::announcePath() {
  if (!m_conversation.path().contains(m_revealedMessage)) endReveal();
  m_record.headMessageId = m_conversation.head();
  m_services.writer.putChat(recordToSave());
  m_timeline.syncPath();
  for (const RecordId id : m_conversation.path()) m_timeline.refreshMessage(id);
  lookAhead();
  emit messagesChanged();
  emit recordChanged();
  emit sendStateChanged();
  emit contextChanged();
}

void ChatModel::reveal(RecordId messageId) {
  const bool isShown = m_conversation.path().contains(messageId);
  if (!isShown && isGenerating()) {
    return setNotice(
        tr("That message is in another version of this chat, which can be shown when the answer "
           "is done."));
  }
  if (!isShown) keepAllAnswers();
  if (!m_conversation.showMessage(messageId)) return;
  if (!isShown) {
    cancelEdit();
    announcePath();
  }
  m_revealedMessage = messageId;
  emit revealChanged();
}

int ChatModel::revealedRow() const {
  return m_timeline.firstRowOf(m_revealedMessage);
}

void ChatModel::endReveal() {
  if (std::exchange(m_revealedMessage, 0) != 0) emit revealChanged();
}

void ChatModel::copyMessage(qint64 messageId) const {
  const MessageRecord* message = m_conversation.find(messageId);
  if (!message) return;
  const bool isAnswer = message->role == MessageRole::Assistant;
  QGuiApplication::clipboard()->setText(
      isAnswer ? MessageCopy(blocksOf(messageId), message->text()).markdown() : message->text());
}

void ChatModel::togglePersona(qint64 personaId) {
  setPersona(personaId == m_record.personaId ? 0 : personaId);
}

QString ChatModel::plainMarkup(const QString& text) const {
  return escapeMarkup(text).replace(u'\n', QStringLiteral("<br/>"));
}

void ChatModel::dismissNotice() {
  setNotice({});
}

void ChatModel::setNotice(const QString& notice) {
  if (notice == m_notice) return;
  m_notice = notice;
  emit noticeChanged();
}

void ChatModel::close() {
  if (m_draftTimer.isActive()) saveDraftNow();
  m_bin.empty();
  const QList<AnswerRun*> runs = m_runs;
  for (AnswerRun* run : runs) run->interrupt();
}

}  // namespace quire
