#pragma once

#include <string>
#include <vector>

#include "app/server/api/generation_request.h"

namespace quire {

/// A part of an answer: its reasoning, a text, or a tool call.
struct AnswerBlock {
  enum class Kind { kReasoning, kText, kCall };
  Kind kind = Kind::kText;
  int index = 0;          ///< Among the answer's blocks.
  std::string text = {};  ///< So far; of a call, the JSON of its arguments.
  std::string id = {};    ///< Of a call.
  std::string name = {};  ///< Of a call.
};

/// Turns what an answer grows by into blocks, one after the other, as the APIs of Anthropic and of
/// OpenAI's Responses have them.
/// Thread: one at a time. Invariants: at most one block is open; blocks are never empty, except
/// for the arguments of a call.
class AnswerBlocks {
 public:
  virtual ~AnswerBlocks() = default;

  void add(const AnswerDelta& delta);
  /// The answer has ended.
  void close();

 protected:
  virtual void opened(const AnswerBlock& block) = 0;
  /// `piece` is already part of the block's text.
  virtual void grown(const AnswerBlock& block, const std::string& piece) = 0;
  virtual void closed(const AnswerBlock& block) = 0;

 private:
  void add(AnswerBlock::Kind kind, const std::string& piece);
  void open(AnswerBlock block);

  bool m_isOpen = false;
  int m_numBlocks = 0;
  AnswerBlock m_block;
};

/// Collects an answer's blocks.
class BlockCollector : public AnswerBlocks {
 public:
  const std::vector<AnswerBlock>& blocks() const { return m_blocks; }

 protected:
  void opened(const AnswerBlock&) override {}
  void grown(const AnswerBlock&, const std::string&) override {}
  void closed(const AnswerBlock& block) override { m_blocks.push_back(block); }

 private:
  std::vector<AnswerBlock> m_blocks;
};

}  // namespace quire
