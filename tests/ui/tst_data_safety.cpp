#include <QClipboard>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QGuiApplication>

#include "app/store/backup/store_rescue.h"
#include "tests/support/full_disk.h"
#include "tests/ui/data_test.h"
#include "tests/ui/ui_test_main.h"

using namespace quire;

/// What happens to the user's data at the window when the disk is full or the file is damaged, by
/// hand.
class DataSafetyTest : public DataTest {
  Q_OBJECT

 private slots:
  void deletedChat_leavesTheBackupsToo_byKeyboard() {
    ask("alpha", "one");
    ask("beta", "two");
    ask("SECRETQUESTION", "SECRETANSWER");
    DataTransfer& transfer = *driver().app().transfer();
    transfer.backUpNow();
    QTRY_VERIFY_WITH_TIMEOUT(!transfer.isBusy(), 20'000);
    ChatLibrary& library = *driver().app().library();
    library.remove(idOf("beta"));
    QTRY_VERIFY(library.eraser()->isOffered());
    driver().app().commands()->run("chat.erase");
    QTRY_VERIFY(hands().sees("Delete “beta” everywhere?"));
    QTRY_VERIFY(hands().hasFocus("Cancel"));
    hands().press(Qt::Key_Space);
    QTRY_VERIFY(!hands().sees("everywhere?"));
    QVERIFY(!library.eraser()->isAsking());
    QVERIFY(!filesWith("secretanswer").isEmpty());
    library.remove(idOf("SECRETQUESTION"));
    QVERIFY(hands().click("Delete from backups too…"));
    QTRY_VERIFY(hands().sees("Delete “SECRETQUESTION” everywhere?"));
    QTRY_VERIFY(hands().hasFocus("Cancel"));
    hands().press(Qt::Key_Backtab, Qt::ShiftModifier);
    hands().press(Qt::Key_Space);
    QTRY_VERIFY_WITH_TIMEOUT(hands().sees("Deleted from the backups too."), 20'000);
    QCOMPARE(driver().app().session().setting("backups.erasing"), QString());
    QTRY_COMPARE_WITH_TIMEOUT(filesWith("secret"), QStringList(), 20'000);
    QCOMPARE(titles(), QStringList({"alpha"}));
    stop();
    QCOMPARE(filesWith("secret"), QStringList());
  }

  void fullDisk_saysSo_andGoesOnWhenThereIsRoom() {
    ask("alpha", "one");
    {
      const FullDisk full(60'000);
      pasteLongDraft();
      QTRY_VERIFY(hands().find("pausedBar"));
      QTRY_VERIFY(hands().sees("Nothing is lost"));
      QVERIFY(hands().click("Try now"));
      QTest::qWait(100);
      QTRY_VERIFY(hands().find("pausedBar"));
    }
    QVERIFY(hands().click("Try now"));
    QTRY_VERIFY_WITH_TIMEOUT(!hands().find("pausedBar"), 20'000);
    restart();
    QCOMPARE(driver().chat().composer()->draft().size(), 108'000);
  }

  void quittingOnAFullDisk_isAskedAbout_andLosesNothingUnlessTold() {
    ask("alpha", "one");
    {
      const FullDisk full(60'000);
      pasteLongDraft();
      QVERIFY(!driver().window()->close());
      QTRY_VERIFY(hands().sees("1 message not saved yet"));
      QTRY_VERIFY(hands().find("Quit and lose 1 message"));
      QVERIFY(hands().click("Keep trying"));
      QTRY_VERIFY(!hands().find("Keep trying"));
      QVERIFY(driver().window()->isVisible());
      QVERIFY(!driver().window()->close());
      QTRY_VERIFY(hands().find("Keep trying"));
    }
    // There is room again: it closes by itself, and everything is there.
    QTRY_VERIFY_WITH_TIMEOUT(!driver().window()->isVisible(), 20'000);
    restart();
    QCOMPARE(driver().chat().composer()->draft().size(), 108'000);
  }

  void quittingOnAFullDisk_endsNoAnswerBeforeItIsDecided() {
    ask("alpha", "one");
    backend().queueAnswer("two and more");
    driver().chat().composer()->sendText("beta");
    QTRY_COMPARE(backend().numRunning(), 1);
    driver().app().session().flush(20'000);
    {
      const FullDisk full(60'000);
      pasteLongDraft();
      QVERIFY(!driver().window()->close());
      QTRY_VERIFY(hands().find("Keep trying"));
      QCOMPARE(backend().numRunning(), 1);
      QVERIFY(hands().click("Keep trying"));
      QTRY_VERIFY(!hands().find("Keep trying"));
      QCOMPARE(backend().numRunning(), 1);
      QVERIFY(driver().chat().turns()->isGenerating());
    }
    driver().window()->close();
    QTRY_VERIFY_WITH_TIMEOUT(!driver().window()->isVisible(), 20'000);
    QCOMPARE(backend().numRunning(), 0);
  }

  void quittingOnAFullDisk_canGiveUpWhatIsNotSaved() {
    ask("alpha", "one");
    const FullDisk full(60'000);
    pasteLongDraft();
    QVERIFY(!driver().window()->close());
    QVERIFY(hands().click("Quit and lose 1 message"));
    QTRY_VERIFY(!driver().window()->isVisible());
  }

  void quitting_waitsForTheDisk_andNeedsNoQuestion() {
    ask("alpha", "one");
    hands().type("half a thou");
    driver().window()->close();
    QTRY_VERIFY_WITH_TIMEOUT(!driver().window()->isVisible(), 20'000);
    QVERIFY(!driver().app().quitGuard()->isAsking());
    restart();
    QCOMPARE(driver().chat().composer()->draft(), QString("half a thou"));
  }

  void damagedStore_canBeLookedAt_andWhatIsWholeIsTakenOver() {
    ask("alpha", "one");
    ask("beta", QString(60'000, 'q'));
    damage();
    start();
    QVERIFY(!driver().app().store()->isOpen());
    QTRY_VERIFY(hands().find("View readable chats"));
    QVERIFY(hands().click("View readable chats"));
    QTRY_VERIFY(hands().find("storeView"));
    StoreViewer& viewer = *driver().app().rescue()->viewer();
    QTRY_COMPARE(viewer.chats()->rowCount(), 2);
    QTRY_COMPARE(viewer.current(), 0);
    QTRY_VERIFY(hands().sees("beta"));
    QVERIFY(hands().click("alpha, " + viewer.chats()->rows()[1].words));
    QTRY_VERIFY(hands().sees("one"));
    QVERIFY(hands().click("Copy chat"));
    QVERIFY(QGuiApplication::clipboard()->text().contains("one"));
    QVERIFY(hands().click("Back"));
    QTRY_VERIFY(!hands().find("storeView"));
    QVERIFY(hands().click("Start fresh with what can be read"));
    QTRY_VERIFY_WITH_TIMEOUT(driver().app().store()->isOpen(), 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(!driver().app().transfer()->isBusy(), 20'000);
    QCOMPARE(titles(), QStringList({"beta", "alpha"}));
    driver().app().navigation()->openChat(idOf("alpha"));
    QTRY_COMPARE(driver().shownTexts(), QStringList({"alpha", "one"}));
    driver().app().navigation()->openChat(idOf("beta"));
    QTRY_COMPARE(driver().shownTexts(), QStringList({"beta"}));  // Its answer is what was damaged.
    QVERIFY(!QDir(folder().path()).entryList({"quire-kept-*.db"}).isEmpty());
  }

  /// Laid out at once, a message of many MiB would keep the window busy for seconds.
  void damagedStore_showsLongMessagesInPieces_andCopiesNoControls() {
    ask("alpha", QString("words\n").repeated(3'000) + QChar(0x1b) + "[201~last");
    ask("beta", QString(60'000, 'q'));
    damage();
    start();
    QTRY_VERIFY(hands().find("View readable chats"));
    QVERIFY(hands().click("View readable chats"));
    StoreViewer& viewer = *driver().app().rescue()->viewer();
    QTRY_COMPARE(viewer.chats()->rowCount(), 2);
    viewer.show(1);
    QTRY_VERIFY(viewer.messages()->numRows() > 5);
    for (const TextRowModel::Row& row : viewer.messages()->rows()) {
      QVERIFY(row.words.size() <= 4'000 && !row.words.contains(QChar(0x1b)));
    }
    viewer.copyChat();
    const QString copied = QGuiApplication::clipboard()->text();
    QCOMPARE(copied.count("words\n"), 3'000);
    QVERIFY(copied.startsWith("You:\n\nalpha\n\n") && copied.endsWith("words\n[201~last"));
  }

  void damagedStore_whoseBackupIsOlder_losesNothingThatCanBeRead() {
    ask("alpha", "one");
    DataTransfer& transfer = *driver().app().transfer();
    transfer.backUpNow();
    QTRY_VERIFY_WITH_TIMEOUT(!transfer.isBusy(), 20'000);
    ask("newer", "two");
    ask("beta", QString(60'000, 'q'));
    damage();
    start();
    StoreRescue& rescue = *driver().app().rescue();
    QTRY_VERIFY_WITH_TIMEOUT(!rescue.isBusy() && rescue.canHelp(), 20'000);
    rescue.restore(0);
    QTRY_VERIFY_WITH_TIMEOUT(driver().app().store()->isOpen(), 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(!driver().app().transfer()->isBusy(), 20'000);
    QCOMPARE(titles(), QStringList({"beta", "newer", "alpha"}));
  }

  /// The program ended when the store had been put aside.
  void rescueThatWasCutOff_takesOverTheRestAtTheNextStart() {
    ask("alpha", "one");
    stop();
    QVERIFY(startAfresh(folder().path()));
    start();
    QTRY_VERIFY_WITH_TIMEOUT(driver().app().store()->isOpen(), 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(!driver().app().transfer()->isBusy(), 20'000);
    QCOMPARE(titles(), QStringList({"alpha"}));
    QCOMPARE(storesToMerge(folder().path()), QStringList());
  }

  void goodResult_leavesByItself() {
    ask("alpha", "one");
    DataTransfer& transfer = *driver().app().transfer();
    transfer.setReadingTime(100);
    QStringList results;  // Noted as they come: a slow frame may take longer than the time to read.
    QObject receiver;
    connect(&transfer, &DataTransfer::changed, &receiver, [&] {
      if (!transfer.isBusy()) results.append(transfer.result());
    });
    transfer.backUpNow();
    QTRY_VERIFY_WITH_TIMEOUT(!results.isEmpty(), 20'000);
    QCOMPARE(results.first(), QString("The backup was made."));
    QVERIFY(!transfer.hasFailed());
    QTRY_VERIFY(!transfer.hasNews());
  }

  void chatsSideBySide_areToldApartByColour() {
    ask("alpha", "one");
    driver().app().panes()->setCount(4);
    QSet<int> colors;
    for (int pane = 0; pane < 4; ++pane) {
      colors.insert(driver().app().panes()->chatAt(pane)->record().color);
    }
    QCOMPARE(colors.size(), 4);
  }

  /// As it is found after a clean stop, when nothing was looked through.
  void damageThatIsMetInUse_leadsToTheRescue_nowAndAtTheNextStart() {
    ask("alpha", "one");
    ask("beta", QString(60'000, 'q'));
    overwrite();
    start();
    QVERIFY(driver().app().store()->isOpen());
    driver().app().navigation()->openChat(idOf("beta"));
    QTRY_VERIFY(driver().app().store()->canRescue());
    QTRY_VERIFY(hands().find("See how to fix it"));
    QVERIFY(hands().click("See how to fix it"));
    QTRY_VERIFY(!driver().window()->isVisible());
    QVERIFY(driver().app().store()->isReopenWanted());
    restart();
    QVERIFY(!driver().app().store()->isOpen());
    QTRY_VERIFY(hands().find("Start fresh with what can be read"));
    QVERIFY(hands().click("Start fresh with what can be read"));
    QTRY_VERIFY_WITH_TIMEOUT(driver().app().store()->isOpen(), 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(!driver().app().transfer()->isBusy(), 20'000);
    QVERIFY(titles().contains("alpha"));
    restart();
    QVERIFY(driver().app().store()->isOpen());
    QVERIFY(!driver().app().store()->canRescue());
  }

 private:
  /// All files of the folder that hold these bytes, in large or small letters.
  QStringList filesWith(const QByteArray& text) const {
    QStringList found;
    QDirIterator files(folder().path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      if (file.open(QIODevice::ReadOnly) && file.readAll().toLower().contains(text)) {
        found.append(file.fileName());
      }
    }
    return found;
  }

  void pasteLongDraft() {
    QGuiApplication::clipboard()->setText(QString("Words that go on.\n").repeated(6000));
    driver().composer()->forceActiveFocus();
    hands().press(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(driver().chat().composer()->draft().size(), 108'000);
    QTest::qWait(50);
    forgetBlockages();  // So long a text is laid out slowly; that is not what is looked at here.
  }
  void damage() {
    overwrite();
    // The computer went down: the file is looked through when it is opened.
    QFile log(folder().filePath("quire.db-wal"));
    QVERIFY(log.open(QIODevice::WriteOnly) && log.write(QByteArray(32, '\0')) == 32);
  }
  /// Writes over the pages that hold nothing but the long answer, whose freed copies are among
  /// them.
  void overwrite() {
    stop();
    QFile file(folder().filePath("quire.db"));
    QVERIFY(file.open(QIODevice::ReadWrite));
    const QByteArray all = file.readAll();
    int written = 0;
    for (qint64 at = 4096; at + 4096 <= all.size(); at += 4096) {
      if (all.mid(at + 4, 4092) != QByteArray(4092, 'q')) continue;
      QVERIFY(file.seek(at));
      QCOMPARE(file.write(QByteArray(4096, '\x5a')), 4096);
      ++written;
    }
    QVERIFY(written > 0);
  }
};

QUIRE_UI_TEST_MAIN(DataSafetyTest)
#include "tst_data_safety.moc"
