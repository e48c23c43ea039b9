#include "app/server/api/answer_blocks.h"

#include <utility>

namespace quire {

using Kind = AnswerBlock::Kind;

void AnswerBlocks::add(const AnswerDelta& delta) {
  add(Kind::kReasoning, delta.reasoning);
  add(Kind::kText, delta.text);
  for (const ToolCallPiece& piece : delta.toolCalls) {
    if (!piece.id.empty()) open({.kind = Kind::kCall, .id = piece.id, .name = piece.name});
    if (m_isOpen && m_block.kind == Kind::kCall) add(Kind::kCall, piece.arguments);
  }
}

void AnswerBlocks::add(Kind kind, const std::string& piece) {
  if (piece.empty()) return;
  if (!m_isOpen || m_block.kind != kind) open({.kind = kind});
  m_block.text += piece;
  grown(m_block, piece);
}

void AnswerBlocks::open(AnswerBlock block) {
  close();
  m_block = std::move(block);
  m_block.index = m_numBlocks++;
  m_isOpen = true;
  opened(m_block);
}

void AnswerBlocks::close() {
  if (std::exchange(m_isOpen, false)) closed(m_block);
}

}  // namespace quire
