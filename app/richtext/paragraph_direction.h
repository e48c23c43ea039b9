#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPointer>
#include <QQuickItem>

namespace quire {

/// Gives each paragraph of a text field the direction of its own text. By itself the field would
/// give all of them the direction of the first.
/// Thread: the window's.
class ParagraphDirection : public QObject {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QQuickItem* field READ field WRITE setField NOTIFY fieldChanged)

 public:
  using QObject::QObject;

  QQuickItem* field() const { return m_field; }
  void setField(QQuickItem* field);

 signals:
  void fieldChanged();

 private slots:
  void apply();

 private:
  QPointer<QQuickItem> m_field;
};

}  // namespace quire
