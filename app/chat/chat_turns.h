#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QObject>

#include "app/chat/answer_group.h"
#include "app/chat/answer_plan.h"
#include "app/chat/answer_run.h"

namespace quire {

class ChatModel;

/// The turns of a chat: asks, and shows the answers as they are written.
///
/// Thread: the window's.
/// Invariants: answers that are being written at the same time answer the same message; while there
/// is a group() the shown branch ends at that message.
class ChatTurns : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")
  Q_PROPERTY(bool isGenerating READ isGenerating NOTIFY changed)
  Q_PROPERTY(bool isPaused READ isPaused NOTIFY changed)
  Q_PROPERTY(bool canChange READ canChange NOTIFY changed)
  Q_PROPERTY(bool canRegenerate READ canRegenerate NOTIFY changed)
  Q_PROPERTY(double continuable READ continuable NOTIFY changed)
  Q_PROPERTY(quire::AnswerGroup* group READ group NOTIFY groupChanged)

 public:
  explicit ChatTurns(ChatModel& chat);

  bool isGenerating() const { return !m_runs.isEmpty(); }
  bool isPaused() const;
  /// Messages can be edited, deleted and switched: nothing is being written or compared.
  bool canChange() const;
  bool canRegenerate() const;
  bool canAsk() const;  ///< A message can be asked now; what is in the composer aside.
  bool canContinue(RecordId messageId) const;
  RecordId continuable() const;                   ///< The shown answer that can continue; 0: none.
  AnswerGroup* group() const { return m_group; }  ///< Answers that are compared, or null.

  /// The request that asks this after the message `last`; for forecasts.
  ChatRequest requestAsking(const QString& text, RecordId last) const;
  /// Asks this at the end of the chat, for as many answers as there are plans.
  void ask(const QString& text, const QList<AnswerPlan>& plans = {AnswerPlan()},
           const QList<AttachmentRecord>& files = {});
  void askAfter(RecordId parent, const QString& text, const QList<AnswerPlan>& plans,
                const QList<AttachmentRecord>& files);
  /// Saves the user's text as a version of an answer.
  void saveVersion(const MessageRecord& edited, const QString& text);
  void stop();
  void interrupt();
  void setFocused(bool focused);
  /// As the chat was left. With less than two of the answers left there is no group.
  void reopenGroup(const QList<ComparedAnswer>& compared);

  /// An answer, or the one to a user's message.
  Q_INVOKABLE void regenerate(qint64 messageId) { regenerateWith(messageId, {AnswerPlan()}); }
  Q_INVOKABLE void regenerateAt(qint64 messageId, double temperature);
  Q_INVOKABLE void regenerateAs(qint64 messageId, qint64 personaId);
  Q_INVOKABLE void regenerateSeveral(qint64 messageId, int count);  ///< Side by side.
  Q_INVOKABLE void continueAnswer(qint64 messageId);                ///< In the same message.
  /// Keeps this one of the compared answers; the others are deleted.
  Q_INVOKABLE void keepAnswer(qint64 messageId);
  Q_INVOKABLE void keepAllAnswers();  ///< As versions of each other.
  Q_INVOKABLE void forkAllAnswers();  ///< Each in a chat of its own, the first one here.

 signals:
  void changed();
  void groupChanged();

 private:
  void regenerateWith(RecordId messageId, const QList<AnswerPlan>& plans);
  void begin(const std::optional<MessageRecord>& userMessage, RecordId parentOfAnswer,
             const QList<AnswerPlan>& plans);
  MessageRecord newAnswer(RecordId parent, const AnswerPlan& plan) const;
  ChatRequest requestFor(const MessageRecord& answer, RecordId personaId) const;
  QString systemPrompt(RecordId personaId) const;
  AnswerRun* startRun(quint64 ticket, const ChatRequest& request, const MessageRecord& answer);
  void openGroup(RecordId question, const QList<AnswerPlan>& plans);
  void closeGroup(RecordId shown);
  void onText(const AnswerRun& run, const QString& text);
  void onEnded(AnswerRun* run);
  void onRefused(const std::optional<MessageRecord>& userMessage, const QList<RecordId>& answers,
                 const QString& sentence);
  void onWriteFailed(quint64 ticket, const QString& sentence);
  void updateMessage(const AnswerRun& run);
  /// The timelines that may show an answer: the chat's, and its column's.
  QList<TimelineModel*> timelinesOf(RecordId answer);
  void endRun(AnswerRun* run);

  ChatModel& m_chat;
  QList<AnswerRun*> m_runs;
  AnswerGroup* m_group = nullptr;
  QHash<quint64, RecordId> m_versions;  ///< That wait for the disk, by their tickets.
};

}  // namespace quire
