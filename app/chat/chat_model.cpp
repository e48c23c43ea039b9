#include "app/chat/chat_model.h"

#include <QDateTime>

#include <utility>

#include "app/models/model_labels.h"
#include "app/models/remote_labels.h"
#include "app/richtext/message_copy.h"

namespace quire {
namespace {

/// Whether a merge has completed an answer that was cut off.
bool goesOnAfter(const MessageRecord& known, const MessageRecord& stored) {
  return known.status == MessageStatus::Interrupted &&
         stored.text().startsWith(known.textBeforeCut()) &&
         (stored.status != known.status || stored.text() != known.text()) &&
         stored.status != MessageStatus::Streaming;
}

}  // namespace

ChatModel::ChatModel(const ChatServices& services, const ChatRecord& record, QObject* parent)
    : QObject(parent),
      m_services(services),
      m_record(record),
      m_timeline(m_conversation),
      m_composer(*this),
      m_turns(*this),
      m_editor(*this),
      m_history(*this),
      m_find(m_timeline) {
  connect(&services.engine, &EngineStatus::changed, this, &ChatModel::onEngineChanged);
  connect(&services.models, &ModelManager::pausedChanged, this, &ChatModel::stateChanged);
  connect(&services.personas, &PersonaListModel::changed, this, &ChatModel::recordChanged);
  if (const RemoteModels* const remote = services.generation.remote()) {
    m_timeline.setRemote(remote);
    connect(remote, &RemoteModels::changed, this, &ChatModel::onRemoteChanged);
  }
}

ChatModel::~ChatModel() = default;

void ChatModel::load(const ChatContent& content) {
  if (std::exchange(m_isLoaded, true)) return;
  m_conversation = Conversation(content.messages, m_record.headMessageId);
  m_timeline.syncPath();
  m_composer.load(content.draftFiles);
  m_turns.reopenGroup(content.compared);
  m_history.load();
  m_editor.load(content.edit);
  emit messagesChanged();
  emit contentChanged();
  emit stateChanged();
  emit loaded();
}

void ChatModel::merge(const ChatRecord& record, const ChatContent& content) {
  QList<MessageRecord> added;
  for (const MessageRecord& message : content.messages) {
    if (MessageRecord* known = m_conversation.find(message.id)) {
      if (!goesOnAfter(*known, message)) continue;
      const QString begun = std::exchange(*known, message).textBeforeCut();
      m_timeline.appendText(known->id, QStringView(known->text()).mid(begun.size()));
      m_timeline.finishMessage(known->id);
    } else if (!m_history.isDeleted(message.id)) {
      added.append(message);
    }
  }
  const bool isGrouped = m_turns.group() != nullptr;
  RecordId head = m_conversation.head();
  if (record.activeMs > m_record.activeMs) {
    const QString draft = std::exchange(m_record, record).draft;
    if (!draft.isEmpty()) m_record.draft = draft;
    m_composer.onModelChanged();
    m_editor.onModelChanged();
    if (!isGrouped && !m_editor.isOpen()) head = record.headMessageId;
  }
  m_conversation.restore(added, head);
  if (!isGrouped) m_conversation.select(m_conversation.head());
  announcePath();
  emit m_composer.draftChanged();
}

QString ChatModel::personaName() const {
  const PersonaRecord* persona = m_services.personas.find(m_record.personaId);
  return persona ? persona->name : tr("No persona");
}

QString ChatModel::personaHint() const {
  if (isEmpty()) return tr("Persona of this chat");
  return tr(
      "Persona of this chat. A change applies from the next answer on; the chat is processed again "
      "once.");
}

QString ChatModel::ownModelName() const {
  const RemoteModels* const remote = m_services.generation.remote();
  return isRemote() && remote ? remote->nameOf(m_record.modelPath)
                              : model_labels::nameOf(m_record.modelPath);
}

QString ChatModel::ownModelHint() const {
  if (!isRemote()) return tr("This chat always uses this model");
  const RemoteEndpoint* const at = endpoint();
  return at ? remote_labels::warning(*at) : tr("This machine is not on the page Models any more.");
}

const RemoteEndpoint* ChatModel::endpoint() const {
  const RemoteModels* const remote = m_services.generation.remote();
  return remote ? remote->endpointOf(m_record.modelPath) : nullptr;
}

bool ChatModel::isReady() const {
  return isRemote() ? endpoint() != nullptr : m_services.engine.isReady();
}

QString ChatModel::introduction() const {
  if (!isRemote()) return m_services.engine.introduction();
  const RemoteEndpoint* const at = endpoint();
  return at ? remote_labels::introduction(*at, readRemotePath(m_record.modelPath)->model)
            : ownModelHint();
}

bool ChatModel::isBlank() const {
  return isEmpty() && m_record.draft.isEmpty() && m_composer.files()->isEmpty();
}

bool ChatModel::isUnused() const {
  return m_isLoaded && !m_isShown && !m_turns.isGenerating() && !m_editor.isOpen() &&
         !m_composer.files()->isReading() && m_history.undoText().isEmpty() && m_notice.isEmpty();
}

QString ChatModel::activityText() const {
  if (m_turns.isPaused()) return tr("Paused");
  return m_turns.isGenerating() && !m_focused ? tr("Answering…") : QString();
}

void ChatModel::setNotice(const QString& notice) {
  if (notice == m_notice) return;
  m_notice = notice;
  emit noticeChanged();
}

/// While a model loads, this is called about ten times a second; hidden chats ignore it.
void ChatModel::onEngineChanged() {
  if (!m_isShown) return;
  m_composer.updateForecast();
  emit stateChanged();
}

/// Endpoints were entered, changed or removed.
void ChatModel::onRemoteChanged() {
  m_timeline.refresh();
  if (!isRemote()) return;
  emit recordChanged();
  emit stateChanged();
}

void ChatModel::setShown(bool shown) {
  if (shown == m_isShown) return;
  m_isShown = shown;
  if (!shown) m_find.close();
  onEngineChanged();
}

void ChatModel::setFocused(bool focused) {
  m_focused = focused;
  m_turns.setFocused(focused);
  emit stateChanged();
}

void ChatModel::rename(const QString& title) {
  const QString wanted = title.simplified();
  if (wanted.isEmpty() || wanted == m_record.title) return;
  changeRecord([&](ChatRecord& record) {
    record.title = wanted;
    record.titleIsAutomatic = false;
  });
}

void ChatModel::setAutomaticTitle(const QString& title) {
  if (awaitsTitle()) m_record.title = title;
}

void ChatModel::changeRecord(const std::function<void(ChatRecord&)>& change) {
  change(m_record);
  m_composer.saveDraftNow();
}

/// A blank chat is not saved before its first message.
void ChatModel::saveRecord() {
  m_composer.updateForecast();
  if (isBlank()) {
    emit recordChanged();
  } else {
    m_composer.saveDraftNow();
  }
}

void ChatModel::setPersona(qint64 personaId) {
  if (personaId == m_record.personaId) return;
  m_record.personaId = personaId;
  saveRecord();
}

void ChatModel::togglePersona(qint64 personaId) {
  setPersona(personaId == m_record.personaId ? 0 : personaId);
}

void ChatModel::setOwnModel(const QString& path) {
  if (path == m_record.modelPath) return;
  m_record.modelPath = path;
  m_composer.onModelChanged();
  m_editor.onModelChanged();
  saveRecord();
  emit stateChanged();
}

void ChatModel::leaveRemote() {
  if (isRemote()) setOwnModel({});
}

QString ChatModel::plainMarkup(const QString& text) const {
  return escapeMarkup(text).replace(u'\n', QStringLiteral("<br/>"));
}

MessageRecord ChatModel::newMessage(MessageRole role, RecordId parent) const {
  MessageRecord message;
  message.id = m_services.ids.next();
  message.chatId = m_record.id;
  message.parentId = parent;
  message.role = role;
  message.createdMs = QDateTime::currentMSecsSinceEpoch();
  return message;
}

void ChatModel::announceTurn() {
  m_editor.onPathChanged();
  m_timeline.syncPath();
  emit messagesChanged();
  emit recordChanged();
  emit contentChanged();
  emit stateChanged();
  emit touched();
}

void ChatModel::announcePath() {
  m_record.headMessageId = m_conversation.head();
  m_services.writer.putChat(m_record);
  m_editor.onPathChanged();
  m_timeline.syncPath();
  m_timeline.refresh();
  m_history.onPathChanged();
  m_composer.updateForecast();
  emit messagesChanged();
  emit recordChanged();
  emit contentChanged();
  emit stateChanged();
}

void ChatModel::close() {
  m_composer.saveIfChanged();
  m_editor.saveIfChanged();
  m_history.close();
  m_turns.interrupt();
}

}  // namespace quire
