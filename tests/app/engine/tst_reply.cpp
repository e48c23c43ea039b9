#include <QCoreApplication>
#include <QtTest>

#include <thread>

#include "app/engine/reply.h"

using namespace quire;

/// A reply that comes as the application ends.
class TestReply : public QObject {
  Q_OBJECT

 private slots:
  void replyThatWasNotDelivered_doesNotHoldUpTheEnd() {
    int calls = 0;
    {
      int argc = 1;
      char name[] = "tst_reply";
      char* argv[] = {name, nullptr};
      const QCoreApplication application(argc, argv);
      QObject receiver;
      const Reply<int> reply(&receiver, [&](int) { ++calls; });
      std::thread([&] { reply(1); }).join();
    }
    QCOMPARE(calls, 0);
  }
};

QTEST_APPLESS_MAIN(TestReply)
#include "tst_reply.moc"
