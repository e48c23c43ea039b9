#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/chat/chat_prompt.h"
#include "kernels/base/work_budget.h"

namespace quire {

/// Finds the text of messages in runs of rendered input. Templates trim texts, join them, leave
/// them out or keep a part of them (an answer without its reasoning), and rarely reorder them, so
/// the texts are searched for in order, the likeliest first.
/// Thread: one at a time. The messages must outlive it.
class MessageFinder {
 public:
  struct Start {
    size_t message = 0;
    size_t offset = 0;  ///< Where the message's text begins in the run.
  };

  explicit MessageFinder(std::span<const ChatMessage> messages);

  /// The messages of which this run holds text, in order. Runs are passed in order, each once.
  std::vector<Start> find(std::string_view run);

 private:
  /// A part's text, which a template may write.
  struct Text {
    size_t message;
    std::string_view text;
  };
  struct Match {
    size_t index = 0;  ///< In m_texts.
    size_t offset = 0;
    size_t length = 0;  ///< In the run.
    bool whole = true;  ///< False: the run holds only a part of the text; more of it may follow.
  };

  bool find_next(std::string_view run, Match& match);
  bool find_equal(std::string_view run, size_t first, size_t last, Match& match);
  bool find_within(std::string_view run, size_t last, Match& match);

  std::vector<Text> m_texts;
  /// For all runs. Once it is spent, no more messages are found, so that less of the prompt can be
  /// taken from the cache.
  WorkBudget m_budget;
  size_t m_next = 0;    ///< The first text that may still come.
  size_t m_misses = 0;  ///< Runs without a message: a hostile template makes millions.
};

/// Encodes a rendered prompt, with the sampled ids of earlier answers in place of their text, and
/// records where each message begins.
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

  const ChatMessage* find_sampled(const PromptSegment& segment,
                                  std::span<const MessageFinder::Start> found) const;
  void add_persona(const PromptSegment& segment, std::span<const MessageFinder::Start> found);
  int count_persona_tokens() const;
  void set_start(size_t message, size_t token);
  void flush();

  const Tokenizer& m_tokenizer;
  std::span<const ChatMessage> m_messages;
  const size_t m_num_system;
  MessageFinder m_finder;
  ChatPrompt m_prompt;
  std::vector<TextRun> m_runs;  ///< Not encoded yet.
  size_t m_bytes = 0;           ///< Of the text of m_runs.
  std::vector<Mark> m_marks;    ///< Messages that begin in m_runs.
  /// The text before the first message after the system prompt. It precedes all spliced ids, so it
  /// is part of the first text that is encoded.
  std::vector<TextRun> m_persona;
  bool m_persona_ended = false;
};

}  // namespace quire
