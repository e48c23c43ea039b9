#include "app/personas/persona_labels.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>

#include "app/engine_page/engine_labels.h"
#include "app/store/visible_string.h"

namespace quire {
namespace {

/// Tokens of a cache block; only full blocks are shared.
constexpr int kCacheBlockTokens = 16;

struct PersonaLabels {
  Q_DECLARE_TR_FUNCTIONS(quire::PersonaLabels)
};

struct IconLabel {
  const char* icon;
  const char* label;
};

constexpr IconLabel kIcons[] = {
    {"persona", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Person")},
    {"persona-book", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Book")},
    {"persona-pen", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Pen")},
    {"persona-globe", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Globe")},
    {"persona-code", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Code")},
    {"persona-scales", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Scales")},
    {"persona-list", QT_TRANSLATE_NOOP("quire::PersonaLabels", "List")},
    {"persona-microphone", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Microphone")},
    {"persona-funnel", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Funnel")},
    {"persona-speech", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Speech bubble")},
    {"persona-lamp", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Lamp")},
    {"persona-flask", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Flask")},
    {"persona-chart", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Chart")},
    {"persona-calendar", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Calendar")},
    {"persona-compass", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Compass")},
    {"persona-shield", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Shield")},
    {"persona-key", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Key")},
    {"persona-home", QT_TRANSLATE_NOOP("quire::PersonaLabels", "House")},
    {"persona-heart", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Heart")},
    {"persona-star", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Star")},
    {"persona-sun", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Sun")},
    {"persona-leaf", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Leaf")},
    {"persona-music", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Music note")},
    {"persona-anchor", QT_TRANSLATE_NOOP("quire::PersonaLabels", "Anchor")},
};

QString numberText(int number) {
  return QLocale().toString(number);
}

QString tokensText(int tokens) {
  return PersonaLabels::tr("%Ln token(s)", nullptr, tokens);
}

QString chatsText(int chats) {
  return PersonaLabels::tr("%Ln chat(s)", nullptr, chats);
}

}  // namespace

const QStringList& personaIcons() {
  static const QStringList kNames = [] {
    QStringList names;
    for (const IconLabel& icon : kIcons) names.append(QString::fromLatin1(icon.icon));
    return names;
  }();
  return kNames;
}

QString personaIconLabel(const QString& icon) {
  const qsizetype at = personaIcons().indexOf(icon);
  return at < 0 ? QString() : PersonaLabels::tr(kIcons[at].label);
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
  if (isWarm(report)) return PersonaLabels::tr("Ready · %1").arg(all);
  if (report.residentTokens > 0) {
    return PersonaLabels::tr("Partly cached · %1 of %2")
        .arg(numberText(report.residentTokens), all);
  }
  if (report.diskTokens > 0) return PersonaLabels::tr("On disk · %1").arg(all);
  return PersonaLabels::tr("Not cached · %1").arg(all);
}

QString usageText(const PersonaReport& report, int numChats) {
  if (report.sharingChats > 1 && report.bytesSaved > 0) {
    return PersonaLabels::tr("shared by %1 · saves %2")
        .arg(chatsText(report.sharingChats), sizeText(report.bytesSaved));
  }
  if (numChats == 0) return PersonaLabels::tr("not used yet");
  return PersonaLabels::tr("used by %1").arg(chatsText(numChats));
}

QString adapterText(const QString& path) {
  if (path.isEmpty()) return {};
  return PersonaLabels::tr("Adapter %1").arg(visibleString(QFileInfo(path).fileName()));
}

QString promptCostText(int tokens, int contextLength) {
  if (tokens == 0)
    return PersonaLabels::tr("Every chat with this persona starts with these words.");
  const QString cost =
      PersonaLabels::tr("%1. They are computed once and shared by every chat with this persona.")
          .arg(tokensText(tokens));
  if (contextLength <= 0) return cost;
  const double share = 100.0 * tokens / contextLength;
  const QString percent = QLocale().toString(share, 'f', 0);
  return cost + u' ' +
         (share < 1.0 ? PersonaLabels::tr("They take under 1% of the context.")
                      : PersonaLabels::tr("They take %1% of the context.").arg(percent));
}

QString editWarning(int numChats, int newTokens) {
  if (numChats == 0) return {};
  return PersonaLabels::tr(
             "Used by %1. %2 of this prompt will be computed once for all of them, and each chat's "
             "messages when it continues.")
      .arg(chatsText(numChats), tokensText(newTokens));
}

}  // namespace quire
