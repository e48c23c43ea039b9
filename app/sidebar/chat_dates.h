#pragma once

#include <QCoreApplication>
#include <QDate>
#include <QString>

namespace quire {

/// How times are said in the sidebar: relative to today, by this system's calendar and language.
/// Thread: the window's.
class ChatDates {
  Q_DECLARE_TR_FUNCTIONS(quire::ChatDates)

 public:
  explicit ChatDates(const QDate& today = QDate::currentDate());

  QDate today() const { return m_today; }
  /// "Today", "Yesterday", "Last 7 days", then the month. Cheap: asked for every row that shows.
  QString sectionOf(qint64 timeMs) const;
  QString timeTextOf(qint64 timeMs) const;  ///< "14:05", "Mon", "12 Nov" or "Nov 2025".

 private:
  QDate m_today;
  qint64 m_todayMs;      ///< When today began.
  qint64 m_yesterdayMs;  ///< When yesterday did.
  qint64 m_weekMs;       ///< When the last seven days did.
};

}  // namespace quire
