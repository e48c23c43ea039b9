#pragma once

#include <QStringList>
#include <QTemporaryDir>

#include <memory>

#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/e2e/hands.h"
#include "tests/ui/window_driver.h"

namespace quire {

/// A test of the window on a store that outlives it: it can be closed, and opened again on what
/// it left on disk.
///
/// Thread: the window's.
class DataTest : public WatchedTest {
 protected:
  void prepare() override;
  void tidyUp() override;

  /// `folder`: of the store; empty: this test's.
  void start(const QString& folder = {});
  void stop();
  void restart();
  /// A new chat named after what it asks, with this answer; all of it on disk.
  RecordId ask(const QString& text, const QString& answer);

  const QTemporaryDir& folder() const { return *m_folder; }
  WindowDriver& driver() { return *m_driver; }
  FakeBackend& backend() { return *m_backend; }
  Hands& hands() { return *m_hands; }
  QStringList titles();  ///< Of the chats in the list, from above.
  RecordId idOf(const QString& title);

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
  std::unique_ptr<Hands> m_hands;
};

}  // namespace quire
