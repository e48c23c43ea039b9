#include <QTemporaryDir>
#include <QtTest>

#include "app/engine/load_planning.h"
#include "tests/app/engine/model_states.h"
#include "tests/bench/random_gguf.h"
#include "tests/support/answer_log.h"

using namespace quire;

namespace {

/// Guesses are computed whether they are worth it or not, so that they can be counted.
EngineServiceOptions options() {
  EngineServiceOptions options;
  options.bundledModelPath = bundled();
  options.backend.device = "cpu";
  options.engine.kv_bytes = 8 << 20;
  options.engine.speculation = SpeculationMode::kAlways;
  return options;
}

LoadRequest withDraft(const QString& path = draft()) {
  return {.path = bundled(), .contextLength = 512, .draftPath = path};
}

/// Writes a model with another vocabulary.
QString writeStranger(const QTemporaryDir& folder, int layers) {
  const QString path = folder.filePath(QStringLiteral("stranger-%1.gguf").arg(layers));
  bench::write_random_gguf(path.toStdString(), DType::kQ8_0,
                           {.num_layers = layers,
                            .hidden_size = 1024,
                            .num_heads = 16,
                            .num_kv_heads = 4,
                            .intermediate_size = 4096,
                            .vocab_size = 4000,
                            .context = 512});
  return path;
}

}  // namespace

/// A draft model beside a model of the service: loaded, counted, and left out where it cannot be.
class TestDraftModel : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_service = std::make_unique<EngineService>(options()); }
  void cleanup() { m_service.reset(); }

  void draftModel_guessesAndChangesNoAnswer() {
    load({.path = bundled(), .contextLength = 512});
    QCOMPARE(state().draftName, QString());
    const AnswerReport alone = answer();
    load(withDraft());
    QCOMPARE(state().draftName, QString("quire-mini-draft"));
    QCOMPARE(state().draftNote, QString());
    const AnswerReport guessed = answer();
    QCOMPARE(guessed.tokens, alone.tokens);
    QVERIFY2(guessed.draftedTokens > alone.draftedTokens,
             qPrintable(QString::number(guessed.draftedTokens)));
    QVERIFY(guessed.acceptedTokens > alone.acceptedTokens);
    QVERIFY(guessed.acceptedTokens < guessed.outputTokens);
    // And gone with another request.
    load({.path = bundled(), .contextLength = 512});
    QCOMPARE(state().draftName, QString());
    QCOMPARE(answer().draftedTokens, alone.draftedTokens);
  }

  void speculationThatIsOff_guessesNothing() {
    LoadRequest request = withDraft();
    request.speculates = false;
    load(request);
    QCOMPARE(state().draftName, QString());
    QCOMPARE(state().draftNote, QString());
    QCOMPARE(answer().draftedTokens, 0);
  }

  void draftModel_isCounted() {
    const LoadPlan alone = plan({.path = bundled(), .contextLength = 512});
    const LoadPlan own = plan({.path = draft(), .contextLength = 512});
    const LoadPlan both = plan(withDraft());
    QCOMPARE(both.draftNote, QString());
    QCOMPARE(both.memory.weights, alone.memory.weights + own.memory.weights);
    QVERIFY(both.memory.cache > alone.memory.cache);
    QVERIFY(both.memory.workspace > alone.memory.workspace);
    QVERIFY(both.fits);
    QCOMPARE(both.deviceName, alone.deviceName);
    load(withDraft());
    QCOMPARE(state().memory.total(), both.memory.total());
  }

  /// Otherwise the model's own layers would be computed without being used.
  void draftModel_replacesLayersThatGuess() {
    const auto planned = [](const LoadRequest& request) {
      return planLoad(
          {.request = request, .backend = options().backend, .engine = {}, .loaded = {}});
    };
    QVERIFY(planned({.path = bundled(), .contextLength = 512}).engine.draft_layers);
    QVERIFY(!planned(withDraft()).engine.draft_layers);
    QVERIFY(planned(withDraft("/nonexistent/draft")).engine.draft_layers);
    const PlannedLoad strange = planned(withDraft(writeStranger(m_files, 1)));
    QVERIFY(strange.engine.draft_layers);
    QCOMPARE(strange.draftPath, QString());
    QVERIFY(strange.plan.draftNote.contains("another vocabulary"));
  }

  void draftModelThatCannotBeUsed_isLeftOut_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("reason");
    QTest::newRow("gone") << "/nonexistent/draft"
                          << "/nonexistent/draft";
    QTest::newRow("another vocabulary") << writeStranger(m_files, 1) << "another vocabulary";
  }
  void draftModelThatCannotBeUsed_isLeftOut() {
    QFETCH(QString, path);
    QFETCH(QString, reason);
    load(withDraft(path));
    QCOMPARE(state().draftName, QString());
    QVERIFY2(state().draftNote.startsWith("The draft model is not used: "),
             qPrintable(state().draftNote));
    QVERIFY2(state().draftNote.contains(reason), qPrintable(state().draftNote));
    QCOMPARE(state().error, QString());
    QCOMPARE(answer().finish, FinishReason::kLength);
  }

  void draftModelWithoutRoom_isLeftOut() {
    const quint64 most = list_devices().front().free_bytes / 100 * 90;
    LoadRequest request = withDraft();
    request.cacheBytes = most;
    const LoadPlan planned = plan(request);
    QVERIFY2(planned.error.isEmpty() && planned.fits, qPrintable(planned.error));
    QVERIFY2(planned.draftNote.contains("not enough memory"), qPrintable(planned.draftNote));
    QCOMPARE(planned.memory.weights,
             plan({.path = bundled(), .contextLength = 512, .cacheBytes = most}).memory.weights);
  }

  /// A draft model that fails its trial in another process is not read in this one.
  void draftModel_isTriedBeforeItIsLoaded() {
    EngineServiceOptions with = options();
    with.trial = [](const QString& path, const std::stop_token&) -> Result<void> {
      return path == draft() ? Error{ErrorCode::kCorruptFile, "It crashed."} : Result<void>();
    };
    m_service = std::make_unique<EngineService>(with);
    load(withDraft());
    QCOMPARE(state().draftName, QString());
    QCOMPARE(state().draftNote, QString("The draft model is not used: It crashed."));
    QCOMPARE(answer().finish, FinishReason::kLength);
  }

  void unloadedModel_comesBackWithIt() {
    load(withDraft());
    m_service->unloadModel(bundled());
    QTRY_VERIFY_WITH_TIMEOUT(!state().serving, kPatienceMs);
    QVERIFY(answer().draftedTokens > 0);
    QCOMPARE(state().draftName, QString("quire-mini-draft"));
  }

  /// Its memory is freed for a load that is given up, and it is loaded again.
  void modelThatGaveItsMemory_comesBackWithIt() {
    const quint64 most = list_devices().front().free_bytes / 10 * 6;
    LoadRequest request = withDraft();
    request.cacheBytes = most;
    load(request);
    QCOMPARE(state().draftName, QString("quire-mini-draft"));
    const QString other = writeStranger(m_files, 12);  // Takes seconds to load.
    const auto whileReading = cancelWhileReading(*m_service, {.path = other, .cacheBytes = most});
    QVERIFY(whileReading && !modelAt(*whileReading, bundled()).serving);
    QTRY_VERIFY_WITH_TIMEOUT(state().serving, kPatienceMs);
    QCOMPARE(state().draftName, QString("quire-mini-draft"));
    QVERIFY(answer().draftedTokens > 0);
  }

 private:
  ModelState state() const { return modelAt(m_service->models(), bundled()); }
  void load(const LoadRequest& request) {
    m_service->loadModel(request);
    QTRY_VERIFY_WITH_TIMEOUT(
        state().state == ModelState::State::kReady && state().request.loadsLike(request),
        kPatienceMs);
  }
  LoadPlan plan(const LoadRequest& request) {
    std::optional<LoadPlan> planned;
    m_service->planLoad(request, {this, [&](const LoadPlan& made) { planned = made; }});
    const bool isThere = QTest::qWaitFor([&] { return planned.has_value(); }, kPatienceMs);
    return isThere ? *planned : LoadPlan();
  }
  AnswerReport answer() {
    AnswerLog log(*m_service);
    const RequestId id = log.submit(ask("Tell me about the sea.", 40));
    if (!QTest::qWaitFor([&] { return log.numFinished() == 1; }, kPatienceMs)) return {};
    return log[id].report;
  }

  const QTemporaryDir m_files;
  std::unique_ptr<EngineService> m_service;
};

QTEST_GUILESS_MAIN(TestDraftModel)
#include "tst_draft_model.moc"
