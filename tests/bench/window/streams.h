#pragma once

#include <QElapsedTimer>
#include <QList>
#include <QObject>

#include <memory>

#include "tests/bench/window/options.h"
#include "tests/support/fake_backend.h"
#include "tests/ui/window_driver.h"

namespace quire {
class EngineService;
}

namespace quire::bench {

constexpr int kNumStreams = 8;

/// How often rows of a chat change, shown or not: turns of the event loop in which any did, which
/// is how often they are laid out.
class UpdateCounter : public QObject {
 public:
  explicit UpdateCounter(ChatModel& chat) {
    const QAbstractItemModel* rows = chat.timeline();
    connect(rows, &QAbstractItemModel::dataChanged, this, &UpdateCounter::note);
    connect(rows, &QAbstractItemModel::rowsInserted, this, &UpdateCounter::note);
    connect(rows, &QAbstractItemModel::rowsRemoved, this, &UpdateCounter::note);
  }
  int count = 0;

 private:
  void note() {
    if (std::exchange(m_noted, true)) return;
    ++count;
    QMetaObject::invokeMethod(
        this, [this] { m_noted = false; }, Qt::QueuedConnection);
  }

  bool m_noted = false;
};

/// What streams to chats, for as long as it lives: a recorded answer at 100 tokens/s for each, or
/// a model as fast as it goes (the bundled one, unless the options name another).
class Streams {
 public:
  explicit Streams(const Options& options);
  ~Streams();

  EngineInterfaces backend();
  EngineService* engine() const { return m_real.get(); }  ///< Null: a recorded answer.
  /// Makes a chat, asks something there, and asks again whenever it was answered.
  /// `answer`: the recorded answer, unless it is empty.
  ChatModel& begin(WindowDriver& driver, int number, const QString& answer = {});
  /// Ends the program if not all of them stream soon.
  void waitFor(const QList<ChatModel*>& chats);

 private:
  std::unique_ptr<FakeBackend> m_recorded;
  std::unique_ptr<EngineService> m_real;
};

/// The window at the size of targets.md's figures, with text shown at the program's own pace, its
/// engine ready.
std::unique_ptr<WindowDriver> openBenchWindow(EngineInterfaces engine, const QString& folder);

}  // namespace quire::bench
