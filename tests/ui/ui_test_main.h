#pragma once

#include <QTest>

#include "app/window.h"
#include "tests/support/watched_application.h"

namespace quire {

/// Runs a test of the window, under an application that watches over its thread.
template <typename Test>
int runUiTest(int argc, char** argv) {
  qputenv("QT_QUICK_BACKEND", "software");
  qputenv("QSG_RENDER_LOOP", "basic");  // Drawing counts too.
  qputenv("LC_ALL", "C.UTF-8");         // The tests speak English.
  WatchedApplication application(argc, argv);
  setUpLook();
  Test test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace quire

/// The main() of a test of the window; a WatchedTest.
#define QUIRE_UI_TEST_MAIN(Test)               \
  int main(int argc, char** argv) {            \
    return quire::runUiTest<Test>(argc, argv); \
  }
