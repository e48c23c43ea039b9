#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chat/chat_format.h"
#include "engine/chat/tool_call_forms.h"
#include "engine/chat/tool_choice.h"
#include "engine/grammar/free_text.h"
#include "engine/grammar/grammar_builder.h"
#include "engine/grammar/grammar_vocabulary.h"

namespace quire {

/// A tool's name, and the rule of its arguments.
struct NamedArguments {
  std::string name;
  grammar::RuleId rule;
};

/// Writes the rule of an answer with tool calls. Marks that are special tokens of the vocabulary
/// are written as these, others as their bytes. Thread: one at a time. What it refers to outlives
/// it.
class ToolFormWriter {
 public:
  ToolFormWriter(GrammarBuilder& builder, const ChatFormat& chat,
                 const GrammarVocabulary& vocabulary)
      : m_builder(builder), m_chat(chat), m_vocabulary(vocabulary), m_rule(builder.add_rule()) {}

  /// To be called once.
  grammar::RuleId write(const ToolCallForm& form, const std::vector<NamedArguments>& calls,
                        const ToolChoice& choice);

 private:
  using NodeId = grammar::NodeId;

  struct SpecialToken {
    TokenId id;
    size_t size;  ///< Of its text.
  };
  std::optional<SpecialToken> special_at(std::string_view text) const;
  NodeId write_text(NodeId from, std::string_view text);
  NodeId write_class(NodeId from, std::string_view ranges);
  NodeId write_call(NodeId from, const ToolCallForm& form,
                    const std::vector<NamedArguments>& calls);
  NodeId write_calls(NodeId marked, const ToolCallForm& form,
                     const std::vector<NamedArguments>& calls, const ToolChoice& choice);
  void write_required(NodeId marked, NodeId called, const ToolCallForm& form, bool allows_more);
  void write_between_text(NodeId marked, NodeId called, const ToolCallForm& form, bool allows_more);
  void add_special_tokens(FreeText& text, std::optional<TokenId> mark, NodeId marked);
  void write_channels(const ToolCallForm& form, const std::vector<NamedArguments>& calls,
                      bool is_required);

  GrammarBuilder& m_builder;
  const ChatFormat& m_chat;
  const GrammarVocabulary& m_vocabulary;
  const grammar::RuleId m_rule;
};

}  // namespace quire
