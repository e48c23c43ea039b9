#include "app/personas/persona_words.h"

#include <QCoreApplication>
#include <QLocale>

namespace quire {
namespace {

/// A block of keys and values; only full ones are shared.
constexpr int kCacheBlockTokens = 16;

struct PersonaWordsTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::PersonaWordsTexts)
};

QString numberText(int number) {
  return QLocale().toString(number);
}

QString tokensText(int tokens) {
  return tokens == 1 ? PersonaWordsTexts::tr("1 token")
                     : PersonaWordsTexts::tr("%1 tokens").arg(numberText(tokens));
}

QString chatsText(int chats) {
  return chats == 1 ? PersonaWordsTexts::tr("1 chat")
                    : PersonaWordsTexts::tr("%1 chats").arg(numberText(chats));
}

}  // namespace

const QStringList& personaIcons() {
  static const QStringList kNames = {
      "persona",        "persona-book",     "persona-pen",     "persona-globe",
      "persona-code",   "persona-scales",   "persona-list",    "persona-microphone",
      "persona-funnel", "persona-speech",   "persona-lamp",    "persona-flask",
      "persona-chart",  "persona-calendar", "persona-compass", "persona-shield",
      "persona-key",    "persona-home",     "persona-heart",   "persona-star",
      "persona-sun",    "persona-leaf",     "persona-music",   "persona-anchor"};
  return kNames;
}

QString personaIcon(const QString& stored) {
  return personaIcons().contains(stored) ? stored : personaIcons().constFirst();
}

bool isWarm(const PersonaReport& report) {
  return report.residentTokens > 0 && report.residentTokens > report.tokens - kCacheBlockTokens;
}

QString warmthText(const PersonaReport& report) {
  if (report.tokens == 0) return {};
  const QString all = tokensText(report.tokens);
  if (isWarm(report)) return PersonaWordsTexts::tr("Warm · %1").arg(all);
  if (report.residentTokens > 0) {
    return PersonaWordsTexts::tr("Partly warm · %1 of %2")
        .arg(numberText(report.residentTokens), all);
  }
  if (report.diskTokens > 0) return PersonaWordsTexts::tr("On disk · %1").arg(all);
  return PersonaWordsTexts::tr("Cold · %1").arg(all);
}

QString usageText(const PersonaReport& report, int numChats) {
  if (report.sharingChats > 1 && report.bytesSaved > 0) {
    return PersonaWordsTexts::tr("shared by %1 · saves %2")
        .arg(chatsText(report.sharingChats), memoryText(report.bytesSaved));
  }
  if (numChats == 0) return PersonaWordsTexts::tr("not used yet");
  return PersonaWordsTexts::tr("used by %1").arg(chatsText(numChats));
}

QString promptCostText(int tokens, int contextLength) {
  if (tokens == 0)
    return PersonaWordsTexts::tr("Every chat under this persona begins with these words.");
  const QString cost =
      PersonaWordsTexts::tr(
          "%1. They are computed once and shared by every chat under this persona.")
          .arg(tokensText(tokens));
  if (contextLength <= 0) return cost;
  const double share = 100.0 * tokens / contextLength;
  const QString percent = QLocale().toString(share, 'f', 0);
  return cost + u' ' +
         (share < 1.0
              ? PersonaWordsTexts::tr("They take under 1 % of what the model can read at once.")
              : PersonaWordsTexts::tr("They take %1 % of what the model can read at once.")
                    .arg(percent));
}

QString editWarning(int numChats, int newTokens) {
  if (numChats == 0) return {};
  if (numChats == 1) {
    return PersonaWordsTexts::tr(
               "1 chat uses this persona. When it goes on, %1 of these words and its own messages "
               "will be computed again.")
        .arg(tokensText(newTokens));
  }
  return PersonaWordsTexts::
      tr("%1 use this persona. %2 of these words will be computed once for all of them, and the "
         "messages of each as it goes on.")
          .arg(chatsText(numChats), tokensText(newTokens));
}

QString memoryText(quint64 bytes) {
  constexpr double kMebi = 1024.0 * 1024.0;
  const double mebibytes = static_cast<double>(bytes) / kMebi;
  const QLocale locale;
  if (mebibytes >= 1024.0)
    return PersonaWordsTexts::tr("%1 GB").arg(locale.toString(mebibytes / 1024.0, 'f', 1));
  if (mebibytes >= 10.0)
    return PersonaWordsTexts::tr("%1 MB").arg(locale.toString(mebibytes, 'f', 0));
  if (mebibytes >= 0.1)
    return PersonaWordsTexts::tr("%1 MB").arg(locale.toString(mebibytes, 'f', 1));
  return PersonaWordsTexts::tr("%1 KB").arg(
      locale.toString(static_cast<double>(bytes) / 1024.0, 'f', 0));
}

}  // namespace quire
