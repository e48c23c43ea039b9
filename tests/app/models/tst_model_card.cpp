#include <QSignalSpy>
#include <QTest>

#include "app/models/model_card.h"
#include "app/session/interface_language.h"
#include "tests/support/fake_backend.h"

using namespace quire;

namespace {

const QString kPath = QStringLiteral("/models/own.gguf");
constexpr quint64 kGigabyte = 1'000'000'000;

LoadPlan planOf(double weights, double cache, double free, bool fits) {
  LoadPlan plan;
  plan.memory = {.weights = static_cast<quint64>(weights * kGigabyte),
                 .cache = static_cast<quint64>(cache * kGigabyte),
                 .workspace = kGigabyte / 10,
                 .free = static_cast<quint64>(free * kGigabyte)};
  plan.fits = fits;
  return plan;
}

}  // namespace

class ModelCardTest : public QObject {
  Q_OBJECT

 private:
  const InterfaceLanguage m_language;

 private slots:
  void init() {
    m_backend = std::make_unique<FakeBackend>();
    m_planner = std::make_unique<LoadPlanner>(*m_backend);
    m_devices = std::make_unique<ComputeDevices>(*m_backend);
    m_card = std::make_unique<ModelCard>(kPath, *m_backend, *m_planner, *m_devices);
    FoundModel found = {.path = kPath, .name = "own"};
    found.facts.contextLength = 32'768;
    m_card->setFound(found);
  }
  void cleanup() { m_card.reset(); }

  void memory_isShownByPart() {
    m_backend->plans[kPath] = planOf(4.6, 0.4, 9.8, true);
    m_card->show();
    QTRY_VERIFY(m_card->memory()->isKnown());
    const MemoryForecast& memory = *m_card->memory();
    QCOMPARE(memory.text(), QString("needs 5.1 of 9.8 GB free"));
    QCOMPARE(memory.weightsText(), QString("weights 4.6 GB"));
    QCOMPARE(memory.cacheText(), QString("keys and values 400 MB"));
    QVERIFY(qAbs(memory.weightsShare() - 4.6 / 9.8) < 1e-6);
    QVERIFY(!memory.warns());
  }

  void insufficientMemory_isShown_withAFullBar() {
    m_backend->plans[kPath] = planOf(39.9, 2.0, 9.8, false);
    m_card->show();
    QTRY_VERIFY(m_card->memory()->warns());
    const MemoryForecast& memory = *m_card->memory();
    QCOMPARE(memory.text(), QString("needs 42.0 GB, but only 9.8 GB is free"));
    QVERIFY(qAbs(memory.weightsShare() + memory.cacheShare() + memory.workspaceShare() - 1.0) <
            1e-6);
  }

  void memory_followsTheContext_withOneRequestPerDrag() {
    m_backend->plans[kPath] = planOf(4.6, 0.4, 9.8, true);
    m_card->show();
    QTRY_VERIFY(m_card->memory()->isKnown());
    m_backend->planned.clear();
    m_backend->plans[kPath] = planOf(4.6, 0.1, 9.8, true);
    for (int at = 9; at > 2; --at) m_card->options()->setContextPosition(at / 10.0);
    QTRY_COMPARE(m_card->memory()->cacheText(), QString("keys and values 100 MB"));
    QCOMPARE(m_backend->planned.size(), 1);
    QCOMPARE(m_backend->planned[0].contextLength, m_card->options()->settings().contextLength);
  }

  void context_isRounded_bounded_andCanBeReset() {
    ModelOptions& options = *m_card->options();
    QVERIFY(!options.contextIsSet());
    QCOMPARE(options.contextText(), QString("32,768 tokens"));
    QCOMPARE(options.contextPosition(), 1.0);
    options.setContextPosition(0.5);
    QCOMPARE(options.contextLength() % 256, 0);
    QVERIFY(options.contextLength() > 3000 && options.contextLength() < 5000);
    QVERIFY(qAbs(options.contextPosition() - 0.5) < 0.02);
    options.setContextLength(7);
    QCOMPARE(options.contextLength(), 512);
    options.setContextLength(1'000'000);
    QVERIFY(!options.contextIsSet());
    options.setContextLength(4096);
    options.resetContext();
    QVERIFY(!options.anySet());
  }

  void options_becomeTheLoadRequest() {
    m_backend->devices = {{.name = "cpu", .description = "CPU", .available = true},
                          {.name = "cuda:0", .reason = "The driver is too old."}};
    m_devices->prepare();
    QTRY_COMPARE(m_devices->labels(), QStringList({"Automatic", "CPU"}));
    QCOMPARE(m_devices->note(), QString("The driver is too old."));
    m_card->options()->setDeviceIndex(1);
    m_card->options()->setThreads(3);
    m_card->options()->setContextLength(2048);
    m_card->options()->setCacheMebibytes(64);
    m_card->load();
    QCOMPARE(m_backend->loads.size(), 1);
    const LoadRequest& request = m_backend->loads[0];
    QCOMPARE(request.path, kPath);
    QCOMPARE(request.device, QString("cpu"));
    QCOMPARE(request.threads, std::optional(3));
    QCOMPARE(request.contextLength, std::optional(2048));
    QCOMPARE(request.cacheBytes, std::optional<quint64>(64 << 20));
  }

  void precision_isKept_andUnsupportedOnesAreMarked() {
    m_backend->devices = {
        {.name = "cpu",
         .available = true,
         .cacheTypes = {"f32", "f16", "i8"},
         .defaultCacheType = "f32"},
        {.name = "cuda:0", .available = true, .cacheTypes = {"f16"}, .defaultCacheType = "f16"}};
    m_devices->prepare();
    ModelOptions& options = *m_card->options();
    QTRY_COMPARE(options.precisionDefault(), QString("16 bit"));
    QCOMPARE(options.precisionChoices(), QStringList({"Same as all models", "16 bit"}));
    options.setDeviceIndex(1);
    QCOMPARE(options.precisionDefault(), QString("32 bit"));
    m_backend->plans[kPath] = planOf(4.6, 0.4, 9.8, true);
    m_card->show();
    QTRY_COMPARE(m_card->memory()->cacheText(), QString("keys and values 400 MB"));
    m_backend->plans[kPath] = planOf(4.6, 0.1, 9.8, true);
    m_backend->planned.clear();
    options.setPrecisionIndex(3);
    QTRY_COMPARE(m_card->memory()->cacheText(), QString("keys and values 100 MB"));
    QCOMPARE(m_backend->planned[0].cacheType, QString("i8"));
    // The choice is kept; the engine rejects it with an error before it loads anything.
    options.setDeviceIndex(2);
    QCOMPARE(options.precisionChoices(),
             QStringList({"Same as all models", "16 bit", "8 bit, not on this device"}));
    QCOMPARE(options.precisionIndex(), 2);
    QCOMPARE(options.request().cacheType, QString("i8"));
    options.setPrecisionIndex(0);
    QCOMPARE(options.precisionChoices(), QStringList({"Same as all models", "16 bit"}));
    QVERIFY(options.request().cacheType.isEmpty());
  }

  void guessing_isPartOfTheRequest() {
    ModelOptions& options = *m_card->options();
    QCOMPARE(options.speculationChoices(), QStringList({"Automatic", "Off"}));
    QVERIFY(!options.offersDrafts());
    m_card->setDrafts({{"/models/tiny", "tiny"}, {"/models/small", "small"}});
    QVERIFY(options.offersDrafts());
    QCOMPARE(options.draftChoices(), QStringList({"None", "tiny", "small"}));
    QCOMPARE(options.draftIndex(), 0);
    QSignalSpy edited(&options, &ModelOptions::edited);
    options.setDraftIndex(2);
    QCOMPARE(edited.size(), 1);
    QVERIFY(options.anySet());
    QCOMPARE(options.request().draftPath, QString("/models/small"));
    QVERIFY(options.request().speculates);
    options.setSpeculationIndex(1);
    QVERIFY(!options.offersDrafts());
    QVERIFY(!options.request().speculates);
    QCOMPARE(options.request().draftPath, QString());
    ModelSettings stored;
    options.writeTo(stored);
    QCOMPARE(stored.draftModel, QString("/models/small"));
    QCOMPARE(stored.speculates, std::optional(false));
    options.resetAll();
    QVERIFY(!options.anySet());
    QVERIFY(options.request().speculates);
  }

  /// Its files may be missing or hostile, so only a load reads them, after their trial.
  void draftModelThatWasNotFound_isKeptButNotForecast() {
    m_backend->plans[kPath] = planOf(4.6, 0.4, 9.8, true);
    ModelSettings stored{.path = kPath};
    stored.draftModel = "/models/tiny";
    m_card->options()->setSettings(stored);
    QCOMPARE(m_card->options()->draftChoices(), QStringList({"None", "tiny, not found yet"}));
    QCOMPARE(m_card->options()->draftIndex(), 1);
    m_card->show();
    QTRY_VERIFY(m_card->memory()->isKnown());
    QCOMPARE(m_backend->planned.last().draftPath, QString());
    QCOMPARE(m_card->options()->request().draftPath, QString("/models/tiny"));
    m_card->setDrafts({{"/models/tiny", "tiny"}});
    QTRY_COMPARE(m_backend->planned.last().draftPath, QString("/models/tiny"));
    QCOMPARE(m_card->options()->draftChoices(), QStringList({"None", "tiny"}));
  }

  void loading_showsPhasePercentAndTimeLeft_andCanBeCancelled() {
    ModelState state = {.path = kPath, .state = ModelState::State::kLoading};
    state.phase = LoadPhase::kWeights;
    state.fraction = 0.42;
    state.bytesRead = 2'100'000'000;
    state.bytesToRead = 5'000'000'000;
    m_card->setState(state);
    QCOMPARE(m_card->phaseText(), QString("Reading weights, 2.1 GB of 5.0 GB · 42%"));
    QVERIFY(m_card->timeLeftText().isEmpty());
    state.secondsLeft = 12.3;
    m_card->setState(state);
    QCOMPARE(m_card->timeLeftText(), QString("12 seconds left"));
    QVERIFY(!m_card->canLoad());
    m_card->cancel();
    QCOMPARE(m_backend->cancelledLoads, QStringList({kPath}));
  }

  void reload_waitsForRunningAnswers() {
    ModelState state = {.path = kPath, .state = ModelState::State::kLoading, .serving = true};
    state.phase = LoadPhase::kCache;
    state.runningRequests = 1;
    state.secondsLeft = 0.0;
    m_card->setState(state);
    QCOMPARE(m_card->phaseText(), QString("Ready, waiting for running answers to finish"));
    QVERIFY(m_card->timeLeftText().isEmpty());
    state.runningRequests = 0;
    m_card->setState(state);
    QVERIFY(m_card->phaseText().contains("%"));
  }

  void failedLoad_showsTheError_andCanBeRetried() {
    ModelState state = {.path = kPath, .state = ModelState::State::kFailed};
    state.error = "The file is damaged.";
    m_card->setState(state);
    QCOMPARE(m_card->error(), QString("The file is damaged."));
    QCOMPARE(m_card->loadText(), QString("Try again"));
    QVERIFY(m_card->canLoad());
  }

  void failedLoad_isSaidOnce() {
    m_backend->plans[kPath].error = "The file ends too early.";
    m_card->show();
    QTRY_COMPARE(m_card->memory()->text(), QString("The file ends too early."));
    QVERIFY(m_card->showsMemory());
    ModelState state = {.path = kPath, .state = ModelState::State::kFailed};
    state.error = "The file is damaged.";
    m_card->setState(state);
    QCOMPARE(m_card->loadError(), state.error);
    QVERIFY(!m_card->showsMemory());
    FoundModel found = {.path = kPath, .name = "model"};
    found.facts.obstacle.message = "It crashed when it was read.";
    m_card->setFound(found);
    QCOMPARE(m_card->loadError(), QString());
  }

  void loadedModel_showsDeviceMemoryAndSpeed_andReloadsOnlyWithOtherOptions() {
    ModelState state = {
        .path = kPath, .state = ModelState::State::kReady, .primary = true, .serving = true};
    state.deviceName = "CPU · AVX-512 · 2 threads";
    state.memory.weights = 5 * kGigabyte;
    state.contextLength = 8192;
    state.runningRequests = 2;
    m_card->setState(state);
    m_card->setSpeed(38.44);
    QCOMPARE(m_card->statusText(),
             QString("CPU · AVX-512 · 2 threads · takes 5.0 GB · 8,192 tokens · 38.4 tokens/s"));
    QCOMPARE(m_card->badge(), QString("In use"));
    state.draftName = "tiny";
    m_card->setState(state);
    QVERIFY2(m_card->statusText().contains(" · draft model tiny · "),
             qPrintable(m_card->statusText()));
    QCOMPARE(m_card->draftNote(), QString());
    state.draftNote = "The draft model is not used: It is gone.";
    m_card->setState(state);
    QCOMPARE(m_card->draftNote(), state.draftNote);
    QVERIFY(!m_card->canReload());
    m_card->options()->setContextLength(4096);
    QVERIFY(m_card->canReload());
    QCOMPARE(m_card->loadText(), QString("Load again"));
    m_card->options()->resetAll();
    QVERIFY(!m_card->canReload());
    m_card->options()->setPrecisionIndex(3);
    QVERIFY(m_card->canReload());
  }

  void replacedModels_areShownBeforeALoad() {
    m_card->memory()->setNames([](const QString& path) { return path.section('/', -1); });
    m_backend->plans[kPath] = planOf(1, 1, 9, true);
    m_card->show();
    QTRY_VERIFY(m_card->memory()->isKnown());
    QVERIFY(m_card->memory()->placeText().isEmpty());
    m_card->memory()->setServing({"/models/first"});
    QCOMPARE(m_card->memory()->placeText(), QString("Loads beside first"));
    m_backend->plans[kPath].replaces = QStringList({"/models/first"});
    m_card->options()->setThreads(2);
    QTRY_COMPARE(m_card->memory()->placeText(), QString("Loads in place of first"));
  }

  /// Planning opens the files in the window's process.
  void unreadFile_isPlanned_onlyWhenItWasRead() {
    ModelCard card("/models/new", *m_backend, *m_planner, *m_devices);
    card.show();
    QTest::qWait(150);
    QVERIFY(!card.memory()->isWanted());
    FoundModel found = {.path = "/models/new", .name = "new"};
    found.facts.isQuarantined = true;
    found.facts.obstacle.message = "It crashed.";
    card.setFound(found);
    QVERIFY(!card.memory()->isWanted());
    QVERIFY(card.isQuarantined());
    QVERIFY(!card.canLoad());
    found.facts = {};
    card.setFound(found);
    QVERIFY(card.memory()->isWanted());
  }

  void brokenFile_isNeverPlannedOrLoaded() {
    FoundModel found = m_card->found();
    found.facts.obstacle.message = "It ends too early.";
    m_card->setFound(found);
    m_backend->planned.clear();
    m_card->show();
    m_card->load();
    QTest::qWait(150);
    QVERIFY(m_backend->planned.isEmpty());
    QVERIFY(m_backend->loads.isEmpty());
  }

 private:
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<LoadPlanner> m_planner;
  std::unique_ptr<ComputeDevices> m_devices;
  std::unique_ptr<ModelCard> m_card;
};

QTEST_MAIN(ModelCardTest)
#include "tst_model_card.moc"
