#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QTest>

#include "app/store/database.h"
#include "tests/support/watched_test.h"
#include "tests/ui/e2e/real_application.h"
#include "tests/ui/ui_test_main.h"

using namespace quire;

namespace {

constexpr auto kCtrlShift = Qt::ControlModifier | Qt::ShiftModifier;

}  // namespace

/// Chats: their places in the list, what goes on in the background, finding, taking away, and the
/// ways out of the store and back.
class ChatsTest : public WatchedTest {
  Q_OBJECT

 private slots:
  void pinRenameAndArchive_byKeyboard_outliveARestart() {
    const RecordId france = m_real->ask("What is the capital of France?");
    const RecordId italy = m_real->ask("What is the capital of Italy?");
    m_real->ask("What is the capital of Spain?");
    QVERIFY(hands().click("What is the capital of France?"));
    QTRY_COMPARE(m_real->chat().chatId(), france);
    hands().press(Qt::Key_D, kCtrlShift);
    QCOMPARE(m_real->chatTitles().first(), "What is the capital of France?");
    QTRY_VERIFY(hands().sees("Pinned"));
    hands().press(Qt::Key_F2);
    QTRY_VERIFY(hands().hasFocus("New chat name"));
    const QQuickItem* field = m_real->window()->activeFocusItem();
    QTRY_VERIFY(!field->property("selectedText").toString().isEmpty());
    hands().type("Paris");
    hands().press(Qt::Key_Return);
    QTRY_COMPARE(m_real->chatTitles().first(), "Paris");
    QVERIFY(hands().click("What is the capital of Italy?"));
    QTRY_COMPARE(m_real->chat().chatId(), italy);
    hands().press(Qt::Key_E, kCtrlShift);
    QTRY_VERIFY(hands().sees("1 archived"));
    m_real->restart();
    QCOMPARE(m_real->chatTitles(),
             QStringList({"Paris", "What is the capital of Spain?", "1 archived"}));
    QVERIFY(m_real->app().chats()->find(france)->pinned);
    QVERIFY(m_real->app().chats()->find(italy)->archived);
  }

  void deletedChat_comesBackWhole_byTheToast() {
    const RecordId id = m_real->ask("What is the capital of France?");
    const QString answer = headOf(m_real->chat()).text();
    QVERIFY(!answer.isEmpty());
    hands().press(Qt::Key_Backspace, kCtrlShift);
    QTRY_VERIFY(m_real->chatTitles().isEmpty());
    QVERIFY(hands().click("Undo"));
    QTRY_COMPARE(m_real->chat().chatId(), id);
    QCOMPARE(headOf(m_real->chat()).text(), answer);
  }

  void chatDeletedEverywhere_isInNoFileOfTheFolder() {
    m_real->ask("What is the capital of Spain?");
    const RecordId id = m_real->ask("Tell me about zeppelins and marmalade");
    AppModel& app = m_real->app();
    app.session().flush(kEngineMs);
    app.transfer()->backUpNow();
    QTRY_VERIFY_WITH_TIMEOUT(!app.transfer()->isBusy(), kEngineMs);
    QList<QByteArray> traces = {"zeppelins"};
    QTRY_VERIFY_WITH_TIMEOUT(!blocksOnlyOf(id).isEmpty(), kEngineMs);
    traces += blocksOnlyOf(id) + tokensOf(id);
    for (const QByteArray& trace : traces) QVERIFY(!filesWith(trace).isEmpty());
    hands().press(Qt::Key_Backspace, kCtrlShift);
    QVERIFY(hands().click("Delete from backups too…"));
    QVERIFY(hands().click("Delete everywhere"));
    QTRY_VERIFY_WITH_TIMEOUT(hands().sees("Deleted from the backups too."), kEngineMs);
    for (const QByteArray& trace : traces) {
      QTRY_COMPARE_WITH_TIMEOUT(filesWith(trace), QStringList(), kEngineMs);
    }
    m_real->restart();
    QCOMPARE(m_real->chatTitles(), QStringList({"What is the capital of Spain?"}));
    for (const QByteArray& trace : traces) QCOMPARE(filesWith(trace), QStringList());
  }

  void newFolder_byTheMenu_takesTheChat() {
    const RecordId id = m_real->ask("What is the capital of France?");
    QVERIFY(hands().click("currentChatRow", Qt::RightButton));
    QVERIFY(hands().click("Move to folder"));
    QVERIFY(hands().click("New folder"));
    QVERIFY(hands().waitForNoPopup());
    QTRY_VERIFY(hands().hasFocus("New folder name"));
    hands().type("Capitals");
    hands().press(Qt::Key_Return);
    QTRY_COMPARE(m_real->chatTitles(), QStringList({"Capitals", "What is the capital of France?"}));
    QVERIFY(m_real->app().chats()->find(id)->folderId != 0);
    QVERIFY(hands().click("folderRow"));  // Closes it.
    QTRY_COMPARE(m_real->chatTitles(), QStringList({"Capitals"}));
  }

  void answerInTheBackground_goesOn_isMarked_andIsUnreadAtItsEnd() {
    hands().press(Qt::Key_P, kCtrlShift);  // The story may be over before its mark is seen.
    QTRY_VERIFY(m_real->app().pause()->isPaused());
    QVERIFY(hands().say("Tell me a long story about a bear"));
    QTRY_VERIFY(m_real->chat().turns()->isGenerating());
    ChatModel& bear = m_real->chat();
    hands().press(Qt::Key_N, Qt::ControlModifier);
    QTRY_VERIFY(hands().sees("Tell me a long story about a bear, answering"));
    QVERIFY(m_real->chat().chatId() != bear.chatId());
    hands().press(Qt::Key_P, kCtrlShift);
    QTRY_VERIFY_WITH_TIMEOUT(!bear.turns()->isGenerating(), kEngineMs);
    QCOMPARE(headOf(bear).status, MessageStatus::Complete);
    QVERIFY(hands().click("Tell me a long story about a bear, new answer"));
    QTRY_COMPARE(m_real->chat().chatId(), bear.chatId());
    QTRY_VERIFY(hands().find("Tell me a long story about a bear"));
  }

  void search_findsTitlesMessagesAndTwoCharacterWords_andJumpsThere() {
    m_real->ask("What is the capital of France?");
    const RecordId meeting = m_real->ask(QStringLiteral("내일 회의 일정을 알려 주세요"));
    const RecordId question = m_real->chat().conversation().path().first();
    m_real->ask("What is the capital of Spain?");
    search(QStringLiteral("회의"));
    QTRY_VERIFY(rowOf(QuickOpen::RowKind::Message) >= 0);
    hands().press(Qt::Key_Escape);
    search(QStringLiteral("일정을"));
    QTRY_VERIFY(rowOf(QuickOpen::RowKind::Message) >= 0);
    const int row = rowOf(QuickOpen::RowKind::Message);
    for (int step = 0; step < row; ++step) hands().press(Qt::Key_Down);
    QCOMPARE(m_real->app().quickOpen()->currentRow(), row);
    hands().press(Qt::Key_Return);
    QTRY_COMPARE(m_real->chat().chatId(), meeting);
    QTRY_VERIFY(m_real->chat().timeline()->firstRowOf(question) >= 0);
    search("france");
    QTRY_VERIFY(rowOf(QuickOpen::RowKind::Chat) >= 0);
    hands().press(Qt::Key_Return);
    QTRY_COMPARE(m_real->chat().title(), "What is the capital of France?");
  }

  void export_comesBackWhole_inAnotherQuire_withAllVersions() {
    m_real->ask("What is the capital of Norway?");
    hands().press(Qt::Key_R, kCtrlShift);
    QTRY_COMPARE(versions(), 2);
    const MessageRecord answer = m_real->waitForAnswer();
    QTemporaryDir out;
    QDir::setCurrent(out.path());  // Where the dialog opens.
    QVERIFY(hands().click("currentChatRow", Qt::RightButton));
    exportBy([&] { return hands().click("Export…"); }, "chat.md");
    QVERIFY(contentOf(out.filePath("chat.md")).contains("What is the capital of Norway?"));
    hands().press(Qt::Key_Comma, Qt::ControlModifier);
    QVERIFY(hands().click("section-data"));
    QVERIFY(hands().scrollTo("exportAll"));
    exportBy([&] { return hands().click("exportAll"); }, "all.json");
    QDir::setCurrent(QDir::rootPath());
    m_real = std::make_unique<RealApplication>();
    QVERIFY(m_real->chatTitles().isEmpty());
    QVERIFY(hands().drop({out.filePath("all.json")}));
    QVERIFY(hands().click("importNow"));
    awaitTransfer();
    QTRY_COMPARE(m_real->chatTitles(), QStringList({"What is the capital of Norway?"}));
    QVERIFY(hands().click("What is the capital of Norway?"));
    QTRY_VERIFY(!m_real->chat().isEmpty());
    QCOMPARE(headOf(m_real->chat()).text(), answer.text());
    QCOMPARE(headOf(m_real->chat()).tokens, answer.tokens);
    QCOMPARE(versions(), 2);
  }

  void backup_bringsBackWhatIsGone_andLeavesWhatIsNew() {
    m_real->ask("What is the capital of Norway?");
    const QString answer = headOf(m_real->chat()).text();
    hands().press(Qt::Key_Comma, Qt::ControlModifier);
    QVERIFY(hands().click("section-data"));
    QVERIFY(hands().scrollTo("backUpNow"));
    QVERIFY(hands().click("backUpNow"));
    awaitTransfer();
    hands().press(Qt::Key_Home, Qt::AltModifier);
    hands().press(Qt::Key_Backspace, kCtrlShift);
    QTRY_VERIFY(m_real->chatTitles().isEmpty());
    m_real->restart();  // The deletion is for good now.
    m_real->ask("What is the capital of Spain?");
    hands().press(Qt::Key_Comma, Qt::ControlModifier);
    QVERIFY(hands().click("section-data"));
    const BackupListModel& backups = *m_real->app().transfer()->backups();
    QTRY_VERIFY(backups.rowCount() > 0);
    const QString when = backups.data(backups.index(0), BackupListModel::kWhen).toString();
    const QString restore = "Restore what is missing from the backup of " + when;
    QVERIFY(hands().scrollTo(restore));
    QVERIFY(hands().click(restore));
    awaitTransfer();
    QTRY_COMPARE(m_real->chatTitles(),
                 QStringList({"What is the capital of Spain?", "What is the capital of Norway?"}));
    QVERIFY(hands().click("What is the capital of Norway?"));
    QTRY_COMPARE(m_real->chat().title(), "What is the capital of Norway?");
    QCOMPARE(headOf(m_real->chat()).text(), answer);
  }

 private:
  Hands& hands() { return m_real->hands(); }

  void prepare() override { m_real = std::make_unique<RealApplication>(); }
  void tidyUp() override { m_real.reset(); }

  /// All files of the data folder that hold these bytes.
  QStringList filesWith(const QByteArray& bytes) const {
    QStringList found;
    QDirIterator files(m_real->dataFolder(), QDir::Files | QDir::Hidden,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      if (file.open(QIODevice::ReadOnly) && file.readAll().contains(bytes)) {
        found.append(file.fileName());
      }
    }
    return found;
  }

  static QList<QByteArray> blobs(const QString& path, const std::string& sql) {
    const auto errorOf = [](int, const std::string& detail) {
      return Error{ErrorCode::kIo, detail};
    };
    const auto database =
        Database::open(path.toStdU16String(), {.isReadOnly = true, .errorOf = errorOf});
    if (!database) return {};
    return Statement(**database, sql).all<QList<QByteArray>>().value_or(QList<QByteArray>());
  }

  /// The tokens of the blocks in prefix.db that only this chat has.
  QList<QByteArray> blocksOnlyOf(RecordId chat) const {
    const std::string owner = "kind = 1 AND id = " + std::to_string(chat);
    return blobs(m_real->dataFolder() + "/prefix.db",
                 "SELECT tokens FROM block WHERE id IN (SELECT block FROM owner WHERE " + owner +
                     ") AND id NOT IN (SELECT block FROM owner WHERE NOT (" + owner + "))");
  }

  /// The tokens of its answers.
  QList<QByteArray> tokensOf(RecordId chat) const {
    return blobs(m_real->dataFolder() + "/quire.db",
                 "SELECT tokens FROM message WHERE length(tokens) >= 32 AND chat_id = " +
                     std::to_string(chat));
  }

  /// Of the last message.
  int versions() {
    const Conversation& conversation = m_real->chat().conversation();
    return conversation.version(conversation.head()).count;
  }

  void search(const QString& words) {
    QVERIFY(hands().waitForNoPopup());  // The card of the search before.
    hands().press(Qt::Key_K, Qt::ControlModifier);
    QTRY_VERIFY(m_real->app().quickOpen()->isOpen());
    QTRY_VERIFY(hands().hasFocus("quickOpenField"));
    hands().type(words);
    QTRY_COMPARE(m_real->app().quickOpen()->query(), words);
  }

  int rowOf(QuickOpen::RowKind kind) {
    const QuickOpen& rows = *m_real->app().quickOpen();
    for (int row = 0; row < rows.rowCount(); ++row)
      if (rows.data(rows.index(row), QuickOpen::kKind).value<QuickOpen::RowKind>() == kind)
        return row;
    return -1;
  }

  /// In the file dialog of Qt, which stands where there is no desktop's.
  void exportBy(const std::function<bool()>& open, const QString& file) {
    QVERIFY(open());
    QVERIFY(hands().write("fileNameTextField", file));
    QVERIFY(hands().click("Export"));
    awaitTransfer();
  }

  void awaitTransfer() {
    DataTransfer& data = *m_real->app().transfer();
    QTRY_VERIFY_WITH_TIMEOUT(!data.isBusy() && !data.result().isEmpty(), kEngineMs);
    QVERIFY2(!data.hasFailed(), qPrintable(data.result()));
    QTRY_VERIFY(hands().sees(data.result()));
    data.dismissResult();
  }

  static QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  std::unique_ptr<RealApplication> m_real;
};

QUIRE_UI_TEST_MAIN(ChatsTest)
#include "tst_e2e_chats.moc"
