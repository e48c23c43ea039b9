#include "tests/support/watched_test.h"

#include <QRegularExpression>
#include <QTest>

#include "tests/support/watched_application.h"

namespace quire {
namespace {

/// Everything but what the platform without a screen says of itself, and what Qt 6.4 says at the
/// end because it miscounts items that were given up while they were being made (a pane that was
/// closed at once).
const char* const kWarnings = "^(?!This plugin does not support |\"There are still )";

}  // namespace

void WatchedTest::init() {
  QTest::failOnWarning(QRegularExpression(QString::fromLatin1(kWarnings)));
  prepare();
  forgetBlockages();
}

void WatchedTest::cleanup() {
  const Blockage worst = WatchedApplication::instance().worst();
  tidyUp();
  if (worst.ms > 0.0)
    qInfo("longest event: %.1f ms, of these %.1f of computing, %s", worst.ms, worst.computedMs,
          qPrintable(worst.event));
  QVERIFY2(worst.ms <= kMaxBlockedMs,
           qPrintable(QStringLiteral("The window's thread was blocked for %1 ms: %2")
                          .arg(worst.ms, 0, 'f', 1)
                          .arg(worst.event)));
}

void WatchedTest::forgetBlockages() {
  WatchedApplication::instance().reset();
}

}  // namespace quire
