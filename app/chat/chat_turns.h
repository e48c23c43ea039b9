#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QObject>

#include "app/chat/answer_group.h"
#include "app/chat/answer_run.h"

namespace quire {

class ChatModel;

/// How one answer differs from the chat's settings.
struct AnswerPlan {
  std::optional<double> temperature;
  std::optional<quint64> seed;
  std::optional<RecordId> personaId;
  QString label;  ///< Shown above its column: "Temperature 0.4".
};

/// The turns of a chat: asks questions and shows the answers as they stream in.
///
/// Thread: the window's.
/// Invariants: all running answers belong to the same message; while there is a group(), the shown
/// branch ends at that message.
class ChatTurns : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")
  Q_PROPERTY(bool isGenerating READ isGenerating NOTIFY changed)
  Q_PROPERTY(bool isPaused READ isPaused NOTIFY changed)
  Q_PROPERTY(bool canChange READ canChange NOTIFY changed)
  Q_PROPERTY(bool canRegenerate READ canRegenerate NOTIFY changed)
  Q_PROPERTY(quire::AnswerGroup* group READ group NOTIFY groupChanged)

 public:
  explicit ChatTurns(ChatModel& chat);

  bool isGenerating() const { return !m_runs.isEmpty(); }
  bool isPaused() const;
  /// Whether messages can be edited, deleted and switched: no answer is running or compared.
  bool canChange() const;
  bool canRegenerate() const;
  bool canAsk() const;  ///< A message can be sent now, if the composer has one.
  bool canContinue(RecordId messageId) const;
  RecordId continuable() const;                   ///< The shown answer that can continue; 0: none.
  AnswerGroup* group() const { return m_group; }  ///< Answers that are compared, or null.

  /// The request that sending `text` after the message `last` would make, for forecasts.
  ChatRequest requestAsking(const QString& text, RecordId last) const;
  /// Sends `text` at the end of the chat, for one answer to each plan.
  void ask(const QString& text, const QList<AnswerPlan>& plans = {AnswerPlan()},
           const QList<AttachmentRecord>& files = {});
  void askAfter(RecordId parent, const QString& text, const QList<AnswerPlan>& plans,
                const QList<AttachmentRecord>& files);
  /// Saves the user's text as a version of an answer.
  void saveVersion(const MessageRecord& edited, const QString& text);
  void stop();
  void interrupt();
  void setFocused(bool focused);
  /// Restores the group that was saved with the chat, if at least two of its answers still exist.
  void reopenGroup(const QList<ComparedAnswer>& compared);

  /// Makes another version of an answer, or of the answer to a user's message.
  Q_INVOKABLE void regenerate(qint64 messageId) { regenerateWith(messageId, {AnswerPlan()}); }
  Q_INVOKABLE void regenerateAt(qint64 messageId, double temperature);
  Q_INVOKABLE void regenerateAs(qint64 messageId, qint64 personaId);
  Q_INVOKABLE void regenerateSeveral(qint64 messageId, int count);  ///< Side by side.
  Q_INVOKABLE void continueAnswer(qint64 messageId);  ///< Appends to the same message.
  /// Keeps this one of the compared answers; the others are deleted.
  Q_INVOKABLE void keepAnswer(qint64 messageId);
  Q_INVOKABLE void keepAllAnswers();  ///< As versions of each other.
  Q_INVOKABLE void forkAllAnswers();  ///< Keeps the first one here and forks a chat for the others.

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
  QString adapterPath(RecordId personaId) const;
  AnswerRun* startRun(quint64 ticket, const ChatRequest& request, const MessageRecord& answer);
  void openGroup(const QList<ComparedAnswer>& answers);
  void closeGroup(RecordId shown);
  void onText(const AnswerRun& run, const QString& text);
  void onEnded(AnswerRun* run);
  void onRefused(const std::optional<MessageRecord>& userMessage,
                 const QList<ComparedAnswer>& answers, const QString& sentence);
  void onWriteFailed(quint64 ticket, const QString& sentence);
  void updateMessage(const AnswerRun& run);
  /// The timelines that may show an answer: the chat's, and its column's.
  QList<TimelineModel*> timelinesOf(RecordId answer);
  void endRun(AnswerRun* run);

  ChatModel& m_chat;
  QList<AnswerRun*> m_runs;
  AnswerGroup* m_group = nullptr;
  QHash<quint64, RecordId> m_versions;  ///< Versions not on disk yet, by the ticket of their write.
};

}  // namespace quire
