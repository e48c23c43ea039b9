#pragma once

#include <QObject>

namespace quire {

/// The base of tests that use the window under a WatchedApplication: each of them fails when an
/// event keeps the window's thread from its loop for more than kMaxBlockedMs (on a slow processor
/// so much more), and at any warning, above all QML's own (binding loops, missing properties). The
/// longest event is printed.
///
/// What prepare() does is not counted, nor is the window's opening, which has a target of its own
/// (WatchedApplication::Uncounted).
///
/// Thread: the window's.
class WatchedTest : public QObject {
  Q_OBJECT

 protected:
  /// Before and after each test, in place of the slots init() and cleanup().
  virtual void prepare() {}
  virtual void tidyUp() {}
  /// What came before was not a user's doing.
  static void forgetBlockages();

 private slots:
  void init();
  void cleanup();
};

}  // namespace quire
