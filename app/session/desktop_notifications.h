#pragma once

#include <QObject>
#include <QString>

namespace quire {

/// A message that the desktop shows outside of the window. There is one at a time.
struct DesktopNotice {
  QString title;  ///< Plain text.
  QString text;   ///< Plain text.
  bool sounds = false;
};

/// The desktop's notifications. Thread: the window's. No call waits for another process.
class DesktopNotifications : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// Shows the notice in place of the one before.
  virtual void show(const DesktopNotice& notice) = 0;
  virtual void withdraw() = 0;

 signals:
  /// The user chose the notice. `token` is the desktop's activation token; may be empty.
  void activated(const QString& token);
};

}  // namespace quire
