#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include "app/engine/engine_service.h"
#include "app/engine/served_model.h"
#include "kernels/backend.h"
#include "tests/app/engine/model_states.h"
#include "tests/bench/random_gguf.h"
#include "tests/support/answer_log.h"
#include "tests/support/attempts.h"

using namespace quire;

namespace {

EngineServiceOptions options(const QString& path = bundled()) {
  EngineServiceOptions options;
  options.modelPath = path;
  options.bundledModelPath = bundled();
  options.backend.device = "cpu";
  options.engine.kv_bytes = 32 << 20;
  return options;
}

ChatRequest ask(int length, const QString& model = {}) {
  ChatRequest request = quire::ask("Tell me about the sea.", length);
  request.modelPath = model;
  return request;
}

constexpr int kEndless = 100'000'000;

}  // namespace

/// Several models of one service: which are loaded, which answer, and what makes room for what.
class TestModelPool : public QObject {
  Q_OBJECT

 private:
  static ModelState stateOf(const EngineService& service, const QString& path) {
    return modelAt(service.models(), path);
  }
  static bool isReady(const EngineService& service, const QString& path) {
    const ModelState model = stateOf(service, path);
    return model.path == path && model.state == ModelState::State::kReady && model.serving;
  }
  static bool isKnown(const EngineService& service, const QString& path) {
    return stateOf(service, path).path == path;
  }
  /// A model that takes some seconds to load.
  static QString writeLarge(const QTemporaryDir& folder) {
    const QString path = folder.filePath("large.gguf");
    bench::write_random_gguf(path.toStdString(), DType::kQ8_0,
                             {.num_layers = 12,
                              .hidden_size = 1024,
                              .num_heads = 16,
                              .num_kv_heads = 4,
                              .intermediate_size = 4096,
                              .vocab_size = 8000,
                              .context = 512});
    return path;
  }

  /// Whether the model serves although its load was cancelled.
  static bool cancelAtTheEnd(ModelPool& pool) {
    pool.load({.path = bundled()}, true);
    const ServedModel& model = *pool.primary();
    while (model.isLoading() && model.clock.phase() < LoadPhase::kWeights) {
      QTest::qWait(1);
    }
    QTest::qSleep(250);  // Until it has ended, nearly always.
    QCoreApplication::processEvents();
    if (!model.isLoading()) return false;
    pool.cancelLoad(bundled());
    QTest::qSleep(50);
    QCoreApplication::processEvents();
    return model.isServing();
  }

 private slots:
  /// Where the layers are that adapters change; the next model's plan may count on it.
  void adapters_areMemoryThatTheModelHolds() {
    ServedModel model;
    model.planned.plan.memory.weights = 150;
    model.planned.estimate.parts = {
        {.device = "cuda:0", .has_own_memory = true, .num_layers = 3, .weight_bytes = 100},
        {.device = "cpu", .num_layers = 1, .weight_bytes = 50}};
    QCOMPARE(factsOf(model).heldBytes["cuda:0"], 100u);
    model.stats.adapter_bytes = 40;
    QCOMPARE(factsOf(model).heldBytes["cuda:0"], 130u);
    QCOMPARE(factsOf(model).heldBytes["cpu"], 60u);
    QCOMPARE(quire::stateOf(model, true).memory.weights, 190u);
  }

  void init() {
    if (!QFile::exists(draft() + "/model.safetensors")) QSKIP("The bundled models are not there.");
  }

  void secondModel_isAddedBesideTheFirst() {
    EngineService service(options());
    AnswerLog heard(service);
    const RequestId first = heard.submit(ask(kEndless));
    QTRY_VERIFY_WITH_TIMEOUT(!heard[first].text.isEmpty(), kPatienceMs);
    service.loadModel(draft());
    QCOMPARE(service.state(), ModelManager::State::Loading);
    QTRY_VERIFY_WITH_TIMEOUT(isReady(service, draft()), kPatienceMs);
    QVERIFY(isReady(service, bundled()));
    QCOMPARE(service.models().size(), 2);
    QCOMPARE(service.models().first().path, draft());
    QVERIFY(service.models().first().primary && !service.models().last().primary);
    QCOMPARE(service.modelPath(), draft());
    QCOMPARE(heard[first].finishes, 0);

    const RequestId second = heard.submit(ask(10));
    const RequestId third = heard.submit(ask(10, bundled()));
    QTRY_VERIFY_WITH_TIMEOUT(heard[second].finishes + heard[third].finishes == 2, kPatienceMs);
    QVERIFY(heard[second].report.origin.modelFingerprint !=
            heard[third].report.origin.modelFingerprint);
    service.cancel(first);
    QTRY_COMPARE(heard[first].finishes, 1);
    QCOMPARE(heard[first].report.finish, FinishReason::kCancelled);
    QCOMPARE(heard[first].report.origin.modelFingerprint,
             heard[third].report.origin.modelFingerprint);
  }

  void loadedModel_becomesThePrimaryOneAtOnce() {
    EngineService service(options());
    service.loadModel(draft());
    QTRY_VERIFY_WITH_TIMEOUT(isReady(service, draft()) && isReady(service, bundled()),
                             2 * kPatienceMs);
    QCOMPARE(service.modelPath(), draft());
    service.loadModel(bundled());
    QCOMPARE(service.state(), ModelManager::State::Ready);
    QCOMPARE(service.modelPath(), bundled());
    service.setPrimaryModel(draft());
    QCOMPARE(service.modelPath(), draft());
    QVERIFY(!service.primaryModel().isDemonstration);
  }

  void states_tellPhaseMemoryAndDevice() {
    const QTemporaryDir folder;
    const QString path = writeLarge(folder);
    EngineService service(options(path));
    QList<LoadPhase> phases;
    QList<double> fractions;
    connect(&service, &ModelManager::modelsChanged, this, [&] {
      const ModelState model = stateOf(service, path);
      if (model.state != ModelState::State::kLoading) return;
      if (phases.isEmpty() || phases.last() != model.phase) phases.append(model.phase);
      fractions.append(model.fraction);
      if (model.phase == LoadPhase::kWeights) QVERIFY(model.bytesRead <= model.bytesToRead);
    });
    QTRY_VERIFY_WITH_TIMEOUT(isReady(service, path), kPatienceMs);
    QVERIFY(phases.contains(LoadPhase::kHead));
    QVERIFY(phases.contains(LoadPhase::kWeights));
    QVERIFY(std::is_sorted(fractions.begin(), fractions.end()));
    const ModelState model = stateOf(service, path);
    QVERIFY(model.deviceName.startsWith("CPU"));
    QVERIFY(model.memory.weights > 100'000'000 && model.memory.cache > 0);
    QVERIFY(model.memory.workspace > 0 && model.memory.free > model.memory.total());
    QCOMPARE(model.contextLength, 512);
    QCOMPARE(model.phase, LoadPhase::kNone);
  }

  void cancelledLoad_leavesTheOldModelServing() {
    const QTemporaryDir folder;
    const QString path = writeLarge(folder);
    EngineService service(options());
    AnswerLog heard(service);
    QTRY_VERIFY_WITH_TIMEOUT(isReady(service, bundled()), kPatienceMs);
    const RequestId before = heard.submit(ask(40));
    QSignalSpy failed(&service, &EngineService::loadFailed);
    QVERIFY(cancelWhileReading(service, {.path = path}));
    QCOMPARE(service.state(), ModelManager::State::Ready);
    QTRY_VERIFY_WITH_TIMEOUT(!isKnown(service, path), kPatienceMs);
    // The loader is free again: the next load goes through.
    service.loadModel(draft());
    QTRY_VERIFY_WITH_TIMEOUT(isReady(service, draft()), kPatienceMs);
    QTRY_COMPARE_WITH_TIMEOUT(heard[before].finishes, 1, kPatienceMs);
    QCOMPARE(heard[before].report.outputTokens, 40);
    QVERIFY(failed.isEmpty());
  }

  void cancelledFirstLoad_saysSo() {
    const QTemporaryDir folder;
    const QString path = writeLarge(folder);
    EngineService service(options(path));
    AnswerLog heard(service);
    const RequestId waiting = heard.submit(ask(5));
    service.cancelLoad(path);
    QCOMPARE(service.state(), ModelManager::State::Failed);
    QTRY_COMPARE(heard[waiting].finishes, 1);
    QCOMPARE(heard[waiting].report.finish, FinishReason::kFailed);
    QVERIFY(!heard[waiting].report.error.isEmpty());
    service.loadModel(draft());
    const RequestId next = heard.submit(ask(5));
    QTRY_COMPARE_WITH_TIMEOUT(heard[next].finishes, 1, kPatienceMs);
    QCOMPARE(heard[next].report.error, QString());
  }

  void loadCancelledAtTheLastMoment_saysNothingOfItWhenTheModelServes() {
    // The moment is between the loader's end and the worker's word, which cannot be made to wait.
    constexpr int kAttempts = 40;
    bool wasHit = false;
    for (int i = 0; i < kAttempts && !wasHit; ++i) {
      ModelPool pool({.backend = options().backend,
                      .engine = options().engine,
                      .bundledModelPath = bundled(),
                      .onEvent = [](ServedModel&, const WorkerEvent&) {}});
      wasHit = cancelAtTheEnd(pool);
      if (!wasHit) continue;
      QCOMPARE(pool.states().first().error, QString());
      QCOMPARE(pool.notice(), QString());
    }
    if (!wasHit) QSKIP("The moment was missed each time.");
  }

  void unloadedModel_isLoadedAgainByAQuestion() {
    EngineService service(options());
    AnswerLog heard(service);
    QTRY_VERIFY_WITH_TIMEOUT(isReady(service, bundled()), kPatienceMs);
    const RequestId running = heard.submit(ask(kEndless));
    QTRY_VERIFY_WITH_TIMEOUT(!heard[running].text.isEmpty(), kPatienceMs);
    service.unloadModel(bundled());
    QTRY_COMPARE_WITH_TIMEOUT(heard[running].finishes, 1, kPatienceMs);
    QCOMPARE(heard[running].report.finish, FinishReason::kFailed);
    QVERIFY(heard[running].report.error.contains("unloaded"));
    QTRY_COMPARE(service.state(), ModelManager::State::Unloaded);
    QCOMPARE(stateOf(service, bundled()).state, ModelState::State::kUnloaded);
    const RequestId next = heard.submit(ask(5));
    QTRY_COMPARE_WITH_TIMEOUT(heard[next].finishes, 1, kPatienceMs);
    QCOMPARE(heard[next].report.error, QString());
    QCOMPARE(service.state(), ModelManager::State::Ready);
  }

  void unloadedPrimary_leavesThePlaceToAnother() {
    EngineService service(options());
    service.loadModel(draft());
    QTRY_VERIFY_WITH_TIMEOUT(isReady(service, draft()), 2 * kPatienceMs);
    service.unloadModel(draft());
    QCOMPARE(service.modelPath(), bundled());
    QTRY_VERIFY(!isKnown(service, draft()));
    QCOMPARE(service.state(), ModelManager::State::Ready);
  }

  void idleModel_isUnloadedAndComesBack() {
    EngineServiceOptions quick = options();
    quick.msPerIdleMinute = 100;
    EngineService service(quick);
    AnswerLog heard(service);
    service.setIdleUnload(2);
    QCOMPARE(service.idleUnload(), 2);
    const RequestId running = heard.submit(ask(kEndless));
    QTRY_VERIFY_WITH_TIMEOUT(!heard[running].text.isEmpty(), kPatienceMs);
    QTest::qWait(400);
    QCOMPARE(service.state(), ModelManager::State::Ready);  // Busy is not idle.
    service.cancel(running);
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Unloaded, 5000);
    service.setIdleUnload(0);
    const RequestId next = heard.submit(ask(5));
    QTRY_COMPARE_WITH_TIMEOUT(heard[next].finishes, 1, kPatienceMs);
    QCOMPARE(heard[next].report.error, QString());
    QTest::qWait(300);
    QCOMPARE(service.state(), ModelManager::State::Ready);
  }

  void chatsOwnModel_isLoadedForIt() {
    EngineService service(options());
    AnswerLog heard(service);
    const RequestId own = heard.submit(ask(5, draft()));
    const RequestId other = heard.submit(ask(5));
    QTRY_VERIFY_WITH_TIMEOUT(heard[own].finishes + heard[other].finishes == 2, 2 * kPatienceMs);
    QCOMPARE(heard[own].report.error, QString());
    QCOMPARE(service.modelPath(), bundled());  // Whatever chats ask for.
    QVERIFY(isReady(service, draft()));
    const RequestId missing = heard.submit(ask(5, "/nonexistent/model"));
    QTRY_COMPARE_WITH_TIMEOUT(heard[missing].finishes, 1, kPatienceMs);
    QVERIFY(heard[missing].report.error.contains("/nonexistent/model"));
    QCOMPARE(service.state(), ModelManager::State::Ready);
    QCOMPARE(service.stateText(), QString());
  }

  void loadInPlaceOfThePrimary_endsItsAnswers() {
    EngineService service(options());
    AnswerLog heard(service);
    const RequestId running = heard.submit(ask(kEndless));
    QTRY_VERIFY_WITH_TIMEOUT(!heard[running].text.isEmpty(), kPatienceMs);
    service.loadModel({.path = draft(), .place = LoadRequest::Place::kInstead});
    QTRY_VERIFY_WITH_TIMEOUT(isReady(service, draft()), kPatienceMs);
    QTRY_COMPARE(heard[running].finishes, 1);
    QCOMPARE(heard[running].report.finish, FinishReason::kFailed);
    QVERIFY(!heard[running].report.error.isEmpty());
    QTRY_VERIFY(!isKnown(service, bundled()));
  }

  void modelWithoutRoomBesideIt_givesItsOwnAndTakesItBack() {
    const QTemporaryDir folder;
    const QString large = writeLarge(folder);
    EngineService service(options());
    AnswerLog heard(service);
    QTRY_VERIFY_WITH_TIMEOUT(isReady(service, bundled()), kPatienceMs);
    // Promised memory, which nobody touches: two such pools are more than there is.
    const quint64 most = list_devices().front().free_bytes / 10 * 6;
    service.loadModel({.path = bundled(), .cacheBytes = most});
    QTRY_COMPARE_WITH_TIMEOUT(stateOf(service, bundled()).request.cacheBytes,
                              std::optional<quint64>(most), kPatienceMs);
    const RequestId running = heard.submit(ask(kEndless));
    QTRY_VERIFY_WITH_TIMEOUT(!heard[running].text.isEmpty(), kPatienceMs);

    LoadPlan plan;
    service.planLoad({.path = large, .cacheBytes = most},
                     {this, [&](const LoadPlan& made) { plan = made; }});
    QTRY_VERIFY_WITH_TIMEOUT(!plan.name.isEmpty(), kPatienceMs);
    QCOMPARE(plan.replaces, QStringList{bundled()});
    QVERIFY(plan.fits && plan.error.isEmpty());

    const auto whileReading = cancelWhileReading(service, {.path = large, .cacheBytes = most});
    QVERIFY(whileReading && !modelAt(*whileReading, bundled()).serving);
    QTRY_VERIFY_WITH_TIMEOUT(isReady(service, bundled()), kPatienceMs);
    const auto before = heard[running].text.size();
    QTRY_VERIFY_WITH_TIMEOUT(heard[running].text.size() > before, kPatienceMs);
    QCOMPARE(heard[running].finishes, 0);

    service.loadModel({.path = draft(), .cacheBytes = most});
    QTRY_VERIFY_WITH_TIMEOUT(isReady(service, draft()), kPatienceMs);
    QTRY_COMPARE(heard[running].finishes, 1);
    QCOMPARE(heard[running].report.finish, FinishReason::kFailed);
    QVERIFY(heard[running].report.error.contains("Another model"));
    QTRY_VERIFY(!isKnown(service, bundled()));
  }

  void sameModelWithOtherOptions_isLoadedAnew() {
    EngineService service(options());
    AnswerLog heard(service);
    QTRY_VERIFY_WITH_TIMEOUT(isReady(service, bundled()), kPatienceMs);
    service.loadModel({.path = bundled(), .threads = 1, .contextLength = 256});
    QCOMPARE(stateOf(service, bundled()).state, ModelState::State::kLoading);
    QTRY_COMPARE_WITH_TIMEOUT(service.contextLength(), 256, kPatienceMs);
    QCOMPARE(service.models().size(), 1);
    QVERIFY2(service.deviceName().contains("1 thread"), qPrintable(service.deviceName()));
    QCOMPARE(stateOf(service, bundled()).request.contextLength, std::optional<int>(256));
  }

  void badOptions_areRefusedInASentence() {
    EngineService service(options());
    QTRY_VERIFY_WITH_TIMEOUT(isReady(service, bundled()), kPatienceMs);
    QSignalSpy failed(&service, &EngineService::loadFailed);
    service.loadModel({.path = draft(), .device = "abacus"});
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatienceMs);
    QVERIFY(service.stateText().contains("abacus"));
    QCOMPARE(stateOf(service, draft()).state, ModelState::State::kFailed);
    service.loadModel({.path = draft(), .cacheType = "q1"});
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 2, kPatienceMs);
    QVERIFY(service.stateText().contains("q1"));
    QCOMPARE(service.state(), ModelManager::State::Ready);
  }

  void plan_saysWhatLoadingWouldDo() {
    EngineService service(options());
    QTRY_VERIFY_WITH_TIMEOUT(isReady(service, bundled()), kPatienceMs);
    QHash<int, LoadPlan> plans;
    const auto plan = [&](int number, const LoadRequest& request) {
      service.planLoad(request,
                       {this, [&, number](const LoadPlan& made) { plans[number] = made; }});
    };
    plan(1, {.path = draft()});
    plan(2, {.path = draft(), .place = LoadRequest::Place::kInstead});
    plan(3, {.path = "/nonexistent/model"});
    // 16 million tokens of it, 26 GB, are the most that a cache holds.
    plan(4, {.path = draft(), .cacheBytes = quint64{1} << 50, .cacheType = "f32"});
    QTRY_COMPARE_WITH_TIMEOUT(plans.size(), 4, kPatienceMs);
    QVERIFY(plans[1].error.isEmpty() && plans[1].fits && plans[1].replaces.isEmpty());
    QVERIFY(plans[1].memory.weights > 0 && plans[1].contextLength > 0);
    QCOMPARE(plans[2].replaces, QStringList{bundled()});
    QVERIFY(plans[3].error.contains("/nonexistent/model"));
    const bool isSmallMachine = available_host_bytes() < quint64{25} << 30;
    QCOMPARE(plans[4].fits, !isSmallMachine);
    QCOMPARE(plans[4].error.contains("MB"), isSmallMachine);
  }

  void devices_areListedWithReasons() {
    EngineService service(options());
    QList<ComputeDevice> devices;
    service.listDevices({this, [&](const auto& listed) { devices = listed; }});
    QTRY_VERIFY_WITH_TIMEOUT(!devices.isEmpty(), kPatienceMs);
    QCOMPARE(devices.first().name, QString("cpu"));
    for (const ComputeDevice& device : qAsConst(devices)) {
      QVERIFY(device.available || !device.reason.isEmpty());
      QVERIFY(device.cacheTypes.contains(device.defaultCacheType));
    }
  }

  void destruction_isQuickWithSeveralModels() {
    constexpr qint64 kQuickMs = 2000;
    const qint64 ms = test::msOfAttempts(kQuickMs, [&] {
      auto service = std::make_unique<EngineService>(options());
      AnswerLog heard(*service);
      service->loadModel(draft());
      const RequestId first = heard.submit(ask(kEndless, bundled()));
      const RequestId second = heard.submit(ask(kEndless, draft()));
      const auto areWritten = [&] {
        return !heard[first].text.isEmpty() && !heard[second].text.isEmpty();
      };
      if (!QTest::qWaitFor(areWritten, 2 * kPatienceMs)) qFatal("No text.");
      QElapsedTimer timer;
      timer.start();
      service.reset();
      return timer.elapsed();
    });
    QVERIFY2(ms < kQuickMs, qPrintable(QString::number(ms)));
  }
};

QTEST_GUILESS_MAIN(TestModelPool)
#include "tst_model_pool.moc"
