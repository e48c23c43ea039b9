#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QTimer>

#include "app/chat/context_watch.h"
#include "app/documents/attachment_list.h"
#include "app/store/records.h"

namespace quire {

class ChatModel;

/// The message of a chat that is being edited in its place. Saving makes a version of it: that of a
/// question is answered, that of an answer is only kept. The composer and its draft are not
/// involved. The text of an edit that is not saved yet is stored with the chat, and edited further
/// when the chat is opened again.
///
/// Thread: the window's.
/// Invariants: an edited message is on the shown branch and is not being written.
class MessageEditor : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY openChanged)
  Q_PROPERTY(double messageId READ messageId NOTIFY openChanged)
  Q_PROPERTY(bool isAnswer READ isAnswer NOTIFY openChanged)
  Q_PROPERTY(QString text READ text WRITE setText NOTIFY textChanged)
  Q_PROPERTY(quire::AttachmentList* files READ files CONSTANT)
  Q_PROPERTY(QString saveText READ saveText NOTIFY openChanged)
  Q_PROPERTY(bool canSave READ canSave NOTIFY changed)
  Q_PROPERTY(QString note READ note NOTIFY changed)
  Q_PROPERTY(bool warns READ warns NOTIFY changed)

 public:
  explicit MessageEditor(ChatModel& chat);

  bool isOpen() const { return m_message != 0; }
  RecordId messageId() const { return m_message; }
  bool isAnswer() const;
  const QString& text() const { return m_text; }
  void setText(const QString& text);
  AttachmentList* files() { return &m_files; }
  QString saveText() const { return isAnswer() ? tr("Save") : tr("Save and regenerate"); }
  bool canSave() const;
  QString note() const;  ///< Why it cannot be saved, or what saving does.
  bool warns() const;    ///< The note is a warning.

  /// Opens an edit that was not saved before the chat was closed, without asking for the focus.
  void load(const MessageEdit& unsaved);
  Q_INVOKABLE void edit(qint64 messageId);
  /// Edits the last question of the shown branch; false: there is none, or nothing can be changed.
  bool editLastQuestion();
  Q_INVOKABLE void save();
  Q_INVOKABLE void cancel();
  /// Handles Return and Escape; returns false for other keys. `composing`: an input method is
  /// active, and Return only commits its text.
  Q_INVOKABLE bool handleKey(int key, int modifiers, bool composing);
  /// Attaches the files in the clipboard to a question; false: there are none.
  Q_INVOKABLE bool pasteFiles();
  /// Gives up the edit if its message is not shown any more.
  void onPathChanged();
  void onModelChanged();
  /// Stores the text now if it has changed since it was stored.
  void saveIfChanged();

 signals:
  void openChanged();
  void textChanged();
  void changed();
  void started();
  void ended();

 private:
  ChatRequest nextRequest() const;
  void updateForecast();
  bool open(RecordId messageId, const QString& text);
  void storeNow();
  void forgetStored();
  void end();

  ChatModel& m_chat;
  RecordId m_message = 0;
  QString m_text;
  AttachmentList m_files;
  ContextWatch m_context;
  QTimer m_storeTimer;
  bool m_isStored = false;  ///< The store has this edit, or it is queued for it.
};

}  // namespace quire
