#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/session/store_status.h"
#include "tests/support/full_disk.h"

using namespace quire;

class StoreStatusTest : public QObject {
  Q_OBJECT

 private slots:
  void open_returnsBeforeTheStoreIsChecked() {
    const QTemporaryDir folder;
    DataSession session(folder.path());
    StoreStatus store(session, [&] { return session.isOpen() ? Result<void>() : kUnopened; });
    QSignalSpy opened(&store, &StoreStatus::opened);
    store.open();
    QVERIFY(store.isOpening());
    QVERIFY(!store.isOpen());
    QVERIFY(!QFile::exists(folder.filePath("quire.db")) || !session.isOpen());
    QTRY_COMPARE(opened.size(), 1);
    QVERIFY(store.isOpen());
    QVERIFY(!store.isOpening());
    QVERIFY(session.setting("none").isEmpty());
  }

  void wait_endsWhenTheStoreIsOpen() {
    const QTemporaryDir folder;
    DataSession session(folder.path());
    StoreStatus store(session, [] { return Result<void>(); });
    store.open();
    store.wait(20'000);
    QVERIFY(store.isOpen());
  }

  /// QML follows changed(), and AppModel::greet() follows opened().
  void open_tellsThoseFirstWhoChooseWhatIsShown() {
    const QTemporaryDir folder;
    DataSession session(folder.path());
    StoreStatus store(session, [] { return Result<void>(); });
    bool isGreeted = false;
    bool isShownUngreeted = false;
    connect(&store, &StoreStatus::opened, this, [&] { isGreeted = true; });
    connect(&store, &StoreStatus::changed, this,
            [&] { isShownUngreeted = isShownUngreeted || (store.isOpen() && !isGreeted); });
    store.open();
    QTRY_VERIFY(isGreeted);
    QVERIFY(!isShownUngreeted);
  }

  void openThatFailed_canBeTriedAgain() {
    const QTemporaryDir folder;
    QFile file(folder.filePath("file"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    DataSession session(folder.filePath("file/below"));
    StoreStatus store(session, [] { return Result<void>(); });
    QSignalSpy failed(&store, &StoreStatus::failed);
    store.open();
    QTRY_COMPARE(failed.size(), 1);
    QVERIFY(!store.isOpen());
    QVERIFY2(store.error().contains("file/below"), qPrintable(store.error()));
    QVERIFY(file.remove());
    store.open();
    QTRY_VERIFY(store.isOpen());
    QVERIFY(store.error().isEmpty());
  }

  /// The rescue may replace the store only while no connection has it open.
  void loadThatFails_closesTheStoreAndKeepsTheLock() {
    const QTemporaryDir folder;
    DataSession session(folder.path());
    bool isReadable = false;
    StoreStatus store(session, [&] { return isReadable ? Result<void>() : kUnopened; });
    store.openNow();
    QVERIFY(!store.isOpen());
    QVERIFY(!session.isOpen());
    QVERIFY(session.isLocked());
    isReadable = true;
    store.openNow();
    QVERIFY(store.isOpen());
    QVERIFY(session.isOpen());
  }

  void secondSession_isRefused_andLeavesTheFirstAlone() {
    const QTemporaryDir folder;
    DataSession first(folder.path());
    QVERIFY(first.open());
    DataSession second(folder.path());
    const Result<void> opened = second.open();
    QVERIFY(!opened);
    QVERIFY(opened.error().message.find("already running") != std::string::npos);
    QVERIFY(!second.isOpen());
  }

  /// A lock that cannot be made for another reason than another Quire.
  void lockThatCannotBeMade_isAnError() {
    const QTemporaryDir folder;
    DataSession session(folder.path());
    const FullDisk full(0);
    const Result<void> opened = session.open();
    QVERIFY(!opened);
    QVERIFY2(opened.error().message.find("cannot be locked") != std::string::npos,
             opened.error().message.c_str());
    QVERIFY(!session.isOpen());
  }

 private:
  inline static const Result<void> kUnopened = Error{ErrorCode::kInternal, "Not open."};
};

QTEST_GUILESS_MAIN(StoreStatusTest)
#include "tst_store_status.moc"
