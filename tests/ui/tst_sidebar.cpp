#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

/// The sidebar, the search card and the commands of the real window.
class SidebarTest : public WatchedTest {
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
  void folders_areKept_andTheirChatsOutliveThem() {
    const RecordId a = ask("alpha", "one");
    const RecordId b = ask("beta", "two");
    const RecordId folder = library().createFolder("Work", a);
    library().renameFolder(folder, "  Work   things ");
    library().setPinned(b, true);
    library().toggleFolder(folder);
    restart();
    QCOMPARE(titles(), QStringList({"beta", "Work things"}));
    library().toggleFolder(folder);
    QCOMPARE(titles(), QStringList({"beta", "Work things", "alpha"}));
    library().removeFolder(folder);
    QCOMPARE(titles(), QStringList({"beta", "alpha"}));
    library().undo();
    QCOMPARE(titles(), QStringList({"beta", "Work things", "alpha"}));
    library().removeFolder(folder);
    restart();
    QCOMPARE(titles(), QStringList({"beta", "alpha"}));
  }

  void archive_takesTheChatAway_andUndoBringsItBack() {
    const RecordId a = ask("alpha", "one");
    const RecordId b = ask("beta", "two");
    QCOMPARE(driver().chat().chatId(), b);
    driver().press(Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(titles(), QStringList({"alpha", "1 archived"}));
    QCOMPARE(driver().chat().chatId(), a);
    library().undo();
    QCOMPARE(titles(), QStringList({"beta", "alpha"}));
    QCOMPARE(driver().chat().chatId(), b);
    library().setArchived(b, true);
    restart();
    QCOMPARE(titles(), QStringList({"alpha", "1 archived"}));
    driver().click("archiveRow");
    QTRY_COMPARE(titles(), QStringList({"alpha", "1 archived", "beta"}));
    driver().app().navigation()->openChat(b);
    ask("more", "three", false);
    QTRY_COMPARE(titles(),
                 QStringList({"beta", "alpha"}));  // Written in again: back among the others.
  }

  void severalSelected_areDeletedTogether_andComeBackTogether() {
    for (const char* title : {"a", "b", "c", "d"}) ask(title, "answer");
    ChatListModel& chats = *driver().app().chats();
    clickRow(2, Qt::ShiftModifier);
    QCOMPARE(chats.selectedCount(), 3);
    QTRY_VERIFY(driver().item("selectionBar")->isVisible());
    clickRow(1, Qt::ControlModifier);
    QCOMPARE(chats.selectedCount(), 2);
    driver().item("chatList")->forceActiveFocus();
    driver().press(Qt::Key_Delete);
    QCOMPARE(titles(), QStringList({"c", "a"}));
    QCOMPARE(chats.selectedCount(), 0);
    library().undo();
    QCOMPARE(titles(), QStringList({"d", "c", "b", "a"}));
    clickRow(3, Qt::NoModifier);
    QCOMPARE(driver().chat().title(), QString("a"));
  }

  void unread_isKept_untilTheChatIsOpened() {
    const RecordId a = ask("alpha", "one");
    ask("beta", "two");
    library().setUnread(a, true);
    restart();
    QVERIFY(driver().app().chats()->find(a)->unread);
    driver().app().navigation()->openChat(a);
    QVERIFY(!driver().app().chats()->find(a)->unread);
  }

  void chatDraggedOntoAFolder_goesIntoIt() {
    const RecordId a = ask("alpha", "one");
    const RecordId folder = library().createFolder("Work");
    driver().settle(60);
    const QPoint from = center(driver().item("currentChatRow"));
    const QPoint to = center(driver().item("folderRow"));
    QTest::mousePress(driver().window(), Qt::LeftButton, {}, from);
    for (int step = 1; step <= 8; ++step) {
      QTest::mouseMove(driver().window(), from + (to - from) * step / 8);
      QTest::qWait(10);
    }
    QTest::mouseRelease(driver().window(), Qt::LeftButton, {}, to);
    QTRY_COMPARE(driver().app().chats()->find(a)->folderId, folder);
  }

  void sidebar_hidesAndItsWidthIsRemembered() {
    SidebarState& sidebar = *driver().app().sidebar();
    sidebar.resize(333);
    sidebar.save();
    driver().press(Qt::Key_B, Qt::ControlModifier);
    QVERIFY(!sidebar.isOpen());
    QTRY_VERIFY(driver().item("showSidebar")->isVisible());
    restart();
    QVERIFY(!driver().app().sidebar()->isOpen());
    driver().click("showSidebar");
    QVERIFY(driver().app().sidebar()->isOpen());
    QCOMPARE(driver().app().sidebar()->width(), 333);
    driver().app().sidebar()->resize(9999);
    QVERIFY(driver().app().sidebar()->width() < 500);
  }

  void search_findsAMessageOfAnotherVersion_andShowsIt() {
    ask("what is a marmot?", "It is a rodent.");
    m_backend->queueAnswer("A whistling animal.");
    driver().chat().turns()->regenerate(driver().chat().conversation().head());
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(100);
    QCOMPARE(driver().shownTexts().last(), QString("A whistling animal."));
    const RecordId chat = driver().chat().chatId();
    ask("another", "thing");
    driver().press(Qt::Key_K, Qt::ControlModifier);
    QTRY_VERIFY(driver().item("quickOpenField") &&
                driver().item("quickOpenField")->hasActiveFocus());
    for (const char c : {'r', 'o', 'd', 'e', 'n', 't'}) QTest::keyClick(driver().window(), c);
    QuickOpen& quick = *driver().app().quickOpen();
    QCOMPARE(quick.query(), QString("rodent"));
    // What was found for the letters before it may still stand there.
    QTRY_COMPARE(quick.data(quick.index(0), QuickOpen::kDetail).toString(),
                 QString("It is a <b>rodent</b>."));
    QSignalSpy faded(driver().item("revealMark"), &QQuickItem::opacityChanged);
    driver().press(Qt::Key_Return);
    QVERIFY(!quick.isOpen());
    QCOMPARE(driver().chat().chatId(), chat);
    QCOMPARE(driver().shownTexts().last(), QString("It is a rodent."));
    QTRY_COMPARE(driver().chat().history()->revealedMessage(), 0);
    QTRY_VERIFY(!faded.isEmpty());
  }

  void search_findsTwoCharacterKorean_andSaysWhenThereIsNothing() {
    ask("편지", "내일 회의를 옮깁니다");
    QuickOpen& quick = *driver().app().quickOpen();
    quick.showSearch();
    quick.setQuery("회의");
    QTRY_COMPARE(quick.rowCount(), 1);
    QVERIFY(quick.data(quick.index(0), QuickOpen::kDetail).toString().contains("<b>회의</b>"));
    quick.setQuery("코끼리");
    QTRY_VERIFY(quick.emptyText().contains("코끼리"));
    QCOMPARE(quick.rowCount(), 0);
    QTRY_VERIFY(driver().isPopupOpen());
    driver().press(Qt::Key_Escape);
    QVERIFY(!quick.isOpen());
  }

  void commands_areFoundAndDone_theLastOneFirst() {
    QuickOpen& quick = *driver().app().quickOpen();
    driver().press(Qt::Key_K, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(quick.isCommands());
    quick.setQuery(">thdark");
    QCOMPARE(quick.data(quick.index(0), QuickOpen::kTitle).toString().remove("<b>").remove("</b>"),
             QString("Theme: dark"));
    quick.activate(0);
    QCOMPARE(driver().app().appearance()->themeChoice(), QString("dark"));
    quick.showCommands();
    quick.setQuery(">theme");
    quick.activate(0);  // "Theme: dark" is done already, so it is not offered.
    QVERIFY(driver().app().appearance()->themeChoice() != "dark");
    quick.showCommands();
    QVERIFY(quick.data(quick.index(0), QuickOpen::kTitle).toString().contains("Theme: dark"));
  }

  void commands_haveIcons_andGroups_whileNothingIsSearchedFor() {
    QuickOpen& quick = *driver().app().quickOpen();
    quick.showCommands();
    quick.setQuery(">");
    QSet<QString> headings;
    for (int row = 0; row < quick.rowCount(); ++row) {
      const auto of = [&](int role) { return quick.data(quick.index(row), role).toString(); };
      QVERIFY2(of(QuickOpen::kIcon) != "more", qPrintable(of(QuickOpen::kTitle)));
      QVERIFY2(QFile::exists(":/quire/icons/" + of(QuickOpen::kIcon) + ".svg"),
               qPrintable(of(QuickOpen::kIcon)));
      const QString heading = of(QuickOpen::kHeading);
      if (heading.isEmpty()) continue;
      QVERIFY2(!headings.contains(heading), qPrintable(heading));  // Its rows are adjacent.
      headings.insert(heading);
    }
    QVERIFY(headings.size() >= 3);
    quick.setQuery(">theme");
    QCOMPARE(quick.data(quick.index(0), QuickOpen::kHeading).toString(), QString());
    quick.close();
  }

  void newChatButton_isMarkedLikeARow_whileTheNewChatIsShown() {
    QQuickItem* button = driver().item("newChat");
    driver().press(Qt::Key_N, Qt::ControlModifier);
    QVERIFY(button->property("checked").toBool());
    driver().app().navigation()->setPage(Navigation::Page::Engine);
    QVERIFY(!button->property("checked").toBool());
    driver().app().navigation()->closePage();
    QVERIFY(button->property("checked").toBool());
  }

  void everyShortcut_isOnce_andOpensWhatItSays() {
    QHash<QString, QString> seen;
    for (const Command& command : driver().app().commands()->commands()) {
      if (!command.run) continue;
      QVERIFY2(command.keys.size() <= 2, qPrintable(command.id));
      for (const QString& key : command.keys) {
        QVERIFY2(!seen.contains(key), qPrintable(key + u' ' + command.id + u' ' + seen[key]));
        QVERIFY2(!QKeySequence::fromString(key).isEmpty(), qPrintable(key));
        seen.insert(key, command.id);
      }
    }
    driver().press(Qt::Key_F1);
    QCOMPARE(driver().app().navigation()->page(), Navigation::Page::Shortcuts);
    QTRY_VERIFY(driver().item("shortcutSearch"));
    driver().press(Qt::Key_N, Qt::ControlModifier);
    QCOMPARE(driver().app().navigation()->page(), Navigation::Page::Chats);
  }

  void exportedChats_comeBackInAnotherFolder() {
    const RecordId a = ask("alpha", "one");
    library().createFolder("Work", a);
    driver().app().session().flush(20'000);
    const QString file = m_folder->filePath("all.json");
    DataTransfer& out = *driver().app().transfer();
    out.exportTo(0, QUrl::fromLocalFile(file));
    QVERIFY(out.isBusy());
    QTRY_VERIFY_WITH_TIMEOUT(!out.isBusy(), 20'000);
    QVERIFY2(!out.hasFailed() && out.result().contains(file), qPrintable(out.result()));
    QTRY_VERIFY(
        driver().item("transferToast")->isVisible());  // Said over the chats, where it was begun.
    out.dismissResult();
    QVERIFY(!driver().item("transferToast")->isVisible());
    out.backUpNow();
    QTRY_VERIFY_WITH_TIMEOUT(!out.isBusy(), 20'000);
    QCOMPARE(out.result(), QString("The backup was made."));
    out.dismissResult();
    out.backUpDaily();
    QTRY_VERIFY_WITH_TIMEOUT(!out.isBusy(), 20'000);
    QVERIFY(!driver().item("transferToast")->isVisible());  // A day's backup is nobody's news.
    const QTemporaryDir other;
    tidyUp();
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, other.path());
    DataTransfer& in = *driver().app().transfer();
    in.importFrom(QUrl::fromLocalFile(file));
    QTRY_VERIFY_WITH_TIMEOUT(!in.isBusy(), 20'000);
    QCOMPARE(in.result(), QString("Added 1 chat."));
    QCOMPARE(titles(), QStringList({"Work", "alpha"}));
    driver().app().navigation()->openChat(driver().app().chats()->idAt(1));
    QCOMPARE(driver().shownTexts(), QStringList({"alpha", "one"}));
    in.importFrom(QUrl::fromLocalFile(other.filePath("missing.json")));
    QTRY_VERIFY_WITH_TIMEOUT(!in.isBusy(), 20'000);
    QVERIFY(in.hasFailed() && in.result().contains("missing.json"));
    tidyUp();
  }

  void import_showsAtOnceInAnOpenChat() {
    const RecordId a = ask("alpha", "one");
    ask("more", "two", false);
    const QString file = m_folder->filePath("all.json");
    DataTransfer& transfer = *driver().app().transfer();
    transfer.exportTo(0, QUrl::fromLocalFile(file));
    QTRY_VERIFY_WITH_TIMEOUT(!transfer.isBusy(), 20'000);
    ChatModel& chat = driver().chat();
    QCOMPARE(driver().shownTexts(), QStringList({"alpha", "one", "more", "two"}));
    chat.history()->remove(chat.conversation().path()[2]);
    chat.close();  // Not to be taken back any more.
    driver().app().session().flush(20'000);
    QCOMPARE(driver().shownTexts(), QStringList({"alpha", "one"}));
    const RecordId b = ask("beta", "three");
    transfer.importFrom(QUrl::fromLocalFile(file));
    QTRY_VERIFY_WITH_TIMEOUT(!transfer.isBusy(), 20'000);
    QVERIFY2(!transfer.hasFailed(), qPrintable(transfer.result()));
    driver().app().navigation()->openChat(a);
    QCOMPARE(&driver().chat(), &chat);
    const QList<RecordId> first = chat.conversation().path();
    QCOMPARE(chat.conversation().subtree(first[0]).size(), 4);
    QCOMPARE(driver().shownTexts(), QStringList({"alpha", "one", "more", "two"}));
    QVERIFY(titles().contains("beta"));
    QCOMPARE(driver().app().chats()->currentRow(), driver().app().chats()->rowOf(a));
    Q_UNUSED(b);
  }

  void damagedStore_isReplacedByItsBackup_andKept() {
    ask("alpha", "one");
    DataTransfer& transfer = *driver().app().transfer();
    transfer.backUpNow();
    QTRY_VERIFY_WITH_TIMEOUT(!transfer.isBusy(), 20'000);
    QTRY_COMPARE_WITH_TIMEOUT(transfer.backups()->rowCount(), 1, 20'000);
    tidyUp();
    const QStringList stores = QDir(m_folder->path()).entryList({"*.db"});
    for (const QString& name : stores) {
      if (name.contains("prefix")) continue;
      QFile file(m_folder->filePath(name));
      QVERIFY(file.open(QIODevice::ReadWrite));
      file.write(QByteArray(4096, 'x'));
    }
    start();
    QVERIFY(!driver().app().store()->isOpen());
    StoreRescue& rescue = *driver().app().rescue();
    QTRY_VERIFY_WITH_TIMEOUT(!rescue.isBusy(), 20'000);
    QVERIFY(rescue.canHelp());
    QCOMPARE(rescue.backups()->rowCount(), 1);
    QTRY_VERIFY(driver().item("restoreBackup0"));
    QVERIFY(driver().item("restoreBackup0")->property("primary").toBool());
    QTRY_VERIFY(driver().item("restoreBackup0")->hasActiveFocus());
    QVERIFY(!driver().item("openStoreAgain")->property("primary").toBool());
    driver().press(Qt::Key_Space);
    QTRY_VERIFY_WITH_TIMEOUT(driver().app().store()->isOpen(), 20'000);
    QTRY_COMPARE(titles(), QStringList({"alpha"}));
  }

 private:
  void start() {
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
  }
  void restart() {
    tidyUp();
    start();
  }
  WindowDriver& driver() { return *m_driver; }
  ChatLibrary& library() { return *m_driver->app().library(); }

  RecordId ask(const QString& text, const QString& answer, bool inNewChat = true) {
    if (inNewChat) driver().app().navigation()->newChat();
    m_backend->queueAnswer(answer);
    driver().chat().composer()->sendText(text);
    if (!QTest::qWaitFor([&] { return m_backend->numRunning() == 1; }, kCommitMs))
      qFatal("Nothing was asked.");
    m_backend->advance(100);
    QTest::qWait(2);                         // The next one is later, and stands above it.
    driver().app().session().flush(20'000);  // The index has what is on the disk.
    return driver().chat().chatId();
  }
  QStringList titles() {
    const ChatListModel& chats = *driver().app().chats();
    QStringList all;
    for (int row = 0; row < chats.rowCount(); ++row) {
      all.append(chats.data(chats.index(row), ChatListModel::kTitle).toString());
    }
    return all;
  }
  QPoint center(QQuickItem* item) {
    return item->mapToScene({item->width() / 2, item->height() / 2}).toPoint();
  }
  void clickRow(int row, Qt::KeyboardModifiers modifiers) {
    driver().settle(40);
    QQuickItem* item = nullptr;
    const auto isThere = [&] {
      QMetaObject::invokeMethod(driver().item("chatList"), "itemAtIndex",
                                Q_RETURN_ARG(QQuickItem*, item), Q_ARG(int, row));
      return item != nullptr;
    };
    QTRY_VERIFY(isThere());
    const QPointF at = item->mapToScene({60, item->height() - 20});
    QTest::mouseClick(driver().window(), Qt::LeftButton, modifiers, at.toPoint());
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(SidebarTest)
#include "tst_sidebar.moc"
