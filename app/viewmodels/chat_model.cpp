#include "app/viewmodels/chat_model.h"

#include <QClipboard>
#include <QDateTime>
#include <QGuiApplication>
#include <QLocale>
#include <QRandomGenerator>

#include <algorithm>

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
      m_timeline(m_conversation) {
  m_draftTimer.setSingleShot(true);
  m_draftTimer.setInterval(kDraftDelayMs);
  connect(&m_draftTimer, &QTimer::timeout, this, &ChatModel::saveDraftNow);
  connect(&services.engine, &EngineStatus::changed, this, &ChatModel::sendStateChanged);
  connect(&services.engine, &EngineStatus::changed, this, &ChatModel::contextChanged);
  connect(&services.personas, &PersonaListModel::countChanged, this, &ChatModel::recordChanged);
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
  return !isGenerating() && m_services.engine.isReady() && !m_record.draft.trimmed().isEmpty();
}

QString ChatModel::composerHint() const {
  return isEmpty() ? tr("Write a message") : tr("Write a reply");
}

QString ChatModel::composerNote() const {
  if (m_services.engine.isFailed())
    return tr("No model is loaded: chats can be read, not continued.");
  if (m_services.engine.isLoading()) return m_services.engine.notice();
  if (isEditing()) return tr("Your edit becomes a new version; the old one is kept.");
  if (isGenerating()) return tr("Answering. You can already write what comes next.");
  return tr("Enter sends, Shift+Enter begins a line");
}

void ChatModel::setDraft(const QString& draft) {
  if (draft == m_record.draft) return;
  m_record.draft = draft;
  if (!isEditing()) m_draftTimer.start();
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

void ChatModel::setPersona(qint64 personaId) {
  if (personaId == m_record.personaId) return;
  m_record.personaId = personaId;
  if (isEmpty() && m_record.draft.isEmpty()) {
    emit recordChanged();  // Nothing worth keeping yet; it is written with the first words.
  } else {
    saveDraftNow();
  }
}

void ChatModel::setFocused(bool focused) {
  m_focused = focused;
  if (m_run) m_run->setFocused(focused);
}

void ChatModel::send() {
  if (!canSend()) return;
  const MessageRecord* edited = m_conversation.find(m_editedMessage);
  MessageRecord message =
      newMessage(MessageRole::User, edited ? edited->parentId : m_conversation.head());
  message.text = m_record.draft.trimmed();
  m_record.draft = std::exchange(m_draftBeforeEdit, QString());
  m_editedMessage = 0;
  m_draftTimer.stop();
  if (m_record.titleIsAutomatic && m_record.title.isEmpty()) {
    m_record.title = titleFromMessage(message.text);
  }
  beginTurn(message, message.id);
  emit draftChanged();
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
  emit draftChanged();
  emit sendStateChanged();
  emit editStarted();
}

void ChatModel::cancelEdit() {
  if (!isEditing()) return;
  m_editedMessage = 0;
  m_record.draft = std::exchange(m_draftBeforeEdit, QString());
  emit draftChanged();
  emit sendStateChanged();
}

void ChatModel::showVersion(qint64 messageId, int step) {
  if (isGenerating() || !m_conversation.showVersion(messageId, step)) return;
  cancelEdit();
  m_record.headMessageId = m_conversation.head();
  m_services.writer.putChat(m_record);
  m_timeline.syncPath();
  emit messagesChanged();
  emit contextChanged();
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

MessageRecord ChatModel::newMessage(MessageRole role, RecordId parent) const {
  MessageRecord message;
  message.id = m_services.ids.next();
  message.chatId = m_record.id;
  message.parentId = parent;
  message.role = role;
  message.createdMs = QDateTime::currentMSecsSinceEpoch();
  return message;
}

ChatRequest ChatModel::requestFor(const MessageRecord& answer) const {
  const PersonaRecord* persona = m_services.personas.find(m_record.personaId);
  ChatRequest request;
  request.turns =
      m_conversation.turns(persona ? persona->systemPrompt : QString(), answer.parentId);
  request.sampling.temperature = static_cast<float>(answer.temperature);
  request.sampling.seed = answer.seed;
  request.focused = m_focused;
  return request;
}

/// Queues the turn for the disk and shows it at once; the backend hears of it when it is durable.
void ChatModel::beginTurn(const std::optional<MessageRecord>& userMessage,
                          RecordId parentOfAnswer) {
  constexpr double kDefaultTemperature = 0.7;
  setNotice({});
  const PersonaRecord* persona = m_services.personas.find(m_record.personaId);
  MessageRecord answer = newMessage(MessageRole::Assistant, parentOfAnswer);
  answer.status = MessageStatus::Streaming;
  answer.modelName = m_services.engine.modelName();
  answer.seed = QRandomGenerator::global()->generate();
  answer.temperature =
      persona ? persona->temperature.value_or(kDefaultTemperature) : kDefaultTemperature;
  if (userMessage) m_conversation.append(*userMessage);
  m_conversation.append(answer);
  m_record.headMessageId = answer.id;
  m_record.activeMs = answer.createdMs;
  const quint64 ticket = m_services.writer.beginTurn(m_record, userMessage, answer);
  m_run = new AnswerRun(m_services.backend, m_services.writer, ticket, requestFor(answer), answer,
                        this);
  const RecordId id = answer.id;
  connect(m_run, &AnswerRun::submitted, this,
          [this, id] { m_timeline.setPhase(id, TimelineModel::Phase::Reading); });
  connect(m_run, &AnswerRun::started, this, [this] {
    takeAnswer();
    emit contextChanged();
  });
  connect(m_run, &AnswerRun::textAppended, this, &ChatModel::onText);
  connect(m_run, &AnswerRun::ended, this, &ChatModel::onEnded);
  connect(m_run, &AnswerRun::refused, this,
          [this, userMessage](const QString& sentence) { onRefused(userMessage, sentence); });
  announceTurn();
}

void ChatModel::announceTurn() {
  m_timeline.syncPath();
  emit messagesChanged();
  emit recordChanged();
  emit sendStateChanged();
  emit contextChanged();
  emit touched();
}

void ChatModel::onText(const QString& text) {
  MessageRecord* message = m_conversation.find(m_run->answer().id);
  message->text += text;
  message->outputTokens = m_run->answer().outputTokens;
  m_timeline.setPhase(message->id, TimelineModel::Phase::Writing);
  m_timeline.appendText(message->id, text);
  emit contextChanged();
}

/// Brings the shown record up to the run's; the text is the same already, but owned here.
void ChatModel::takeAnswer() {
  MessageRecord* message = m_conversation.find(m_run->answer().id);
  QString text = std::move(message->text);
  *message = m_run->answer();
  message->text = std::move(text);
}

void ChatModel::onEnded() {
  takeAnswer();
  const RecordId id = m_run->answer().id;
  endRun();
  m_timeline.finishMessage(id);
  emit contextChanged();
  emit answerEnded();
}

/// The disk did not take the turn: what was typed goes back to where it was typed.
void ChatModel::onRefused(const std::optional<MessageRecord>& userMessage,
                          const QString& sentence) {
  m_conversation.removeLeaf(m_run->answer().id);
  if (userMessage) {
    m_conversation.removeLeaf(userMessage->id);
    m_record.draft =
        m_record.draft.isEmpty() ? userMessage->text : userMessage->text + u'\n' + m_record.draft;
  }
  m_record.headMessageId = m_conversation.head();
  endRun();
  setNotice(tr("Your message was not sent, because it could not be saved. %1").arg(sentence));
  emit draftChanged();
  announceTurn();
}

void ChatModel::endRun() {
  m_run->deleteLater();
  m_run = nullptr;
  emit sendStateChanged();
}

void ChatModel::close() {
  if (m_draftTimer.isActive()) saveDraftNow();
  if (m_run) m_run->interrupt();
}

int ChatModel::contextTokens() const {
  for (auto id = m_conversation.path().crbegin(); id != m_conversation.path().crend(); ++id) {
    const MessageRecord* message = m_conversation.find(*id);
    if (message->promptTokens > 0) return message->promptTokens + message->outputTokens;
  }
  return 0;
}

double ChatModel::contextFraction() const {
  const int length = m_services.engine.contextLength();
  return length > 0 ? std::min(1.0, static_cast<double>(contextTokens()) / length) : 0.0;
}

QString ChatModel::contextText() const {
  const QLocale locale;
  const int length = m_services.engine.contextLength();
  const QString used = locale.toString(contextTokens());
  return length > 0 ? tr("%1 / %2").arg(used, locale.toString(length)) : used;
}

}  // namespace quire
