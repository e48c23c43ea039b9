#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QTimer>

#include "app/chat/context_watch.h"
#include "app/documents/attachment_list.h"
#include "app/store/records.h"

namespace quire {

struct AnswerPlan;
class ChatModel;

/// The composer of a chat: the unsent message with its files, and whether it can be sent. A sent
/// message is edited by MessageEditor.
///
/// Thread: the window's.
class ChatComposer : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")
  Q_PROPERTY(QString contextText READ contextText NOTIFY contextChanged)
  Q_PROPERTY(double contextFraction READ contextFraction NOTIFY contextChanged)
  Q_PROPERTY(bool isContextKnown READ isContextKnown NOTIFY contextChanged)
  Q_PROPERTY(bool isContextNearlyFull READ isContextNearlyFull NOTIFY contextChanged)

 public:
  static constexpr double kNearlyFull = 0.85;  ///< From here on the meter warns.

  explicit ChatComposer(ChatModel& chat);

  void load(const QList<AttachmentRecord>& files);
  QString draft() const;
  void setDraft(const QString& draft);
  AttachmentList* files() { return &m_files; }
  const AttachmentList* files() const { return &m_files; }
  bool canSend() const;
  /// Why its model cannot be asked now, in a few words; empty: it can.
  QString obstacle() const;
  QString hint() const;  ///< The placeholder of the empty composer.
  QString note() const;  ///< The line below it: why nothing can be sent, or what sending does.
  bool warns() const;    ///< The note is a warning.
  QString contextText() const { return m_context.text(); }
  double contextFraction() const;  ///< 0: not known, as of a remote model.
  bool isContextKnown() const { return contextFraction() > 0.0; }
  bool isContextNearlyFull() const { return contextFraction() > kNearlyFull; }

  Q_INVOKABLE void sendText(const QString& text);
  void send();
  /// Sends the draft, for one answer to each plan.
  void sendFor(const QList<AnswerPlan>& plans);
  void saveDraftNow();
  void saveIfChanged();

  /// Puts the text and files of a message that could not be saved before the current draft.
  void prepend(const QString& text, const QList<AttachmentRecord>& files);
  /// The same with a message that could not be sent, and saves the draft.
  void keep(const QString& text, const QList<AttachmentRecord>& files);
  /// Asks anew what sending would leave out.
  void updateForecast();
  void dropForecast() { m_context.forget(); }
  void onModelChanged();

 signals:
  void draftChanged();
  void contextChanged();

 private:
  ChatRequest nextRequest() const;
  QString modelProblem() const;
  bool hasUnsavedFiles() const;
  void onFilesChanged();
  void onDraftReplaced();

  ChatModel& m_chat;
  AttachmentList m_files;
  ContextWatch m_context;
  QList<AttachmentRecord> m_savedFiles;  ///< The draft's files on disk or queued for it.
  QTimer m_saveTimer;
};

}  // namespace quire
