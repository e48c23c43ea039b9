#pragma once

#include <QCoreApplication>
#include <QString>

#include <algorithm>
#include <array>
#include <string>

namespace quire {

/// The reasons that the C library and SQLite give in English, those that users meet.
inline constexpr std::array kSystemReasons = {
    QT_TRANSLATE_NOOP("quire::SystemReasons", "No such file or directory"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "Not a directory"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "Is a directory"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "Permission denied"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "Operation not permitted"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "No space left on device"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "Disk quota exceeded"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "Read-only file system"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "Input/output error"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "File exists"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "File too large"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "File name too long"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "Too many open files"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "Too many levels of symbolic links"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "Device or resource busy"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "Text file busy"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "Cannot allocate memory"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "Stale file handle"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "Connection refused"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "Connection timed out"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "Connection reset by peer"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "Network is unreachable"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "No route to host"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "Host not found"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "file is not a database"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "database disk image is malformed"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "unable to open database file"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "attempt to write a readonly database"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "database is locked"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "database or disk is full"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "disk I/O error"),
    QT_TRANSLATE_NOOP("quire::SystemReasons", "out of memory"),
};

inline QString translatedReason(const char* reason) {
  return QCoreApplication::translate("quire::SystemReasons", reason);
}

/// A reason of the system in the window's language; any other text as it is. Thread: any.
inline QString systemReason(const QString& text) {
  const auto found = std::ranges::find_if(
      kSystemReasons, [&](const char* reason) { return text == QLatin1String(reason); });
  return found == kSystemReasons.end() ? text : translatedReason(*found);
}

/// The other way: the English of what systemReason() returned. Thread: any.
inline std::string englishReason(const std::string& shown) {
  const QString text = QString::fromStdString(shown);
  const auto found = std::ranges::find_if(
      kSystemReasons, [&](const char* reason) { return text == translatedReason(reason); });
  return found == kSystemReasons.end() ? shown : std::string(*found);
}

}  // namespace quire
