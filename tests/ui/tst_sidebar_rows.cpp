#include <QTemporaryDir>
#include <QTest>

#include <cmath>

#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

/// What the rows of the sidebar show and where they stand, and what is said of them over the chats.
class SidebarRowsTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    start();
  }

  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  void wayBackToADeletedChat_isNotCovered() {
    const RecordId id = ask("alpha");
    DataTransfer& transfer = *m_driver->app().transfer();
    transfer.backUpNow();
    QTRY_VERIFY_WITH_TIMEOUT(!transfer.isBusy(), 20'000);
    m_driver->app().library()->remove(id);
    QQuickItem* undo = m_driver->item("undoToast");
    QQuickItem* other = m_driver->item("transferToast");
    QTRY_VERIFY(undo->isVisible() && other->isVisible());
    QTRY_VERIFY(!sceneRect(undo).intersects(sceneRect(other)));
    QVERIFY(other->height() > 20);
    m_driver->click("undoButton");
    QTRY_COMPARE(m_driver->app().chats()->count(), 1);
  }

  void restart_showsTheTopOfTheList_ifTheChatIsThere() {
    tidyUp();
    fill(40);
    start();
    const ChatListModel& chats = *m_driver->app().chats();
    const RecordId near = chats.idAt(4);
    const RecordId far = chats.idAt(35);
    m_driver->app().navigation()->openChat(near);
    restart();
    QCOMPARE(m_driver->app().chats()->currentRow(), 4);
    QTRY_COMPARE(fromTop(), 0.0);
    QTest::qWait(50);
    QCOMPARE(fromTop(), 0.0);
    m_driver->app().navigation()->openChat(far);
    restart();
    QTRY_VERIFY(m_driver->item("currentChatRow"));
    const auto isInSight = [&] {
      const QQuickItem* row = m_driver->item("currentChatRow");
      return row && sceneRect(m_driver->item("chatList")).contains(sceneRect(row));
    };
    QTRY_VERIFY(isInSight());
    QTRY_VERIFY(fromTop() > 0);
  }

  void chatWithADraftAlone_isCalledAfterIt_andAForkHasItsMark() {
    ask("alpha");
    QTRY_VERIFY(m_driver->item("forkMark"));
    QVERIFY(!m_driver->item("forkMark")->isVisible());
    m_driver->chat().history()->fork(m_driver->chat().conversation().head());
    QTRY_COMPARE(m_driver->app().chats()->count(), 2);
    ChatListModel& chats = *m_driver->app().chats();
    QVERIFY(chats.data(chats.index(0), ChatListModel::kIsFork).toBool());
    QVERIFY(!chats.data(chats.index(1), ChatListModel::kIsFork).toBool());
    m_driver->app().navigation()->newChat();
    m_driver->type("half a  thought");
    QTRY_COMPARE(chats.count(), 3);
    QTRY_COMPARE(chats.data(chats.index(0), ChatListModel::kTitle).toString(),
                 QString("Draft: half a thought"));
  }

  void title_staysWhereItIs_underThePointer() {
    ask("alpha");
    QTRY_VERIFY(m_driver->item("chatRowTitle"));
    QQuickItem* row = m_driver->item("currentChatRow");
    QQuickItem* title = m_driver->item("chatRowTitle");
    QTRY_VERIFY(title->height() > 0 && row->isVisible());
    m_driver->placeOf("currentChatRow");  // It stands still.
    const double before = title->mapToScene({}).y();
    const QPoint middle = row->mapToScene({60, row->height() / 2}).toPoint();
    QTest::mouseMove(m_driver->window(), middle);
    QTest::mouseMove(m_driver->window(), middle + QPoint(1, 0));
    QTRY_VERIFY(row->property("hovered").toBool());
    m_driver->settle(50);
    QCOMPARE(title->mapToScene({}).y(), before);
    QVERIFY(std::abs(before + title->height() / 2 - row->mapToScene({0, row->height() / 2}).y()) <
            2);
  }

 private:
  double fromTop() {
    const QQuickItem* list = m_driver->item("chatList");
    return list->property("contentY").toDouble() - list->property("originY").toDouble();
  }
  void restart() {
    tidyUp();
    start();
    forgetBlockages();
  }
  void start() {
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
  }
  void fill(int count) {
    const auto store = std::move(*ConversationStore::open(m_folder->path()));
    for (int i = 1; i <= count; ++i) {
      ChatRecord chat;
      chat.id = i;
      chat.title = QStringLiteral("Chat %1").arg(i);
      chat.activeMs = 1'700'000'000'000 + i * 60'000LL;
      QVERIFY(store->putChat(chat));
    }
  }
  RecordId ask(const QString& text) {
    m_driver->app().navigation()->newChat();
    m_backend->queueAnswer("yes");
    m_driver->chat().composer()->sendText(text);
    if (!QTest::qWaitFor([&] { return m_backend->numRunning() == 1; }, kCommitMs))
      qFatal("Nothing was asked.");
    m_backend->advance(100);
    return m_driver->chat().chatId();
  }
  static QRectF sceneRect(const QQuickItem* item) {
    return item->mapRectToScene({0, 0, item->width(), item->height()});
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(SidebarRowsTest)
#include "tst_sidebar_rows.moc"
