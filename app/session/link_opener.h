#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

namespace quire {

/// Opens or copies a link of an answer.
/// Thread: the window's.
class LinkOpener : public QObject {
  Q_OBJECT
  QML_ELEMENT

 public:
  using QObject::QObject;

  Q_INVOKABLE void open(const QString& link) const;  ///< Web pages and mail addresses only.
  Q_INVOKABLE void copy(const QString& link) const;
};

}  // namespace quire
