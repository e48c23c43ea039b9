#include "app/chat/footer_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <algorithm>

namespace quire {
namespace {

struct FooterTextTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::FooterTextTexts)
};

QString number(int value) {
  return QLocale().toString(value);
}

/// Whether the prompt of this answer was processed; it was not if the answer failed at once.
bool hasPrompt(const MessageRecord& answer) {
  const bool neverBegan = answer.status == MessageStatus::Failed && answer.outputTokens == 0;
  return answer.promptTokens > 0 && !neverBegan;
}

QString changeReason(const PromptNote& note) {
  const int message = note.report.miss.message;
  const int firstKept = note.systemTurns + note.report.droppedMessages;
  if (message < 0) {
    return FooterTextTexts::tr("The chat changed from token %1 on.")
        .arg(number(note.report.miss.position));
  }
  if (message < note.systemTurns)
    return FooterTextTexts::tr("The persona changed, so the whole chat was processed again.");
  if (note.report.droppedMessages > 0 && message <= firstKept) {
    return FooterTextTexts::tr(
        "Older messages were left out, so the rest was processed again once.");
  }
  return FooterTextTexts::tr(
             "Message %1 changed, so it and the messages after it were processed again.")
      .arg(number(message - note.systemTurns + 1));
}

/// Why a part of the prompt was not in the cache, in a sentence.
QString missReason(const PromptNote& note) {
  switch (note.report.miss.reason) {
    case PrefixMiss::Reason::kChanged:
      return changeReason(note);
    case PrefixMiss::Reason::kEvicted:
      return FooterTextTexts::tr("Other chats needed the memory, so the rest was processed again.");
    case PrefixMiss::Reason::kNoState:
      return FooterTextTexts::tr(
          "This model had saved no state after that point, so the rest was processed again.");
    case PrefixMiss::Reason::kNew:
    case PrefixMiss::Reason::kNone:
      break;
  }
  return {};
}

}  // namespace

QString speedText(const MessageRecord& answer) {
  const double writingMs = answer.totalMs - answer.firstTokenMs;
  if (answer.outputTokens < 2 || writingMs <= 0.0) return {};
  const double speed = (answer.outputTokens - 1) * 1000.0 / writingMs;
  return FooterTextTexts::tr("%1 tok/s").arg(QLocale().toString(speed, 'f', speed < 100.0 ? 1 : 0));
}

QString speedHint(const MessageRecord& answer) {
  // Counts of a damaged store say nothing.
  const bool isSound = answer.acceptedTokens <= answer.draftedTokens &&
                       answer.acceptedTokens <= std::max(0, answer.outputTokens);
  if (answer.draftedTokens <= 0 || !isSound || speedText(answer).isEmpty()) return {};
  const QString right = FooterTextTexts::tr("Correct guesses of the next words: %1 of %2.")
                            .arg(number(answer.acceptedTokens), number(answer.draftedTokens));
  if (answer.acceptedTokens <= 0) return right;
  const QString saved =
      FooterTextTexts::tr("Each saved one of the %1 steps that this answer would have taken.")
          .arg(number(answer.outputTokens));
  return right + u' ' + saved;
}

QString cacheText(const MessageRecord& answer, const PromptNote* note) {
  if (!hasPrompt(answer)) return {};
  if (answer.reusedTokens > 0) {
    const int forked = answer.forkedTokens > 0 ? answer.forkedTokens : answer.promptTokens;
    return FooterTextTexts::tr("Forked: %1 of %2 tokens reused")
        .arg(number(answer.reusedTokens), number(forked));
  }
  if (answer.cachedTokens == 0) {
    return FooterTextTexts::tr("%1 tokens, none from cache").arg(number(answer.promptTokens));
  }
  const QString text = FooterTextTexts::tr("%1 of %2 from cache")
                           .arg(number(answer.cachedTokens), number(answer.promptTokens));
  const int disk = note != nullptr ? note->report.diskTokens : 0;
  return disk > 0 ? FooterTextTexts::tr("%1 (%2 from disk)").arg(text, number(disk)) : text;
}

QString cacheHint(const MessageRecord& answer, const PromptNote* note) {
  if (!hasPrompt(answer)) return {};
  QStringList lines;
  if (answer.cachedTokens == 0) {
    lines.append(FooterTextTexts::tr(
                     "The prompt had %1 tokens. None were in the cache, so all were processed.")
                     .arg(number(answer.promptTokens)));
  } else {
    lines.append(FooterTextTexts::tr("The prompt had %1 tokens: %2 from cache, %3 processed.")
                     .arg(number(answer.promptTokens), number(answer.cachedTokens),
                          number(answer.promptTokens - answer.cachedTokens)));
  }
  if (note == nullptr) return lines.first();
  if (note->report.diskTokens > 0) {
    lines.append(FooterTextTexts::tr("Of the cached tokens, %1 came from disk.")
                     .arg(number(note->report.diskTokens)));
  }
  lines.append(missReason(*note));
  lines.removeAll(QString());
  return lines.join(u'\n');
}

QString estimateText(int messageTokens, int computedTokens) {
  if (messageTokens <= 0) return {};
  return FooterTextTexts::tr("about %1 tokens · %2 to compute")
      .arg(number(messageTokens), number(computedTokens));
}

QString leftOutText(const PromptNote* note) {
  const int count = note != nullptr ? note->report.droppedMessages : 0;
  if (count <= 0) return {};
  return FooterTextTexts::tr("%n oldest message(s) left out", nullptr, count);
}

QString leftOutHint(const PromptNote* note) {
  if (leftOutText(note).isEmpty()) return {};
  return FooterTextTexts::tr(
      "The chat is longer than the model's context. The oldest messages stay in the chat, but this "
      "answer was written without them.");
}

}  // namespace quire
