#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

namespace quire {

/// What Return and Escape mean in the composer.
///
/// Thread: the window's.
class ComposerKeys : public QObject {
  Q_OBJECT
  QML_ELEMENT

 public:
  using QObject::QObject;

  /// True if the key was one of the composer's own and has been dealt with. `composing`: an input
  /// method is at work; a Return then only ends its word, it neither sends nor breaks the line.
  Q_INVOKABLE bool handle(int key, int modifiers, bool composing);
  /// A key's text is one to write: letters, marks and spaces, without a key that makes a command.
  Q_INVOKABLE bool isText(const QString& text, int modifiers) const;

 signals:
  void sendRequested();
  void cancelRequested();
};

}  // namespace quire
