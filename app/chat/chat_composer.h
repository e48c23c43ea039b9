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

/// The composer of a chat: the unsent message with its files, or the message that is being edited,
/// and whether it can be sent.
///
/// Thread: the window's.
/// Invariants: while a message is edited, the user's own draft and files are kept aside, and only
/// they are saved.
class ChatComposer : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")
  Q_PROPERTY(QString contextText READ contextText NOTIFY contextChanged)
  Q_PROPERTY(double contextFraction READ contextFraction NOTIFY contextChanged)

 public:
  explicit ChatComposer(ChatModel& chat);

  void load(const QList<AttachmentRecord>& files);
  QString draft() const;
  void setDraft(const QString& draft);
  /// The files of the edited message, or else of the draft.
  AttachmentList* files() { return isEditing() ? &m_editedFiles : &m_files; }
  const AttachmentList* files() const { return isEditing() ? &m_editedFiles : &m_files; }
  bool isEditing() const { return m_editedMessage != 0; }
  bool isEditOfAnswer() const;  ///< Sending saves a version of the answer and asks nothing.
  bool canSend() const;
  QString hint() const;  ///< The placeholder of the empty composer.
  QString note() const;  ///< The line below it: why nothing can be sent, or what sending does.
  bool warns() const;    ///< The note is a warning.
  QString contextText() const { return m_context.text(); }
  double contextFraction() const;  ///< 0: not known, as of a remote model.

  Q_INVOKABLE void edit(qint64 messageId);
  void cancelEdit();
  Q_INVOKABLE void sendText(const QString& text);
  void send();
  /// Sends the draft, for one answer to each plan.
  void sendFor(const QList<AnswerPlan>& plans);
  void saveDraftNow();
  void saveIfChanged();

  /// The chat's record with the user's own draft, even while a message is edited.
  ChatRecord recordToSave() const;
  /// Puts the text and files of a message that could not be saved before the current draft.
  void prepend(const QString& text, const QList<AttachmentRecord>& files);
  /// Asks anew what sending would leave out.
  void updateForecast();
  void dropForecast() { m_context.forget(); }
  void onModelChanged();

 signals:
  void draftChanged();
  void contextChanged();
  void editStarted();

 private:
  ChatRequest nextRequest() const;
  QString modelProblem() const;
  bool hasUnsavedFiles() const;
  void onFilesChanged();
  void onDraftReplaced();
  void endEdit();

  ChatModel& m_chat;
  AttachmentList m_files;  ///< The draft's files.
  AttachmentList m_editedFiles;
  ContextWatch m_context;
  QList<AttachmentRecord> m_savedFiles;  ///< The draft's files on disk or queued for it.
  RecordId m_editedMessage = 0;
  QString m_draftBeforeEdit;
  QTimer m_saveTimer;
};

}  // namespace quire
