#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPointer>
#include <QQuickItem>

namespace quire {

/// Shows the placeholder of a text field as plain text. By itself it would be a rich text, and
/// fetch images, if it looked like one.
/// Thread: the window's.
class PlainPlaceholder : public QObject {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QQuickItem* field READ field WRITE setField NOTIFY fieldChanged)

 public:
  using QObject::QObject;

  QQuickItem* field() const { return m_field; }
  /// The style makes the placeholder with the field, so it is there already.
  void setField(QQuickItem* field) {
    m_field = field;
    for (QQuickItem* child : field->childItems()) {
      if (child->inherits("QQuickText")) child->setProperty("textFormat", Qt::PlainText);
    }
    emit fieldChanged();
  }

 signals:
  void fieldChanged();

 private:
  QPointer<QQuickItem> m_field;
};

}  // namespace quire
