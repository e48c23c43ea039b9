#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTest>

#include <atomic>
#include <thread>

#include "app/session/raise_request.h"
#include "tests/bench/random_gguf.h"
#include "tests/support/bundled_model.h"
#include "tests/support/watched_test.h"
#include "tests/ui/e2e/real_application.h"
#include "tests/ui/ui_test_main.h"

using namespace quire;

/// Models: found in a folder, dropped, loaded beside each other, given up, and what is said of
/// those that cannot be loaded.
class ModelsTest : public WatchedTest {
  Q_OBJECT

 private slots:
  void chosenFolder_showsWhatEachFileIs_andWhyTheBrokenOnesAreNot() {
    copy("gguf/qwen3.gguf", "shelf/qwen3.gguf");
    QVERIFY(QFile::link(bundled(), folder("shelf/linked")));
    QVERIFY(QFile(copy("gguf/llama.gguf", "shelf/broken.gguf")).resize(1000));
    QFile empty(folder("shelf/empty.gguf"));
    QVERIFY(empty.open(QIODevice::WriteOnly));
    chooseFolder(folder("shelf"));
    QTRY_VERIFY_WITH_TIMEOUT(hands().sees("Qwen 3"), kEngineMs);
    const QString facts = card("shelf/qwen3.gguf")->factsText();
    QTRY_VERIFY2(hands().sees(facts), qPrintable(facts));
    QVERIFY2(facts.contains("parameters") && facts.contains("-token context"), qPrintable(facts));
    search("qwen3");
    QTRY_VERIFY_WITH_TIMEOUT(hands().sees("needs "), kEngineMs);
    QVERIFY(hands().click("modelOptions"));  // Shows the parts of the memory.
    QTRY_VERIFY_WITH_TIMEOUT(hands().sees("weights "), kEngineMs);
    QTRY_VERIFY(hands().sees("keys and values ") && hands().sees("workspace "));
    QTRY_VERIFY(hands().sees("needs ") && hands().sees(" free"));
    for (const char* name : {"shelf/broken.gguf", "shelf/empty.gguf"}) {
      ModelCard* broken = card(name);
      if (!broken) continue;  // Told of among what was left out.
      QVERIFY2(broken->obstacle().contains(".gguf"), qPrintable(broken->obstacle()));
      QVERIFY(!broken->canLoad());
    }
    m_real->restart();
    hands().press(Qt::Key_2, Qt::AltModifier);
    QTRY_VERIFY_WITH_TIMEOUT(card("shelf/qwen3.gguf"), kEngineMs);  // The folder is remembered.
  }

  void secondStart_hasTheFirstLoadTheModelThatItNames() {
    const QString path = copy("gguf/qwen3.gguf", "named.gguf");
    std::atomic<bool> answered = false;
    std::thread other(
        [&] { answered = RaiseRequest::askRunning(m_real->dataFolder(), kEngineMs, path); });
    const auto isLoaded = [&] { return card("named.gguf") && card("named.gguf")->isPrimary(); };
    const bool loaded = QTest::qWaitFor(isLoaded, kEngineMs);
    other.join();
    QVERIFY(answered && loaded);
  }

  void typedFolder_isAddedWhereItIsThere() {
    models().typeFolder(folder("nowhere"));
    QCOMPARE(models().folders(), QStringList());
    QCOMPARE(models().folderProblem(), "There is no such folder.");
    QVERIFY(QDir().mkpath(folder("shelf")));
    models().typeFolder(folder("shelf"));
    QCOMPARE(models().folders(), QStringList(folder("shelf")));
    QVERIFY(models().folderProblem().isEmpty() && !models().typesFolder());
  }

  void droppedFile_servesBesideTheFirst_andIsUnloadedByHand() {
    const QString path = copy("gguf/qwen3.gguf", "qwen3.gguf");
    QVERIFY(hands().drop({path}));
    QTRY_VERIFY_WITH_TIMEOUT(card("qwen3.gguf") && card("qwen3.gguf")->isPrimary(), kEngineMs);
    QCOMPARE(numServing(), 2);
    QTRY_VERIFY(hands().sees("In use"));
    search("quire-mini");
    QVERIFY(hands().click("useModel"));
    QTRY_COMPARE(models().primaryPath(), bundled());
    QCOMPARE(numServing(), 2);
    search("qwen3");
    QVERIFY(hands().click("unloadModel"));
    QTRY_VERIFY_WITH_TIMEOUT(!card("qwen3.gguf")->isServing(), kEngineMs);
    QTRY_VERIFY(hands().find("loadModel"));
    answers();
  }

  void load_saysPhaseAndPercent_andCancelLeavesTheOldModelAnswering() {
    const QString path = writeLarge();
    QVERIFY(hands().drop({path}));
    QTRY_VERIFY_WITH_TIMEOUT(card("large.gguf") && card("large.gguf")->isLoading(), kEngineMs);
    search("large");
    QTRY_VERIFY(hands().find("cancelLoad"));
    QTRY_VERIFY(hands().sees(" · "));
    QVERIFY2(card("large.gguf")->phaseText().endsWith("%"),
             qPrintable(card("large.gguf")->phaseText()));
    QVERIFY(hands().click("cancelLoad"));
    QTRY_VERIFY_WITH_TIMEOUT(!card("large.gguf")->isLoading(), kEngineMs);
    QCOMPARE(numServing(), 1);
    answers();
  }

  void failedLoad_saysOneSentence_andTheOldModelAnswers() {
    const QString path = copy("gguf/llama.gguf", "shelf/llama.gguf");
    chooseFolder(folder("shelf"));
    QTRY_VERIFY_WITH_TIMEOUT(card("shelf/llama.gguf") && card("shelf/llama.gguf")->isFound(),
                             kEngineMs);
    QFile file(path);
    QVERIFY(file.resize(file.size() / 2));  // It breaks after it was looked at.
    search("llama");
    QVERIFY(hands().click("loadModel"));
    QTRY_VERIFY_WITH_TIMEOUT(!card("shelf/llama.gguf")->error().isEmpty(), kEngineMs);
    const QString error = card("shelf/llama.gguf")->error();
    QVERIFY2(error.contains("llama.gguf is damaged"), qPrintable(error));
    QTRY_VERIFY(hands().sees(error));
    QTRY_VERIFY(hands().sees("Try again"));
    QCOMPARE(numServing(), 1);
    answers();
  }

  void brokenFileThatIsDropped_isRefusedInASentence() {
    const QString path = copy("gguf/llama.gguf", "broken.gguf");
    QVERIFY(QFile(path).resize(1000));
    QVERIFY(hands().drop({path}));
    QTRY_VERIFY_WITH_TIMEOUT(hands().sees("broken.gguf"), kEngineMs);
    QCOMPARE(numServing(), 1);
    answers();
  }

  void options_sayWhyThereIsNoGpu_andWhatIsChosenHolds() {
    copy("gguf/qwen3.gguf", "shelf/qwen3.gguf");
    chooseFolder(folder("shelf"));
    QTRY_VERIFY_WITH_TIMEOUT(card("shelf/qwen3.gguf") && card("shelf/qwen3.gguf")->isFound(),
                             kEngineMs);
    search("qwen3");
    QVERIFY(hands().click("modelOptions"));
    QTRY_VERIFY(hands().find("deviceChoice"));
    ModelOptions& options = *card("shelf/qwen3.gguf")->options();
    const QString note = options.devices()->note();
    if (!note.isEmpty()) QTRY_VERIFY2(hands().sees(note), qPrintable(note));  // No GPU, and why.
    QVERIFY(hands().write("Threads", "1"));
    QTRY_COMPARE(options.threads(), 1);
    QVERIFY(hands().click("loadModel"));
    QTRY_VERIFY_WITH_TIMEOUT(card("shelf/qwen3.gguf")->isPrimary(), kEngineMs);
    QTRY_VERIFY(m_real->app().engine()->deviceName().contains("1 thread"));
  }

  /// The bundled draft model has no card, but is offered for the bundled model.
  void draftModel_isOffered_loadedWithItsModel_andStaysChosen() {
    search("quire-mini");
    QTRY_COMPARE(models().list()->count(), 1);
    ModelOptions& options = *models().cards().find(bundled())->options();
    QTRY_VERIFY_WITH_TIMEOUT(options.offersDrafts(), kEngineMs);
    QVERIFY(hands().click("modelOptions"));
    QVERIFY(hands().scrollTo("draftChoice"));
    QVERIFY(hands().choose("draftChoice", "quire-mini-draft"));
    QTRY_COMPARE(options.draftIndex(), 1);
    models().load(bundled());  // The button is scrolled under the page's head.
    QTRY_COMPARE_WITH_TIMEOUT(m_real->engine().primaryModel().draftName,
                              QString("quire-mini-draft"), kEngineMs);
    QTRY_VERIFY(hands().sees("draft model quire-mini-draft"));
    answers();
    m_real->restart();
    QCOMPARE(m_real->engine().primaryModel().draftName, QString("quire-mini-draft"));
    answers();
  }

  void chat_staysWithItsModel_whateverTheWindowUses() {
    QVERIFY(hands().click("modelChip"));
    QVERIFY(hands().click("ownModel"));
    QTRY_VERIFY(hands().find("ownModelChip"));
    const QString path = copy("gguf/qwen3.gguf", "qwen3.gguf");
    QVERIFY(hands().drop({path}));
    QTRY_VERIFY_WITH_TIMEOUT(card("qwen3.gguf") && card("qwen3.gguf")->isPrimary(), kEngineMs);
    answers();
    QCOMPARE(headOf(m_real->chat()).modelName, QFileInfo(bundled()).fileName());
  }

 private:
  Hands& hands() { return m_real->hands(); }
  ModelLibrary& models() { return *m_real->app().models(); }
  QString folder(const QString& name) const { return m_real->folder() + "/" + name; }
  ModelCard* card(const QString& name) { return models().cards().find(folder(name)); }
  static QString bundled() { return QString::fromStdString(bundled_model_folder()); }

  int numServing() {
    const QList<ModelState> states = m_real->engine().models();
    return static_cast<int>(
        std::count_if(states.begin(), states.end(), [](const auto& one) { return one.serving; }));
  }

  void search(const QString& words) {
    hands().press(Qt::Key_2, Qt::AltModifier);
    QVERIFY(hands().write("modelSearch", words));
    QTRY_COMPARE(models().search(), words);
  }

  void chooseFolder(const QString& path) {
    hands().press(Qt::Key_2, Qt::AltModifier);
    QVERIFY(hands().click("addFolder"));  // No desktop's chooser here: a path is written.
    QVERIFY(hands().write("folderPath", path));
    QTRY_VERIFY_WITH_TIMEOUT(!models().isScanning(), kEngineMs);
  }

  void answers() {
    hands().press(Qt::Key_Home, Qt::AltModifier);
    QTest::qWait(100);
    QVERIFY(hands().say("What is the capital of Norway?"));
    QTRY_VERIFY(!m_real->chat().isEmpty());
    const MessageRecord answer = m_real->waitForAnswer();
    QVERIFY2(answer.error.isEmpty() && !answer.text().isEmpty(), qPrintable(answer.error));
  }

  QString copy(const QString& data, const QString& to) {
    QDir().mkpath(QFileInfo(folder(to)).path());
    if (!QFile::copy(QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/") + data, folder(to)))
      qFatal("%s is not in the tree.", qPrintable(data));
    QFile::setPermissions(folder(to), QFile::ReadOwner | QFile::WriteOwner);
    return folder(to);
  }

  /// Long enough in loading to be stopped on its way.
  QString writeLarge() {
    bench::write_random_gguf(folder("large.gguf").toStdString(), DType::kQ8_0,
                             {.num_layers = 30,
                              .hidden_size = 1024,
                              .num_heads = 16,
                              .num_kv_heads = 4,
                              .intermediate_size = 4096,
                              .vocab_size = 8000,
                              .context = 512});
    return folder("large.gguf");
  }

  void prepare() override { m_real = std::make_unique<RealApplication>(); }
  void tidyUp() override { m_real.reset(); }

  std::unique_ptr<RealApplication> m_real;
};

QUIRE_UI_TEST_MAIN(ModelsTest)
#include "tst_e2e_models.moc"
