#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QThread>
#include <QtTest>

#include <mutex>

#include "app/engine/engine_service.h"
#include "engine/model_loader.h"
#include "tests/support/answer_log.h"
#include "tests/support/attempts.h"
#include "tests/support/random_adapter.h"

using namespace quire;

namespace {

constexpr qint64 kQuickMs = 1000;

QString modelPath() {
  return qEnvironmentVariable("QUIRE_TEST_MODEL", QUIRE_SOURCE_DIR "/resources/models/quire-mini");
}

EngineServiceOptions options(const QString& path = modelPath()) {
  EngineServiceOptions options;
  options.modelPath = path;
  options.bundledModelPath = modelPath();
  options.backend.device = "cpu";
  options.engine.kv_bytes = 32 << 20;
  return options;
}

/// An answer of exactly `length` tokens, whatever the model wants to say.
ChatRequest ask(const QString& text, int length) {
  ChatRequest request;
  request.turns = {{"user", text, {}}};
  request.sampling.seed = 7;
  request.sampling.max_tokens = length;
  request.sampling.ignore_eos = true;
  return request;
}

}  // namespace

class TestEngineService : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    if (!QFile::exists(modelPath() + "/model.safetensors"))
      QSKIP("The bundled model is not there.");
  }

  void load_reportsProgressAndTheModel() {
    EngineService service(options());
    QCOMPARE(service.state(), ModelManager::State::Loading);
    QVERIFY(service.stateText().contains(QFileInfo(modelPath()).fileName()));
    QCOMPARE(service.contextLength(), 0);
    QList<double> progress;
    connect(&service, &ModelManager::stateChanged, this,
            [&] { progress.append(service.loadProgress()); });
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Ready, 60'000);
    QVERIFY(std::is_sorted(progress.begin(), progress.end()));
    QCOMPARE(progress.last(), 1.0);
    QCOMPARE(service.stateText(), QString());
    QVERIFY(!service.modelName().isEmpty());
    QVERIFY(!service.primaryModel().fingerprint.isEmpty());
    QVERIFY2(service.deviceName().startsWith("CPU · "), qPrintable(service.deviceName()));
    QVERIFY(service.contextLength() > 0);
    QVERIFY(service.primaryModel().isDemonstration);
  }

  void deviceNote_saysWhyThereIsNoGpu() {
    EngineServiceOptions automatic = options();
    automatic.backend.device = "auto";
    const auto choice = choose_devices(automatic.backend);
    QVERIFY(choice.has_value());
    EngineService service(automatic);
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Ready, 60'000);
    QCOMPARE(service.primaryModel().deviceNote, QString::fromStdString(choice->gpu_reason));
    QCOMPARE(service.primaryModel().deviceNote.isEmpty(), choice->names.size() > 1);
  }

  void answers_streamAtOnce() {
    EngineService service(options());
    AnswerLog heard(service);
    const auto first = heard.submit(ask("Tell me about the sea.", 600));
    const auto second = heard.submit(ask("Tell me about the mountains.", 600));
    QVERIFY(first != second);
    QTRY_COMPARE_WITH_TIMEOUT(heard[first].finishes + heard[second].finishes, 2, 60'000);
    for (const RequestId id : {first, second}) {
      const AnswerLog::Answer& one = heard[id];
      QVERIFY(one.inOrder);
      QCOMPARE(one.report.error, QString());
      QCOMPARE(one.report.finish, FinishReason::kLength);
      QCOMPARE(one.report.outputTokens, 600);
      QCOMPARE(one.report.tokens.size(), 600);
      QVERIFY(one.prompt.promptTokens > 0);
      QVERIFY(one.report.totalMs >= one.prompt.firstTokenMs && one.prompt.firstTokenMs > 0);
      QVERIFY(one.report.tokensPerSecond > 0);
      QVERIFY(!one.text.isEmpty());
    }
    // Both were being written at the same time.
    const auto& sequence = heard.sequence();
    QVERIFY(sequence.indexOf(second) < sequence.lastIndexOf(first));
    QVERIFY(sequence.indexOf(first) < sequence.lastIndexOf(second));
  }

  void adapters_answerOrSayThatTheyAreGone() {
    QTemporaryDir folder;
    const QString path = folder.path() + "/tone";
    write_random_adapter(path.toStdString(), 1);
    EngineService service(options(modelPath() + "-draft"));
    AnswerLog heard(service);
    ChatRequest request = ask("Tell me about the sea.", 30);
    const auto plain = heard.submit(request);
    request.adapterPath = path;
    const auto adapted = heard.submit(request);
    request.adapterPath = folder.path() + "/gone";
    const auto gone = heard.submit(request);
    QTRY_COMPARE_WITH_TIMEOUT(
        heard[plain].finishes + heard[adapted].finishes + heard[gone].finishes, 3, 60'000);
    QCOMPARE(heard[plain].report.error, QString());
    QCOMPARE(heard[adapted].report.error, QString());
    QVERIFY(heard[adapted].report.tokens != heard[plain].report.tokens);
    QCOMPARE(heard[adapted].report.origin.adapterPath, path);
    QCOMPARE(heard[plain].report.origin.adapterPath, QString());
    QCOMPARE(heard[gone].report.finish, FinishReason::kFailed);
    QVERIFY2(heard[gone].report.error.contains("is not there any more"),
             qPrintable(heard[gone].report.error));
    QVERIFY(heard[gone].text.isEmpty());
  }

  /// In the other process first. What fails there is not read here, neither for an answer nor
  /// ahead.
  void adapters_areTriedBeforeTheyAreLoaded() {
    QTemporaryDir folder;
    const QString good = folder.path() + "/good", bad = folder.path() + "/bad";
    write_random_adapter(good.toStdString(), 1);
    write_random_adapter(bad.toStdString(), 2);
    std::mutex mutex;
    QStringList tried;
    EngineServiceOptions with = options(modelPath() + "-draft");
    with.trial = [&](const QString& path, const std::stop_token&) -> Result<void> {
      const std::lock_guard lock(mutex);
      tried.append(path);
      return path == bad ? Error{ErrorCode::kCorruptFile, "It crashed."} : Result<void>();
    };
    EngineService service(with);
    service.inspector().keepWarm({{"You are a sailor.", bad}});
    AnswerLog heard(service);
    ChatRequest request = ask("Tell me about the sea.", 3);
    request.adapterPath = bad;
    const auto refused = heard.submit(request);
    QTRY_COMPARE_WITH_TIMEOUT(heard[refused].finishes, 1, 60'000);
    QCOMPARE(heard[refused].report.error, QString("It crashed."));
    QCOMPARE(service.stats().num_adapters, 0);
    request.adapterPath = good;
    const auto answered = heard.submit(request);
    QTRY_COMPARE_WITH_TIMEOUT(heard[answered].finishes, 1, 60'000);
    QCOMPARE(heard[answered].report.error, QString());
    QTRY_COMPARE(service.stats().num_adapters, 1);
    const auto numTried = [&](const QString& path) {
      const std::lock_guard lock(mutex);
      return tried.count(path);
    };
    QVERIFY(numTried(good) > 0);
    QTRY_VERIFY_WITH_TIMEOUT(numTried(bad) >= 2, 60'000);
  }

  void text_isWhatTheTokensSay() {
    EngineService service(options());
    AnswerLog heard(service);
    const auto id = heard.submit(ask("Tell me about the sea.", 60));
    QTRY_COMPARE_WITH_TIMEOUT(heard[id].finishes, 1, 60'000);
    auto backend = create_backend({.device = "cpu"});
    auto model = load_model(modelPath().toStdString(), **backend);
    QVERIFY(model);
    const auto& tokens = heard[id].report.tokens;
    const std::vector<TokenId> ids(tokens.begin(), tokens.end());
    QCOMPARE(heard[id].text, QString::fromStdString(model->chat->tokenizer->decode(ids)));
  }

  void nextTurn_findsItsHistoryInTheCache() {
    EngineService service(options());
    AnswerLog heard(service);
    ChatRequest request = ask("Tell me about the sea.", 60);
    const auto first = heard.submit(request);
    QTRY_COMPARE_WITH_TIMEOUT(heard[first].finishes, 1, 60'000);
    request.turns.append({"assistant", heard[first].text, heard[first].report.tokens});
    request.turns.append({"user", "And the rivers?", {}});
    const auto second = heard.submit(request);
    QTRY_COMPARE_WITH_TIMEOUT(heard[second].finishes, 1, 60'000);
    const int before = heard[first].prompt.promptTokens + heard[first].report.outputTokens;
    QVERIFY2(heard[second].prompt.cachedTokens > before - 2 * kBlockSize,
             qPrintable(QString("%1 of %2").arg(heard[second].prompt.cachedTokens).arg(before)));
  }

  void appends_areRare() {
    EngineService service(options());
    QSignalSpy ready(&service, &ModelManager::stateChanged);
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Ready, 60'000);
    AnswerLog heard(service);
    QElapsedTimer timer;
    timer.start();
    const auto id = heard.submit(ask("Tell me about the sea.", 600));
    QTRY_COMPARE_WITH_TIMEOUT(heard[id].finishes, 1, 60'000);
    const auto most = timer.elapsed() / 33 + 2;
    QVERIFY2(heard[id].texts <= most,
             qPrintable(QString("%1 in %2 ms").arg(heard[id].texts).arg(timer.elapsed())));
    QVERIFY(heard[id].texts >= 2);
  }

  void cancel_keepsTheText() {
    EngineService service(options());
    AnswerLog heard(service);
    const auto id = heard.submit(ask("Tell me about the sea.", 100'000'000));
    const auto other = heard.submit(ask("Tell me about the mountains.", 50));
    QTRY_VERIFY_WITH_TIMEOUT(heard[id].text.size() > 20, 60'000);
    const QString before = heard[id].text;
    service.cancel(id);
    QTRY_COMPARE_WITH_TIMEOUT(heard[id].finishes, 1, 10'000);
    QCOMPARE(heard[id].report.finish, FinishReason::kCancelled);
    QCOMPARE(heard[id].report.error, QString());
    QVERIFY(heard[id].text.startsWith(before));
    QCOMPARE(heard[id].report.tokens.size(), heard[id].report.outputTokens);
    QTRY_COMPARE_WITH_TIMEOUT(heard[other].finishes, 1, 60'000);
    QCOMPARE(heard[other].report.outputTokens, 50);
  }

  void nothingComesAfterTheEnd() {
    EngineService service(options());
    AnswerLog heard(service);
    QList<RequestId> ids;
    for (int i = 0; i < 6; ++i) ids.append(heard.submit(ask("Tell me about the sea.", 40)));
    QTRY_VERIFY_WITH_TIMEOUT(heard[ids[0]].texts > 0, 60'000);
    for (const RequestId id : qAsConst(ids)) {
      service.cancel(id);
      service.cancel(id);
    }
    for (const RequestId id : qAsConst(ids))
      QTRY_COMPARE_WITH_TIMEOUT(heard[id].finishes, 1, 10'000);
    service.cancel(ids[0]);
    service.cancel(12345);
    service.setPriority(12345, kFocusedPriority);
    QTest::qWait(200);
    for (const RequestId id : qAsConst(ids)) {
      QCOMPARE(heard[id].finishes, 1);
      QVERIFY(heard[id].inOrder);
    }
  }

  void badRequest_finishesWithItsError() {
    EngineService service(options());
    AnswerLog heard(service);
    ChatRequest empty;
    const auto id = heard.submit(empty);
    ChatRequest hot = ask("Hello", 5);
    hot.sampling.temperature = -1e30f;
    hot.sampling.top_p = 7.0f;
    const auto second = heard.submit(hot);
    const auto third = heard.submit(ask(QString("sea ").repeated(50'000), 5));
    QTRY_COMPARE_WITH_TIMEOUT(heard.numFinished(), 3, 60'000);
    for (const RequestId refused : {id, second, third}) {
      QCOMPARE(heard[refused].finishes, 1);
      QCOMPARE(heard[refused].report.finish, FinishReason::kFailed);
      QVERIFY(!heard[refused].report.error.isEmpty());
      QCOMPARE(heard[refused].starts, 0);
    }
  }

  void failedLoad_tellsWhoWaitedAndIsRepaired() {
    EngineService service(options("/nonexistent/model"));
    AnswerLog heard(service);
    const auto waiting = heard.submit(ask("Hello", 5));
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Failed, 60'000);
    QVERIFY2(service.stateText().contains("/nonexistent/model"), qPrintable(service.stateText()));
    QTRY_COMPARE(heard[waiting].finishes, 1);
    QCOMPARE(heard[waiting].report.finish, FinishReason::kFailed);
    QCOMPARE(heard[waiting].report.error, service.stateText());
    const auto late = heard.submit(ask("Hello", 5));
    QCOMPARE(heard[late].finishes, 0);  // Never inside the call.
    QTRY_COMPARE(heard[late].finishes, 1);
    QCOMPARE(heard[late].report.error, service.stateText());

    service.loadModel(modelPath());
    QCOMPARE(service.state(), ModelManager::State::Loading);
    const auto served = heard.submit(ask("Hello", 5));
    QTRY_COMPARE_WITH_TIMEOUT(heard[served].finishes, 1, 60'000);
    QCOMPARE(heard[served].report.error, QString());
    QCOMPARE(service.state(), ModelManager::State::Ready);
  }

  /// There may be memory, or the file, by then.
  void failedLoad_isTriedAgainForALaterRequest() {
    QTemporaryDir folder;
    const QString path = folder.filePath("model");
    EngineServiceOptions there = options(path);
    there.retryMs = 200;
    EngineService service(there);
    AnswerLog heard(service);
    const auto early = heard.submit(ask("Hello", 5));
    QTRY_COMPARE_WITH_TIMEOUT(heard[early].finishes, 1, 60'000);
    QCOMPARE(heard[early].report.finish, FinishReason::kFailed);
    QVERIFY(QFile::link(modelPath(), path));
    QTest::qWait(300);
    const auto later = heard.submit(ask("Hello", 5));
    QTRY_COMPARE_WITH_TIMEOUT(heard[later].finishes, 1, 60'000);
    QCOMPARE(heard[later].report.error, QString());
  }

  void failedLoad_keepsTheOldModelServing() {
    EngineService service(options());
    AnswerLog heard(service);
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Ready, 60'000);
    const QString name = service.modelName();
    const auto id = heard.submit(ask("Tell me about the sea.", 200));
    QTRY_VERIFY_WITH_TIMEOUT(heard[id].texts > 0, 60'000);
    QSignalSpy failed(&service, &EngineService::loadFailed);
    service.loadModel("/nonexistent/model");
    QTRY_COMPARE(failed.size(), 1);
    QCOMPARE(service.state(), ModelManager::State::Ready);
    QVERIFY(service.stateText().contains("/nonexistent/model"));
    QCOMPARE(service.modelName(), name);
    QTRY_COMPARE_WITH_TIMEOUT(heard[id].finishes, 1, 60'000);
    QCOMPARE(heard[id].report.outputTokens, 200);
    const auto next = heard.submit(ask("Hello", 5));
    QTRY_COMPARE_WITH_TIMEOUT(heard[next].finishes, 1, 60'000);
    QCOMPARE(heard[next].report.error, QString());
  }

  void nextModel_takesOver() {
    QTemporaryDir folder;
    const QString copy = folder.filePath("copy");
    QVERIFY(QDir().mkpath(copy));
    const auto files = QDir(modelPath()).entryInfoList(QDir::Files);
    for (const QFileInfo& file : files) {
      QVERIFY(QFile::link(file.absoluteFilePath(), copy + "/" + file.fileName()));
    }
    EngineService service(options());
    AnswerLog heard(service);
    const auto id = heard.submit(ask("Tell me about the sea.", 100'000'000));
    QTRY_VERIFY_WITH_TIMEOUT(heard[id].texts > 0, 60'000);
    QVERIFY(service.primaryModel().isDemonstration);
    service.loadModel({.path = copy, .place = LoadRequest::Place::kInstead});
    const auto served = heard.submit(ask("Tell me about rivers.", 5));  // By the old model.
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Ready, 60'000);
    QTRY_COMPARE_WITH_TIMEOUT(heard[served].finishes, 1, 60'000);
    QTRY_COMPARE(heard[id].finishes, 1);
    QCOMPARE(service.modelPath(), copy);
    QVERIFY(!service.primaryModel().isDemonstration);
    QVERIFY(!heard[id].text.isEmpty());
    const auto next = heard.submit(ask("Hello", 5));
    QTRY_COMPARE_WITH_TIMEOUT(heard[next].finishes, 1, 60'000);
    QCOMPARE(heard[next].report.error, QString());
  }

  void supersededLoad_saysNothing() {
    EngineService service(options("/nonexistent/first"));
    QSignalSpy failed(&service, &EngineService::loadFailed);
    AnswerLog heard(service);
    const auto waiting = heard.submit(ask("Hello", 5));
    service.loadModel({.path = "/nonexistent/second", .place = LoadRequest::Place::kInstead});
    service.loadModel({.path = modelPath(), .place = LoadRequest::Place::kInstead});
    QTRY_COMPARE_WITH_TIMEOUT(heard[waiting].finishes, 1, 60'000);
    QCOMPARE(heard[waiting].report.error, QString());
    QVERIFY(failed.isEmpty());
  }

  void cancelWhileLoading_isCancelled() {
    EngineService service(options());
    AnswerLog heard(service);
    const auto id = heard.submit(ask("Hello", 5));
    service.cancel(id);
    QTRY_COMPARE_WITH_TIMEOUT(heard[id].finishes, 1, 60'000);
    QCOMPARE(heard[id].report.finish, FinishReason::kCancelled);
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Ready, 60'000);
  }

  void throughput_isReportedUntilIdle() {
    EngineService service(options());
    AnswerLog heard(service);
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Ready, 60'000);
    QSignalSpy throughput(&service, &ModelManager::throughputChanged);
    const auto first = heard.submit(ask("Tell me about the sea.", 100'000'000));
    const auto second = heard.submit(ask("Tell me about the sea.", 100'000'000));
    QTRY_VERIFY_WITH_TIMEOUT(throughput.size() >= 2, 60'000);
    QVERIFY(throughput[1][0].toDouble() > 0);
    QCOMPARE(throughput[1][1].toInt(), 2);
    QCOMPARE(service.stats().running, 2);
    service.cancel(first);
    service.cancel(second);
    QTRY_COMPARE_WITH_TIMEOUT(throughput.last()[1].toInt(), 0, 10'000);
    QCOMPARE(throughput.last()[0].toDouble(), 0.0);
    QCOMPARE(service.stats().used_blocks, 0);
    const auto reports = throughput.size();
    QTest::qWait(700);
    QCOMPARE(throughput.size(), reports);  // Idle is silent.
  }

  void throughput_ofAShortAnswer_isReported() {
    EngineService service(options());
    AnswerLog heard(service);
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Ready, 60'000);
    QSignalSpy throughput(&service, &ModelManager::throughputChanged);
    const auto id = heard.submit(ask("Hello", 2));
    QTRY_COMPARE_WITH_TIMEOUT(heard[id].finishes, 1, 60'000);
    QTRY_VERIFY_WITH_TIMEOUT(throughput.size() >= 2 && throughput.last()[1].toInt() == 0, 10'000);
    double fastest = 0.0;
    for (const QList<QVariant>& report : throughput) fastest = qMax(fastest, report[0].toDouble());
    QVERIFY(fastest > 0.0);
    QCOMPARE(throughput.last()[0].toDouble(), 0.0);
  }

  void destruction_isQuickWhileGenerating() {
    int numFinished = 0;
    const qint64 ms = test::msOfAttempts(kQuickMs, [&] {
      auto service = std::make_unique<EngineService>(options());
      AnswerLog heard(*service);
      const auto id = heard.submit(ask("Tell me about the sea.", 100'000'000));
      if (!QTest::qWaitFor([&] { return heard[id].texts > 0; }, 60'000)) qFatal("No text.");
      QElapsedTimer timer;
      timer.start();
      service.reset();
      const qint64 took = timer.elapsed();
      QTest::qWait(50);
      numFinished += heard.numFinished();
      return took;
    });
    QVERIFY2(ms < kQuickMs, qPrintable(QString::number(ms)));
    QCOMPARE(numFinished, 0);
  }

  void destruction_isQuickWhileLoading() {
    for (const int afterMs : {0, 1, 5, 20, 50}) {
      auto service = std::make_unique<EngineService>(options());
      AnswerLog(*service).submit(ask("Hello", 5));
      QTest::qSleep(afterMs);
      QElapsedTimer timer;
      timer.start();
      service.reset();
      QVERIFY2(timer.elapsed() < 5 * kQuickMs, qPrintable(QString::number(timer.elapsed())));
    }
  }
};

QTEST_GUILESS_MAIN(TestEngineService)
#include "tst_engine_service.moc"
