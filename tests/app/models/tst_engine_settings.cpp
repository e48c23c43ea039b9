#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/models/model_library.h"
#include "app/settings/settings_model.h"
#include "tests/support/fake_backend.h"

using namespace quire;

namespace {

const QString kOwn = QStringLiteral("/models/own.gguf");
const QString kOther = QStringLiteral("/models/other.gguf");

const ComputeDevice kProcessor = {.name = "cpu",
                                  .available = true,
                                  .cacheTypes = {"f32", "f16", "bf16", "i8"},
                                  .defaultCacheType = "f32"};
const ComputeDevice kGpu = {.name = "cuda:0",
                            .available = true,
                            .cacheTypes = {"f16", "bf16", "f8_e4m3", "i8"},
                            .defaultCacheType = "f16"};

QVariant at(EngineSettings& settings, int row, int role) {
  return settings.data(settings.index(row), role);
}

ModelState served(const LoadRequest& request) {
  ModelState state = {.path = request.path, .state = ModelState::State::kReady, .serving = true};
  state.name = request.path.section(u'/', -1).section(u'.', 0, 0);
  state.request = request;
  return state;
}

}  // namespace

/// The load settings of all models and of one model, and their effect on loaded models.
class EngineSettingsTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    open();
  }
  void cleanup() { close(); }

  void defaults_areShown_andCanBeReset() {
    m_backend->devices = {{.name = "cpu", .available = true, .threads = 8}};
    m_library->cards().devices().prepare();
    EngineSettings& settings = *m_library->engineSettings();
    QTRY_COMPARE(at(settings, EngineSettings::kThreads, EngineSettings::kDefaultText).toString(),
                 QString("Default: 8, all cores"));
    QCOMPARE(at(settings, EngineSettings::kBatch, EngineSettings::kDefaultText).toString(),
             QString("Default: 512"));
    for (int row = 0; row < EngineSettings::kNumRows; ++row) {
      QVERIFY(!at(settings, row, EngineSettings::kIsSet).toBool());
      const QString value = row == EngineSettings::kPrecision ? "f16" : "600";
      settings.set(row, value);
      QVERIFY(at(settings, row, EngineSettings::kIsSet).toBool());
      QCOMPARE(at(settings, row, EngineSettings::kValueText).toString(), value);
      settings.reset(row);
      QVERIFY(!at(settings, row, EngineSettings::kIsSet).toBool());
    }
    QVERIFY(settings.defaults() == LoadDefaults());
  }

  void invalidNumber_isRejected_withTheBounds() {
    EngineSettings& settings = *m_library->engineSettings();
    settings.set(EngineSettings::kBatch, "9");
    QCOMPARE(at(settings, EngineSettings::kBatch, EngineSettings::kProblem).toString(),
             QString("This is a whole number from 16 to 8,192."));
    settings.set(EngineSettings::kThreads, "many");
    QVERIFY(!at(settings, EngineSettings::kThreads, EngineSettings::kProblem).toString().isEmpty());
    QVERIFY(settings.defaults() == LoadDefaults());
    settings.set(EngineSettings::kBatch, "64");
    QVERIFY(at(settings, EngineSettings::kBatch, EngineSettings::kProblem).toString().isEmpty());
  }

  void precision_choices_areWhatTheDevicesSupport() {
    EngineSettings& settings = *m_library->engineSettings();
    const auto precision = [&](int role) { return at(settings, EngineSettings::kPrecision, role); };
    const QStringList all = {"Automatic", "32 bit", "16 bit", "8 bit"};
    QCOMPARE(precision(EngineSettings::kChoices).toStringList(), all);
    QCOMPARE(precision(EngineSettings::kDefaultText).toString(),
             QString("Default: the device's own"));
    QVERIFY(
        at(settings, EngineSettings::kCache, EngineSettings::kChoices).toStringList().isEmpty());
    m_backend->devices = {kProcessor, kGpu};
    m_library->cards().devices().prepare();
    QTRY_COMPARE(precision(EngineSettings::kDefaultText).toString(), QString("Default: 16 bit"));
    QCOMPARE(precision(EngineSettings::kChoices).toStringList(),
             QStringList({"Automatic", "16 bit", "8 bit"}));
    settings.choose(EngineSettings::kPrecision, 2);
    QCOMPARE(precision(EngineSettings::kValueText).toString(), QString("i8"));
    QCOMPARE(precision(EngineSettings::kChoiceIndex).toInt(), 2);
    settings.choose(EngineSettings::kPrecision, 0);
    QVERIFY(!precision(EngineSettings::kIsSet).toBool());
    settings.set(EngineSettings::kPrecision, "f32");
    QVERIFY(precision(EngineSettings::kProblem).toString().endsWith("Choose another."));
    settings.reset(EngineSettings::kPrecision);
    QVERIFY(precision(EngineSettings::kProblem).toString().isEmpty());
    settings.choose(EngineSettings::kPrecision, 9);
    settings.set(EngineSettings::kPrecision, "q1");
    QVERIFY(settings.defaults() == LoadDefaults());
  }

  /// There is one choice of 16 bits: the device's default, unless the other one was chosen before.
  void precision_of16Bits_isTheDevicesDefault() {
    EngineSettings& settings = *m_library->engineSettings();
    const auto precision = [&](int role) { return at(settings, EngineSettings::kPrecision, role); };
    ComputeDevice processor = kProcessor;
    processor.defaultCacheType = "bf16";
    m_backend->devices = {processor};
    m_library->cards().devices().prepare();
    QTRY_COMPARE(precision(EngineSettings::kDefaultText).toString(), QString("Default: 16 bit"));
    const QStringList all = {"Automatic", "32 bit", "16 bit", "8 bit"};
    QCOMPARE(precision(EngineSettings::kChoices).toStringList(), all);
    settings.choose(EngineSettings::kPrecision, 2);
    QCOMPARE(precision(EngineSettings::kValueText).toString(), QString("bf16"));
    QCOMPARE(precision(EngineSettings::kChoiceIndex).toInt(), 2);
    settings.set(EngineSettings::kPrecision, "f16");
    QCOMPARE(precision(EngineSettings::kChoices).toStringList(), all);
    QCOMPARE(precision(EngineSettings::kChoiceIndex).toInt(), 2);
    QCOMPARE(settings.defaults().cacheType, QString("f16"));
  }

  void precision_appliesToEveryLoad_unlessTheCardOverridesIt() {
    m_library->engineSettings()->set(EngineSettings::kPrecision, "i8");
    ModelOptions& own = *m_library->cards().card(kOwn)->options();
    QCOMPARE(own.precisionDefault(), QString("8 bit"));
    QCOMPARE(m_library->requestFor(kOwn).cacheType, QString("i8"));
    own.setPrecisionIndex(1);
    QCOMPARE(m_library->requestFor(kOwn).cacheType, QString("f32"));
    QCOMPARE(m_library->requestFor(kOther).cacheType, QString("i8"));
    QCOMPARE(m_backend->loadRequests.value(QString()).cacheType, QString("i8"));
    QCOMPARE(m_backend->loadRequests.value(kOwn).cacheType, QString("f32"));
    own.resetAll();
    QCOMPARE(m_backend->loadRequests.value(kOwn).cacheType, QString("i8"));
    m_library->engineSettings()->reset(EngineSettings::kPrecision);
    QVERIFY(m_library->requestFor(kOwn).cacheType.isEmpty());
  }

  void precision_isStored_andAnInvalidStoredValueIsIgnored() {
    m_library->engineSettings()->set(EngineSettings::kPrecision, "i8");
    m_library->cards().card(kOwn)->options()->setPrecisionIndex(2);
    close();
    open();
    QCOMPARE(m_library->engineSettings()->defaults().cacheType, QString("i8"));
    QCOMPARE(m_library->requestFor(kOwn).cacheType, QString("f16"));
    m_session->putSetting("engine.kvType", "q1");
    QVERIFY(m_session->store().putModelSettings({.path = kOther, .kvType = "q1"}));
    close();
    open();
    QVERIFY(m_library->engineSettings()->defaults() == LoadDefaults());
    ModelOptions& other = *m_library->cards().card(kOther)->options();
    QCOMPARE(other.precisionIndex(), 0);
    QVERIFY(!other.anySet());
    QVERIFY(m_library->requestFor(kOther).cacheType.isEmpty());
  }

  void defaults_applyToEveryLoad_unlessTheCardOverridesThem() {
    EngineSettings& settings = *m_library->engineSettings();
    settings.set(EngineSettings::kThreads, "3");
    settings.set(EngineSettings::kContext, "4096");
    settings.set(EngineSettings::kCache, "64");
    settings.set(EngineSettings::kBatch, "128");
    m_library->cards().card(kOwn)->options()->setThreads(2);
    m_library->cards().card(kOwn)->options()->setBatchTokens(32);
    const LoadRequest own = m_library->requestFor(kOwn);
    QCOMPARE(own.threads, std::optional(2));
    QCOMPARE(own.batchTokens, std::optional(32));
    QCOMPARE(own.contextLength, std::optional(4096));
    const LoadRequest other = m_library->requestFor(kOther);
    QCOMPARE(other.threads, std::optional(3));
    QCOMPARE(other.batchTokens, std::optional(128));
    QCOMPARE(other.cacheBytes, std::optional<quint64>(64 << 20));
    // The backend has it too, for loads that a chat triggers.
    QCOMPARE(m_backend->loadRequests.value(QString()).threads, std::optional(3));
    QCOMPARE(m_backend->loadRequests.value(kOwn).threads, std::optional(2));
  }

  void values_areStored() {
    m_library->engineSettings()->set(EngineSettings::kBatch, "128");
    m_library->cards().card(kOwn)->options()->setBatchTokens(32);
    m_library->cards().card(kOwn)->options()->setIdleIndex(1);
    close();
    open();
    QCOMPARE(m_library->engineSettings()->defaults().batchTokens, 128);
    QCOMPARE(m_library->requestFor(kOwn).batchTokens, std::optional(32));
    QCOMPARE(m_library->requestFor(kOther).batchTokens, std::optional(128));
    QCOMPARE(m_backend->loadRequests.value(kOwn).batchTokens, std::optional(32));
    QCOMPARE(m_backend->idleOf.value(kOwn), std::optional(0));
  }

  void loadedModels_keepTheirValues_untilApply() {
    EngineSettings& settings = *m_library->engineSettings();
    m_backend->setModels({served(m_library->requestFor(kOwn)), served({.path = kOther})});
    QVERIFY(!settings.isStale());
    settings.set(EngineSettings::kThreads, "2");
    QVERIFY(settings.isStale());
    QVERIFY2(settings.staleText().contains(": own, other. To reload"),
             qPrintable(settings.staleText()));
    settings.reset(EngineSettings::kThreads);
    QVERIFY(!settings.isStale());
    settings.set(EngineSettings::kPrecision, "i8");
    QVERIFY(settings.isStale());
    settings.reset(EngineSettings::kPrecision);
    settings.set(EngineSettings::kThreads, "2");
    settings.apply();
    QCOMPARE(m_backend->loads.size(), 2);
    QCOMPARE(m_backend->loads[0].threads, std::optional(2));
    QList<ModelState> models = {served(m_backend->loads[0]), served(m_backend->loads[1])};
    models[1].request = {};
    models[1].request.path = kOther;
    models[1].state = ModelState::State::kLoading;
    m_backend->setModels(models);
    QVERIFY(settings.isApplying());
    m_backend->setModels({served(m_backend->loads[0]), served(m_backend->loads[1])});
    QVERIFY(!settings.isStale());
    QVERIFY(!settings.isApplying());
  }

  /// The settings page and a card edit the same sampling settings without overwriting each other.
  void settingsChangedElsewhere_areNotOverwrittenByAnOpenCard() {
    ModelCard* card = m_library->cards().card(kOwn);
    card->showGeneration();
    GenerationSettings elsewhere;
    elsewhere.temperature = 0.3;
    m_generation->putGeneration(kOwn, elsewhere);
    QCOMPARE(card->generation()->own().temperature, std::optional(0.3));
    card->options()->setThreads(2);
    m_library->cards().save();
    QCOMPARE(m_generation->modelSettings(kOwn).generation.temperature, std::optional(0.3));
    QCOMPARE(m_generation->modelSettings(kOwn).threads, std::optional(2));
  }

  void editsOnACard_areMergedWithSettingsChangedElsewhere() {
    ModelCard* card = m_library->cards().card(kOwn);
    card->showGeneration();
    card->options()->setThreads(2);  // Not written yet.
    card->generation()->set(0, "0.9");
    ModelSettings elsewhere = m_generation->modelSettings(kOwn);
    elsewhere.generation.topK = 20;
    m_generation->putModelSettings(elsewhere);
    m_library->cards().save();
    const ModelSettings kept = m_generation->modelSettings(kOwn);
    QCOMPARE(kept.threads, std::optional(2));
    QCOMPARE(kept.generation.temperature, std::optional(0.9));
    QCOMPARE(kept.generation.topK, std::optional(20));
  }

  void importedSettings_areUsed_forModelsWithoutOwnSettings() {
    m_library->cards().card(kOwn)->showGeneration();
    m_library->cards().card(kOther)->options()->setThreads(2);
    m_library->cards().save();
    m_session->flush(5000);
    ModelSettings imported = {.path = kOwn, .threads = 7};
    imported.generation.temperature = 0.2;
    QVERIFY(m_session->store().putModelSettings(imported));
    m_library->cards().addStored();
    QCOMPARE(m_library->cards().card(kOwn)->options()->threads(), 7);
    QCOMPARE(m_library->cards().card(kOwn)->generation()->own().temperature, std::optional(0.2));
    m_library->cards().card(kOwn)->options()->setBatchTokens(64);
    m_library->cards().save();
    QCOMPARE(m_generation->modelSettings(kOwn).threads, std::optional(7));
    QCOMPARE(m_generation->modelSettings(kOther).threads, std::optional(2));
  }

  void idleTime_isTheModelsOwn_orThatOfAllModels() {
    ModelOptions& options = *m_library->cards().card(kOwn)->options();
    QCOMPARE(options.idleChoices().first(), QString("Same as all models"));
    QCOMPARE(options.idleIndex(), 0);
    options.setIdleIndex(1);
    QCOMPARE(options.idleChoices()[1], QString("Never"));
    QCOMPARE(m_backend->idleOf.value(kOwn), std::optional(0));
    options.setIdleIndex(3);
    QCOMPARE(m_backend->idleOf.value(kOwn), std::optional(15));
    QVERIFY(options.anySet());
    options.resetAll();
    QCOMPARE(m_backend->idleOf.value(kOwn), std::optional<int>());
    m_backend->setIdleUnload(30);
    m_session->putSetting("engine.idleMinutes", "30");
    QCOMPARE(options.idleDefault(), QString("After 30 minutes"));
  }

  void speed_isShownOnEachCard_whenSeveralModelsAnswer() {
    QList<ModelState> models = {served({.path = kOwn}), served({.path = kOther})};
    for (ModelState& model : models) model.runningRequests = 1;
    models[0].tokensPerSecond = 20.0;
    models[1].tokensPerSecond = 11.5;
    m_backend->setModels(models);
    emit m_backend->throughputChanged(31.5, 2);
    QVERIFY(m_library->cards().card(kOwn)->statusText().endsWith("20.0 tokens/s"));
    QVERIFY(m_library->cards().card(kOther)->statusText().endsWith("11.5 tokens/s"));
  }

 private:
  void open() {
    m_session = std::make_unique<DataSession>(m_folder->filePath("data"));
    QVERIFY(m_session->open());
    m_backend = std::make_unique<FakeBackend>();
    m_generation = std::make_unique<GenerationDefaults>(*m_backend, *m_session);
    m_library = std::make_unique<ModelLibrary>(*m_backend, *m_session, *m_generation);
    m_library->load();
  }
  void close() {
    m_library->close();
    m_library.reset();
    m_generation.reset();
    m_session->flush(5000);
    m_session.reset();
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<DataSession> m_session;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<GenerationDefaults> m_generation;
  std::unique_ptr<ModelLibrary> m_library;
};

QTEST_MAIN(EngineSettingsTest)
#include "tst_engine_settings.moc"
