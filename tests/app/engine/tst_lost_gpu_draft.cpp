// A model and its draft model on a GPU of the SIMT harness that is lost in the midst of an answer.
// It is lost once in a process, so that tst_lost_gpu cannot lose it again.

#include <QTest>

#include "app/engine/engine_service.h"
#include "app/engine/load_planning.h"
#include "tests/app/engine/ask_engine.h"
#include "tests/support/answer_log.h"

using namespace quire;

namespace {

/// Tokens of an answer.
constexpr int kLength = 12;

EngineServiceOptions options() {
  EngineServiceOptions options;
  options.backend.device = "cuda";
  options.engine.speculation = SpeculationMode::kAlways;
  options.engine.max_context = 512;
  options.engine.kv_bytes = uint64_t{4} << 20;
  return options;
}

}  // namespace

class TestLostGpuDraft : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    qputenv("QUIRE_CUDA_LIBRARY", QUIRE_CUDA_HARNESS);
    // After the weights are there, and within the answer.
    qputenv("QUIRE_SIMT_LOSE_AT", "80");
  }

  /// Its steps run ahead of their time, so that its memory would be taken for nothing.
  void draftModel_isLeftOutWhereItIsNotAsked() {
    EngineServiceOptions automatic = options();
    const auto planned = [&](SpeculationMode mode) {
      automatic.engine.speculation = mode;
      return planLoad({.request = {.path = draft(), .draftPath = draft()},
                       .backend = automatic.backend,
                       .engine = automatic.engine,
                       .loaded = {}});
    };
    const PlannedLoad asked = planned(SpeculationMode::kAlways);
    QCOMPARE(asked.plan.deviceName, QString("cuda:0"));
    QVERIFY2(asked.plan.fits && asked.draftPath == draft(), qPrintable(asked.plan.error));
    const PlannedLoad not_asked = planned(SpeculationMode::kAuto);
    QVERIFY2(not_asked.plan.fits, qPrintable(not_asked.plan.error));
    QCOMPARE(not_asked.draftPath, QString());
    QVERIFY2(not_asked.plan.draftNote.contains("in advance"), qPrintable(not_asked.plan.draftNote));
    QVERIFY(not_asked.plan.memory.weights < asked.plan.memory.weights);
    QVERIFY(not_asked.plan.memory.free < quint64{2048} << 20);  // The harness's memory.
  }

  void draftModel_comesBackWithTheGpu() {
    EngineService service(options());
    AnswerLog log(service);
    int ready = 0;
    connect(&service, &ModelManager::stateChanged, this,
            [&] { ready += service.state() == ModelManager::State::Ready ? 1 : 0; });
    const QString path = draft();
    service.loadModel({.path = path, .draftPath = path});
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Ready, 60'000);
    QVERIFY2(!service.primaryModel().draftName.isEmpty(),
             qPrintable(service.primaryModel().draftNote));
    const RequestId first = log.submit(ask("Tell me about the sea.", kLength));
    QTRY_COMPARE_WITH_TIMEOUT(log.numFinished(), 1, 120'000);
    QVERIFY2(ready > 1, "The GPU was not lost.");
    QCOMPARE(service.primaryModel().draftName, QString("quire-mini-draft"));
    const RequestId second = log.submit(ask("Tell me about the sea.", kLength));
    QTRY_COMPARE_WITH_TIMEOUT(log.numFinished(), 2, 120'000);
    QCOMPARE(log[first].report.error, QString());
    QCOMPARE(log[first].report.tokens, log[second].report.tokens);
    QVERIFY(log[second].report.acceptedTokens > 0);
  }
};

QTEST_GUILESS_MAIN(TestLostGpuDraft)
#include "tst_lost_gpu_draft.moc"
