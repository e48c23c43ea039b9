#include "app/transfer/store_rescue.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "app/session/store_status.h"
#include "tests/app/store/sample_records.h"

using namespace quire;

namespace {

/// What of the window opens the folder and repairs it.
struct Opener {
  explicit Opener(const QString& folder)
      : session(folder), store(session, [] { return Result<void>(); }), rescue(session) {
    QObject::connect(&store, &StoreStatus::failed, &rescue, &StoreRescue::diagnose);
    QObject::connect(&rescue, &StoreRescue::mended, &store, &StoreStatus::open);
  }

  bool open() {
    store.openNow();
    return QTest::qWaitFor([this] { return !rescue.isBusy(); }, 20'000) && store.isOpen();
  }

  DataSession session;
  StoreStatus store;
  StoreRescue rescue;
};

void makeFile(const QString& path) {
  if (!QFile(path).open(QIODevice::WriteOnly)) qFatal("%s", qPrintable(path));
}

}  // namespace

class StoreRescueTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  /// SQLite's check finds nothing, and the migration refuses the store.
  void storeThatDoesNotMigrate_canBeReplaced() {
    QVERIFY(samples::runScript(m_folder->filePath("quire.db"),
                               QUIRE_SOURCE_DIR "/tests/app/store/version_2.sql"));
    QVERIFY(samples::openAnyFile(m_folder->filePath("quire.db"))
                ->exec("PRAGMA foreign_keys=OFF; UPDATE message SET parent_id = 99 WHERE id = 4"));
    QCOMPARE(diagnoseStore(path()).state, StoreState::Healthy);
    Opener opener(path());
    QVERIFY(!opener.open());
    QVERIFY2(opener.store.error().contains("refers to rows"), qPrintable(opener.store.error()));
    QVERIFY(opener.rescue.canHelp());
    QVERIFY(opener.rescue.canStartFresh());
    QVERIFY(!opener.rescue.findings().isEmpty());
    opener.rescue.startFresh();
    QTRY_VERIFY_WITH_TIMEOUT(opener.store.isOpen(), 20'000);
    QCOMPARE(storesToMerge(path()).size(), 1);
  }

  void storeThatCannotBeUsed_canBeReplacedByABackup_data() {
    QTest::addColumn<bool>("isNewer");
    QTest::addColumn<bool>("hasBackup");
    QTest::newRow("of a newer Quire") << true << false;
    QTest::newRow("of a newer Quire, with a backup") << true << true;
    QTest::newRow("unreadable") << false << false;
    QTest::newRow("unreadable, with a backup") << false << true;
  }
  void storeThatCannotBeUsed_canBeReplacedByABackup() {
    QFETCH(bool, isNewer);
    QFETCH(bool, hasBackup);
    makeStore();
    if (hasBackup) QVERIFY(*backUpNow(path(), {}, QDateTime::currentDateTime()));
    if (isNewer) {
      QVERIFY((*openStore(path()))->exec("PRAGMA user_version = 99"));
    } else {
      QVERIFY(QFile::remove(storePath(path())) && QDir().mkdir(storePath(path())));
    }
    Opener opener(path());
    QVERIFY(!opener.open());
    QCOMPARE(opener.rescue.canHelp(), hasBackup);
    QVERIFY(!opener.rescue.canStartFresh());
    QVERIFY(!opener.rescue.suggestsBackup());
    opener.rescue.startFresh();
    QVERIFY(!opener.rescue.isBusy());
    opener.rescue.restore(0);
    QCOMPARE(opener.rescue.isBusy(), hasBackup);
    if (!hasBackup) return;
    QTRY_VERIFY_WITH_TIMEOUT(opener.store.isOpen(), 20'000);
    QCOMPARE(opener.session.store().chats()->size(), 1);
    QCOMPARE(QDir(path()).entryList({"quire-kept-*.db"}).size(), 1);
  }

  /// The second one could rename the store that the first one writes.
  void secondProgram_mayNotReplaceTheStore() {
    QFile file(storePath(path()));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray(4096, 'x')) == 4096);
    file.close();
    Opener first(path());
    QVERIFY(!first.open());
    QVERIFY(first.rescue.canHelp());
    Opener second(path());
    QVERIFY(!second.open());
    QVERIFY2(second.store.error().contains("already running"), qPrintable(second.store.error()));
    QVERIFY(!second.rescue.canHelp());
    second.rescue.startFresh();
    QVERIFY(!second.rescue.isBusy());
    first.rescue.startFresh();
    QTRY_VERIFY_WITH_TIMEOUT(first.store.isOpen(), 20'000);
    QCOMPARE(storesToMerge(path()), QStringList());  // Nothing in it can be read.
  }

  void storeThatIsMovedAside_isTheNewest_alsoAfterAClockThatWasAhead() {
    makeStore();
    makeFile(m_folder->filePath("quire-kept-20990101-000000-000.db"));
    makeFile(m_folder->filePath("quire-kept-by-hand.db"));
    const auto aside = startAfresh(path());
    QVERIFY(aside);
    QCOMPARE(*aside, m_folder->filePath("quire-kept-20990101-000001-000.db"));
    QCOMPARE(storesToMerge(path()), QStringList(*aside));
    // As a restore leaves it that was cut off before the backup took the store's place.
    makeFile(m_folder->filePath("quire-restoring.part"));
    const auto store = ConversationStore::open(path());
    QVERIFY(store);
    QCOMPARE((*store)->chats()->size(), 1);
    QCOMPARE(storesToMerge(path()), QStringList());
  }

 private:
  QString path() const { return m_folder->path(); }

  void makeStore() const {
    const auto store = ConversationStore::open(path());
    QVERIFY(store && (*store)->putChat(samples::chat(1)));
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(StoreRescueTest)
#include "tst_store_rescue.moc"
