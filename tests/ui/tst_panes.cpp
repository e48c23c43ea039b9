#include <QQmlIncubationController>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "app/remote/remote_endpoint.h"
#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

const QString kLong = QString(QStringLiteral("Many words, one after the other. ")).repeated(60);

}  // namespace

/// Several chats side by side, and the one composer that writes to one or to all of them.
class PanesTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    start();
    m_driver->window()->resize(1440, 900);
    QTRY_COMPARE(m_driver->window()->width(), 1440);
  }

  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  void keys_chooseHowManyPanes() {
    press(Qt::Key_2);
    QCOMPARE(panes().count(), 2);
    QTRY_COMPARE(shownPanes(), 2);
    press(Qt::Key_4);
    QCOMPARE(panes().count(), 4);
    QTRY_COMPARE(shownPanes(), 4);
    QCOMPARE(panes().columnEdges().size(), 1);
    QCOMPARE(panes().rowEdges().size(), 1);
    press(Qt::Key_Backslash);
    QCOMPARE(panes().count(), 5);
    press(Qt::Key_1);
    QCOMPARE(panes().count(), 1);
    QTRY_COMPARE(shownPanes(), 1);
  }

  /// What they change is seen: a page that covers the panes is closed first.
  void keys_onAPage_goBackToThePanes() {
    Navigation& navigation = *m_driver->app().navigation();
    navigation.setPage(Navigation::Page::Settings);
    press(Qt::Key_3);
    QCOMPARE(navigation.page(), Navigation::Page::Chats);
    QCOMPARE(panes().count(), 3);
    navigation.setPage(Navigation::Page::Models);
    press(Qt::Key_W);
    QCOMPARE(navigation.page(), Navigation::Page::Chats);
    QCOMPARE(panes().count(), 3);  // Only the page is closed.
    press(Qt::Key_W);
    QCOMPARE(panes().count(), 2);
  }

  void page_hasAWayBackToTheChat_data() {
    QTest::addColumn<int>("page");
    for (int page = 1; page <= static_cast<int>(Navigation::Page::Shortcuts); ++page)
      QTest::addRow("%d", page) << page;
  }
  /// Also in a small window, whose sidebar is closed.
  void page_hasAWayBackToTheChat() {
    QFETCH(int, page);
    m_driver->window()->resize(1024, 640);
    Navigation& navigation = *m_driver->app().navigation();
    QVERIFY(!m_driver->item("backToChat")->isVisible());
    navigation.setPage(static_cast<Navigation::Page>(page));
    QTRY_VERIFY(m_driver->item("backToChat")->isVisible());
    m_driver->drawFrame();
    m_driver->click("backToChat");
    QCOMPARE(navigation.page(), Navigation::Page::Chats);
    QTRY_VERIFY(m_driver->composer()->hasActiveFocus());
    navigation.setPage(static_cast<Navigation::Page>(page));
    m_driver->press(Qt::Key_Escape);
    QCOMPARE(navigation.page(), Navigation::Page::Chats);
    QTRY_VERIFY(m_driver->composer()->hasActiveFocus());
  }

  /// A new pane is created in steps beside the window's events: it may be closed after any number
  /// of them.
  void pane_canBeClosedBeforeItIsCreated() {
    QQmlIncubationController* controller = m_driver->window()->incubationController();
    for (int steps = 0; steps < 250; steps += 7) {
      press(Qt::Key_4);
      press(Qt::Key_Backslash);
      for (int step = 0; step < steps; ++step) {
        std::atomic<bool> goesOn = false;
        controller->incubateWhile(&goesOn);
      }
      press(Qt::Key_1);
      QCOMPARE(panes().count(), 1);
      // Hidden at once, and removed later.
      QCOMPARE(std::ranges::count_if(slotsOfPanes(), &QQuickItem::isVisible), 1);
      QTRY_COMPARE(slotsOfPanes().size(), 1);
    }
    QTRY_COMPARE(shownPanes(), 1);
  }

  /// What is being removed, whole or not, serves for the next panes.
  void closedPanes_areUsedAgain() {
    QQmlIncubationController* controller = m_driver->window()->incubationController();
    for (int steps = 0; steps < 400; steps += 40) {
      press(Qt::Key_4);
      for (int step = 0; step < steps; ++step) {
        std::atomic<bool> goesOn = false;
        controller->incubateWhile(&goesOn);
      }
      panes().setFocusedPane(steps / 40 % 4);
      press(Qt::Key_1);
      press(Qt::Key_3);
      QTRY_COMPARE(slotsOfPanes().size(), 3);
      const QList<QQuickItem*> places = slotsOfPanes();  // In the order of the keyboard's focus.
      for (int pane = 0; pane < 3; ++pane) {
        QCOMPARE(places[pane]->property("pane").toInt(), pane);
        QCOMPARE(places[pane]->property("chat").value<ChatModel*>(), panes().chatAt(pane));
        QVERIFY(places[pane]->isVisible());
      }
      QTRY_COMPARE(shownPanes(), 3);
      for (int pane = 0; pane < 3; ++pane) QVERIFY(timelineOf(panes().chatAt(pane)));
      press(Qt::Key_1);
    }
  }

  /// The others that were closed are removed all the same.
  void paneThatIsBeingRemoved_isUsedAgain() {
    press(Qt::Key_4);
    press(Qt::Key_1);
    const auto isLeaving = [](const QQuickItem* slot) {
      return slot->property("isLeaving").toBool();
    };
    // Looked for after each event: it does not leave for long.
    QTimer deadline;  // Which is an event too.
    deadline.setSingleShot(true);
    deadline.start(kCommitMs);
    while (std::ranges::none_of(slotsOfPanes(), isLeaving) && deadline.isActive())
      QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    QVERIFY(std::ranges::any_of(slotsOfPanes(), isLeaving));
    press(Qt::Key_2);
    QTRY_COMPARE(slotsOfPanes().size(), 2);
    QTRY_COMPARE(shownPanes(), 2);
    press(Qt::Key_1);
  }

  void chatOfAClosedPane_canBeDeleted() {
    press(Qt::Key_3);
    QTRY_COMPARE(shownPanes(), 3);
    const ChatModel* const closed = panes().chatAt(2);
    panes().setCount(1);  // Without an event, in which a pane might be removed.
    QCOMPARE(slotsOfPanes().size(), 3);
    panes().drop(closed->chatId());
    for (const QQuickItem* slot : slotsOfPanes())
      QVERIFY(slot->property("chat").value<ChatModel*>() != closed);
    QTRY_COMPARE(slotsOfPanes().size(), 1);
  }

  void menuOfTheHeader_choosesToo() {
    chooseLayout("panes3");
    QTRY_COMPARE(panes().count(), 3);
    chooseLayout("splitButton");
    QTRY_COMPARE(panes().count(), 4);
  }

  void eachPane_streamsItsOwnChat_andTheFocusedOneComesFirst() {
    twoStreams();
    ChatModel* first = panes().chatAt(0);
    ChatModel* second = panes().chatAt(1);
    QVERIFY(first != second);
    m_backend->advance(3);
    for (ChatModel* chat : {first, second}) {
      const QString text = chat->conversation().find(chat->conversation().head())->text();
      QVERIFY(!text.isEmpty() && kLong.startsWith(text));
    }
    QCOMPARE(panes().focusedPane(), 1);
    QCOMPARE(first->activityText(), QString("Answering…"));
    QCOMPARE(second->activityText(), QString());
    const RequestId before = m_backend->focused();
    m_driver->press(Qt::Key_Left, Qt::ControlModifier | Qt::AltModifier);
    QCOMPARE(panes().focusedPane(), 0);
    QVERIFY(m_backend->focused() != 0 && m_backend->focused() != before);
    QCOMPARE(second->activityText(), QString("Answering…"));
  }

  void closingAPane_letsItsChatGoOn() {
    twoStreams();
    ChatModel* closed = panes().focusedChat();
    m_driver->press(Qt::Key_W, Qt::ControlModifier);
    QCOMPARE(panes().count(), 1);
    QVERIFY(panes().focusedChat() != closed);
    QCOMPARE(m_backend->numRunning(), 2);
    m_backend->advance(1000);
    QVERIFY(!closed->turns()->isGenerating());
    press(Qt::Key_2);
    QCOMPARE(panes().chatAt(1), closed);
    m_driver->press(Qt::Key_W, Qt::ControlModifier);
    m_driver->press(Qt::Key_W, Qt::ControlModifier);
    QCOMPARE(panes().count(), 1);  // The last one stays.
  }

  void click_focusesThePane() {
    twoStreams();
    m_driver->finishPages();
    m_driver->settle(0);
    QQuickItem* timeline = timelineOf(panes().chatAt(0));
    QVERIFY(timeline);
    const QPointF point = timeline->mapToScene({20, timeline->height() - 20});
    QTest::mouseClick(m_driver->window(), Qt::LeftButton, Qt::NoModifier, point.toPoint());
    QTRY_COMPARE(panes().focusedPane(), 0);
  }

  void chatOfTheSidebar_opensInTheFocusedPane_orBeside() {
    twoStreams();
    const RecordId first = panes().chatAt(0)->chatId();
    const RecordId second = panes().chatAt(1)->chatId();
    press(Qt::Key_1);
    QCOMPARE(panes().focusedChat()->chatId(), second);
    m_driver->app().navigation()->openChatBeside(first);
    QCOMPARE(panes().count(), 2);
    QCOMPARE(panes().focusedChat()->chatId(), first);
    m_driver->app().navigation()->openChat(
        second);  // It is shown already: its pane gets the focus.
    QCOMPARE(panes().focusedPane(), 0);
    QCOMPARE(panes().count(), 2);
  }

  void message_goesToAllPanes_andDraftsAreKept() {
    press(Qt::Key_2);
    m_driver->type("of this chat");
    QCOMPARE(composer().targetText(), QString("To this chat"));
    m_driver->press(Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(composer().targetText(), QString("To both panes"));
    QCOMPARE(m_driver->composer()->property("text").toString(), QString());
    m_driver->type("to all");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), 2);
    for (const ChatRequest& request : m_backend->requests) {
      QCOMPARE(request.turns.last().text, QString("to all"));
    }
    QCOMPARE(composer().draft(), QString());
    QVERIFY(composer().isGenerating() && !composer().canSend());
    QVERIFY(m_driver->item("stopButton")->isVisible());
    m_driver->press(Qt::Key_Escape);
    QTRY_VERIFY(!panes().chatAt(0)->turns()->isGenerating() &&
                !panes().chatAt(1)->turns()->isGenerating());
    m_driver->press(Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(m_driver->composer()->property("text").toString(), QString("of this chat"));
  }

  void sameQuestion_givesEachChatATitleOfItsOwn() {
    press(Qt::Key_4);
    panes().chatAt(1)->setPersona(addPersona("Critic"));
    panes().chatAt(2)->rename("My own title");
    composer().setToAll(true);
    composer().setDraft("Why is the sky blue in the morning?");
    composer().send();
    QTRY_COMPARE(m_backend->requests.size(), 4);
    QStringList titles;
    for (const ChatModel* chat : panes().chats()) titles.append(chat->title());
    QCOMPARE(titles, QStringList({"Why is the sky blue in… · 1", "Why is the sky blue in… · Critic",
                                  "My own title", "Why is the sky blue in… · 2"}));
    const ChatListModel& list = *m_driver->app().chats();
    for (const ChatModel* chat : panes().chats())
      QCOMPARE(list.find(chat->chatId())->title, chat->title());
  }

  void sendingToAll_endsWithTheLastPaneButOne() {
    press(Qt::Key_4);
    composer().setToAll(true);
    QVERIFY(composer().toAll());
    press(Qt::Key_1);
    QVERIFY(!composer().toAll());
    press(Qt::Key_2);
    QVERIFY(!composer().toAll());
    m_driver->type("only here");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), 1);
    QTest::qWait(20);
    QCOMPARE(m_backend->requests.size(), 1);
  }

  /// The others get it; what was not sent is kept where it was not sent, and a line says why.
  void oneBusyChat_keepsAMessageToAllAsItsDraft() {
    press(Qt::Key_2);
    m_backend->queueAnswer(kLong);
    m_driver->type("go");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    ChatModel* const busy = panes().focusedChat();
    composer().setToAll(true);
    composer().setDraft("to both");
    QVERIFY(composer().canSend());
    QVERIFY(composer().note().startsWith("Enter to send to 1 of 2 chats"));
    QVERIFY(m_driver->item("sendButton")->isVisible() && m_driver->item("stopButton")->isVisible());
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->numRunning(), 2);
    QCOMPARE(m_backend->requests.last().turns.last().text, QString("to both"));
    QCOMPARE(busy->composer()->draft(), QString("to both"));
    QCOMPARE(composer().draft(), QString());
    QCOMPARE(composer().unsentText(),
             QString("Not sent to \"go\" (still answering). It is kept there as a draft."));
    QTRY_VERIFY(m_driver->item("unsentNotice")->isVisible());
    m_backend->advance(1000);
    QTRY_VERIFY(!composer().isGenerating());
    composer().setDraft("once more");
    composer().send();
    QCOMPARE(composer().unsentText(), QString());
  }

  void busyChats_holdBackAMessageToAll() {
    twoStreams();
    composer().setToAll(true);
    composer().setDraft("to both");
    QVERIFY(!composer().canSend());
    QCOMPARE(composer().note(), QString("2 chats still answering."));
    composer().send();
    QCOMPARE(composer().draft(), QString("to both"));
    m_backend->advance(1000);
    QTRY_VERIFY(composer().canSend());
  }

  /// A chat on a machine that was removed cannot be asked; the local one can.
  void chatWithoutModel_keepsAMessageToAllAsItsDraft() {
    press(Qt::Key_2);
    panes().chatAt(1)->setOwnModel(remotePath("7", "some-model"));
    QVERIFY(panes().chatAt(1)->isRemote() && !panes().chatAt(1)->isReady());
    composer().setToAll(true);
    composer().setDraft("to both");
    composer().send();
    QTRY_COMPARE(m_backend->requests.size(), 1);
    QCOMPARE(panes().chatAt(1)->composer()->draft(), QString("to both"));
    QVERIFY(composer().unsentText().contains("(its machine was removed)"));
    composer().dismissUnsent();
    QCOMPARE(composer().unsentText(), QString());
  }

  /// Cut-off answers have a button "Continue" in their last row.
  void restart_showsTheEndOfEveryCutOffAnswer() {
    const QString paragraphs = QStringLiteral(
                                   "A paragraph of several words that wraps in a narrow pane.\n\n"
                                   "- a point\n- another one\n\n```\nsome code\n```\n\n")
                                   .repeated(12);
    for (int pane = 0; pane < 4; ++pane) {
      if (pane > 0) press(Qt::Key_Backslash);
      m_backend->queueAnswer(paragraphs);
      m_driver->type("go");
      m_driver->press(Qt::Key_Return);
      QTRY_COMPARE(m_backend->numRunning(), pane + 1);
    }
    m_backend->advance(60);
    m_driver.reset();
    m_backend.reset();
    start();
    QTRY_COMPARE(shownPanes(), 4);
    // The line that says so makes all panes lower, and then higher again.
    m_backend->setState(ModelManager::State::Loading, "Loading…", 0.4);
    QTest::qWait(100);
    m_backend->setState(ModelManager::State::Ready);
    for (QQuickItem* timeline : items("timeline")) QTRY_VERIFY(isAtEnd(*timeline));
  }

  void restart_findsPanesEdgesAndTheDraftForAll() {
    twoStreams();
    m_backend->advance(1000);
    panes().moveColumnEdge(0, 0.4);
    panes().keepEdges();
    composer().setToAll(true);
    m_driver->type("for all");
    const QList<RecordId> ids = panes().arrangement().chats;
    m_driver.reset();
    m_backend.reset();
    start();
    QCOMPARE(panes().arrangement().chats, ids);
    QCOMPARE(panes().focusedPane(), 1);
    QVERIFY(std::abs(panes().columnEdges().value(0) - 0.4) < 1e-9);
    composer().setToAll(true);
    QCOMPARE(composer().draft(), QString("for all"));
  }

  void edge_canBeDragged_butNoPaneGetsTooNarrow() {
    press(Qt::Key_2);
    QTRY_VERIFY(m_driver->item("paneEdge"));
    m_driver->settle(0);
    QQuickItem* edge = m_driver->item("paneEdge");
    const QPoint from = edge->mapToScene({edge->width() / 2, 200}).toPoint();
    QTest::mousePress(m_driver->window(), Qt::LeftButton, Qt::NoModifier, from);
    for (int step = 1; step <= 10; ++step) {
      QTest::mouseMove(m_driver->window(), from - QPoint(10 * step, 0));
      QTest::qWait(5);
    }
    QTest::mouseRelease(m_driver->window(), Qt::LeftButton, Qt::NoModifier, from - QPoint(100, 0));
    QTRY_VERIFY(panes().columnEdges().value(0) < 0.47);
    panes().moveColumnEdge(0, 0.01);
    QTRY_VERIFY(panes().columnEdges().value(0) * 1184 >= PaneGrid::kMinWidth - 1);
  }

  void narrowWindow_showsFewerPanes_andTabs() {
    press(Qt::Key_3);
    QTRY_COMPARE(shownPanes(), 3);
    QVERIFY(!panes().hasTabs());
    m_driver->window()->resize(680, 480);
    QTRY_COMPARE(shownPanes(), 1);
    QTRY_COMPARE(numVisible("closePane"), 1);  // No header below another.
    QVERIFY(panes().hasTabs());
    QVERIFY(panes().data(panes().index(panes().focusedPane()), PaneListModel::kIsShown).toBool());
    panes().moveFocus(-1, 0);
    QVERIFY(panes().data(panes().index(panes().focusedPane()), PaneListModel::kIsShown).toBool());
    m_driver->window()->resize(1440, 900);
    QTRY_COMPARE(shownPanes(), 3);
  }

  void deletedChat_givesItsPaneToOneThatIsNotShown() {
    twoStreams();
    m_backend->advance(1000);
    const RecordId first = panes().chatAt(0)->chatId();
    m_driver->app().library()->remove(first);
    QCOMPARE(panes().count(), 2);
    QVERIFY(panes().chatAt(0)->chatId() != first);
    QVERIFY(panes().chatAt(0) != panes().chatAt(1));
    QVERIFY(panes().chatAt(0)->isEmpty());
  }

 private:
  void start() {
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
  }
  int numVisible(const QString& name) {
    const QList<QQuickItem*> all = items(name);
    return static_cast<int>(std::count_if(all.cbegin(), all.cend(), [](const QQuickItem* one) {
      return one->isVisible() && one->parentItem()->isVisible();
    }));
  }
  void chooseLayout(const QString& name) {
    m_driver->click("layoutButton");
    QTRY_VERIFY(m_driver->item(name) && m_driver->item(name)->isVisible());
    m_driver->click(name);
    QTRY_VERIFY(!m_driver->item(name) || !m_driver->item(name)->isVisible());
  }
  RecordId addPersona(const QString& name) {
    PersonaLibrary& library = *m_driver->app().personaLibrary();
    library.create();
    library.editor()->setName(name);
    library.editor()->setPrompt(name + "'s words");
    library.editor()->save();
    for (const PersonaRecord& one : m_driver->app().personas()->personas()) {
      if (one.name == name) return one.id;
    }
    return 0;
  }
  PaneListModel& panes() { return *m_driver->app().panes(); }
  ComposerModel& composer() { return *m_driver->app().composer(); }
  void press(Qt::Key key) { m_driver->press(key, Qt::ControlModifier); }

  /// Two panes, each with a chat that is being answered; the second has the focus.
  void twoStreams() {
    for (int pane = 0; pane < 2; ++pane) {
      if (pane == 1) press(Qt::Key_Backslash);
      m_backend->queueAnswer(kLong);
      m_driver->type("go");
      m_driver->press(Qt::Key_Return);
      QTRY_COMPARE(m_backend->numRunning(), pane + 1);
    }
  }

  QList<QQuickItem*> items(const QString& name) {
    QList<QQuickItem*> found;
    QList<QQuickItem*> open = {m_driver->window()->contentItem()};
    while (!open.isEmpty()) {
      QQuickItem* at = open.takeFirst();
      if (at->objectName() == name) found.append(at);
      open += at->childItems();
    }
    return found;
  }
  static bool isAtEnd(const QQuickItem& timeline) {
    const auto number = [&](const char* name) { return timeline.property(name).toDouble(); };
    const double end = number("originY") + number("contentHeight") + number("bottomMargin");
    return std::abs(end - number("contentY") - timeline.height()) < 1.0;
  }
  /// The places of panes, also of those that were closed and are being removed.
  QList<QQuickItem*> slotsOfPanes() {
    QList<QQuickItem*> found;
    QList<QQuickItem*> open = {m_driver->window()->contentItem()};
    while (!open.isEmpty()) {
      QQuickItem* at = open.takeFirst();
      if (at->property("isLeaving").isValid()) found.append(at);
      open += at->childItems();
    }
    return found;
  }
  int shownPanes() { return static_cast<int>(items("timeline").size()); }
  QQuickItem* timelineOf(ChatModel* chat) {
    for (QQuickItem* one : items("timeline")) {
      if (one->property("chat").value<ChatModel*>() == chat) return one;
    }
    return nullptr;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(PanesTest)
#include "tst_panes.moc"
