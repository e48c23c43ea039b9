#include <QTemporaryDir>
#include <QTest>

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

 private:
  void start() {
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
  }
  RecordId ask(const QString& text) {
    m_driver->app().newChat();
    m_backend->queueAnswer("yes");
    m_driver->chat().sendText(text);
    if (!QTest::qWaitFor([&] { return m_backend->numRunning() == 1; }))
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
