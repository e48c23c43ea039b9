#include <QFile>
#include <QSignalSpy>
#include <QTest>

#include "app/engine/engine_service.h"
#include "kernels/backend.h"
#include "tests/app/engine/ask_engine.h"
#include "tests/support/answer_log.h"

using namespace quire;

/// What a load was asked for reaches the engine: counted there.
class LoadSettingsTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    EngineServiceOptions options;
    options.bundledModelPath = bundled();
    options.backend.device = "cpu";
    options.msPerIdleMinute = 20;
    m_service = std::make_unique<EngineService>(options);
  }
  void cleanup() { m_service.reset(); }

  void processorThatCannotBeUsed_saysWhy() {
    qputenv("QUIRE_CPU_ISA", "mmx");
    const QString error = plan({.path = bundled()}).error;
    qunsetenv("QUIRE_CPU_ISA");
    QVERIFY2(error.contains("QUIRE_CPU_ISA is \"mmx\""), qPrintable(error));
  }

  void tokensOfAStep_cutAPrompt() {
    const QString text = QStringLiteral("Tell me about the sea and the old ship. ").repeated(20);
    load({.path = bundled(), .contextLength = 512, .cacheBytes = 8 << 20, .batchTokens = 16});
    const AnswerReport small = answer(ask(text, 1));
    const auto prompt = static_cast<uint64_t>(small.prompt.promptTokens);
    QVERIFY(prompt > 100);
    // A step's statistics are published after its tokens: the answer may be complete before them.
    QTRY_COMPARE(m_service->stats().steps, (prompt + 15) / 16);
    load({.path = bundled(), .contextLength = 512, .cacheBytes = 8 << 20});
    const AnswerReport large = answer(ask(text, 1));
    QTRY_COMPARE(m_service->stats().steps, 1u);
    QCOMPARE(large.tokens, small.tokens);
  }

  void threadsContextAndMemory_areThoseOfTheEngine() {
    load({.path = bundled(), .threads = 1, .contextLength = 256, .cacheBytes = 4 << 20});
    QVERIFY2(m_service->deviceName().endsWith("1 thread"), qPrintable(m_service->deviceName()));
    QCOMPARE(m_service->contextLength(), 256);
    const EngineStats stats = m_service->stats();
    QCOMPARE(stats.total_blocks, static_cast<int>((4u << 20) / stats.bytes_per_block));
  }

  void precisionOfTheCache_isThatOfTheEngine_andForetold() {
    QHash<QString, LoadPlan> plans;
    QHash<QString, double> bytes;
    for (const QString& type : QStringList{"f32", "i8"}) {
      plans[type] = plan({.path = bundled(), .device = "cpu", .cacheType = type});
      load({.path = bundled(), .contextLength = 256, .cacheBytes = 4 << 20, .cacheType = type});
      bytes[type] = m_service->stats().bytes_per_block;
    }
    QVERIFY(qAbs(bytes["i8"] / bytes["f32"] - 0.266) < 0.001);
    const auto foretold = [&](const char* type) {
      return static_cast<double>(plans[QString::fromLatin1(type)].memory.cache);
    };
    QVERIFY(foretold("f32") > 0.0);
    QVERIFY(qAbs(foretold("i8") / foretold("f32") - 0.266) < 0.01);
  }

  void precisionThatTheDeviceDoesNotKeep_isRefusedInASentence() {
    const QString error = plan({.path = bundled(), .device = "cpu", .cacheType = "f8_e4m3"}).error;
    QVERIFY2(error.contains("not kept on the device cpu"), qPrintable(error));
  }

  void aModelThatAChatAsksFor_isLoadedAsItWasChosen() {
    m_service->setLoadRequest({.path = {}, .threads = 1});
    m_service->setLoadRequest({.path = draft(), .threads = 1, .contextLength = 128});
    ChatRequest request = ask("Hello", 1);
    request.modelPath = draft();
    QCOMPARE(answer(request).finish, FinishReason::kLength);
    QCOMPARE(stateOf(draft()).contextLength, 128);
    request.modelPath = bundled();
    QCOMPARE(answer(request).finish, FinishReason::kLength);
    QVERIFY(stateOf(bundled()).deviceName.endsWith("1 thread"));
  }

  /// The answer under way has all of its tokens; what is asked meanwhile waits for the new one.
  void loadedAgain_answersBeingWrittenFinishFirst_data() {
    QTest::addColumn<quint64>("cacheBytes");
    QTest::newRow("beside") << (quint64{8} << 20);
    // Taken when it is written to: none of it here.
    QTest::newRow("in its own place") << quint64{available_host_bytes() / 10 * 6};
  }
  void loadedAgain_answersBeingWrittenFinishFirst() {
    QFETCH(quint64, cacheBytes);
    load({.path = bundled(), .contextLength = 512, .cacheBytes = cacheBytes});
    AnswerLog log(*m_service);
    const RequestId first = log.submit(ask("Tell me about the sea.", 300));
    QTRY_COMPARE_WITH_TIMEOUT(log[first].starts, 1, kPatienceMs);
    m_service->loadModel(
        LoadRequest{.path = bundled(), .contextLength = 256, .cacheBytes = cacheBytes});
    const RequestId second = log.submit(ask("And the ship?", 2));
    QTRY_COMPARE_WITH_TIMEOUT(log.numFinished(), 2, kPatienceMs);
    for (const RequestId id : {first, second}) {
      QCOMPARE(log[id].report.finish, FinishReason::kLength);
      QCOMPARE(log[id].report.outputTokens, id == first ? 300 : 2);
    }
    QTRY_COMPARE_WITH_TIMEOUT(m_service->contextLength(), 256, kPatienceMs);
    QVERIFY(m_service->state() == ModelManager::State::Ready);
  }

  void idleTimeOfOneModel_isItsOwn() {
    load({.path = bundled(), .contextLength = 128, .cacheBytes = 4 << 20});
    load({.path = draft(), .contextLength = 128, .cacheBytes = 4 << 20});
    m_service->setIdleUnload(bundled(), 0);  // Kept loaded.
    m_service->setIdleUnload(1);
    QTRY_VERIFY_WITH_TIMEOUT(!stateOf(draft()).serving, kPatienceMs);
    QTest::qWait(60);
    QVERIFY(stateOf(bundled()).serving);
    m_service->setIdleUnload(bundled(), {});
    QTRY_VERIFY_WITH_TIMEOUT(!stateOf(bundled()).serving, kPatienceMs);
  }

  void idleTimeOfOneModel_countsWithoutOneOfAll() {
    load({.path = bundled(), .contextLength = 128, .cacheBytes = 4 << 20});
    m_service->setIdleUnload(bundled(), 1);
    QTRY_VERIFY_WITH_TIMEOUT(!stateOf(bundled()).serving, kPatienceMs);
  }

 private:
  ModelState stateOf(const QString& path) const {
    for (const ModelState& model : m_service->models()) {
      if (model.path == path) return model;
    }
    return {};
  }
  void load(const LoadRequest& request) {
    m_service->loadModel(request);
    QTRY_VERIFY_WITH_TIMEOUT(m_service->state() == ModelManager::State::Ready &&
                                 m_service->modelPath() == request.path &&
                                 stateOf(request.path).phase == LoadPhase::kNone,
                             kPatienceMs);
  }
  LoadPlan plan(const LoadRequest& request) {
    std::optional<LoadPlan> planned;
    m_service->planLoad(request, {this, [&](const LoadPlan& made) { planned = made; }});
    const bool isThere = QTest::qWaitFor([&] { return planned.has_value(); }, kPatienceMs);
    return isThere ? *planned : LoadPlan();
  }
  AnswerReport answer(const ChatRequest& request) {
    AnswerLog log(*m_service);
    const RequestId id = log.submit(request);
    if (!QTest::qWaitFor([&] { return log.numFinished() == 1; }, kPatienceMs)) return {};
    return log[id].report;
  }

  std::unique_ptr<EngineService> m_service;
};

QTEST_GUILESS_MAIN(LoadSettingsTest)
#include "tst_load_settings.moc"
