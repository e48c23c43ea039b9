// The turns of a chat: what is asked, what comes back, and how it ends.
#include <QDateTime>
#include <QRandomGenerator>

#include "app/chat/chat_fork.h"
#include "app/chat/chat_model.h"
#include "app/documents/attachment_prompt.h"

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

QString ChatModel::systemPrompt(RecordId personaId) const {
  const PersonaRecord* persona = m_services.personas.find(personaId);
  return persona ? persona->systemPrompt : QString();
}

/// As the model's files, the model, the persona and the chat say, in rising order; the answer's own
/// temperature and seed, which were drawn from them, come last.
SamplingParams ChatModel::samplingFor(const MessageRecord& answer, RecordId personaId) const {
  const PersonaRecord* persona = m_services.personas.find(personaId);
  SamplingParams sampling = m_services.generation.resolveFor(m_record, persona).sampling;
  sampling.temperature = static_cast<float>(answer.temperature);
  sampling.seed = answer.seed;
  return sampling;
}

ChatRequest ChatModel::requestFor(const MessageRecord& answer, RecordId personaId) const {
  ChatRequest request;
  request.turns = m_conversation.turns(systemPrompt(personaId), answer.parentId);
  request.chatId = m_record.id;
  request.personaId = personaId;
  request.modelPath = m_record.modelPath;
  request.sampling = samplingFor(answer, personaId);
  const bool isFirst = m_focused && m_runs.isEmpty();
  request.priority = isFirst ? kFocusedPriority : kBackgroundPriority;
  return request;
}

ChatRequest ChatModel::requestAsking(const QString& text) const {
  ChatRequest request;
  request.turns = m_conversation.turnsBefore(text.trimmed(), systemPrompt(m_record.personaId),
                                             m_conversation.head());
  request.chatId = m_record.id;
  request.personaId = m_record.personaId;
  request.modelPath = m_record.modelPath;
  return request;
}

/// What sending the draft would ask now.
ChatRequest ChatModel::nextRequest() const {
  const MessageRecord* edited = m_conversation.find(m_editedMessage);
  const RecordId last = edited ? edited->parentId : m_conversation.head();
  ChatRequest request;
  const QString message = attachmentPrompt(m_files.records(), m_record.draft.trimmed());
  request.turns = m_conversation.turnsBefore(message, systemPrompt(m_record.personaId), last);
  request.chatId = m_record.id;
  request.personaId = m_record.personaId;
  request.modelPath = m_record.modelPath;
  return request;
}

/// Asks anew what sending would leave out.
void ChatModel::lookAhead() {
  if (isGenerating()) return;
  if (!m_files.fits()) return m_context.forget();  // That is said of the files already.
  int dropped = 0;
  for (const RecordId id : m_conversation.path()) {
    if (const PromptNote* prompt = m_timeline.findPrompt(id)) {
      dropped = prompt->report.droppedMessages;
    }
  }
  m_context.setDropped(dropped);
  m_context.look(m_record.draft.size() + m_files.characters());
}

void ChatModel::showPrompt(const AnswerRun& run) {
  const PromptNote note = {.report = run.prompt(), .systemTurns = run.systemTurns()};
  const RecordId answer = run.answer().id;
  m_timeline.setPrompt(answer, note);
  if (AnswerColumn* column = m_group ? m_group->find(answer) : nullptr) column->setPrompt(note);
}

/// Drawn as the chat says, as far as the plan says nothing else.
MessageRecord ChatModel::newAnswer(RecordId parent, const AnswerPlan& plan) const {
  const RecordId personaId = plan.personaId.value_or(m_record.personaId);
  const PersonaRecord* persona = m_services.personas.find(personaId);
  const ResolvedSettings settings = m_services.generation.resolveFor(m_record, persona);
  const bool isSeedFixed = settings.originOf(SettingField::Seed) != SettingsLayer::Default;
  const quint64 drawn = QRandomGenerator::global()->generate();
  MessageRecord answer = newMessage(MessageRole::Assistant, parent);
  answer.status = MessageStatus::Streaming;
  answer.modelName = m_services.generation.modelName(m_record.modelPath);
  answer.seed = plan.seed.value_or(isSeedFixed ? settings.sampling.seed : drawn);
  answer.temperature =
      plan.temperature.value_or(static_cast<double>(settings.sampling.temperature));
  return answer;
}

/// Queues the turn for the disk and shows it at once; the backend hears of it when it is durable.
void ChatModel::beginTurn(const std::optional<MessageRecord>& userMessage, RecordId parentOfAnswer,
                          const QList<AnswerPlan>& plans) {
  setNotice({});
  if (userMessage) m_conversation.append(*userMessage);
  QList<MessageRecord> answers;
  QList<RecordId> ids;
  for (const AnswerPlan& plan : plans) {
    answers.append(newAnswer(parentOfAnswer, plan));
    ids.append(answers.last().id);
    m_conversation.append(answers.last());
  }
  m_record.headMessageId = ids.first();
  m_record.activeMs = answers.first().createdMs;
  const quint64 ticket = m_services.writer.beginAnswers(recordToSave(), userMessage, answers);
  for (qsizetype i = 0; i < answers.size(); ++i) {
    const RecordId personaId = plans[i].personaId.value_or(m_record.personaId);
    AnswerRun* run = startRun(ticket, requestFor(answers[i], personaId), answers[i]);
    connect(run, &AnswerRun::refused, this, [this, userMessage, ids](const QString& sentence) {
      onTurnRefused(userMessage, ids, sentence);
    });
  }
  if (plans.size() > 1) openGroup(parentOfAnswer, plans);
  m_context.forget();
  announceTurn();
}

AnswerRun* ChatModel::startRun(quint64 ticket, const ChatRequest& request,
                               const MessageRecord& answer) {
  auto* run = new AnswerRun(m_services.backend, m_services.writer, m_services.clock, ticket,
                            request, answer, this);
  m_runs.append(run);
  run->noteFork(forkedPartOf(m_record, m_conversation, answer));
  connect(run, &AnswerRun::submitted, this,
          [this, id = answer.id] { m_timeline.setPhase(id, TimelineModel::Phase::Reading); });
  connect(run, &AnswerRun::started, this, [this, run] {
    showPrompt(*run);
    takeAnswer(*run);
    emit contextChanged();
  });
  connect(run, &AnswerRun::textAppended, this,
          [this, run](const QString& text) { onText(*run, text); });
  connect(run, &AnswerRun::ended, this, [this, run] { onEnded(run); });
  return run;
}

void ChatModel::announceTurn() {
  m_timeline.syncPath();
  emit messagesChanged();
  emit recordChanged();
  emit sendStateChanged();
  emit contextChanged();
  emit touched();
}

void ChatModel::onText(const AnswerRun& run, const QString& text) {
  MessageRecord* message = m_conversation.find(run.answer().id);
  if (!message) return;  // It was deleted meanwhile.
  message->appendText(text);
  message->outputTokens = run.answer().outputTokens;
  m_timeline.setPhase(message->id, TimelineModel::Phase::Writing);
  m_timeline.appendText(message->id, text);
  emit contextChanged();
}

/// Brings the shown record up to the run's; the text is the same already, but owned here.
void ChatModel::takeAnswer(const AnswerRun& run) {
  MessageRecord* message = m_conversation.find(run.answer().id);
  if (!message) return m_bin.update(run.answer());
  const QString text = message->text();
  *message = run.answer();
  message->setText(text);
}

void ChatModel::onEnded(AnswerRun* run) {
  takeAnswer(*run);
  const RecordId id = run->answer().id;
  endRun(run);
  m_timeline.finishMessage(id);
  emit contextChanged();
  if (!isGenerating()) emit answerEnded();
}

/// The disk did not take the turn: what was typed goes back to where it was typed. Each of its
/// answers hears of it; the first one ends all.
void ChatModel::onTurnRefused(const std::optional<MessageRecord>& userMessage,
                              const QList<RecordId>& answers, const QString& sentence) {
  if (m_runs.isEmpty()) return;
  const QList<AnswerRun*> runs = m_runs;
  for (AnswerRun* run : runs) endRun(run);
  AnswerGroup* group = std::exchange(m_group, nullptr);
  for (const RecordId id : answers) m_conversation.removeLeaf(id);
  if (userMessage) {
    giveBack(userMessage->text(), userMessage->attachments());
    if (AttachmentList* shown = m_sentFiles.take(userMessage->id)) shown->deleteLater();
    m_conversation.removeLeaf(userMessage->id);
  }
  m_record.headMessageId = m_conversation.head();
  setNotice(tr("Your message was not sent, because it could not be saved. %1").arg(sentence));
  emit groupChanged();
  if (group) group->deleteLater();
  announceTurn();
  saveDraftNow();
}

void ChatModel::endRun(AnswerRun* run) {
  m_runs.removeOne(run);
  run->deleteLater();
  lookAhead();
  emit sendStateChanged();
}

}  // namespace quire
