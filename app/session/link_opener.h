#pragma once

#include <QtQml/qqmlregistration.h>
#include <QClipboard>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QObject>
#include <QUrl>

#include "app/richtext/web_link.h"
#include "kernels/base/visible_text.h"

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
  /// Where the link leads: see linkHost(). A long one is cut in its middle, because its end says
  /// whose it is.
  Q_INVOKABLE QString host(const QString& link) const {
    QString text = linkHost(link);
    const qsizetype surplus = text.size() - kMostHostLetters;
    if (surplus > 0) text.replace(kMostHostLetters / 3, surplus, QStringLiteral("…"));
    return shown(text);
  }
  /// The link, with control, bidirectional and invisible characters as signs.
  Q_INVOKABLE QString shown(const QString& link) const {
    return QString::fromStdString(visible_text(link.toStdString(), "\n"));
  }

 signals:
  void opened();

 private:
  /// This many fit the dialog at the largest text size.
  static constexpr qsizetype kMostHostLetters = 120;
};

}  // namespace quire
