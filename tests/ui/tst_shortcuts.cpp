#include <QKeySequence>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

/// What is seen on any page, or leads to one. A new command that is not named here has to show the
/// chats before it acts on them, or to be disabled on other pages.
const QStringList kSeenAnywhere = {"search.open",   "commands.open", "window.sidebar",
                                   "window.quit",   "answers.pause", "page.chats",
                                   "page.personas", "page.models",   "page.engine",
                                   "page.settings", "page.shortcuts"};
const QStringList kDisabledOnPages = {"find.open", "find.next", "find.previous"};

}  // namespace

/// Shortcuts that are pressed while another page covers the chats.
class ShortcutsTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_driver->window()->resize(1300, 800);
  }
  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  void shortcut_onAPage_actsInSight() {
    int numPressed = 0;
    for (const Command& command : commands().commands()) {
      if (!command.run || command.keys.isEmpty() || kSeenAnywhere.contains(command.id)) continue;
      for (const QString& key : command.keys) {
        stopAnAnswer();
        QVERIFY2(commands().canRun(command), qPrintable(command.id));
        navigation().setPage(Navigation::Page::Settings);
        const bool isDisabled = !commands().canRun(command);
        QCOMPARE(isDisabled, kDisabledOnPages.contains(command.id));
        const qsizetype numRequests = m_backend->requests.size();
        QTest::keySequence(m_driver->window(), QKeySequence::fromString(key));
        const bool isBack = navigation().page() == Navigation::Page::Chats;
        QVERIFY2(isBack != isDisabled, qPrintable(command.id));
        QVERIFY2(isBack || m_backend->requests.size() == numRequests, qPrintable(command.id));
        ++numPressed;
      }
    }
    QVERIFY(numPressed > 20);
  }

  /// Hidden behind a page, the panel is to be shown.
  void enginePanel_isShown_whenItWasHiddenByAPage() {
    navigation().setEnginePanel(true);
    navigation().setPage(Navigation::Page::Models);
    QVERIFY(!navigation().showsEnginePanel());
    commands().run("window.engine");
    QVERIFY(navigation().showsEnginePanel());
    commands().run("window.engine");
    QVERIFY(!navigation().showsEnginePanel());
  }

  /// What is excepted from the rule exists.
  void exceptions_areCommands() {
    for (const QString& id : kSeenAnywhere + kDisabledOnPages)
      QVERIFY2(commands().find(id), qPrintable(id));
  }

 private:
  CommandList& commands() { return *m_driver->app().commands(); }
  Navigation& navigation() { return *m_driver->app().navigation(); }
  /// Shows a chat, between two others in the list, with an answer that can be continued.
  void stopAnAnswer() {
    QTRY_VERIFY(isQuiet());  // Also what the command before has asked, once it is stored.
    m_driver->app().panes()->setCount(1);
    for (int i = 0; i < 3; ++i) ask();
    navigation().openNeighbour(1);
    QTRY_VERIFY(m_driver->chat().turns()->continuable() != 0);
    m_driver->app().panes()->setCount(2);
  }
  bool isQuiet() {
    m_backend->advance(10'000);
    const QList<ChatModel*> chats = m_driver->app().panes()->chats();
    return m_backend->numRunning() == 0 && std::ranges::none_of(chats, [](const ChatModel* one) {
             return one->turns()->isGenerating();
           });
  }
  void ask() {
    navigation().newChat();
    m_backend->queueAnswer(QString("Many words, one after the other. ").repeated(20));
    m_driver->chat().composer()->sendText("question");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(3);
    m_driver->chat().turns()->stop();
    QTRY_COMPARE(m_backend->numRunning(), 0);
    QTRY_VERIFY(m_driver->chat().turns()->canRegenerate());
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(ShortcutsTest)
#include "tst_shortcuts.moc"
