#pragma once

#include <QObject>
#include <QUrl>
#include <QVariantMap>

namespace quire {

/// Opens the desktop's own dialog for a folder or a file through its portal
/// (org.freedesktop.portal), which every common Linux desktop has.
///
/// Thread: the window's. No call blocks.
/// Invariants: at most one request is pending; a new one replaces it.
class FolderPicker : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  void pick(const QString& title) { ask(title, true); }
  void pickFile(const QString& title) { ask(title, false); }

 signals:
  void picked(const QUrl& path);
  /// The desktop has no portal.
  void unavailable();

 private:
  void ask(const QString& title, bool isFolder);
  Q_SLOT void onResponse(uint code, const QVariantMap& results);

  QString m_request;  ///< The object path of the pending request.
  int m_lastToken = 0;
};

}  // namespace quire
