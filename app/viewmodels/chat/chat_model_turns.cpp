// The turns of a chat: what is asked, what comes back, and how it ends.
#include <QDateTime>
#include <QRandomGenerator>

#include "app/viewmodels/chat/chat_model.h"

namespace quire {

MessageRecord ChatModel::newMessage(MessageRole role, RecordId parent) const {
  MessageRecord message;
  message.id = m_services.ids.next();
  message.chatId = m_record.id;
  message.parentId = parent;
  message.role = role;
  message.createdMs = QDateTime::currentMSecsSinceEpoch();
  return message;
}

QString ChatModel::systemPrompt() const {
  const PersonaRecord* persona = m_services.personas.find(m_record.personaId);
  return persona ? persona->systemPrompt : QString();
}

/// As the model's files, the model, the persona and the chat say, in rising order; the answer's own
/// temperature and seed, which were drawn from them, come last.
SamplingParams ChatModel::samplingFor(const MessageRecord& answer) const {
  const PersonaRecord* persona = m_services.personas.find(m_record.personaId);
  SamplingParams sampling = m_services.generation.resolveFor(m_record, persona).sampling;
  sampling.temperature = static_cast<float>(answer.temperature);
  sampling.seed = answer.seed;
  return sampling;
}

ChatRequest ChatModel::requestFor(const MessageRecord& answer) const {
  ChatRequest request;
  request.turns = m_conversation.turns(systemPrompt(), answer.parentId);
  request.chatId = m_record.id;
  request.personaId = m_record.personaId;
  request.modelPath = m_record.modelPath;
  request.sampling = samplingFor(answer);
  request.focused = m_focused;
  return request;
}

/// What sending the draft would ask now.
ChatRequest ChatModel::nextRequest() const {
  const MessageRecord* edited = m_conversation.find(m_editedMessage);
  const RecordId last = edited ? edited->parentId : m_conversation.head();
  ChatRequest request;
  request.turns = m_conversation.turnsBefore(m_record.draft.trimmed(), systemPrompt(), last);
  request.chatId = m_record.id;
  request.personaId = m_record.personaId;
  return request;
}

/// Asks anew what sending would leave out.
void ChatModel::lookAhead() {
  if (isGenerating()) return;
  int dropped = 0;
  for (const RecordId id : m_conversation.path()) {
    if (const PromptNote* prompt = m_timeline.findPrompt(id)) {
      dropped = prompt->report.droppedMessages;
    }
  }
  m_context.setDropped(dropped);
  m_context.look(m_record.draft.size());
}

void ChatModel::onPromptRead(RequestId id, const PromptReport& report) {
  if (m_run == nullptr || m_run->requestId() != id) return;
  m_timeline.setPrompt(m_run->answer().id, {.report = report, .systemTurns = m_systemTurns});
}

/// Queues the turn for the disk and shows it at once; the backend hears of it when it is durable.
void ChatModel::beginTurn(const std::optional<MessageRecord>& userMessage,
                          RecordId parentOfAnswer) {
  setNotice({});
  const PersonaRecord* persona = m_services.personas.find(m_record.personaId);
  MessageRecord answer = newMessage(MessageRole::Assistant, parentOfAnswer);
  answer.status = MessageStatus::Streaming;
  answer.modelName = m_services.generation.modelName(m_record.modelPath);
  const ResolvedSettings settings = m_services.generation.resolveFor(m_record, persona);
  const bool isSeedFixed = settings.originOf(SettingField::Seed) != SettingsLayer::Default;
  answer.seed = isSeedFixed ? settings.sampling.seed : QRandomGenerator::global()->generate();
  answer.temperature = static_cast<double>(settings.sampling.temperature);
  if (userMessage) m_conversation.append(*userMessage);
  m_conversation.append(answer);
  m_record.headMessageId = answer.id;
  m_record.activeMs = answer.createdMs;
  const quint64 ticket = m_services.writer.beginTurn(m_record, userMessage, answer);
  m_systemTurns = systemPrompt().isEmpty() ? 0 : 1;
  m_run = new AnswerRun(m_services.backend, m_services.writer, ticket, requestFor(answer), answer,
                        this);
  m_context.forget();
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
  lookAhead();
  emit sendStateChanged();
}

}  // namespace quire
