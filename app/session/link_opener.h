#pragma once

#include <QtQml/qqmlregistration.h>
#include <QClipboard>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QObject>
#include <QUrl>

#include "app/richtext/web_link.h"
#include "app/store/visible_string.h"

namespace quire {

/// Opens or copies a link of an answer.
/// Thread: the window's.
class LinkOpener : public QObject {
  Q_OBJECT
  QML_ELEMENT

 public:
  using QObject::QObject;

  /// Web pages and mail addresses only.
  Q_INVOKABLE void open(const QString& link) {
    if (!isWebLink(link)) return;
    QDesktopServices::openUrl(QUrl(link, QUrl::StrictMode));
    emit opened();
  }
  Q_INVOKABLE void copy(const QString& link) const { QGuiApplication::clipboard()->setText(link); }
  /// Where the link leads: see linkHost().
  Q_INVOKABLE QString host(const QString& link) const { return visibleString(linkHost(link)); }
  /// The link, with control and bidirectional characters as signs.
  Q_INVOKABLE QString shown(const QString& link) const { return visibleString(link); }

 signals:
  void opened();
};

}  // namespace quire
