#include <QDateTime>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "app/store/conversation_store.h"
#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/e2e/hands.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

QByteArray presets() {
  QFile file(QStringLiteral(":/quire/personas/presets.json"));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

MessageRecord message(RecordId id, RecordId parent, const QString& text) {
  MessageRecord record;
  record.id = id;
  record.chatId = 1;
  record.parentId = parent;
  record.role = parent == 0 ? MessageRole::User : MessageRole::Assistant;
  record.setText(text);
  return record;
}

}  // namespace

/// Three tasks from beginning to end, with the clicks and keys that they take (docs/window.md
/// compares them). A drop is a click, and a key with modifiers one key; the letters of a question
/// are not counted. The time between an input and what it leads to, without the model's, is only
/// reported: each wait has its limit.
class TasksTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    m_backend->charactersPerTick = 1000;
    m_numClicks = m_numKeys = 0;
    m_programMs = 0;
  }
  void tidyUp() override {
    m_hands.reset();
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  /// From a data folder that does not exist, with a model's file in a folder of another program.
  void firstAnswer_fromNothing() {
    openForTheFirstTime("Qwen3-8B-Q4_K_M.gguf");
    const FirstRun& run = *m_driver->app().firstRun();
    wait([&] { return run.startText() == "Start with Qwen3-8B-Q4_K_M"; });
    wait([&] { return hasFocus("firstRunStart"); });
    press(Qt::Key_Return);
    wait([&] { return m_driver->composer() && m_driver->composer()->hasActiveFocus(); });
    wait([&] { return m_backend->loads.size() == 1; });
    serveLoaded("Qwen3-8B");
    ask("Why is the sky blue?", {"Because of the air."});
    wait([&] { return shows("Because of the air."); });
    report("first answer", 0, 2);
  }

  /// The file is anywhere else: it is dropped on the window.
  void firstAnswer_fromAFileThatIsDropped() {
    openForTheFirstTime("placeholder.txt");
    wait([&] { return hasFocus("firstRunStart"); });
    const QString path = m_folder->filePath("mine.gguf");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("x") == 1);
    file.close();
    ++m_numClicks;
    QVERIFY(m_hands->drop({path}));
    wait([&] { return m_backend->loads.size() == 1; });
    serveLoaded("mine");
    press(Qt::Key_N, Qt::ControlModifier);
    wait([&] { return m_driver->composer() && m_driver->composer()->hasActiveFocus(); });
    ask("Why is the sky blue?", {"Because of the air."});
    wait([&] { return shows("Because of the air."); });
    report("first answer, file dropped", 1, 2);
  }

  void question_toThreePersonas_andOneIsKept() {
    open();
    click("askChip");
    wait([&] { return m_driver->item("ask3") != nullptr; });
    click("ask3");
    click("Persona");
    press(Qt::Key_Escape);
    wait([&] { return m_driver->composer()->hasActiveFocus(); });
    ask("Name three birds.", {"First.", "Second.", "Third."});
    QSet<qint64> personas;
    for (const ChatRequest& request : m_backend->requests) personas.insert(request.personaId);
    QCOMPARE(personas.size(), 3);
    wait([&] { return m_driver->item("keep1") != nullptr; });
    click("keep1");
    wait([&] { return shows("Second.") && !m_driver->chat().turns()->group(); });
    report("three personas", 4, 2);
  }

  void lastWeeksSentence_isFound_andTheChatGoesOn() {
    makeOldChat();
    open();
    press(Qt::Key_K, Qt::ControlModifier);
    wait([&] { return hasFocus("quickOpenField"); });
    m_hands->type("heron stood");
    QuickOpen& search = *m_driver->app().quickOpen();
    wait([&] { return search.numRows() > 0; });
    press(Qt::Key_Return);
    wait([&] { return m_driver->chat().chatId() == 1 && m_driver->composer()->hasActiveFocus(); });
    wait([&] { return m_hands->sees("The heron stood"); });
    ask("And then?", {"It flew."});
    QCOMPARE(m_backend->requests.last().turns.size(), 3);
    wait([&] { return shows("It flew."); });
    report("last week's sentence", 0, 3);
  }

 private:
  void open() {
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path(), presets());
    show();
  }
  void openForTheFirstTime(const QString& file) {
    const QString home = m_folder->filePath("home");
    const QString models = home + "/.lmstudio/models/org/repo";
    QDir().mkpath(models);
    QFile out(models + '/' + file);
    QVERIFY(out.open(QIODevice::WriteOnly) && out.write("x") == 1);
    out.close();
    const auto link = [&](AppModel& app) {
      app.models()->setScanner(std::make_unique<ModelScanner>(ModelScanner::Options{
          .reader =
              [](const QString&) { return ModelFacts{.architecture = "qwen3", .fileBytes = 1}; },
          .environment = {.home = home,
                          .variable = [](const char*) { return QString(); },
                          .systemRoot = m_folder->path()}}));
    };
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->filePath("data"), presets(),
                                              true, link);
    show();
  }
  void show() {
    m_driver->window()->resize(1440, 900);
    m_hands = std::make_unique<Hands>(*m_driver->window());
    QTest::qWait(50);
  }
  void serveLoaded(const QString& name) {
    m_backend->setModels({{.path = m_backend->loads[0].path,
                           .name = name,
                           .state = ModelState::State::kReady,
                           .primary = true}});
  }
  void makeOldChat() {
    constexpr qint64 kWeekMs = 7 * 24 * 3600 * qint64{1000};
    auto store = ConversationStore::open(m_folder->path());
    QVERIFY(store.has_value());
    NewChat chat;
    chat.chat.id = 1;
    chat.chat.title = "Birds";
    chat.chat.activeMs = QDateTime::currentMSecsSinceEpoch() - kWeekMs;
    chat.messages = {message(11, 0, "Tell me a story."),
                     message(12, 11, "The heron stood in the water and waited.")};
    chat.chat.headMessageId = 12;
    QVERIFY((*store)->createChat(chat).has_value());
    store->reset();
  }

  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    ++m_numKeys;
    m_driver->press(key, modifiers);
  }
  void click(const QString& name) {
    ++m_numClicks;
    QVERIFY2(m_hands->click(name), qPrintable(name));
  }
  /// Writes a question where the focus is, sends it and has it answered.
  void ask(const QString& question, const QStringList& answers) {
    for (const QString& answer : answers) m_backend->queueAnswer(answer);
    const qsizetype before = m_backend->requests.size();
    m_hands->type(question);
    press(Qt::Key_Return);
    wait([&] { return m_backend->requests.size() == before + answers.size(); });
    m_backend->advance(3);
  }
  /// For what an input leads to.
  void wait(const std::function<bool()>& isThere) {
    QElapsedTimer clock;
    clock.start();
    QVERIFY(QTest::qWaitFor(isThere, 10'000));
    m_programMs += clock.nsecsElapsed() / 1e6;
  }
  bool hasFocus(const QString& name) const {
    const QQuickItem* const item = m_driver->item(name);
    return item && item->hasActiveFocus();
  }
  bool shows(const QString& text) const { return m_driver->shownTexts().contains(text); }
  void report(const char* task, int numClicks, int numKeys) {
    qInfo("%s: %d clicks, %d keys, %.0f ms", task, m_numClicks, m_numKeys, m_programMs);
    QCOMPARE(m_numClicks, numClicks);
    QCOMPARE(m_numKeys, numKeys);
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
  std::unique_ptr<Hands> m_hands;
  int m_numClicks = 0;
  int m_numKeys = 0;
  double m_programMs = 0;
};

QUIRE_UI_TEST_MAIN(TasksTest)
#include "tst_tasks.moc"
