#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QMimeData>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

/// Files that go with a message, from the composer to the model, the bubble and the disk.
class AttachmentsTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_files = std::make_unique<QTemporaryDir>();
    start();
  }

  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  void file_goesToTheModelTheBubbleAndTheDisk() {
    addReady(put("prices.csv", "item,price\npear,2\n"));
    QTRY_VERIFY(m_driver->item("attachmentChip"));
    m_driver->type("Sum?");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), 1);
    const QString prompt = "File: prices.csv\n```csv\nitem,price\npear,2\n```\n\nSum?";
    QCOMPARE(m_backend->requests[0].turns.last().text, prompt);
    QCOMPARE(composer().files()->count(), 0);
    QTRY_VERIFY(m_driver->item("attachmentChip"));  // In the bubble.
    finish();

    start();
    AttachmentList* kept =
        m_driver->chat().history()->filesOf(m_driver->chat().conversation().path()[0]);
    QVERIFY(kept);
    QCOMPARE(kept->find(0)->name, QString("prices.csv"));
    QTRY_VERIFY(m_driver->item("attachmentChip"));
    QTRY_VERIFY(m_driver->item("attachmentChip")->width() > 80);
    m_driver->click("attachmentChip");
    QTRY_VERIFY(composer().reader()->isOpen());
    QTRY_VERIFY(m_driver->item("attachmentText"));
    m_driver->press(Qt::Key_Escape);
    QTRY_VERIFY(!composer().reader()->isOpen());
    m_driver->type("And now?");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), 1);
    QCOMPARE(m_backend->requests[0].turns[0].text, prompt);
  }

  void draftFiles_areThereAfterARestart_andGoOnlyOnce() {
    addReady(put("notes.md", "# Notes"));
    addReady(put("more.txt", "more"));
    m_driver->type("Sum them");
    start();
    QCOMPARE(composer().files()->count(), 2);
    QCOMPARE(composer().files()->find(0)->text, QString("# Notes"));
    QCOMPARE(composer().draft(), QString("Sum them"));
    QTRY_VERIFY(m_driver->item("attachmentChip"));
    m_driver->item("attachmentChip")->forceActiveFocus();
    m_driver->press(Qt::Key_Delete);
    QCOMPARE(composer().files()->count(), 1);
    start();
    QCOMPARE(composer().files()->find(0)->name, QString("more.txt"));
    m_driver->composer()->forceActiveFocus();
    m_driver->press(Qt::Key_Return);
    finish();
    start();
    QCOMPARE(composer().files()->count(), 0);
    QCOMPARE(m_driver->shownTexts().first(), QString("Sum them"));
  }

  void draftFiles_toAllPanes_areThereAfterARestart() {
    m_driver->press(Qt::Key_2, Qt::ControlModifier);
    composer().setToAll(true);
    addReady(put("a.txt", "one"));
    start();
    composer().setToAll(true);
    QCOMPARE(composer().files()->count(), 1);
    QCOMPARE(composer().files()->find(0)->text, QString("one"));
  }

  void files_goAlone_withoutWords() {
    addReady(put("prices.csv", "item,price\npear,2\n"));
    QVERIFY(composer().canSend());
    m_driver->composer()->forceActiveFocus();
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), 1);
    QCOMPARE(m_backend->requests[0].turns.last().text,
             QString("File: prices.csv\n```csv\nitem,price\npear,2\n```"));
    QCOMPARE(m_driver->chat().title(), QString("prices.csv"));
    finish();
    QTRY_VERIFY(m_driver->item("attachmentChip"));
    QCOMPARE(composer().files()->count(), 0);
    QVERIFY(!composer().canSend());
  }

  void files_standInTheirOrder_atTheRight() {
    for (const char* name : {"a.txt", "b.txt", "c.txt"}) addReady(put(name, "words"));
    m_driver->press(Qt::Key_Return);
    finish();
    QTRY_COMPARE(chips().values(), QStringList({"a.txt", "b.txt", "c.txt"}));
  }

  void filesBeyondTheLimit_areANumber() {
    QList<AttachmentRecord> files;
    for (int i = 0; i < 100; ++i) {
      AttachmentRecord& file = files.emplaceBack();
      file.name = QString("%1.txt").arg(i);
      file.mediaType = "text/plain";
      file.text = "words";
      file.bytes = file.text.size();
    }
    composer().files()->setRecords(files);
    QTRY_VERIFY(m_driver->item("hiddenAttachments")->isVisible());
    QCOMPARE(m_driver->item("hiddenAttachments")->property("text").toString(), QString("80 more"));
    QTRY_COMPARE(numChips(), AttachmentList::kMaxFiles);
    composer().files()->setRecords(files.first(3));
    QTRY_VERIFY(!m_driver->item("hiddenAttachments")->isVisible());
    QTRY_COMPARE(numChips(), 3);
    composer().files()->clear();
  }

  void edit_takesTheFilesAlong() {
    addReady(put("a.txt", "one"));
    m_driver->type("First");
    m_driver->press(Qt::Key_Return);
    finish();
    ChatModel& chat = m_driver->chat();
    addReady(put("draft.txt", "later"));
    chat.editor()->edit(chat.conversation().path()[0]);
    QCOMPARE(chat.editor()->files()->find(0)->name, QString("a.txt"));
    chat.editor()->setText("Second");
    chat.editor()->save();
    QTRY_COMPARE(m_backend->requests.size(), 2);
    QVERIFY(m_backend->requests[1].turns[0].text.startsWith("File: a.txt\n"));
    QCOMPARE(chat.composer()->files()->find(0)->name, QString("draft.txt"));
    finish();
    chat.history()->showVersion(chat.conversation().path()[0], -1);
    QVERIFY(chat.history()->filesOf(chat.conversation().path()[0]));
  }

  void tooLarge_holdsBackSendingAndSaysSo() {
    m_backend->foretold = {.promptTokens = 12400, .contextTokens = 8192, .error = "Too long."};
    m_driver->type("Sum?");
    addReady(put("long.txt", "words"));
    QTRY_VERIFY(composer().warns());
    QTRY_VERIFY(composer().note().contains("12,400"));
    m_driver->press(Qt::Key_Return);
    QVERIFY(!m_driver->chat().turns()->isGenerating());
    QCOMPARE(composer().draft(), QString("Sum?"));
    QTRY_VERIFY(m_driver->item("attachmentChip"));
    m_driver->item("attachmentChip")->forceActiveFocus();
    m_driver->press(Qt::Key_Delete);
    QCOMPARE(composer().files()->count(), 0);
    QTRY_VERIFY(composer().canSend());
  }

  void paste_addsTheFilesOfTheClipboard() {
    auto data = std::make_unique<QMimeData>();
    data->setUrls({put("a.md", "# A")});
    QGuiApplication::clipboard()->setMimeData(data.release());
    m_driver->composer()->forceActiveFocus();
    m_driver->press(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(composer().files()->count(), 1);
    QCOMPARE(composer().draft(), QString());
    QGuiApplication::clipboard()->setText("words");
    m_driver->press(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(composer().draft(), QString("words"));
  }

  void severalPanes_allGetTheFiles() {
    m_driver->press(Qt::Key_2, Qt::ControlModifier);
    composer().setToAll(true);
    addReady(put("a.txt", "one"));
    m_driver->type("Sum?");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), 2);
    for (const ChatRequest& request : m_backend->requests)
      QVERIFY(request.turns.last().text.startsWith("File: a.txt\n"));
    QCOMPARE(composer().files()->count(), 0);
    finish();
  }

  /// Each chat has a model of its own; the files are counted against its context.
  void filesForAllPanes_stayWhereTheModelIsTooSmall() {
    twoModels(100);
    m_backend->foretold = {.promptTokens = 500, .contextTokens = 8192};
    addReady(put("a.txt", "one"));
    m_driver->type("Sum?");
    QTRY_VERIFY(composer().note().startsWith("Enter to send to 1 of 2 chats"));
    QVERIFY(composer().canSend() && !composer().warns());
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), 1);
    QCOMPARE(m_backend->requests[0].modelPath, QString());
    QVERIFY(composer().unsentText().contains("(files too large for its model)"));
    ChatComposer& small = *chatAt(1).composer();
    QCOMPARE(small.draft(), QString("Sum?"));
    QCOMPARE(small.files()->find(0)->name, QString("a.txt"));
    QVERIFY(small.warns() && !small.canSend());
    finish();
  }

  void filesForAllPanes_thatFitNowhere_holdBackSending() {
    twoModels(100);
    m_backend->foretold = {.promptTokens = 9000, .contextTokens = 8192};
    addReady(put("a.txt", "one"));
    QTRY_VERIFY(composer().warns());
    QVERIFY2(composer().note().contains("9,000") && composer().note().contains("8,192"),
             qPrintable(composer().note()));
    QVERIFY(!composer().canSend());
  }

  /// The main model is the smaller one here.
  void filesForAllPanes_goToAModelThatIsLargerThanTheMainOne() {
    twoModels(32768);
    m_backend->foretold = {.promptTokens = 9000, .contextTokens = 8192};
    m_backend->foretoldBy["/models/own.gguf"] = {.promptTokens = 9000, .contextTokens = 32768};
    addReady(put("a.txt", "one"));
    QTRY_VERIFY(composer().note().startsWith("Enter to send to 1 of 2 chats"));
    QVERIFY(composer().canSend());
    m_driver->composer()->forceActiveFocus();
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), 1);
    QCOMPARE(m_backend->requests[0].modelPath, QString("/models/own.gguf"));
    finish();
  }

  void messageToAllPanes_thatIsTooLongForOneModel_staysThere() {
    twoModels(100);
    m_backend->foretoldBy["/models/own.gguf"] = {.promptTokens = 120, .contextTokens = 100};
    m_driver->type("Many words");
    QTRY_VERIFY(composer().note().startsWith("Enter to send to 1 of 2 chats"));
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), 1);
    QVERIFY(composer().unsentText().contains("(too long for its model)"));
    finish();
    m_backend->foretold = {.promptTokens = 9000, .contextTokens = 8192};
    m_driver->type("Many words");
    QTRY_VERIFY(!composer().canSend() && composer().warns());
    QVERIFY(composer().note().startsWith("Too long for the models of these chats."));
  }

 private:
  ChatModel& chatAt(int pane) { return *m_driver->app().panes()->chatAt(pane); }
  /// Two panes; the chat of the second has a model of its own, with this context. Writes to both.
  void twoModels(int contextLength) {
    m_driver->press(Qt::Key_2, Qt::ControlModifier);
    ModelState main;
    main.path = "/models/main.gguf";
    main.primary = main.serving = true;
    main.contextLength = 8192;
    ModelState own;
    own.path = "/models/own.gguf";
    own.serving = true;
    own.contextLength = contextLength;
    m_backend->setModels({main, own});
    chatAt(1).setOwnModel(own.path);
    QVERIFY(chatAt(1).isReady());
    composer().setToAll(true);
    QVERIFY(composer().toAll());
  }
  void start() {
    m_driver.reset();
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
  }
  ComposerModel& composer() { return *m_driver->app().composer(); }
  void addReady(const QUrl& url) {
    const int before = composer().files()->count();
    composer().files()->add({url});
    QTRY_VERIFY(!composer().files()->isReading());
    QCOMPARE(composer().files()->count(), before + 1);
  }
  /// The names on the chips that are shown, by where they stand.
  QMap<int, QString> chips() {
    QMap<int, QString> names;
    QList<QQuickItem*> open = {m_driver->window()->contentItem()};
    while (!open.isEmpty()) {
      const QQuickItem* at = open.takeFirst();
      const QVariant name = at->property("name");
      if (at->property("removable").isValid() && name.isValid() && at->isVisible())
        names.insert(at->mapToScene({}).toPoint().x(), name.toString());
      open += at->childItems();
    }
    return names;
  }
  int numChips() {
    int count = 0;
    QList<QQuickItem*> open = {m_driver->window()->contentItem()};
    while (!open.isEmpty()) {
      const QQuickItem* at = open.takeFirst();
      count += at->objectName() == "attachmentChip" && at->isVisible() ? 1 : 0;
      open += at->childItems();
    }
    return count;
  }
  void finish() {
    QTRY_VERIFY(m_backend->numRunning() > 0);
    m_backend->advance(1000);
    QTRY_COMPARE(m_backend->numRunning(), 0);
  }
  QUrl put(const QString& name, const QByteArray& bytes) {
    QFile file(m_files->filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("No disk.");
    return QUrl::fromLocalFile(file.fileName());
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<QTemporaryDir> m_files;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(AttachmentsTest)
#include "tst_attachments.moc"
