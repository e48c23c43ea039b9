#include "app/chat/message_state.h"

#include <utility>

namespace quire {

void MessageState::setChat(ChatModel* chat) {
  if (chat == m_chat) return;
  if (m_chat) {
    m_chat->turns()->disconnect(this);
    m_chat->history()->disconnect(this);
  }
  m_chat = chat;
  if (m_chat) {
    connect(m_chat->turns(), &ChatTurns::changed, this, &MessageState::update);
    connect(m_chat->history(), &ChatMessages::copiedChanged, this, &MessageState::update);
  }
  emit chatChanged();
  update();
}

void MessageState::setMessageId(double messageId) {
  const auto id = static_cast<RecordId>(messageId);
  if (id == m_messageId) return;
  m_messageId = id;
  emit messageIdChanged();
  update();
}

void MessageState::update() {
  const bool isMessage = m_chat && m_messageId != 0;
  const bool canContinue = isMessage && m_chat->turns()->canContinue(m_messageId);
  const bool isCopied = isMessage && m_chat->history()->copiedMessage() == m_messageId;
  if (std::exchange(m_canContinue, canContinue) != canContinue) emit canContinueChanged();
  if (std::exchange(m_isCopied, isCopied) != isCopied) emit isCopiedChanged();
}

}  // namespace quire
