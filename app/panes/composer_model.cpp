#include "app/panes/composer_model.h"

#include <algorithm>
#include <utility>

#include "app/chat/message_key.h"
#include "app/documents/attachment_file.h"
#include "app/panes/pane_titles.h"
#include "app/session/text_announcer.h"

namespace quire {
namespace {

constexpr int kSaveDelayMs = 600;
const QString kDraftKey = QStringLiteral("window.draftToAll");

}  // namespace

ComposerModel::ComposerModel(ChatBackend& backend, ModelManager& models, PaneListModel& panes,
                             const PersonaListModel& personas, const EngineStatus& engine,
                             DataSession& session, QObject* parent)
    : QObject(parent),
      m_panes(panes),
      m_engine(engine),
      m_session(session),
      m_files(backend, models),
      m_plan(personas),
      m_slash(personas, session, slashTarget()),
      m_estimate(backend, models, m_noMessages, [this] { return requestsToAll(); }) {
  connect(&m_files, &AttachmentList::changed, this, [this] {
    emit changed();
    if (!TextAnnouncer::isSpeaking()) m_saveTimer.start();
    updateEstimate();
  });
  connect(&m_plan, &AskPlan::changed, this, &ComposerModel::changed);
  connect(&m_estimate, &ContextWatch::noteChanged, this, &ComposerModel::changed);
  m_saveTimer.setSingleShot(true);
  m_saveTimer.setInterval(kSaveDelayMs);
  connect(&m_saveTimer, &QTimer::timeout, this, &ComposerModel::saveDraftNow);
  connect(&panes, &PaneListModel::arrangementChanged, this, &ComposerModel::follow);
  connect(&panes, &PaneListModel::focusChanged, this, &ComposerModel::follow);
  connect(&panes, &PaneListModel::countChanged, this, &ComposerModel::follow);
  connect(&engine, &EngineStatus::changed, this, &ComposerModel::changed);
  connect(&engine, &EngineStatus::changed, this, &ComposerModel::updateEstimate);
}

/// Listens to the chats of the panes, and no longer to others.
void ComposerModel::follow() {
  for (const QMetaObject::Connection& one : std::exchange(m_followed, {})) disconnect(one);
  for (ChatModel* one : m_panes.chats()) {
    m_followed += {connect(one, &ChatModel::stateChanged, this, &ComposerModel::onChatChanged),
                   connect(one, &ChatModel::messagesChanged, this, &ComposerModel::changed)};
  }
  if (own()) {
    m_followed += {connect(own(), &ChatComposer::draftChanged, this, &ComposerModel::draftChanged),
                   connect(chat(), &ChatModel::touched, this, &ComposerModel::sent)};
  }
  if (!m_panes.isSplit()) m_toAll = false;  // Otherwise a later split would restore it.
  readModels();
  updateEstimate();
  announce();
}

/// The chat may use another model now.
void ComposerModel::onChatChanged() {
  if (readModels()) updateEstimate();
  emit changed();
}

/// Reads which models the chats use; returns whether they have changed.
bool ComposerModel::readModels() {
  QStringList models;
  for (const ChatModel* one : m_panes.chats()) models.append(one->ownModelPath());
  if (models == m_readers) return false;
  m_readers = models;
  m_files.setModels(models);
  return true;
}

void ComposerModel::announce() {
  emit changed();
  emit draftChanged();
}

void ComposerModel::setToAll(bool toAll) {
  if (toAll == m_toAll || !hasTargets()) return;
  m_toAll = toAll;
  readDraft();
  updateEstimate();
  announce();
}

void ComposerModel::readDraft() {
  if (std::exchange(m_isDraftRead, true) || !m_session.isOpen()) return;
  m_draft = m_session.setting(kDraftKey);
  m_savedFiles = m_session.store().draftFiles(0).value_or(QList<AttachmentRecord>());
  m_files.setRecords(m_savedFiles);
}

void ComposerModel::updateEstimate() {
  if (toAll()) m_estimate.look(m_draft.size() + m_files.characters());
}

QList<ChatRequest> ComposerModel::requestsToAll() const {
  QList<ChatRequest> requests;
  if (!toAll() || !hasContent() || !m_files.fits()) return requests;
  const QString message = attachmentPrompt(m_files.records(), m_draft.trimmed());
  for (const ChatModel* one : m_panes.chats())
    requests.append(one->turns()->requestAsking(message, one->conversation().head()));
  return requests;
}

QString ComposerModel::allTargetsText() const {
  const int count = m_panes.count();
  return count == 2 ? tr("To both panes") : tr("To all %1 panes").arg(count);
}

QList<ChatModel*> ComposerModel::targets() const {
  if (toAll()) return m_panes.chats();
  return chat() ? QList<ChatModel*>{chat()} : QList<ChatModel*>();
}

QList<ChatModel*> ComposerModel::readyTargets() const {
  QList<ChatModel*> ready = targets();
  ready.removeIf([this](ChatModel* one) { return !obstacleOf(one).isEmpty(); });
  return ready;
}

QString ComposerModel::obstacleOf(ChatModel* chat) const {
  const QString obstacle = chat->composer()->obstacle();
  return obstacle.isEmpty() && toAll() ? lengthObstacleOf(chat) : obstacle;
}

/// Each chat has a model of its own, with a context of its own.
QString ComposerModel::lengthObstacleOf(ChatModel* chat) const {
  if (!m_files.fitsIn(chat->ownModelPath())) return tr("files too large for its model");
  return m_estimate.isTooLongFor(chat->chatId()) ? tr("too long for its model") : QString();
}

bool ComposerModel::isTooLongForAll() const {
  const QList<ChatModel*> chats = targets();
  return !isGenerating() && std::all_of(chats.begin(), chats.end(), [this](auto* one) {
    return !lengthObstacleOf(one).isEmpty();
  });
}

SlashMenu::Target ComposerModel::slashTarget() {
  return {.persona = [this] { return chat() ? chat()->personaId() : 0; },
          .setPersona =
              [this](RecordId persona) {
                for (ChatModel* one : targets()) one->setPersona(persona);
              }};
}

QString ComposerModel::draft() const {
  if (toAll()) return m_draft;
  return own() ? own()->draft() : QString();
}

void ComposerModel::setDraft(const QString& draft) {
  if (draft != m_offered) m_offered.clear();
  if (!toAll()) {
    if (own()) own()->setDraft(draft);
    return;
  }
  if (draft == m_draft) return;
  m_draft = draft;
  m_saveTimer.start();
  updateEstimate();
  announce();
}

void ComposerModel::write(const QString& text, int cursor) {
  setDraft(text);
  m_slash.follow(text, cursor);
}

void ComposerModel::offerDraft(const QString& draft) {
  setDraft(draft);
  m_offered = draft;
}

void ComposerModel::saveDraftNow() {
  m_saveTimer.stop();
  if (!m_isDraftRead || !m_session.isOpen()) return;
  m_session.putSetting(kDraftKey, m_draft);
  const QList<AttachmentRecord> files = m_files.records();
  if (isSameFiles(files, m_savedFiles)) return;
  m_savedFiles = files;
  m_session.writer().putDraftToAll(files);
}

bool ComposerModel::isGenerating() const {
  const QList<ChatModel*> chats = targets();
  return std::any_of(chats.begin(), chats.end(),
                     [](auto* one) { return one->turns()->isGenerating(); });
}

bool ComposerModel::canSend() const {
  if (!toAll()) return own() && own()->canSend();
  return hasContent() && m_files.isSendable() && !readyTargets().isEmpty();
}

QString ComposerModel::hint() const {
  if (!toAll()) return own() ? own()->hint() : QString();
  const int count = m_panes.count();
  return count == 2 ? tr("Message both chats") : tr("Message all %1 chats").arg(count);
}

QString ComposerModel::note() const {
  if (!own()) return {};
  return toAll() ? noteToAll() : own()->note();
}

QString ComposerModel::noteToAll() const {
  const QList<ChatModel*> chats = targets();
  const QList<ChatModel*> ready = readyTargets();
  const auto busy = std::count_if(chats.begin(), chats.end(),
                                  [](auto* one) { return one->turns()->isGenerating(); });
  if (isTooLongForAll()) {
    return m_files.note().isEmpty()
               ? tr("Too long for the models of these chats. Shorten the message.")
               : m_files.note();
  }
  if (ready.isEmpty() && busy == 0) return own()->note();
  if (ready.isEmpty()) return tr("%n chat(s) still answering.", nullptr, static_cast<int>(busy));
  if (!m_files.note().isEmpty()) return m_files.note();
  if (ready.size() < chats.size()) {
    return tr("Enter to send to %1 of %2 chats; the others keep it as a draft")
        .arg(ready.size())
        .arg(chats.size());
  }
  if (!m_draft.isEmpty() && !m_estimate.estimate().isEmpty()) return m_estimate.estimate();
  if (std::any_of(chats.begin(), chats.end(), [](auto* one) { return one->isRemote(); })) {
    return tr("Enter to send to all of them, also to models that do not run here");
  }
  return tr("Enter to send to all of them");
}

bool ComposerModel::warns() const {
  if (!own()) return false;
  if (!toAll()) return own()->warns();
  if (isTooLongForAll()) return true;
  if (readyTargets().isEmpty()) return m_engine.isFailed() && own()->warns();
  return !m_files.note().isEmpty();
}

void ComposerModel::setUnsentText(const QString& text) {
  if (text == m_unsentText) return;
  m_unsentText = text;
  emit unsentChanged();
}

void ComposerModel::send() {
  if (!canSend()) return;
  setUnsentText({});
  const QList<AnswerPlan> plans = m_plan.plans();
  if (toAll()) return sendToAll(plans);
  own()->sendFor(plans);
}

/// Chats that cannot be asked now keep the message as their draft.
void ComposerModel::sendToAll(const QList<AnswerPlan>& plans) {
  QList<ChatModel*> ready, others;
  QStringList unsent;
  for (ChatModel* one : targets()) {
    const QString obstacle = obstacleOf(one);
    (obstacle.isEmpty() ? ready : others).append(one);
    if (!obstacle.isEmpty()) unsent.append(tr("\"%1\" (%2)").arg(one->title(), obstacle));
  }
  const QString text = std::exchange(m_draft, QString());
  const QList<AttachmentRecord> files = m_files.records();
  m_files.clear();
  titleApart(ready, text, files);
  for (ChatModel* one : ready) one->turns()->ask(text, plans, files);
  for (ChatModel* one : others) one->composer()->keep(text, files);
  if (!unsent.isEmpty()) {
    setUnsentText(
        tr("Not sent to %1. It is kept there as a draft.").arg(unsent.join(QStringLiteral(", "))));
  }
  saveDraftNow();
  announce();
  emit sent();
}

AttachmentList* ComposerModel::files() {
  if (toAll()) return &m_files;
  return own() ? own()->files() : nullptr;
}

bool ComposerModel::pasteFiles() {
  return files() && files()->addFromClipboard();
}

bool ComposerModel::handleKey(int key, int modifiers, bool composing) {
  const bool isBlank = draft().isEmpty() && files() && files()->isEmpty();
  const bool isPlainUp = key == Qt::Key_Up && modifiers == Qt::NoModifier && !composing;
  if (isPlainUp && isBlank && !toAll()) return chat()->editor()->editLastQuestion();
  return handleMessageKey(
      key, modifiers, composing, [this] { send(); }, [this] { cancel(); });
}

bool ComposerModel::isTyping(const QString& text, int modifiers) {
  const bool isShortcut =
      (modifiers & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) != 0;
  return !isShortcut && !text.isEmpty() && text.front().isPrint();
}

void ComposerModel::stop() {
  for (ChatModel* one : targets()) one->turns()->stop();
}

void ComposerModel::cancel() {
  if (isGenerating()) {
    stop();
  } else if (chat()) {
    chat()->editor()->cancel();
  }
}

}  // namespace quire
