#pragma once

#include <QDBusConnection>
#include <QObject>

#include <memory>

namespace quire {

/// What the task bar shows at the program's icon.
struct TaskState {
  double progress = -1.0;  ///< 0 to 1 of a load or download; negative: none.
  int numAnswering = 0;    ///< Chats that are being answered; 0: no number.

  bool operator==(const TaskState&) const = default;
};

/// com.canonical.Unity.LauncherEntry, which the task bars of KDE, Ubuntu and elementary read.
/// Thread: the window's. Invariants: a state is sent once.
class LauncherEntry : public QObject {
  Q_OBJECT

 public:
  explicit LauncherEntry(const QDBusConnection& bus, QObject* parent = nullptr);
  ~LauncherEntry() override;

  void show(const TaskState& state);

 private:
  QDBusConnection m_bus;
  TaskState m_shown;
};

/// Null where there is no session bus.
std::unique_ptr<LauncherEntry> makeLauncherEntry();

}  // namespace quire
