#include "app/sidebar/chat_dates.h"

#include <QDateTime>
#include <QLocale>
#include <QRegularExpression>

namespace quire {
namespace {

qint64 startOf(const QDate& day) {
  return day.startOfDay().toMSecsSinceEpoch();
}

QString clockFormat(const QLocale& locale) {
  static const QRegularExpression kSeconds(QStringLiteral("[:.]ss"));
  // "오후 5:41" would take the room of the title.
  if (locale.language() == QLocale::Korean) return QStringLiteral("H:mm");
  return locale.timeFormat(QLocale::ShortFormat).remove(kSeconds);
}

}  // namespace

ChatDates::ChatDates(const QDate& today)
    : m_today(today),
      m_todayMs(startOf(today)),
      m_yesterdayMs(startOf(today.addDays(-1))),
      m_weekMs(startOf(today.addDays(-6))) {}

QString ChatDates::sectionOf(qint64 timeMs) const {
  if (timeMs >= m_todayMs) return tr("Today");
  if (timeMs >= m_yesterdayMs) return tr("Yesterday");
  if (timeMs >= m_weekMs) return tr("Last 7 days");
  const QDate date = QDateTime::fromMSecsSinceEpoch(timeMs).date();
  const QLocale locale;
  const QString month = locale.standaloneMonthName(date.month());
  return date.year() == m_today.year() ? month : tr("%1 %2").arg(month).arg(date.year());
}

QString ChatDates::timeTextOf(qint64 timeMs) const {
  const QDateTime time = QDateTime::fromMSecsSinceEpoch(timeMs);
  const QLocale locale;
  if (timeMs >= m_todayMs) return locale.toString(time.time(), clockFormat(locale));
  if (timeMs >= m_yesterdayMs) return tr("Yesterday");
  if (timeMs >= m_weekMs) return locale.toString(time.date(), tr("ddd"));
  const bool isThisYear = time.date().year() == m_today.year();
  return locale.toString(time.date(), isThisYear ? tr("d MMM") : tr("MMM yyyy"));
}

}  // namespace quire
