#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPointer>

#include "app/chat/chat_model.h"

namespace quire {

/// What can be done with one message of a chat now, for its row and for its menu.
///
/// Thread: the window's.
/// Invariants: without a chat, or for a message that is not in it, everything is false.
class MessageState : public QObject {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(quire::ChatModel* chat READ chat WRITE setChat NOTIFY chatChanged)
  Q_PROPERTY(double messageId READ messageId WRITE setMessageId NOTIFY messageIdChanged)
  Q_PROPERTY(bool canContinue READ canContinue NOTIFY canContinueChanged)
  Q_PROPERTY(bool isCopied READ isCopied NOTIFY isCopiedChanged)

 public:
  using QObject::QObject;

  ChatModel* chat() const { return m_chat; }
  void setChat(ChatModel* chat);
  RecordId messageId() const { return m_messageId; }
  void setMessageId(double messageId);
  bool canContinue() const { return m_canContinue; }  ///< It was cut off, and can be continued.
  bool isCopied() const { return m_isCopied; }        ///< It was copied a moment ago.

 signals:
  void chatChanged();
  void messageIdChanged();
  void canContinueChanged();
  void isCopiedChanged();

 private:
  void update();

  QPointer<ChatModel> m_chat;
  RecordId m_messageId = 0;
  bool m_canContinue = false;
  bool m_isCopied = false;
};

}  // namespace quire
