#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include <atomic>

#include "tests/bench/window/measures.h"
#include "tests/ui/window_driver.h"

namespace quire::bench {

/// The picture may be made by a thread of its own: the letter is in it if it was in the field when
/// the two threads met, and the picture after that is the one. (A chat that sends empties the
/// field, perhaps at once: then the letter was in it too.)
double keyToGlyph(WindowDriver& driver, QQuickItem* field, const QString& letter) {
  constexpr qint64 kGiveUpMs = 2000;
  std::atomic<bool> entered = false;
  std::atomic<bool> taken = false;
  std::atomic<bool> shown = false;
  QQuickWindow* window = driver.window();
  const qsizetype before = field->property("text").toString().size();
  const auto hasGrown = [&] { return field->property("text").toString().size() > before; };
  // The window's thread stands still meanwhile, or it is this one: within sending the key, perhaps.
  const auto sync = QObject::connect(
      window, &QQuickWindow::afterSynchronizing, window,
      [&] { taken = entered.load() || hasGrown(); }, Qt::DirectConnection);
  const auto swap = QObject::connect(
      window, &QQuickWindow::frameSwapped, window,
      [&] {
        shown = taken.load();
        QMetaObject::invokeMethod(
            window, [] {}, Qt::QueuedConnection);  // Wakes the loop below.
      },
      Qt::DirectConnection);
  const QSignalSpy changes(field, SIGNAL(textChanged()));
  QElapsedTimer timer;
  timer.start();
  QTest::sendKeyEvent(QTest::Click, window, Qt::Key_unknown, letter, Qt::NoModifier);
  entered = changes.count() > 0;
  while (!shown && timer.elapsed() < kGiveUpMs) {
    QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 1);
  }
  const double ms = static_cast<double>(timer.nsecsElapsed()) * 1e-6;
  QObject::disconnect(sync);
  QObject::disconnect(swap);
  return ms;
}

}  // namespace quire::bench
