#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QGuiApplication>
#include <QMimeData>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/fake_backend.h"
#include "tests/support/full_disk.h"
#include "tests/support/watched_test.h"
#include "tests/ui/e2e/hands.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

/// What happens to the user's data at the window: a full disk, a damaged file, what comes in and
/// goes out, by hand.
class DataSafetyTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    QGuiApplication::setQuitOnLastWindowClosed(false);
    m_folder = std::make_unique<QTemporaryDir>();
    start();
  }
  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
  }

 private slots:

  void fullDisk_saysSo_andGoesOnWhenThereIsRoom() {
    ask("alpha", "one");
    {
      const FullDisk full(60'000);
      pasteLongDraft();
      QTRY_VERIFY(hands().find("pausedBar"));
      QTRY_VERIFY(hands().sees("Nothing is lost"));
      QVERIFY(hands().click("Try now"));
      QTest::qWait(100);
      QVERIFY(hands().find("pausedBar"));
    }
    QVERIFY(hands().click("Try now"));
    QTRY_VERIFY(!hands().find("pausedBar"));
    restart();
    QCOMPARE(driver().chat().draft().size(), 300'000);
  }

  void quitting_waitsForTheDisk_andNeedsNoQuestion() {
    ask("alpha", "one");
    hands().type("half a thou");
    driver().window()->close();
    QTRY_VERIFY(!driver().window()->isVisible());
    QVERIFY(!driver().app().quitGuard()->isAsking());
    restart();
    QCOMPARE(driver().chat().draft(), QString("half a thou"));
  }

  void droppedExport_isOfferedForImport_andOtherFilesGoWithTheMessage() {
    const RecordId id = ask("alpha", "one");
    DataTransfer& transfer = *driver().app().transfer();
    const QString json = m_folder->filePath("all.json");
    transfer.exportTo(id, QUrl::fromLocalFile(json));
    QTRY_VERIFY_WITH_TIMEOUT(!transfer.isBusy(), 20'000);
    transfer.dismissResult();
    m_other = std::make_unique<QTemporaryDir>();
    tidyUp();
    start(m_other->path());
    drop(json);
    QTRY_VERIFY(hands().sees("Import the chats of “all.json”?"));
    QVERIFY(hands().click("importNow"));
    QTRY_VERIFY_WITH_TIMEOUT(titles() == QStringList({"alpha"}), 20'000);
    const QString notes = m_folder->filePath("notes.md");
    QFile file(notes);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("# Notes") == 7);
    file.close();
    drop(notes);
    QTRY_COMPARE(driver().app().composer()->files()->count(), 1);
    QVERIFY(!driver().app().importOffer()->isOpen());
    driver().app().setPage(AppModel::Page::Personas);
    drop(notes);  // No message to go with here.
    QTRY_VERIFY(driver().app().writeError().contains("notes.md"));
    tidyUp();
  }

  void chatDraggedOntoAPane_opensThere() {
    const RecordId alpha = ask("alpha", "one");
    ask("beta", "two");
    hands().press(Qt::Key_2, Qt::ControlModifier);
    QCOMPARE(driver().app().panes()->count(), 2);
    const int pane = 0;
    QVERIFY(driver().app().panes()->paneOf(alpha) < 0);
    QTest::qWait(200);
    drag("alpha", QPoint(320, 300));
    QTRY_COMPARE(driver().app().panes()->paneOf(alpha), pane);
    QCOMPARE(driver().app().panes()->count(), 2);
    ask("gamma", "three");
    drag("beta", QPoint(driver().window()->width() - 40, 300));
    QTRY_COMPARE(driver().app().panes()->count(), 3);
  }

  void searchKey_worksWhileASheetFades() {
    ask("alpha", "one");
    QuickOpen& search = *driver().app().quickOpen();
    driver().app().chatSettings()->open(&driver().chat());
    QTest::qWait(300);
    hands().press(Qt::Key_Escape);
    QTest::qWait(30);
    hands().press(Qt::Key_K, Qt::ControlModifier);
    QVERIFY(search.isOpen());
    QTest::qWait(300);
    hands().type("alp");
    QCOMPARE(search.property("query").toString(), QString("alp"));
    hands().press(Qt::Key_Escape);
    QTest::qWait(30);
    hands().press(Qt::Key_K, Qt::ControlModifier);
    QVERIFY(search.isOpen());
  }

 private:
  void start(const QString& folder = {}) {
    m_driver.reset();
    m_backend = std::make_unique<FakeBackend>();
    m_backend->charactersPerTick = 100'000;
    m_driver =
        std::make_unique<WindowDriver>(*m_backend, folder.isEmpty() ? m_folder->path() : folder);
    m_driver->window()->resize(1300, 800);
    m_hands = std::make_unique<Hands>(*m_driver->window());
    QTest::qWait(50);
    forgetBlockages();
  }
  void restart() {
    m_driver.reset();
    start();
  }
  WindowDriver& driver() { return *m_driver; }
  Hands& hands() { return *m_hands; }

  RecordId ask(const QString& text, const QString& answer) {
    driver().app().newChat();
    m_backend->queueAnswer(answer);
    driver().chat().sendText(text);
    if (!QTest::qWaitFor([&] { return m_backend->numRunning() == 1; })) qFatal("Nothing asked.");
    m_backend->advance(3);
    if (!QTest::qWaitFor([&] { return !driver().chat().isGenerating(); })) qFatal("No end.");
    QTest::qWait(2);  // The next one is later, and stands above it.
    driver().app().session().flush(20'000);
    return driver().chat().chatId();
  }
  void pasteLongDraft() {
    QGuiApplication::clipboard()->setText(QString(300'000, 'x'));
    driver().composer()->forceActiveFocus();
    hands().press(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(driver().chat().draft().size(), 300'000);
    QTest::qWait(50);
    forgetBlockages();  // So long a text is laid out slowly; that is not what is looked at here.
  }
  QStringList titles() {
    const ChatListModel& chats = *driver().app().chats();
    QStringList all;
    for (int row = 0; row < chats.rowCount(); ++row)
      all.append(chats.data(chats.index(row), ChatListModel::kTitle).toString());
    return all;
  }
  RecordId idOf(const QString& title) {
    return driver().app().chats()->idAt(static_cast<int>(titles().indexOf(title)));
  }
  /// Writes over a page of the long answer.
  void damage() {
    m_driver.reset();
    QFile file(m_folder->filePath("quire.db"));
    QVERIFY(file.open(QIODevice::ReadWrite));
    const QByteArray all = file.readAll();
    const qint64 at = all.indexOf(QByteArray(4000, 'q')) / 4096 * 4096 + 4096;
    QVERIFY(at > 8192 && file.seek(at));
    QCOMPARE(file.write(QByteArray(4096, '\x5a')), 4096);
    // The computer went down: the file is looked through when it is opened.
    QFile log(m_folder->filePath("quire.db-wal"));
    QVERIFY(log.open(QIODevice::WriteOnly) && log.write(QByteArray(32, '\0')) == 32);
  }
  QPoint rowOf(const QString& name) {
    if (!QTest::qWaitFor([&] { return hands().find(name) != nullptr; })) qFatal("No such chat.");
    const QQuickItem* item = hands().find(name);
    return item->mapToScene({item->width() / 2, item->height() / 2}).toPoint();
  }
  void select(const QString& name) {
    QTest::mouseClick(driver().window(), Qt::LeftButton, Qt::ControlModifier, rowOf(name));
    QTest::qWait(20);
  }
  void drag(const QString& name, const QPoint& to) {
    const QPoint from = rowOf(name);
    QWindow* window = driver().window();
    QTest::mousePress(window, Qt::LeftButton, Qt::NoModifier, from);
    for (int step = 1; step <= 10; ++step) {
      QTest::mouseMove(window, from + (to - from) * step / 10);
      QTest::qWait(10);
    }
    QTest::mouseRelease(window, Qt::LeftButton, Qt::NoModifier, to);
  }
  void drop(const QString& path) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    const QPoint at(700, 300);
    QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(driver().window(), &enter);
    QDropEvent dropped(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(driver().window(), &dropped);
  }
  QObject* fileDialog() {
    QList<QQuickItem*> items = {driver().window()->contentItem()};
    while (!items.isEmpty()) {
      QQuickItem* at = items.takeFirst();
      for (QObject* child : at->findChildren<QObject*>())
        if (QByteArray(child->metaObject()->className()).startsWith("TransferDialog_"))
          return child;
      items += at->childItems();
    }
    return nullptr;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<QTemporaryDir> m_other;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
  std::unique_ptr<Hands> m_hands;
};

QUIRE_UI_TEST_MAIN(DataSafetyTest)
#include "tst_data_safety.moc"
