#include "engine/tool_form_writer.h"

#include <algorithm>
#include <utility>

#include "engine/chat/tool_call_headers.h"

namespace quire {

using grammar::NodeId;
using grammar::RuleId;

namespace {

/// Of the special tokens that text may hold, beside those of calls: vocabularies have some
/// hundreds.
constexpr size_t kMaxSpecialTokens = 1024;

}  // namespace

RuleId ToolFormWriter::write(const ToolCallForm& form, const std::vector<NamedArguments>& calls,
                             const ToolChoice& choice) {
  if (form.has_channels) {
    write_channels(form, calls, choice.is_required);
    return m_rule;
  }
  const NodeId marked = m_builder.add_node(m_rule);
  const NodeId called = write_calls(marked, form, calls, choice);
  if (choice.is_required) {
    write_required(marked, called, form, choice.allows_more);
  } else {
    write_between_text(marked, called, form, choice.allows_more);
  }
  return m_rule;
}

/// The longest special token that the text begins with, as a tokenizer finds it.
std::optional<ToolFormWriter::SpecialToken> ToolFormWriter::special_at(
    std::string_view text) const {
  const Tokenizer& tokenizer = *m_chat.tokenizer;
  std::optional<SpecialToken> longest;
  for (const std::string& special : tokenizer.special_tokens()) {
    if (special.empty() || !text.starts_with(special)) continue;
    const auto id = tokenizer.special_token(special);
    if (!id || !tokenizer.is_special(*id) || *id >= m_vocabulary.vocab_size()) continue;
    if (!longest || special.size() > longest->size) longest = {.id = *id, .size = special.size()};
  }
  return longest;
}

/// The node after a text of a ToolCallForm. A mark that ends the model's answers is left out: there
/// the answer ends.
NodeId ToolFormWriter::write_text(NodeId from, std::string_view text) {
  while (!text.empty()) {
    size_t size = 1;
    if (const auto special = special_at(text)) {
      size = special->size;
      if (!m_vocabulary.is_end_token(special->id)) {
        const NodeId next = m_builder.add_node(m_rule);
        m_builder.add_token(from, special->id, next);
        from = next;
      }
    } else if (text.front() == '\t') {
      const NodeId next = m_builder.add_node(m_rule);
      m_builder.add_space(from, next);
      from = next;
    } else if (text.front() == '%') {
      from = write_class(from, "09");
    } else if (text.front() == '#') {
      from = write_class(from, "09AZaz");
    } else {
      from = m_builder.add_text(from, text.substr(0, 1));
    }
    text.remove_prefix(size);
  }
  return from;
}

/// A character of some ranges, each given by its first and last one.
NodeId ToolFormWriter::write_class(NodeId from, std::string_view ranges) {
  const NodeId next = m_builder.add_node(m_rule);
  for (; !ranges.empty(); ranges.remove_prefix(2)) {
    m_builder.add_bytes(from, static_cast<uint8_t>(ranges[0]), static_cast<uint8_t>(ranges[1]),
                        next);
  }
  return next;
}

NodeId ToolFormWriter::write_call(NodeId from, const ToolCallForm& form,
                                  const std::vector<NamedArguments>& calls) {
  const NodeId name = write_text(from, form.before);
  const NodeId after = m_builder.add_node(m_rule);
  for (const NamedArguments& call : calls) {
    const NodeId arguments = write_text(m_builder.add_text(name, call.name), form.middle);
    m_builder.add_call(arguments, call.rule, after);
  }
  return write_text(after, form.after);
}

/// One call or a list of them, after the mark up to its close.
NodeId ToolFormWriter::write_calls(NodeId marked, const ToolCallForm& form,
                                   const std::vector<NamedArguments>& calls,
                                   const ToolChoice& choice) {
  const NodeId first = write_text(marked, form.open);
  const NodeId after = write_call(first, form, calls);
  const NodeId closed = m_builder.add_node(m_rule);
  if (form.is_list && choice.allows_more) {
    m_builder.add_empty(write_text(after, form.separator), first);
  }
  m_builder.add_empty(write_text(after, form.close), closed);
  return closed;
}

/// Nothing but calls. Reasoning is often followed by an empty line.
void ToolFormWriter::write_required(NodeId marked, NodeId called, const ToolCallForm& form,
                                    bool allows_more) {
  const NodeId begin = m_builder.add_node(m_rule);
  m_builder.add_byte(m_builder.start_of(m_rule), '\n', begin);
  m_builder.add_empty(m_builder.start_of(m_rule), begin);
  m_builder.add_empty(write_text(begin, form.mark), marked);
  m_builder.set_end(called);
  if (!form.may_repeat || !allows_more) return;
  const NodeId next = m_builder.add_node(m_rule);
  m_builder.add_space(called, next);
  m_builder.add_empty(write_text(next, form.mark), marked);
}

/// Text, in which calls begin with the mark. Where a call needs none, it is the whole answer.
void ToolFormWriter::write_between_text(NodeId marked, NodeId called, const ToolCallForm& form,
                                        bool allows_more) {
  const auto special = special_at(form.mark);
  const bool is_token = special && special->size == form.mark.size();
  std::vector<FreeText::Mark> marks;
  for (const std::string_view open : find_tool_call_format(m_chat.template_source)->opens) {
    const bool is_mark = open == form.mark && !is_token;
    if (open.empty()) continue;
    marks.push_back({std::string(open), is_mark ? std::optional(marked) : std::nullopt});
  }
  FreeText text(m_builder, m_rule, std::move(marks));
  text.set_end();
  add_special_tokens(text, is_token ? std::optional(special->id) : std::nullopt, marked);
  const NodeId start = m_builder.start_of(m_rule);
  if (form.mark.empty()) {
    const NodeId begin = m_builder.add_node(m_rule);
    m_builder.add_empty(start, begin);
    for (const char space : kCallSpace) m_builder.add_byte(begin, space, begin);
    m_builder.add_empty(begin, marked);
    text.add_beginning(begin, std::string(kCallSpace) + "{");
  } else {
    m_builder.add_empty(start, text.start());
  }
  if (allows_more && !form.mark.empty()) {
    m_builder.add_empty(called, text.start());
  } else {
    m_builder.set_end(called);
  }
}

/// The special tokens that text may hold: all that neither end the answer nor open a call.
void ToolFormWriter::add_special_tokens(FreeText& text, std::optional<TokenId> mark,
                                        NodeId marked) {
  const Tokenizer& tokenizer = *m_chat.tokenizer;
  const auto& opens = find_tool_call_format(m_chat.template_source)->opens;
  const std::vector<TokenId> shown = tool_call_tokens(tokenizer);
  size_t count = 0;
  for (const std::string& special : tokenizer.special_tokens()) {
    const auto id = tokenizer.special_token(special);
    if (!id || !tokenizer.is_special(*id) || *id >= m_vocabulary.vocab_size()) continue;
    if (m_vocabulary.is_end_token(*id) || std::ranges::find(opens, special) != opens.end())
      continue;
    if (++count > kMaxSpecialTokens) break;
    if (std::ranges::find(shown, *id) != shown.end()) {
      text.add_token(*id);
    } else {
      text.add_hidden_token(*id);
    }
  }
  if (mark) text.add_token(*mark, marked);
}

/// gpt-oss: messages in channels, of which the last one is the call, or the final answer.
void ToolFormWriter::write_channels(const ToolCallForm& form,
                                    const std::vector<NamedArguments>& calls, bool is_required) {
  const NodeId channel = m_builder.add_node(m_rule);
  m_builder.add_empty(m_builder.start_of(m_rule), channel);
  FreeText thought(m_builder, m_rule, {});
  for (const std::string_view name :
       {"<|channel|>analysis<|message|>", "<|channel|>commentary<|message|>"}) {
    m_builder.add_empty(write_text(channel, name), thought.start());
  }
  m_builder.add_empty(write_text(thought.start(), "<|end|><|start|>assistant"), channel);
  const NodeId called = write_call(write_text(channel, form.mark), form, calls);
  m_builder.set_end(write_text(called, "<|call|>"));
  if (is_required) return;
  FreeText answer(m_builder, m_rule, {});
  answer.set_end();
  m_builder.add_empty(write_text(channel, "<|channel|>final<|message|>"), answer.start());
}

}  // namespace quire
