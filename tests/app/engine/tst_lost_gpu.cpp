// The engine's service on a GPU that is lost in the midst of answers: a GPU of the SIMT harness,
// which is loaded in place of libquire_cuda.so.

#include <QTest>

#include "app/engine/engine_service.h"
#include "tests/app/engine/ask_engine.h"
#include "tests/support/answer_log.h"

using namespace quire;

namespace {

/// Tokens of an answer.
constexpr int kLength = 12;

EngineServiceOptions options() {
  EngineServiceOptions options;
  options.modelPath = draft();
  options.backend.device = "cuda";
  options.engine.max_context = 512;
  options.engine.kv_bytes = uint64_t{4} << 20;
  return options;
}

}  // namespace

class TestLostGpu : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    qputenv("QUIRE_CUDA_LIBRARY", QUIRE_CUDA_HARNESS);
    // After the weights are there, and within the answers.
    qputenv("QUIRE_SIMT_LOSE_AT", "80");
  }

  void answers_goOnWhenTheirGpuIsLost() {
    EngineService service(options());
    AnswerLog log(service);
    int ready = 0;
    connect(&service, &ModelManager::stateChanged, this,
            [&] { ready += service.state() == ModelManager::State::Ready ? 1 : 0; });
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Ready, 60'000);
    QVERIFY2(service.deviceName().contains("MB"), qPrintable(service.deviceName()));
    const RequestId first = log.submit(ask("Tell me about the sea.", kLength));
    const RequestId second = log.submit(ask("Tell me about the mountains.", kLength));
    QTRY_COMPARE_WITH_TIMEOUT(log.numFinished(), 2, 120'000);
    QVERIFY2(ready > 1, "The GPU was not lost.");
    // Nothing is lost any more: the same questions again.
    const RequestId third = log.submit(ask("Tell me about the sea.", kLength));
    const RequestId fourth = log.submit(ask("Tell me about the mountains.", kLength));
    QTRY_COMPARE_WITH_TIMEOUT(log.numFinished(), 4, 120'000);
    for (const RequestId id : {first, second, third, fourth}) {
      QCOMPARE(log[id].report.error, QString());
      QCOMPARE(log[id].report.tokens.size(), 12);
    }
    QCOMPARE(log[first].report.tokens, log[third].report.tokens);
    QCOMPARE(log[second].report.tokens, log[fourth].report.tokens);
  }

  void loadsThatFail_giveTheGpuBackToTheModelBefore() {
    EngineService service(options());
    AnswerLog log(service);
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Ready, 60'000);
    const RequestId before = log.submit(ask("Tell me about the sea.", kLength));
    service.loadModel("/no/such/model");
    const RequestId meanwhile = log.submit(ask("Tell me about the mountains.", kLength));
    QTRY_COMPARE_WITH_TIMEOUT(log.numFinished(), 2, 120'000);
    QCOMPARE(service.state(), ModelManager::State::Ready);
    QVERIFY(service.stateText().contains("/no/such/model"));
    for (const RequestId id : {before, meanwhile}) {
      QCOMPARE(log[id].report.error, QString());
      QCOMPARE(log[id].report.tokens.size(), 12);
    }
  }

  void loadsThatSucceed_findTheGpuEmpty() {
    EngineService service(options());
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Ready, 60'000);
    const QString device = service.deviceName();
    service.loadModel({.path = options().modelPath, .place = LoadRequest::Place::kInstead});
    QCOMPARE(service.state(), ModelManager::State::Loading);
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Ready, 60'000);
    QCOMPARE(service.deviceName(), device);
    QCOMPARE(service.primaryModel().deviceNote, QString());
  }
};

QTEST_GUILESS_MAIN(TestLostGpu)
#include "tst_lost_gpu.moc"
