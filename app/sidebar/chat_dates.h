#pragma once

#include <QCoreApplication>
#include <QDate>
#include <QString>

namespace quire {

/// Formats times for the sidebar: relative to today, in the system's calendar and language.
/// Thread: the window's.
class ChatDates {
  Q_DECLARE_TR_FUNCTIONS(quire::ChatDates)

 public:
  explicit ChatDates(const QDate& today = QDate::currentDate());

  QDate today() const { return m_today; }
  /// "Today", "Yesterday", "Last 7 days", then the month.
  QString sectionOf(qint64 timeMs) const;
  /// "14:05", "Yesterday", "Mon", "12 Nov" or "Nov 2025".
  QString timeTextOf(qint64 timeMs) const;

 private:
  QDate m_today;
  qint64 m_todayMs;      ///< Start of today.
  qint64 m_yesterdayMs;  ///< Start of yesterday.
  qint64 m_weekMs;       ///< Start of the last seven days.
};

}  // namespace quire
