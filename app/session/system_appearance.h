#pragma once

#include <QtQml/qqmlregistration.h>
#include <QDBusVariant>
#include <QObject>
#include <QString>

namespace quire {

/// Whether the desktop uses a dark theme, whether it asks for reduced motion, and whether windows
/// are laid out from right to left. Asks the desktop
/// portal if there is one (org.freedesktop.appearance; Qt 6.4 does not ask it), else reads the
/// palette. Thread: the window's. No call waits for another process.
class SystemAppearance : public QObject {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(bool dark READ isDark NOTIFY changed)
  Q_PROPERTY(bool reducedMotion READ wantsReducedMotion NOTIFY changed)
  Q_PROPERTY(bool rightToLeft READ isRightToLeft NOTIFY directionChanged)

 public:
  explicit SystemAppearance(QObject* parent = nullptr);

  bool isDark() const { return m_portalKnows ? m_portalDark : m_paletteDark; }
  bool wantsReducedMotion() const { return m_reducedMotion; }
  bool isRightToLeft() const;

 signals:
  void changed();
  void directionChanged();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private slots:
  void apply(const QString& group, const QString& key, const QDBusVariant& value);

 private:
  void readPalette();
  void askPortal(const QString& group, const QString& key);

  bool m_portalKnows = false;
  bool m_portalDark = false;
  bool m_paletteDark = false;
  bool m_reducedMotion = false;
};

}  // namespace quire
