#pragma once

#include <QObject>
#include <QUrl>
#include <QVariantMap>

namespace quire {

/// Asks the desktop to let the user choose a folder, through its portal (org.freedesktop.portal),
/// which every common Linux desktop has. No window of ours, so it looks as the desktop does.
///
/// Thread: the window's. No call waits.
/// Invariants: one question at a time; a new one takes the place of the last.
class FolderPicker : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  void pick(const QString& title);

 signals:
  void picked(const QUrl& folder);
  /// There is no portal to ask: another way is needed.
  void unavailable();

 private:
  Q_SLOT void onResponse(uint code, const QVariantMap& results);

  QString m_request;  ///< The object path that answers.
  int m_lastToken = 0;
};

}  // namespace quire
