#include "app/chat/chat_turns.h"

#include <QRandomGenerator>

#include <algorithm>
#include <utility>

#include "app/chat/chat_model.h"
#include "app/chat/own_prompt.h"

namespace quire {
namespace {

/// Ascends although the clock may go back, because copies of a chat are compared by it.
qint64 activityAfter(qint64 before, const MessageRecord& message) {
  return std::max(before + 1, message.createdMs);
}

}  // namespace

ChatTurns::ChatTurns(ChatModel& chat) : m_chat(chat) {
  const ChatServices& services = chat.m_services;
  connect(&chat, &ChatModel::stateChanged, this, &ChatTurns::changed);
  connect(&services.writer, &StoreWriter::committed, this,
          [this](quint64 ticket) { m_versions.remove(ticket); });
  connect(&services.writer, &StoreWriter::failed, this, &ChatTurns::onWriteFailed);
}

bool ChatTurns::isPaused() const {
  return isGenerating() && !m_chat.isRemote() && m_chat.m_services.models.isPaused();
}

bool ChatTurns::canChange() const {
  return m_chat.isLoaded() && !isGenerating() && !m_group;
}

bool ChatTurns::canRegenerate() const {
  return canChange() && m_chat.isReady();
}

bool ChatTurns::canAsk() const {
  return m_chat.isLoaded() && !isGenerating() && m_chat.isReady();
}

bool ChatTurns::canContinue(RecordId messageId) const {
  const MessageRecord* message = m_chat.m_conversation.find(messageId);
  if (!message || message->role != MessageRole::Assistant || message->text().isEmpty())
    return false;
  const bool isWhole = message->status == MessageStatus::Complete && message->error.isEmpty();
  return !isWhole && message->id == m_chat.m_conversation.head() && canRegenerate();
}

RecordId ChatTurns::continuable() const {
  const RecordId head = m_chat.m_conversation.head();
  return canContinue(head) ? head : 0;
}

QString ChatTurns::systemPrompt(RecordId personaId) const {
  if (personaId == 0) return ownPromptOf(m_chat.m_record.settings);
  const PersonaRecord* persona = m_chat.m_services.personas.find(personaId);
  return persona ? persona->systemPrompt : QString();
}

QString ChatTurns::adapterPath(RecordId personaId) const {
  const PersonaRecord* persona = m_chat.m_services.personas.find(personaId);
  return persona ? persona->adapterPath : QString();
}

/// Settings of the model's files, the model, the persona and the chat, in rising priority; then the
/// answer's own temperature and seed.
ChatRequest ChatTurns::requestFor(const MessageRecord& answer, RecordId personaId) const {
  const ChatServices& services = m_chat.m_services;
  const ChatRecord& chat = m_chat.m_record;
  SamplingParams sampling =
      services.generation.resolveFor(chat, services.personas.find(personaId)).sampling;
  sampling.temperature = static_cast<float>(answer.temperature);
  sampling.seed = answer.seed;
  const bool isFirst = m_chat.isFocused() && m_runs.isEmpty();
  return {.turns = m_chat.m_conversation.turns(systemPrompt(personaId), answer.parentId),
          .sampling = sampling,
          .priority = isFirst ? kFocusedPriority : kBackgroundPriority,
          .chatId = chat.id,
          .personaId = personaId,
          .modelPath = chat.modelPath,
          .adapterPath = adapterPath(personaId)};
}

ChatRequest ChatTurns::requestAsking(const QString& text, RecordId last) const {
  const ChatRecord& chat = m_chat.m_record;
  return {.turns = m_chat.m_conversation.turnsBefore(text, systemPrompt(chat.personaId), last),
          .sampling = {},
          .chatId = chat.id,
          .personaId = chat.personaId,
          .modelPath = chat.modelPath,
          .adapterPath = adapterPath(chat.personaId)};
}

void ChatTurns::ask(const QString& text, const QList<AnswerPlan>& plans,
                    const QList<AttachmentRecord>& files) {
  if (!canAsk() || (text.trimmed().isEmpty() && files.isEmpty())) return;
  keepAllAnswers();
  askAfter(m_chat.m_conversation.head(), text, plans, files);
}

void ChatTurns::askAfter(RecordId parent, const QString& text, const QList<AnswerPlan>& plans,
                         const QList<AttachmentRecord>& files) {
  MessageRecord message = m_chat.newMessage(MessageRole::User, parent);
  message.setText(text.trimmed());
  message.setAttachments(files);
  m_chat.setAutomaticTitle(titleFromMessage(message.text(), files));
  begin(message, message.id, plans);
}

/// The plan's temperature and seed override those of the settings.
MessageRecord ChatTurns::newAnswer(RecordId parent, const AnswerPlan& plan) const {
  const ChatRecord& chat = m_chat.m_record;
  const GenerationDefaults& generation = m_chat.m_services.generation;
  const RecordId personaId = plan.personaId.value_or(chat.personaId);
  const ResolvedSettings settings =
      generation.resolveFor(chat, m_chat.m_services.personas.find(personaId));
  const bool isSeedFixed = settings.originOf(SettingField::Seed) != SettingsLayer::Default;
  const quint64 random = QRandomGenerator::global()->generate();
  MessageRecord answer = m_chat.newMessage(MessageRole::Assistant, parent);
  answer.status = MessageStatus::Streaming;
  answer.modelName = generation.modelName(chat.modelPath);
  answer.seed = plan.seed.value_or(isSeedFixed ? settings.sampling.seed : random);
  answer.temperature =
      plan.temperature.value_or(static_cast<double>(settings.sampling.temperature));
  return answer;
}

/// Shows the turn at once and queues it for the disk; it is submitted when it is durable.
void ChatTurns::begin(const std::optional<MessageRecord>& userMessage, RecordId parentOfAnswer,
                      const QList<AnswerPlan>& plans) {
  Conversation& conversation = m_chat.m_conversation;
  ChatRecord& chat = m_chat.m_record;
  m_chat.setNotice({});
  if (userMessage) conversation.append(*userMessage);
  QList<MessageRecord> answers;
  QList<ComparedAnswer> compared;
  for (const AnswerPlan& plan : plans) {
    answers.append(newAnswer(parentOfAnswer, plan));
    compared.append({answers.last().id, plan.label});
    conversation.append(answers.last());
  }
  chat.headMessageId = answers.first().id;
  chat.activeMs = activityAfter(chat.activeMs, answers.first());
  const quint64 ticket = m_chat.m_services.writer.beginAnswers(chat, userMessage, answers);
  for (qsizetype i = 0; i < answers.size(); ++i) {
    const RecordId personaId = plans[i].personaId.value_or(chat.personaId);
    AnswerRun* run = startRun(ticket, requestFor(answers[i], personaId), answers[i]);
    connect(run, &AnswerRun::refused, this, [this, userMessage, compared](const QString& sentence) {
      onRefused(userMessage, compared, sentence);
    });
  }
  if (compared.size() > 1) {
    openGroup(compared);
    // The comparison refers to the answers, so it is saved after them.
    connect(m_runs.first(), &AnswerRun::submitted, m_group, [this, compared] {
      if (!m_group) return;
      m_chat.m_services.writer.write(&ConversationStore::putComparison, m_chat.chatId(), compared);
    });
  }
  m_chat.m_composer.dropForecast();
  m_chat.announceTurn();
}

AnswerRun* ChatTurns::startRun(quint64 ticket, const ChatRequest& request,
                               const MessageRecord& answer) {
  const ChatServices& services = m_chat.m_services;
  auto* run = new AnswerRun(services.backend, services.writer, services.clock, ticket, request,
                            answer, this);
  m_runs.append(run);
  run->noteFork(forkedPartOf(m_chat.m_record, m_chat.m_conversation, answer));
  connect(run, &AnswerRun::submitted, this, [this, id = answer.id] {
    for (TimelineModel* one : timelinesOf(id)) one->setPhase(id, TimelineModel::Phase::Reading);
  });
  connect(run, &AnswerRun::started, this, [this, run, id = answer.id] {
    updateMessage(*run);
    const PromptNote note = {.report = run->prompt(), .systemTurns = run->systemTurns()};
    for (TimelineModel* one : timelinesOf(id)) one->setPrompt(id, note);
    emit m_chat.contentChanged();
  });
  connect(run, &AnswerRun::textAppended, this,
          [this, run](const QString& text) { onText(*run, text); });
  connect(run, &AnswerRun::ended, this, [this, run] { onEnded(run); });
  return run;
}

void ChatTurns::saveVersion(const MessageRecord& edited, const QString& text) {
  MessageRecord version = m_chat.newMessage(MessageRole::Assistant, edited.parentId);
  version.setText(text.trimmed());
  version.modelName = edited.modelName;
  m_chat.m_conversation.append(version);
  m_chat.m_record.headMessageId = version.id;
  m_chat.m_record.activeMs = activityAfter(m_chat.m_record.activeMs, version);
  m_chat.setNotice({});
  const auto ticket = m_chat.m_services.writer.beginTurn(m_chat.m_record, std::nullopt, version);
  m_versions.insert(ticket, version.id);
  m_chat.announceTurn();
  m_chat.m_composer.updateForecast();
}

/// A version could not be saved. A turn that was begun after it fails on its own.
void ChatTurns::onWriteFailed(quint64 ticket, const QString& sentence) {
  if (!m_versions.contains(ticket)) return;
  const QList<MessageRecord> lost = m_chat.m_conversation.take(m_versions.take(ticket));
  if (lost.isEmpty()) return;  // It was deleted in the meantime.
  m_chat.m_composer.prepend(lost.first().text(), {});
  m_chat.setNotice(
      tr("Your version was not saved; its text is in the composer again. %1").arg(sentence));
  m_chat.announcePath();
  m_chat.m_composer.saveDraftNow();
}

void ChatTurns::stop() {
  for (AnswerRun* run : QList(m_runs)) run->stop();
}

void ChatTurns::interrupt() {
  for (AnswerRun* run : QList(m_runs)) run->interrupt();
}

void ChatTurns::setFocused(bool focused) {
  for (AnswerRun* run : m_runs) run->setFocused(focused && run == m_runs.first());
}

void ChatTurns::onText(const AnswerRun& run, const QString& text) {
  MessageRecord* message = m_chat.m_conversation.find(run.answer().id);
  if (!message) return;  // It was deleted in the meantime.
  message->appendText(text);
  message->outputTokens = run.answer().outputTokens;
  for (TimelineModel* one : timelinesOf(message->id)) {
    one->setPhase(message->id, TimelineModel::Phase::Writing);
    one->appendText(message->id, text);
  }
  emit m_chat.contentChanged();
}

QList<TimelineModel*> ChatTurns::timelinesOf(RecordId answer) {
  QList<TimelineModel*> timelines = {&m_chat.m_timeline};
  if (AnswerColumn* column = m_group ? m_group->find(answer) : nullptr) {
    timelines.append(column->timeline());
  }
  return timelines;
}

/// Keeps the text of the shown record, which onText() has updated already.
void ChatTurns::updateMessage(const AnswerRun& run) {
  MessageRecord* message = m_chat.m_conversation.find(run.answer().id);
  if (!message) return m_chat.m_history.updateDeleted(run.answer());
  const QString text = message->text();
  *message = run.answer();
  message->setText(text);
}

void ChatTurns::onEnded(AnswerRun* run) {
  updateMessage(*run);
  const RecordId id = run->answer().id;
  endRun(run);
  for (TimelineModel* one : timelinesOf(id)) one->finishMessage(id);
  emit m_chat.contentChanged();
  if (!isGenerating()) emit m_chat.answerEnded();
}

/// The turn could not be saved: the message returns to the composer. Each of its answers reports
/// this; the first report ends all of them.
void ChatTurns::onRefused(const std::optional<MessageRecord>& userMessage,
                          const QList<ComparedAnswer>& answers, const QString& sentence) {
  if (m_runs.isEmpty()) return;
  Conversation& conversation = m_chat.m_conversation;
  for (AnswerRun* run : QList(m_runs)) endRun(run);
  AnswerGroup* group = std::exchange(m_group, nullptr);
  for (const ComparedAnswer& answer : answers) conversation.removeLeaf(answer.messageId);
  if (userMessage) {
    m_chat.m_composer.prepend(userMessage->text(), userMessage->attachments());
    m_chat.m_history.forgetFiles(userMessage->id);
    conversation.removeLeaf(userMessage->id);
  }
  m_chat.m_record.headMessageId = conversation.head();
  m_chat.setNotice(tr("Your message was not sent because it could not be saved. %1").arg(sentence));
  emit groupChanged();
  if (group) group->deleteLater();
  m_chat.announceTurn();
  m_chat.m_composer.saveDraftNow();
}

void ChatTurns::endRun(AnswerRun* run) {
  m_runs.removeOne(run);
  run->deleteLater();
  m_chat.m_composer.updateForecast();
  emit m_chat.stateChanged();
}

void ChatTurns::regenerateAt(qint64 messageId, double temperature) {
  regenerateWith(messageId, {AnswerPlan{.temperature = temperature}});
}

void ChatTurns::regenerateAs(qint64 messageId, qint64 personaId) {
  regenerateWith(messageId, {AnswerPlan{.personaId = personaId}});
}

void ChatTurns::regenerateSeveral(qint64 messageId, int count) {
  QList<AnswerPlan> plans;
  for (int i = 1; i <= count; ++i) plans.append({.label = tr("Answer %1").arg(i)});
  regenerateWith(messageId, plans);
}

void ChatTurns::regenerateWith(RecordId messageId, const QList<AnswerPlan>& plans) {
  const MessageRecord* message = m_chat.m_conversation.find(messageId);
  if (!message || !canRegenerate() || plans.isEmpty()) return;
  const bool isAnswer = message->role == MessageRole::Assistant;
  const RecordId parent = isAnswer ? message->parentId : message->id;
  begin(std::nullopt, parent, plans);
}

void ChatTurns::continueAnswer(qint64 messageId) {
  if (!canContinue(messageId)) return;
  if (m_chat.m_editor.messageId() == messageId) m_chat.m_editor.cancel();
  m_chat.setNotice({});
  MessageRecord* message = m_chat.m_conversation.find(messageId);
  const MessageRecord before = *message;
  // A replacement character stands for half a character, which is decoded again from its tokens.
  QString text = message->text();
  while (text.endsWith(QChar::ReplacementCharacter)) text.chop(1);
  message->setText(text);
  message->status = MessageStatus::Streaming;
  message->error.clear();
  ChatRequest request = requestFor(*message, m_chat.personaId());
  request.turns.append({QStringLiteral("assistant"), text, message->tokens});
  request.continueAnswer = true;
  AnswerRun* run = startRun(m_chat.m_services.writer.finishAnswer(*message), request, *message);
  connect(run, &AnswerRun::refused, this, [this, run, before](const QString& sentence) {
    *m_chat.m_conversation.find(before.id) = before;
    endRun(run);
    m_chat.setNotice(
        tr("The answer was not continued because it could not be saved. %1").arg(sentence));
    m_chat.announcePath();
  });
  m_chat.m_composer.dropForecast();
  m_chat.m_timeline.refreshMessage(messageId);
  m_chat.announceTurn();
}

/// Shows these answers side by side, and the branch down to their question.
void ChatTurns::openGroup(const QList<ComparedAnswer>& answers) {
  Conversation& conversation = m_chat.m_conversation;
  m_group = new AnswerGroup(conversation, answers, this);
  m_group->setRemote(m_chat.m_services.generation.remote());
  conversation.showUpTo(conversation.find(answers.first().messageId)->parentId);
  m_chat.m_timeline.syncPath();
  emit groupChanged();
}

void ChatTurns::reopenGroup(const QList<ComparedAnswer>& compared) {
  QList<ComparedAnswer> found = compared;
  found.removeIf(
      [&](const ComparedAnswer& one) { return !m_chat.m_conversation.find(one.messageId); });
  if (!m_group && found.size() > 1) openGroup(found);
}

void ChatTurns::closeGroup(RecordId shown) {
  m_chat.m_services.writer.write(&ConversationStore::putComparison, m_chat.chatId(),
                                 QList<ComparedAnswer>());
  AnswerGroup* group = std::exchange(m_group, nullptr);
  m_chat.m_conversation.select(shown);
  m_chat.announcePath();
  emit groupChanged();
  group->deleteLater();  // The items that show it are destroyed first.
}

void ChatTurns::keepAllAnswers() {
  if (m_group) closeGroup(m_group->answers().first());
}

void ChatTurns::keepAnswer(qint64 messageId) {
  if (!m_group || !m_group->find(messageId)) return;
  QList<MessageRecord> removed;
  for (const RecordId id : m_group->answers()) {
    if (id == messageId) continue;
    for (AnswerRun* run : std::as_const(m_runs)) {
      if (run->answer().id == id) run->stop();
    }
    removed += m_chat.m_conversation.take(id);
  }
  closeGroup(messageId);
  const QString text = tr("Kept this answer; %n other answer(s) deleted.", nullptr,
                          static_cast<int>(removed.size()));
  m_chat.m_history.offerUndo(removed, messageId, text);
}

void ChatTurns::forkAllAnswers() {
  if (!m_group || isGenerating()) return;
  const QList<RecordId> answers = m_group->answers();
  keepAllAnswers();
  for (const RecordId id : answers.mid(1)) emit m_chat.forkWanted(id);
}

}  // namespace quire
