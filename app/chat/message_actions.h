#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "app/store/records.h"

namespace quire {

class ChatModel;

/// What can be done with one message of a chat: the one that was opened last.
/// Thread: the window's. The chat must outlive it.
class MessageActions : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")
  Q_PROPERTY(bool isAnswer READ isAnswer NOTIFY changed)
  Q_PROPERTY(bool canChange READ canChange NOTIFY changed)
  Q_PROPERTY(bool canRegenerate READ canRegenerate NOTIFY changed)
  Q_PROPERTY(bool canContinue READ canContinue NOTIFY changed)
  Q_PROPERTY(QString continueHint READ continueHint NOTIFY changed)
  Q_PROPERTY(bool canFork READ canFork NOTIFY changed)

 public:
  explicit MessageActions(ChatModel& chat);

  /// Speaks of this message from now on; of the last one shown for 0. False: there is none.
  Q_INVOKABLE bool open(qint64 messageId);
  RecordId messageId() const { return m_messageId; }
  bool isAnswer() const;
  bool canChange() const;
  bool canRegenerate() const;
  bool canContinue() const;
  QString continueHint() const;  ///< In a word or two, why an answer cannot go on.
  bool canFork() const;          ///< It is not being written.

  Q_INVOKABLE void copy() const;          ///< As one reads it.
  Q_INVOKABLE void copyMarkdown() const;  ///< With its marks.
  Q_INVOKABLE void copyRich() const;
  Q_INVOKABLE void edit();
  Q_INVOKABLE void regenerate();
  Q_INVOKABLE void regenerateAt(double temperature);
  Q_INVOKABLE void regenerateAs(qint64 personaId);
  Q_INVOKABLE void regenerateSeveral(int count);  ///< Side by side.
  Q_INVOKABLE void continueAnswer();
  Q_INVOKABLE void fork();
  Q_INVOKABLE void remove();  ///< Asks first.

 signals:
  void changed();

 private:
  const MessageRecord* message() const;

  ChatModel& m_chat;
  RecordId m_messageId = 0;
};

}  // namespace quire
