#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "engine/chat/chat_message.h"

namespace quire {

/// Says which message's words a run of rendered input holds. Templates trim contents, join them,
/// leave them out or keep a part (an answer without its reasoning), and rarely reorder them, so the
/// contents are looked for in order, the likeliest first.
/// Thread: one at a time. The messages must outlive it.
class ContentFinder {
 public:
  struct Start {
    size_t message = 0;
    size_t offset = 0;  ///< In the run: where this message's words begin.
  };

  explicit ContentFinder(std::span<const ChatMessage> messages) : m_messages(messages) {}

  /// The messages whose words this run holds, in order; the runs are given in order, each once.
  std::vector<Start> find(std::string_view run);

 private:
  struct Match {
    Start start;
    size_t length = 0;  ///< In the run.
    bool whole = true;  ///< False: a part of the message's words; more of them may follow.
  };

  bool find_next(std::string_view run, Match& match);
  bool find_equal(std::string_view run, size_t first, size_t last, Match& match) const;
  bool find_within(std::string_view run, size_t last, Match& match) const;

  std::span<const ChatMessage> m_messages;
  size_t m_next = 0;    ///< The first message that may still come.
  size_t m_misses = 0;  ///< Runs of no message: a hostile template makes them by the million.
};

}  // namespace quire
