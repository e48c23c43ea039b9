#pragma once

#include <QtQml/qqmlregistration.h>
#include <QClipboard>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QObject>
#include <QUrl>

namespace quire {

/// Opens or copies a link of an answer.
/// Thread: the window's.
class LinkOpener : public QObject {
  Q_OBJECT
  QML_ELEMENT

 public:
  using QObject::QObject;

  /// Web pages and mail addresses only.
  Q_INVOKABLE void open(const QString& link) const {
    const QUrl url(link, QUrl::StrictMode);
    const QStringList allowed = {QStringLiteral("https"), QStringLiteral("http"),
                                 QStringLiteral("mailto")};
    if (allowed.contains(url.scheme())) QDesktopServices::openUrl(url);
  }
  Q_INVOKABLE void copy(const QString& link) const { QGuiApplication::clipboard()->setText(link); }
};

}  // namespace quire
