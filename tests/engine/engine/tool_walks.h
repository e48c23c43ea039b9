#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <QMetaType>

#include "engine/chat/chat_format.h"
#include "engine/chat/tool_call_parser.h"
#include "engine/chat/tool_choice.h"
#include "engine/grammar/grammar.h"
#include "tests/engine/grammar/bytes_tokenizer.h"

namespace quire::test {

/// A form of tool calls: what a template of it holds, and which of its marks are special tokens.
struct ToolFamily {
  std::string name;
  std::string source;
  std::vector<std::string> specials;
};

std::vector<ToolFamily> tool_families();

/// An answer as its reader sees it.
struct WalkedAnswer {
  std::string all;   ///< With its marks.
  std::string text;  ///< Beside the calls.
  std::vector<ToolCall> calls;
  size_t num_marks = 0;  ///< In the text: what was opened and is no call.
};

/// A vocabulary of bytes and marks, whose answers are chosen at random.
class FamilyModel {
 public:
  explicit FamilyModel(const ToolFamily& family);

  Result<std::shared_ptr<const Grammar>> grammar(const std::string& tools,
                                                 const ToolChoice& choice) const;
  /// A random token of the mask, those that end something often; none: it has only the end.
  std::optional<TokenId> choose(const TokenMask& mask, std::mt19937& random) const;
  /// A random answer; none if it does not end within some tokens.
  std::optional<WalkedAnswer> walk(const Grammar& grammar, const std::string& tools,
                                   std::mt19937& random) const;
  const BytesTokenizer& tokenizer() const { return *m_tokenizer; }

 private:
  WalkedAnswer read(const std::vector<TokenId>& tokens, const std::string& tools) const;

  std::shared_ptr<const BytesTokenizer> m_tokenizer;
  std::shared_ptr<const GrammarVocabulary> m_vocabulary;
  ChatFormat m_chat;
};

}  // namespace quire::test

Q_DECLARE_METATYPE(quire::test::ToolFamily)
