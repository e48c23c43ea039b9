#include "app/session/launcher_entry.h"

#include <QDBusMessage>
#include <QVariantMap>

#include <algorithm>
#include <cmath>

#include "app/session/session_bus.h"

namespace quire {
namespace {

const QString kLauncherInterface = QStringLiteral("com.canonical.Unity.LauncherEntry");
const QString kLauncherPath = QStringLiteral("/com/canonical/Unity/LauncherEntry");
const QString kLauncherId = QStringLiteral("application://quire.desktop");

/// In whole percents, so that a download does not send thousands of signals.
TaskState roundedState(TaskState state) {
  state.progress =
      state.progress < 0.0 ? -1.0 : std::round(std::min(1.0, state.progress) * 100.0) / 100.0;
  return state;
}

}  // namespace

LauncherEntry::LauncherEntry(const QDBusConnection& bus, QObject* parent)
    : QObject(parent), m_bus(bus) {}

LauncherEntry::~LauncherEntry() {
  show({});
}

void LauncherEntry::show(const TaskState& state) {
  const TaskState wanted = roundedState(state);
  if (wanted == m_shown) return;
  m_shown = wanted;
  const bool hasProgress = wanted.progress >= 0.0;
  const QVariantMap properties = {
      {QStringLiteral("progress"), hasProgress ? wanted.progress : 0.0},
      {QStringLiteral("progress-visible"), hasProgress},
      {QStringLiteral("count"), QVariant::fromValue(qlonglong{wanted.numAnswering})},
      {QStringLiteral("count-visible"), wanted.numAnswering > 0}};
  QDBusMessage update =
      QDBusMessage::createSignal(kLauncherPath, kLauncherInterface, QStringLiteral("Update"));
  update << kLauncherId << properties;
  m_bus.send(update);
}

std::unique_ptr<LauncherEntry> makeLauncherEntry() {
  const auto bus = sessionBus();
  return bus ? std::make_unique<LauncherEntry>(*bus) : nullptr;
}

}  // namespace quire
