#include <QTest>

#include "app/remote/remote_endpoint.h"
#include "app/remote/router_backend.h"

using namespace quire;

namespace {

/// Notes what it is asked.
class NotingBackend : public ChatBackend {
 public:
  RequestId submit(const ChatRequest& request, std::shared_ptr<AnswerSink>) override {
    submitted.append(request.modelPath);
    return ++m_last;
  }
  void cancel(RequestId id) override { cancelled.append(id); }
  void setPriority(RequestId id, int priority) override { priorities[id] = priority; }
  PendingReply forecast(const ChatRequest& request, Reply<ContextForecast> reply) override {
    forecasts.append(request.modelPath);
    return reply.pending();
  }

  QStringList submitted;
  QStringList forecasts;
  QList<RequestId> cancelled;
  QHash<RequestId, int> priorities;

 private:
  RequestId m_last = 0;
};

}  // namespace

class RouterBackendTest : public QObject {
  Q_OBJECT

 private slots:
  void requests_goWhereTheirModelIs() {
    NotingBackend local;
    NotingBackend remote;
    RouterBackend router(local, remote);
    const QString there = remotePath("a1", "m");
    QList<RequestId> ids;
    for (const QString& path : {QString(), there, QString("/models/a.gguf"), there})
      ids.append(router.submit({.modelPath = path}, nullptr));
    QCOMPARE(local.submitted, (QStringList{QString(), "/models/a.gguf"}));
    QCOMPARE(remote.submitted, (QStringList{there, there}));
    QCOMPARE(QSet<RequestId>(ids.begin(), ids.end()).size(), 4);
    QVERIFY(!ids.contains(0));

    router.cancel(ids[3]);
    router.cancel(ids[0]);
    router.setPriority(ids[2], 7);
    QCOMPARE(remote.cancelled, QList<RequestId>{2});
    QCOMPARE(local.cancelled, QList<RequestId>{1});
    QCOMPARE(local.priorities.value(2), 7);
    QVERIFY(remote.priorities.isEmpty());

    const auto ignore = [](const ContextForecast&) {};
    const PendingReply one = router.forecast({.modelPath = there}, {ignore});
    const PendingReply other = router.forecast({}, {ignore});
    QCOMPARE(remote.forecasts, QStringList{there});
    QCOMPARE(local.forecasts, QStringList{QString()});
  }
};

QTEST_APPLESS_MAIN(RouterBackendTest)
#include "tst_router_backend.moc"
