#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>

#include "app/chat/answer_group.h"
#include "app/chat/answer_plan.h"
#include "app/chat/answer_run.h"
#include "app/chat/context_watch.h"
#include "app/chat/conversation.h"
#include "app/chat/message_actions.h"
#include "app/chat/message_bin.h"
#include "app/chat/timeline_model.h"
#include "app/documents/attachment_list.h"
#include "app/engine_page/engine_status.h"
#include "app/personas/persona_list_model.h"
#include "app/settings/generation_defaults.h"
#include "app/store/id_source.h"
#include "app/store/store_writer.h"

namespace quire {

/// What a chat needs from the application; all of it outlives the chat.
struct ChatServices {
  ChatBackend& backend;
  ModelManager& models;
  StoreWriter& writer;
  IdSource& ids;
  const PersonaListModel& personas;
  const EngineStatus& engine;
  const GenerationDefaults& generation;
  TextClock& clock;
};

/// One open chat: its messages, its composer, and the answers that are being written, if any. It
/// goes on whether or not it is shown.
///
/// Thread: the window's.
/// Invariants: answers that are being written at the same time answer the same message; everything
/// shown is on disk or queued for it; while there is a group() the shown branch ends at its
/// message.
class ChatModel : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the application.")
  Q_PROPERTY(double chatId READ chatId CONSTANT)
  Q_PROPERTY(quire::TimelineModel* timeline READ timeline CONSTANT)
  Q_PROPERTY(QString title READ title NOTIFY recordChanged)
  Q_PROPERTY(int colorIndex READ colorIndex NOTIFY recordChanged)
  Q_PROPERTY(double personaId READ personaId NOTIFY recordChanged)
  Q_PROPERTY(QString personaName READ personaName NOTIFY recordChanged)
  Q_PROPERTY(bool hasOwnModel READ hasOwnModel NOTIFY recordChanged)
  Q_PROPERTY(QString ownModelName READ ownModelName NOTIFY recordChanged)
  Q_PROPERTY(bool isEmpty READ isEmpty NOTIFY messagesChanged)
  Q_PROPERTY(QString personaHint READ personaHint NOTIFY messagesChanged)
  Q_PROPERTY(QString draft READ draft WRITE setDraft NOTIFY draftChanged)
  Q_PROPERTY(quire::AttachmentList* files READ files CONSTANT)
  Q_PROPERTY(bool canSend READ canSend NOTIFY sendStateChanged)
  Q_PROPERTY(bool isGenerating READ isGenerating NOTIFY sendStateChanged)
  Q_PROPERTY(QString activityText READ activityText NOTIFY sendStateChanged)
  Q_PROPERTY(bool isEditing READ isEditing NOTIFY sendStateChanged)
  Q_PROPERTY(bool isPaused READ isPaused NOTIFY sendStateChanged)
  Q_PROPERTY(bool canChange READ canChange NOTIFY sendStateChanged)
  Q_PROPERTY(double continuable READ continuable NOTIFY sendStateChanged)
  Q_PROPERTY(quire::AnswerGroup* group READ group NOTIFY groupChanged)
  Q_PROPERTY(quire::MessageActions* actions READ actions CONSTANT)
  Q_PROPERTY(QString question READ question NOTIFY questionChanged)
  Q_PROPERTY(QString undoText READ undoText NOTIFY undoChanged)
  Q_PROPERTY(bool canRegenerate READ canRegenerate NOTIFY sendStateChanged)
  Q_PROPERTY(QString composerNote READ composerNote NOTIFY sendStateChanged)
  Q_PROPERTY(bool canReveal READ canReveal NOTIFY revealChanged)
  Q_PROPERTY(QString notice READ notice NOTIFY noticeChanged)
  Q_PROPERTY(QString contextText READ contextText NOTIFY contextChanged)
  Q_PROPERTY(double contextFraction READ contextFraction NOTIFY contextChanged)

 public:
  ChatModel(const ChatServices& services, const ChatRecord& record,
            const QList<MessageRecord>& messages, QObject* parent = nullptr);
  ~ChatModel() override;

  /// As it was left: files that wait in the composer, answers that stand side by side.
  void restore(const QList<AttachmentRecord>& draftFiles, const QList<ComparedAnswer>& compared);
  /// What came into the store from outside, beside what is here. Nothing is being written.
  void takeIn(const ChatRecord& record, const QList<MessageRecord>& messages);

  RecordId chatId() const { return m_record.id; }
  const ChatRecord& record() const { return m_record; }
  const Conversation& conversation() const { return m_conversation; }
  TimelineModel* timeline() { return &m_timeline; }
  QString title() const;
  int colorIndex() const { return m_record.color; }
  RecordId personaId() const { return m_record.personaId; }
  QString personaName() const;
  bool hasOwnModel() const { return !m_record.modelPath.isEmpty(); }
  QString ownModelName() const;  ///< Of the model that it stays with; empty: the window's.
  bool isEmpty() const { return m_conversation.isEmpty(); }
  QString personaHint() const;
  QString draft() const { return m_record.draft; }
  void setDraft(const QString& draft);
  /// Nothing was said here, and nothing is about to be.
  bool isBlank() const { return isEmpty() && m_record.draft.isEmpty() && m_files.isEmpty(); }
  AttachmentList* files() { return &m_files; }  ///< That go with the draft.
  /// The files of a sent message; null: it has none.
  Q_INVOKABLE quire::AttachmentList* filesOf(qint64 messageId);
  bool canSend() const;
  bool isGenerating() const { return !m_runs.isEmpty(); }
  bool isPaused() const { return isGenerating() && m_services.models.isPaused(); }
  bool canRegenerate() const { return canChange() && m_services.engine.isReady(); }
  /// Whether messages can be edited, deleted and chosen: nothing is being written or compared.
  bool canChange() const { return !isGenerating() && !m_group; }
  /// The shown answer that was cut off and can go on now; 0: none.
  RecordId continuable() const;
  bool canContinue(RecordId messageId) const;
  MessageActions* actions() { return &m_actions; }
  QList<MarkdownBlock> blocksOf(RecordId messageId) const { return m_timeline.blocksOf(messageId); }
  AnswerGroup* group() const { return m_group; }  ///< Null unless answers are compared.
  QString question() const;                       ///< Before messages are deleted; else empty.
  QString undoText() const { return m_bin.text(); }
  QString composerHint() const;  ///< In the empty composer.
  QString composerNote() const;  ///< Under it: what stands in the way of sending, or how to.
  bool composerWarns() const;    ///< Whether that is something to heed.
  bool isEditing() const { return m_editedMessage != 0; }
  bool isEditOfAnswer() const;  ///< Of an answer: sending asks nothing, it is a version.
  /// Of an answer that another chat stands before: that it is computed in the background.
  QString activityText() const;
  QString notice() const { return m_notice; }  ///< What went wrong with this chat as a whole.
  QString contextText() const { return m_context.text(); }
  double contextFraction() const { return m_context.fraction(); }

  /// Brings a message into sight, in its own version of the conversation if that is another one.
  void reveal(RecordId messageId);
  RecordId revealedMessage() const { return m_revealedMessage; }  ///< Until it was shown; else 0.
  /// Whether there is such a message and its rows are there: those of a long chat come in slices.
  bool canReveal() const { return m_revealedMessage != 0 && revealedRow() >= 0; }
  /// The window shows this chat: its answer is scheduled first.
  void setFocused(bool focused);
  void rename(const QString& title);
  /// Changes what the list says of the chat (pinned, its folder and the like), and keeps it.
  void changeRecord(const std::function<void(ChatRecord&)>& change);
  /// The program is closing, or the chat is being deleted: keeps what there is, waits for nothing.
  void close();
  void saveDraftNow();

  /// Whether a message can be asked now, whatever stands in the composer.
  bool canAsk() const { return !isGenerating() && m_services.engine.isReady(); }
  /// What asking this now would ask; for forecasts.
  ChatRequest requestAsking(const QString& text) const;
  /// Asks this, for as many answers as there are plans; the draft stays what it is.
  void ask(const QString& text, const QList<AnswerPlan>& plans = {AnswerPlan()},
           const QList<AttachmentRecord>& files = {});
  /// The same with the draft.
  void sendFor(const QList<AnswerPlan>& plans);
  Q_INVOKABLE void send();
  Q_INVOKABLE void sendText(const QString& text);
  Q_INVOKABLE void stop();
  Q_INVOKABLE void cancel();                      ///< Escape: stops the answer, or leaves the edit.
  Q_INVOKABLE void regenerate(qint64 messageId);  ///< An answer, or the one to a user's message.
  void regenerateWith(RecordId messageId, const QList<AnswerPlan>& plans);
  /// Goes on with an answer that was cut off, in the same message.
  Q_INVOKABLE void continueAnswer(qint64 messageId);
  /// Begins a chat of its own at this message.
  Q_INVOKABLE void fork(qint64 messageId);
  /// Asks whether this message and what follows are to be deleted; confirmRemoval() does it.
  Q_INVOKABLE void askRemoval(qint64 messageId);
  Q_INVOKABLE void confirmRemoval();
  Q_INVOKABLE void dismissQuestion();
  Q_INVOKABLE void undoRemoval();
  /// Of the answers that are compared: this one stays, the others are deleted.
  Q_INVOKABLE void keepAnswer(qint64 messageId);
  Q_INVOKABLE void keepAllAnswers();  ///< As versions of each other.
  Q_INVOKABLE void forkAllAnswers();  ///< Each in a chat of its own, the first one here.
  Q_INVOKABLE void edit(qint64 messageId);
  Q_INVOKABLE void cancelEdit();
  Q_INVOKABLE void showVersion(qint64 messageId, int step);
  /// Where the message to be revealed stands in the timeline; -1: nowhere, or not yet.
  Q_INVOKABLE int revealedRow() const;
  Q_INVOKABLE void endReveal();
  Q_INVOKABLE void copyMessage(qint64 messageId) const;
  Q_INVOKABLE void setPersona(qint64 personaId);
  /// Which model answers here, whatever the window uses elsewhere; empty: the window's.
  Q_INVOKABLE void setOwnModel(const QString& path);
  Q_INVOKABLE void togglePersona(qint64 personaId);
  Q_INVOKABLE void dismissNotice();
  Q_INVOKABLE QString plainMarkup(const QString& text) const;  ///< Text as it stands, as markup.

 signals:
  void recordChanged();
  void revealChanged();
  void messagesChanged();
  void draftChanged();
  void sendStateChanged();
  void noticeChanged();
  void editStarted();
  void groupChanged();
  void questionChanged();
  void undoChanged();
  /// A chat of its own is wanted that begins as this one down to that message.
  void forkWanted(qint64 messageId);
  void contextChanged();
  /// The user did something here: the chat goes to the top of the list.
  void touched();
  void answerEnded();

 private:
  void askAfter(RecordId parent, const QString& text, const QList<AnswerPlan>& plans,
                const QList<AttachmentRecord>& files);
  void beginTurn(const std::optional<MessageRecord>& userMessage, RecordId parentOfAnswer,
                 const QList<AnswerPlan>& plans);
  MessageRecord newAnswer(RecordId parent, const AnswerPlan& plan) const;
  AnswerRun* startRun(quint64 ticket, const ChatRequest& request, const MessageRecord& answer);
  void openGroup(RecordId question, const QList<AnswerPlan>& plans);
  void reopenGroup(const QList<ComparedAnswer>& compared);
  void onFilesChanged();
  bool hasUnsavedFiles() const;
  ChatRecord recordToSave() const;
  void giveBack(const QString& text, const QList<AttachmentRecord>& files);
  void closeGroup(RecordId shown);
  void saveVersion(const MessageRecord& edited, const QString& text);
  void onWriteFailed(quint64 ticket, const QString& sentence);
  void announcePath();
  void removeForGood(const QList<RecordId>& ids);
  void endEdit();
  MessageRecord newMessage(MessageRole role, RecordId parent) const;
  QString systemPrompt(RecordId personaId) const;
  SamplingParams samplingFor(const MessageRecord& answer, RecordId personaId) const;
  ChatRequest requestFor(const MessageRecord& answer, RecordId personaId) const;
  ChatRequest nextRequest() const;
  void lookAhead();
  void showPrompt(const AnswerRun& run);
  void onText(const AnswerRun& run, const QString& text);
  void onEnded(AnswerRun* run);
  void onTurnRefused(const std::optional<MessageRecord>& userMessage,
                     const QList<RecordId>& answers, const QString& sentence);
  void takeAnswer(const AnswerRun& run);
  void endRun(AnswerRun* run);
  void setNotice(const QString& notice);
  void announceTurn();

  ChatServices m_services;
  ChatRecord m_record;
  Conversation m_conversation;
  TimelineModel m_timeline;
  ContextWatch m_context;
  QList<AnswerRun*> m_runs;
  AnswerGroup* m_group = nullptr;
  MessageBin m_bin;
  MessageActions m_actions{*this};
  RecordId m_removalAsked = 0;
  RecordId m_editedMessage = 0;
  RecordId m_revealedMessage = 0;
  QString m_draftBeforeEdit;
  AttachmentList m_files;
  QList<AttachmentRecord> m_savedFiles;  ///< Of the draft, as they are on disk or queued for it.
  QHash<RecordId, AttachmentList*> m_sentFiles;  ///< Of messages that were shown.
  QHash<quint64, RecordId> m_versions;           ///< That wait for the disk, by their tickets.
  QString m_notice;
  bool m_focused = false;
  QTimer m_draftTimer;
};

}  // namespace quire
