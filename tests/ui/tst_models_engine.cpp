#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "app/engine/engine_service.h"
#include "app/model_link.h"
#include "app/models/scan/model_reader.h"
#include "tests/bench/random_gguf.h"
#include "tests/support/bundled_model.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

constexpr int kPatienceMs = 60'000;

EngineServiceOptions options() {
  EngineServiceOptions options;
  options.modelPath = QString::fromStdString(bundled_model_folder());
  options.bundledModelPath = options.modelPath;
  options.backend.device = "cpu";
  options.backend.num_threads = 2;
  options.engine.kv_bytes = 32 << 20;
  return options;
}

}  // namespace

/// The page of models on the real engine, with real files that are dropped onto the window.
class ModelsEngineTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_engine = std::make_unique<EngineService>(options());
    m_driver = std::make_unique<WindowDriver>(*m_engine, m_folder->filePath("data"));
    models().setScanner(std::make_unique<ModelScanner>(
        ModelScanner::Options{.reader = readModelFacts,
                              .environment = {.home = m_folder->filePath("home"),
                                              .variable = [](const char*) { return QString(); },
                                              .systemRoot = m_folder->path()}}));
    QTRY_VERIFY_WITH_TIMEOUT(m_driver->app().engine()->isReady(), kPatienceMs);
  }

  void tidyUp() override {
    m_driver.reset();
    m_engine.reset();
  }

 private slots:
  void initTestCase() {
    const QString config = QString::fromStdString(bundled_model_folder()) + "/config.json";
    if (!QFileInfo::exists(config)) QSKIP("The bundled model is not in this tree.");
  }

  void droppedFile_isLoadedBeside_andAnswers() {
    const QString path = copy("gguf/qwen3.gguf", "qwen3.gguf");
    drop(path);
    QTRY_VERIFY_WITH_TIMEOUT(card(path) && card(path)->isPrimary(), kPatienceMs);
    QCOMPARE(card(path)->factsText().section(" · ", 0, 0), QString("Qwen 3"));
    QCOMPARE(servingModels(), 2);
    QTRY_VERIFY(m_driver->item("modelCards"));
    QTRY_VERIFY(models().notice().contains("qwen3"));
    // The first one is chosen again in the header's menu.
    const QString bundled = QString::fromStdString(bundled_model_folder());
    QTRY_VERIFY(models().recent()->count() >= 2);
    models().use(bundled);
    QTRY_VERIFY(card(bundled)->isPrimary());
    QCOMPARE(servingModels(), 2);
    m_driver->app().navigation()->setPage(Navigation::Page::Chats);
    QVERIFY(!answer("What is Quire?").isEmpty());
  }

  void memory_isForetold_andAtLeastWhatTheModelTakes() {
    const QString path = writeLarge();
    m_driver->app().navigation()->setPage(Navigation::Page::Models);
    models().addFolder(QUrl::fromLocalFile(QFileInfo(path).path()));
    QTRY_VERIFY_WITH_TIMEOUT(card(path) && card(path)->memory()->isKnown(), kPatienceMs);
    const quint64 foretold = card(path)->memory()->plan().memory.total();
    QVERIFY(card(path)->memory()->fits());
    card(path)->load();
    QTRY_VERIFY_WITH_TIMEOUT(card(path)->isServing(), kPatienceMs);
    const quint64 taken = card(path)->state().memory.total();
    QVERIFY2(foretold >= taken && foretold <= taken + taken / 10,
             qPrintable(QStringLiteral("%1, then %2").arg(foretold).arg(taken)));
  }

  void cancelledLoad_ends_andTheOldModelAnswers() {
    const QString path = writeLarge(30);  // Long enough to be stopped on its way.
    drop(path);
    QTRY_VERIFY_WITH_TIMEOUT(card(path) && card(path)->isLoading(), kPatienceMs);
    QVERIFY(!card(path)->phaseText().isEmpty());
    QTRY_VERIFY(visibleItem("cancelLoad"));
    click(visibleItem("cancelLoad"));
    QTRY_VERIFY_WITH_TIMEOUT(!card(path)->isLoading(), kPatienceMs);
    QVERIFY(!card(path)->isServing());
    QCOMPARE(servingModels(), 1);
    m_driver->app().navigation()->setPage(Navigation::Page::Chats);
    QVERIFY(!answer("What is Quire?").isEmpty());
  }

  void fileThatBreaksBeforeItIsLoaded_saysWhy_andTheOldModelAnswers() {
    const QString path = copy("gguf/llama.gguf", "models/llama.gguf");
    m_driver->app().navigation()->setPage(Navigation::Page::Models);
    models().addFolder(QUrl::fromLocalFile(m_folder->filePath("models")));
    QTRY_VERIFY_WITH_TIMEOUT(card(path) && card(path)->isFound(), kPatienceMs);
    QVERIFY2(card(path)->obstacle().isEmpty(), qPrintable(card(path)->obstacle()));
    QFile file(path);
    QVERIFY(file.resize(file.size() / 2));
    card(path)->load();
    QTRY_VERIFY_WITH_TIMEOUT(!card(path)->error().isEmpty(), kPatienceMs);
    QVERIFY2(card(path)->error().contains("llama"), qPrintable(card(path)->error()));
    QCOMPARE(card(path)->loadText(), QString("Try again"));
    QCOMPARE(servingModels(), 1);
    m_driver->app().navigation()->setPage(Navigation::Page::Chats);
    QVERIFY(!answer("What is Quire?").isEmpty());
  }

  void lastModelThatIsGone_isReplacedByTheBundledOne_atTheStart() {
    const QString gone = m_folder->filePath("gone.gguf");
    m_driver->app().session().putSetting(LibrarySettings::kLastModelKey, gone);
    m_driver->app().close();
    m_driver.reset();
    EngineServiceOptions fresh = options();
    fresh.modelPath.clear();
    m_engine = std::make_unique<EngineService>(fresh);
    AppModel app(*m_engine, m_folder->filePath("data"), {});
    linkModels(app, *m_engine, {.named = {}, .bundled = fresh.bundledModelPath});
    app.open();
    QTRY_VERIFY_WITH_TIMEOUT(app.engine()->isReady() && app.engine()->isDemonstration(),
                             kPatienceMs);
    QVERIFY2(app.models()->notice().contains("gone"), qPrintable(app.models()->notice()));
  }

  void brokenFile_isRefusedInASentence_beforeItIsLoaded() {
    const QString path = copy("gguf/llama.gguf", "broken.gguf");
    QFile file(path);
    QVERIFY(file.resize(1000));
    drop(path);
    QTRY_VERIFY_WITH_TIMEOUT(!models().notice().isEmpty(), kPatienceMs);
    QVERIFY2(models().notice().contains("broken.gguf"), qPrintable(models().notice()));
    QCOMPARE(servingModels(), 1);
  }

  void chat_staysWithItsOwnModel() {
    const QString bundled = QString::fromStdString(bundled_model_folder());
    m_driver->chat().setOwnModel(models().primaryPath());
    QCOMPARE(QFileInfo(m_driver->chat().ownModelName()).fileName(), QFileInfo(bundled).fileName());
    const QString path = copy("gguf/qwen3.gguf", "qwen3.gguf");
    drop(path);
    QTRY_VERIFY_WITH_TIMEOUT(card(path) && card(path)->isPrimary(), kPatienceMs);
    m_driver->app().navigation()->setPage(Navigation::Page::Chats);
    QVERIFY(!answer("What is Quire?").isEmpty());
    const Conversation& messages = m_driver->chat().conversation();
    QCOMPARE(messages.find(messages.head())->modelName, QString("quire-mini"));
  }

 private:
  ModelLibrary& models() { return *m_driver->app().models(); }
  ModelCard* card(const QString& path) { return models().cards().find(path); }
  void drop(const QString& path) { m_driver->app().models()->open({QUrl::fromLocalFile(path)}); }
  /// Every card has its buttons; the one that is meant shows.
  QQuickItem* visibleItem(const QString& name) const {
    QList<QQuickItem*> items = {m_driver->window()->contentItem()};
    while (!items.isEmpty()) {
      QQuickItem* at = items.takeFirst();
      if (at->objectName() == name && at->isVisible()) return at;
      items += at->childItems();
    }
    return nullptr;
  }
  void click(const QQuickItem* item) const {
    const QPointF center = item->mapToScene({item->width() / 2, item->height() / 2});
    QTest::mouseClick(m_driver->window(), Qt::LeftButton, Qt::NoModifier, center.toPoint());
  }
  int servingModels() const {
    int serving = 0;
    for (const ModelState& state : m_engine->models()) serving += state.serving ? 1 : 0;
    return serving;
  }
  QString copy(const QString& data, const QString& to) const {
    const QString path = m_folder->filePath(to);
    QDir().mkpath(QFileInfo(path).path());
    if (!QFile::copy(QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/") + data, path))
      qFatal("%s is not in the tree.", qPrintable(data));
    QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner);
    return path;
  }
  QString writeLarge(int layers = 12) const {
    const QString path = m_folder->filePath("large/large.gguf");
    QDir().mkpath(QFileInfo(path).path());
    bench::write_random_gguf(path.toStdString(), DType::kQ8_0,
                             {.num_layers = layers,
                              .hidden_size = 1024,
                              .num_heads = 16,
                              .num_kv_heads = 4,
                              .intermediate_size = 4096,
                              .vocab_size = 8000,
                              .context = 512});
    return path;
  }
  QString answer(const QString& question) {
    m_driver->chat().composer()->sendText(question);
    if (!QTest::qWaitFor([&] { return m_driver->chat().turns()->isGenerating(); }, kPatienceMs))
      return {};
    if (!QTest::qWaitFor([&] { return !m_driver->chat().turns()->isGenerating(); }, kPatienceMs))
      return {};
    const Conversation& messages = m_driver->chat().conversation();
    return messages.find(messages.head())->text();
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<EngineService> m_engine;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(ModelsEngineTest)
#include "tst_models_engine.moc"
