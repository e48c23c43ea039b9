#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

const QString kTitle = QStringLiteral("A question of many words, so that its title is a long one");
const QString kLong = QString(QStringLiteral("Many words, one after the other. ")).repeated(60);

}  // namespace

/// What the headers, footers and the sidebar show, and which of it yields where there is no room.
class LayoutTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_driver->window()->resize(1440, 900);
  }

  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  void titleOfAChat_takesTheFreeSpace_andTheFiguresYieldFirst() {
    say("one", "two");
    chat().rename(kTitle);
    QTRY_VERIFY(item("contextMeter")->isVisible());
    QTRY_COMPARE(item("userWords")->property("text").toString(), kTitle);
    QTRY_VERIFY(!item("userWords")->property("truncated").toBool());
    QTRY_VERIFY(!item("contextMeter")->property("compact").toBool());
    m_driver->app().panes()->setCount(3);
    m_driver->app().panes()->setFocusedPane(0);
    QTRY_VERIFY(item("contextMeter")->property("compact").toBool());
    QTRY_VERIFY(item("userWords")->property("truncated").toBool());
    const auto end = [&] { return item("userWords")->x() + item("userWords")->width(); };
    QTRY_VERIFY(item("personaChip")->x() - end() < 12.0);
    m_driver->app().panes()->setCount(9);
    m_driver->app().panes()->setFocusedPane(0);
    QTRY_VERIFY(item("userWords")->width() >= 60.0);
  }

  void pause_isThereWhileSomethingCanBePaused() {
    QVERIFY(!item("pauseButton")->isVisible());
    m_backend->queueAnswer(kLong);
    chat().turns()->ask("go");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    QTRY_VERIFY(item("pauseButton")->isVisible());
    m_driver->click("pauseButton");
    QVERIFY(m_driver->app().pause()->isPaused());
    QVERIFY(item("pauseButton")->isVisible());
    m_driver->click("pauseButton");
    m_backend->advance(1000);
    QTRY_VERIFY(!item("pauseButton")->isVisible());
  }

  void pages_haveNoControlsOfPanes_andNoCurrentChat() {
    say("one", "two");
    QTRY_VERIFY(item("currentChatRow"));
    QVERIFY(item("layoutButton")->isVisible());
    QVERIFY(item("currentChatRow")->property("highlighted").toBool());
    m_driver->app().navigation()->setPage(Navigation::Page::Engine);
    QTRY_VERIFY(!item("layoutButton")->isVisible());
    QVERIFY(!item("currentChatRow")->property("highlighted").toBool());
    m_driver->app().navigation()->setPage(Navigation::Page::Chats);
    QTRY_VERIFY(item("currentChatRow")->property("highlighted").toBool());
  }

  void enginePanel_leavesTheModelItsName() {
    m_driver->window()->resize(1200, 800);
    m_driver->app().navigation()->setEnginePanel(true);
    const QQuickItem* const chip = item("modelChip");
    QTRY_COMPARE(chip->mapToScene({0.0, 0.0}).x(), 272.0);
    QTRY_VERIFY(item("layoutButton")->mapToScene({0.0, 0.0}).x() < 1200.0 - 280.0);
    const auto end = [&] {
      return chip->mapToScene({0.0, 0.0}).x() + chip->property("chrome").toDouble() +
             chip->property("maximumTextWidth").toDouble();
    };
    QTRY_VERIFY(chip->property("maximumTextWidth").toDouble() >= 300.0);
    QTRY_VERIFY(end() < item("layoutButton")->mapToScene({0.0, 0.0}).x());
  }

  void narrowWindow_closesTheSidebar_untilItIsWide() {
    SidebarState& sidebar = *m_driver->app().sidebar();
    QVERIFY(sidebar.isOpen());
    m_driver->window()->resize(1024, 640);
    QTRY_VERIFY(!sidebar.isOpen());
    QTRY_VERIFY(item("railSettings")->isVisible());
    m_driver->click("railSettings");
    QTRY_COMPARE(m_driver->app().navigation()->page(), Navigation::Page::Settings);
    sidebar.toggle();  // The user may open it there.
    QVERIFY(sidebar.isOpen());
    m_driver->window()->resize(1020, 640);
    QTest::qWait(50);
    QVERIFY(sidebar.isOpen());
    m_driver->window()->resize(1200, 640);
    QTRY_COMPARE(sidebar.windowWidth(), 1200.0);
    QVERIFY(sidebar.isOpen());
    sidebar.toggle();
    m_driver->window()->resize(900, 640);
    QTRY_COMPARE(sidebar.windowWidth(), 900.0);
    sidebar.toggle();
    m_driver->window()->resize(1200, 640);
    QTRY_VERIFY(!sidebar.isOpen());  // As it was closed before.
  }

  void failedAnswer_saysWhatToDo() {
    m_backend->failNext("The model reads 8,192 tokens at most.");
    chat().turns()->ask("too much");
    QTRY_VERIFY(item("tryAgain") && item("tryAgain")->isVisible());
    QTRY_VERIFY(item("otherModel")->isVisible());
    QVERIFY(!isSeen("copyAnswer"));
    m_driver->drawFrame();
    m_driver->click("otherModel");
    QTRY_COMPARE(m_driver->app().navigation()->page(), Navigation::Page::Models);
    m_driver->app().navigation()->setPage(Navigation::Page::Chats);
    m_driver->drawFrame();
    m_driver->click("tryAgain");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(1000);
    QTRY_VERIFY(isSeen("copyAnswer"));
  }

  /// The icons are what people use most; everything else is in the menu.
  void footer_hasTwoIconsAndAMenu() {
    say("one", "two");
    QTRY_VERIFY(item("moreActions") && item("moreActions")->isVisible());
    QStringList icons;
    for (const QQuickItem* icon : item("moreActions")->parentItem()->childItems())
      if (icon->isVisible()) icons.append(icon->objectName());
    QCOMPARE(icons, QStringList({"copyAnswer", "regenerateAnswer", "moreActions"}));
    const RecordId origin = chat().chatId();
    m_driver->drawFrame();
    m_driver->click("moreActions");
    QTRY_VERIFY(item("forkMessage") && item("forkMessage")->isVisible());
    m_driver->click("forkMessage");
    QTRY_VERIFY(chat().chatId() != origin);
    QCOMPARE(m_driver->app().panes()->count(), 2);
  }

  void moreActions_openTheMenu_andTheDetails() {
    say("one", "two");
    QTRY_VERIFY(item("moreActions") && item("moreActions")->isVisible());
    m_driver->drawFrame();
    m_driver->click("moreActions");
    QTRY_VERIFY(item("answerDetails") && item("answerDetails")->isVisible());
    m_driver->click("answerDetails");
    AnswerDetails& details = *chat().history()->details();
    QTRY_VERIFY(details.isOpen());
    QTRY_VERIFY(item("detailsCard") && item("detailsCard")->isVisible());
    const MessageRecord& answer = *chat().conversation().find(chat().conversation().head());
    QCOMPARE(valueOf(details, "Model"), answer.modelName);
    QCOMPARE(valueOf(details, "Prompt"), QString("%1 tokens").arg(answer.promptTokens));
    QVERIFY(valueOf(details, "From cache").endsWith("%)"));
    m_driver->press(Qt::Key_Escape);
    QTRY_VERIFY(!details.isOpen());
  }

  void comparedAnswers_beginAtTheirBeginning_andNoneIsCut() {
    for (int i = 0; i < 3; ++i) m_backend->queueAnswer(kLong.repeated(4));
    m_driver->app().panes()->setCount(2);
    AskPlan& plan = *m_driver->app().composer()->plan();
    plan.setCount(3);
    chat().turns()->ask("compare", plan.plans());
    QTRY_COMPARE(m_backend->numRunning(), 3);
    m_backend->advance(1000);
    QTRY_VERIFY(item("answerColumn"));
    QQuickItem* column = item("answerColumn");
    QTRY_VERIFY(column->property("contentHeight").toDouble() > column->height());
    QTRY_VERIFY(column->property("atYBeginning").toBool());
    m_driver->settle(0);
    const double list = item("answerColumns")->width();
    const double shown = list / column->width();
    QVERIFY2(std::abs(shown - std::round(shown)) < 0.05, qPrintable(QString::number(shown)));
  }

  void deviceOfTheModel_isNoButton() {
    QVERIFY(item("deviceText"));
    QVERIFY(!item("deviceText")->inherits("QQuickAbstractButton"));
  }

 private:
  ChatModel& chat() { return m_driver->chat(); }
  QQuickItem* item(const QString& name) { return m_driver->item(name); }
  bool isSeen(const QString& name) {
    QList<QQuickItem*> open = {m_driver->window()->contentItem()};
    while (!open.isEmpty()) {
      QQuickItem* at = open.takeFirst();
      if (at->objectName() == name && at->isVisible()) return true;
      open += at->childItems();
    }
    return false;
  }
  static QString valueOf(const AnswerDetails& details, const QString& label) {
    for (int row = 0; row < details.rowCount(); ++row) {
      const QModelIndex index = details.index(row);
      if (details.data(index, AnswerDetails::kLabel) == label) {
        return details.data(index, AnswerDetails::kValue).toString();
      }
    }
    return {};
  }
  void say(const QString& message, const QString& answer) {
    m_backend->queueAnswer(answer);
    chat().turns()->ask(message);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(100);
    QTRY_VERIFY(!chat().turns()->isGenerating());
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(LayoutTest)
#include "tst_layout.moc"
