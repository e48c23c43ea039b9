#include "app/engine/last_prompt.h"

#include <utility>

namespace quire {
namespace {

/// Whether both are copies of one list or text, which copies share. Equal ones that were made apart
/// are not looked at: that would take the time of reading long ones.
template <typename T>
bool isShared(const T& a, const T& b) {
  return a.size() == b.size() && (a.isEmpty() || a.constData() == b.constData());
}

bool hasSameRawPrompt(const ChatRequest& a, const ChatRequest& b) {
  if (a.rawPrompt.has_value() != b.rawPrompt.has_value()) return false;
  return !a.rawPrompt || (isShared(a.rawPrompt->text, b.rawPrompt->text) &&
                          isShared(a.rawPrompt->tokens, b.rawPrompt->tokens));
}

bool hasSameOptions(const PromptOptions& a, const PromptOptions& b) {
  return a.add_generation_prompt == b.add_generation_prompt && a.tools == b.tools &&
         a.variables == b.variables && a.now == b.now;
}

bool hasSameFormat(const AnswerFormat& a, const AnswerFormat& b) {
  return a.kind == b.kind && a.schema == b.schema && a.tools.is_required == b.tools.is_required &&
         a.tools.name == b.tools.name && a.tools.allows_more == b.tools.allows_more;
}

bool hasSamePrompt(const ChatRequest& a, const ChatRequest& b) {
  return isShared(a.turns, b.turns) && hasSameRawPrompt(a, b) &&
         a.continueAnswer == b.continueAnswer && a.dropsOldTurns == b.dropsOldTurns &&
         a.chatId == b.chatId && a.personaId == b.personaId && hasSameOptions(a.prompt, b.prompt) &&
         hasSameFormat(a.format, b.format);
}

}  // namespace

Result<PreparedChat> LastPrompt::prepare(const LoadedModel& model, int maxContext,
                                         const ChatRequest& chat, GrammarCache* grammars) {
  if (m_last && hasSamePrompt(m_last->chat, chat)) {
    return withSampling(model, maxContext, m_last->prepared, chat);
  }
  m_last.reset();
  ++m_numPrepared;
  auto prepared = prepareChat(model, maxContext, chat, grammars);
  if (prepared) m_last = Prepared{chat, *prepared};
  return prepared;
}

}  // namespace quire
