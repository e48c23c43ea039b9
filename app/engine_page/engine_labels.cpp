#include "app/engine_page/engine_labels.h"

#include <QCoreApplication>
#include <QLocale>

#include "app/chat/footer_text.h"

namespace quire {
namespace {

constexpr double kLongWaitMs = 250.0;

struct EngineLabels {
  Q_DECLARE_TR_FUNCTIONS(quire::EngineLabels)
};

}  // namespace

QString countText(qint64 count) {
  return QLocale().toString(count);
}

QString durationText(double ms) {
  if (ms >= 1000.0) return EngineLabels::tr("%1 s").arg(QLocale().toString(ms / 1000.0, 'f', 1));
  return EngineLabels::tr("%1 ms").arg(QLocale().toString(ms, 'f', ms < 10.0 ? 1 : 0));
}

QString percentText(double part) {
  const double percent = part * 100.0;
  const bool isSmall = percent > 0.0 && percent < 9.95;
  return EngineLabels::tr("%1%").arg(QLocale().toString(percent, 'f', isSmall ? 1 : 0));
}

QString rateText(double perSecond) {
  return QLocale().toString(perSecond, 'f', perSecond < 999.95 ? 1 : 0);
}

QString answersText(int count) {
  return EngineLabels::tr("%Ln chat(s)", nullptr, count);
}

QString blocksText(int count) {
  return EngineLabels::tr("%Ln block(s)", nullptr, count);
}

QString titleOf(const ChatLabels& labels, qint64 chatId) {
  const auto label = labels ? labels(chatId) : std::nullopt;
  if (!label) return EngineLabels::tr("a chat that is gone");
  return label->title.isEmpty() ? EngineLabels::tr("New chat") : label->title;
}

QString promptStory(const PromptReport& report) {
  MessageRecord answer;
  answer.status = MessageStatus::Complete;
  answer.promptTokens = report.promptTokens;
  answer.cachedTokens = report.cachedTokens;
  const PromptNote note{.report = report, .systemTurns = report.systemTurns};
  QString story = cacheHint(answer, &note).replace(u'\n', u' ');
  if (report.queueMs >= kLongWaitMs) {
    story +=
        u' ' + EngineLabels::tr("It waited %1 for its turn.").arg(durationText(report.queueMs));
  }
  return story;
}

}  // namespace quire
