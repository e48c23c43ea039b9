#include "app/session/system_appearance.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QEvent>
#include <QGuiApplication>
#include <QPalette>

#include "app/session/session_bus.h"

namespace quire {
namespace {

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString kAppearance = QStringLiteral("org.freedesktop.appearance");
const QString kColorScheme = QStringLiteral("color-scheme");
const QString kGnome = QStringLiteral("org.gnome.desktop.interface");
const QString kAnimations = QStringLiteral("enable-animations");

/// The portal wraps a value in up to two variants.
QVariant unwrap(QVariant value) {
  while (value.canConvert<QDBusVariant>()) value = value.value<QDBusVariant>().variant();
  return value;
}

}  // namespace

SystemAppearance::SystemAppearance(QObject* parent) : QObject(parent) {
  readPalette();
  qApp->installEventFilter(this);
  connect(qApp, &QGuiApplication::layoutDirectionChanged, this,
          &SystemAppearance::directionChanged);
  auto bus = sessionBus();
  if (!bus) return;
  bus->connect(kService, kPath, kInterface, QStringLiteral("SettingChanged"), this,
               SLOT(apply(QString, QString, QDBusVariant)));
  askPortal(kAppearance, kColorScheme);
  askPortal(kGnome, kAnimations);
}

bool SystemAppearance::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ApplicationPaletteChange) readPalette();
  return QObject::eventFilter(watched, event);
}

bool SystemAppearance::isRightToLeft() const {
  return QGuiApplication::isRightToLeft();
}

void SystemAppearance::readPalette() {
  const bool dark = QGuiApplication::palette().color(QPalette::Window).lightnessF() < 0.5;
  if (dark == m_paletteDark) return;
  m_paletteDark = dark;
  emit changed();
}

void SystemAppearance::askPortal(const QString& group, const QString& key) {
  QDBusMessage question =
      QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
  question << group << key;
  auto* answer =
      new QDBusPendingCallWatcher(QDBusConnection::sessionBus().asyncCall(question), this);
  connect(answer, &QDBusPendingCallWatcher::finished, this, [this, group, key, answer] {
    const QDBusPendingReply<QDBusVariant> reply = *answer;
    if (!reply.isError()) apply(group, key, reply.value());
    answer->deleteLater();
  });
}

void SystemAppearance::apply(const QString& group, const QString& key, const QDBusVariant& value) {
  const QVariant plain = unwrap(value.variant());
  if (group == kAppearance && key == kColorScheme) {
    constexpr uint kPreferDark = 1;
    m_portalKnows = plain.toUInt() != 0;  // 0: no preference.
    m_portalDark = plain.toUInt() == kPreferDark;
    emit changed();
  } else if (group == kGnome && key == kAnimations) {
    m_reducedMotion = !plain.toBool();
    emit changed();
  }
}

}  // namespace quire
