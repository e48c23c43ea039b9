#include "app/viewmodels/chat/chat_model.h"

#include <QClipboard>
#include <QGuiApplication>

#include "app/viewmodels/models/model_words.h"

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
      m_context(services.backend, m_conversation, [this] { return nextRequest(); }) {
  m_draftTimer.setSingleShot(true);
  m_draftTimer.setInterval(kDraftDelayMs);
  connect(&m_draftTimer, &QTimer::timeout, this, &ChatModel::saveDraftNow);
  connect(&services.engine, &EngineStatus::changed, this, &ChatModel::sendStateChanged);
  connect(&services.engine, &EngineStatus::changed, this, &ChatModel::contextChanged);
  connect(&services.engine, &EngineStatus::changed, this, &ChatModel::lookAhead);
  connect(&services.backend, &ChatBackend::started, this, &ChatModel::onPromptRead);
  connect(&m_context, &ContextWatch::noteChanged, this, &ChatModel::sendStateChanged);
  connect(&services.personas, &PersonaListModel::changed, this, &ChatModel::recordChanged);
  lookAhead();
}

ChatModel::~ChatModel() = default;

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
  return canAsk() && !m_record.draft.trimmed().isEmpty();
}

QString ChatModel::composerHint() const {
  return isEmpty() ? tr("Write a message") : tr("Write a reply");
}

QString ChatModel::composerNote() const {
  if (m_services.engine.isFailed())
    return tr("No model is loaded: chats can be read, not continued.");
  if (m_services.engine.isLoading()) return m_services.engine.notice();
  if (isGenerating()) return tr("Answering. You can already write what comes next.");
  if (!m_context.note().isEmpty()) return m_context.note();
  if (isEditing()) return tr("Your edit becomes a new version; the old one is kept.");
  return tr("Enter sends, Shift+Enter begins a line");
}

bool ChatModel::composerWarns() const {
  if (m_services.engine.isFailed()) return true;
  return m_services.engine.isReady() && !isGenerating() && m_context.isWarning();
}

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
  ChatRecord saved = m_record;
  if (isEditing()) saved.draft = m_draftBeforeEdit;
  m_services.writer.putChat(saved);
  emit recordChanged();
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
  if (isEmpty() && m_record.draft.isEmpty()) {
    emit recordChanged();  // Nothing worth keeping yet; it is written with the first words.
  } else {
    saveDraftNow();
  }
}

QString ChatModel::ownModelName() const {
  return model_words::nameOf(m_record.modelPath);
}

void ChatModel::setOwnModel(const QString& path) {
  if (path == m_record.modelPath) return;
  m_record.modelPath = path;
  lookAhead();
  if (isEmpty() && m_record.draft.isEmpty()) {
    emit recordChanged();
  } else {
    saveDraftNow();
  }
}

void ChatModel::setFocused(bool focused) {
  m_focused = focused;
  if (m_run) m_run->setFocused(focused);
  emit sendStateChanged();
}

QString ChatModel::activityText() const {
  return isGenerating() && !m_focused ? tr("In the background") : QString();
}

void ChatModel::send() {
  if (!canSend()) return;
  const MessageRecord* edited = m_conversation.find(m_editedMessage);
  const RecordId parent = edited ? edited->parentId : m_conversation.head();
  const QString text = m_record.draft;
  m_record.draft = std::exchange(m_draftBeforeEdit, QString());
  m_editedMessage = 0;
  m_draftTimer.stop();
  askAfter(parent, text);
  emit draftChanged();
}

void ChatModel::ask(const QString& text) {
  if (!canAsk() || text.trimmed().isEmpty()) return;
  askAfter(m_conversation.head(), text);
}

void ChatModel::askAfter(RecordId parent, const QString& text) {
  MessageRecord message = newMessage(MessageRole::User, parent);
  message.text = text.trimmed();
  if (m_record.titleIsAutomatic && m_record.title.isEmpty()) {
    m_record.title = titleFromMessage(message.text);
  }
  beginTurn(message, message.id);
}

void ChatModel::sendText(const QString& text) {
  if (isGenerating()) return;
  setDraft(text);
  send();
}

void ChatModel::stop() {
  if (m_run) m_run->stop();
}

void ChatModel::cancel() {
  if (isGenerating()) {
    stop();
  } else {
    cancelEdit();
  }
}

void ChatModel::regenerate(qint64 messageId) {
  const MessageRecord* answer = m_conversation.find(messageId);
  if (!answer || !canRegenerate()) return;
  const RecordId parent = answer->parentId;
  cancelEdit();  // The turn saves the draft, which must be the reader's own again.
  beginTurn(std::nullopt, parent);
}

void ChatModel::edit(qint64 messageId) {
  const MessageRecord* message = m_conversation.find(messageId);
  if (!message || isGenerating()) return;
  if (!isEditing()) m_draftBeforeEdit = m_record.draft;
  m_editedMessage = messageId;
  m_record.draft = message->text;
  lookAhead();
  emit draftChanged();
  emit sendStateChanged();
  emit editStarted();
}

void ChatModel::cancelEdit() {
  if (!isEditing()) return;
  m_editedMessage = 0;
  m_record.draft = std::exchange(m_draftBeforeEdit, QString());
  lookAhead();
  emit draftChanged();
  emit sendStateChanged();
}

void ChatModel::showVersion(qint64 messageId, int step) {
  if (isGenerating() || !m_conversation.showVersion(messageId, step)) return;
  announceBranch();
}

/// Another branch of the conversation is shown.
void ChatModel::announceBranch() {
  cancelEdit();
  m_record.headMessageId = m_conversation.head();
  m_services.writer.putChat(m_record);
  m_timeline.syncPath();
  lookAhead();
  emit messagesChanged();
  emit contextChanged();
}

void ChatModel::reveal(RecordId messageId) {
  const bool isShown = m_conversation.path().contains(messageId);
  if (!isShown && isGenerating()) {
    return setNotice(
        tr("That message is in another version of this chat, which can be shown when the answer "
           "is done."));
  }
  if (!m_conversation.showMessage(messageId)) return;
  if (!isShown) announceBranch();
  m_revealedMessage = messageId;
  emit revealChanged();
}

int ChatModel::revealedRow() const {
  return m_timeline.firstRowOf(m_revealedMessage);
}

void ChatModel::endReveal() {
  m_revealedMessage = 0;
  emit revealChanged();
}

void ChatModel::copyMessage(qint64 messageId) const {
  if (const MessageRecord* message = m_conversation.find(messageId)) {
    QGuiApplication::clipboard()->setText(message->text);
  }
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
  if (m_run) m_run->interrupt();
}

}  // namespace quire
