#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/chat/chat_prompt.h"
#include "engine/chat/content_finder.h"
#include "engine/template/chat_template.h"

namespace quire {

/// Encodes a rendered prompt, with the sampled ids of earlier answers in place of their text, and
/// notes where each message begins.
/// Thread: one at a time. Tokenizer, messages and segments must outlive it.
class PromptEncoder {
 public:
  PromptEncoder(const Tokenizer& tokenizer, std::span<const ChatMessage> messages);

  void add(const PromptSegment& segment);
  ChatPrompt finish();

 private:
  struct Mark {
    size_t message = 0;
    size_t offset = 0;  ///< In the text of m_runs.
  };

  const ChatMessage* generated(const PromptSegment& segment,
                               std::span<const ContentFinder::Start> found) const;
  void note_persona(const PromptSegment& segment, std::span<const ContentFinder::Start> found);
  int count_persona_tokens() const;
  void set_start(size_t message, size_t token);
  void flush();

  const Tokenizer& m_tokenizer;
  std::span<const ChatMessage> m_messages;
  const size_t m_num_system;
  ContentFinder m_finder;
  ChatPrompt m_prompt;
  std::vector<TextRun> m_runs;  ///< Not encoded yet.
  size_t m_bytes = 0;           ///< Of the text of m_runs.
  std::vector<Mark> m_marks;    ///< Messages that begin in m_runs.
  /// The text before the first words that are not the system prompt's. They come before anything
  /// that is spliced, and so in the first text that is encoded.
  std::vector<TextRun> m_persona;
  bool m_persona_ended = false;
};

}  // namespace quire
