#include <QTemporaryDir>
#include <QTest>

#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

/// Editing a message where it stands, by the keyboard, in the real window.
class EditInPlaceTest : public WatchedTest {
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
  void up_editsTheLastQuestion_andReturnRegenerates() {
    say("one", "first");
    say("two", "second");
    const RecordId question = chat().conversation().path()[2];
    m_driver->composer()->forceActiveFocus();
    m_driver->press(Qt::Key_Up);
    QTRY_VERIFY(field());
    QTRY_VERIFY(field()->hasActiveFocus());
    QCOMPARE(chat().editor()->messageId(), question);
    QCOMPARE(field()->property("text").toString(), QString("two"));
    QCOMPARE(m_driver->shownTexts(), QStringList({"one", "first", "", "second"}));
    write("!");
    m_backend->queueAnswer("third");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    QCOMPARE(m_backend->requests.last().turns.last().text, QString("two!"));
    m_backend->advance(100);
    QTRY_COMPARE(m_driver->shownTexts(), QStringList({"one", "first", "two!", "third"}));
    QCOMPARE(chat().conversation().version(chat().conversation().path()[2]).count, 2);
    QVERIFY(!chat().editor()->isOpen());
    QTRY_VERIFY(m_driver->composer()->hasActiveFocus());
  }

  void composer_keepsItsDraft_andSendsItMeanwhile() {
    say("one", "first");
    m_driver->type("my draft");
    chat().editor()->edit(chat().conversation().path()[0]);
    QTRY_VERIFY(field() && field()->hasActiveFocus());
    write(" more");
    QCOMPARE(m_driver->composer()->property("text").toString(), QString("my draft"));
    m_driver->press(Qt::Key_Escape);
    QTRY_COMPARE(m_driver->shownTexts(), QStringList({"one", "first"}));
    QTRY_VERIFY(m_driver->composer()->hasActiveFocus());
    QCOMPARE(chat().composer()->draft(), QString("my draft"));
    chat().editor()->edit(chat().conversation().path()[0]);
    QTRY_VERIFY(field());
    m_backend->queueAnswer("second");
    chat().composer()->send();
    QTRY_COMPARE(m_backend->numRunning(), 1);
    QVERIFY(chat().editor()->isOpen());
    QVERIFY(!chat().editor()->canSave());
    m_backend->advance(100);
    QTRY_VERIFY(chat().editor()->canSave());
    QCOMPARE(m_driver->shownTexts(), QStringList({"", "first", "my draft", "second"}));
  }

  void answer_isSavedAsAVersion_withItsFooterBelow() {
    say("one", "# Head\n\nfirst\n\n- a\n- b");
    const RecordId answer = chat().conversation().head();
    chat().editor()->edit(answer);
    QTRY_VERIFY(field());
    QCOMPARE(m_driver->shownTexts(), QStringList({"one", ""}));
    QCOMPARE(field()->property("text").toString(), QString("# Head\n\nfirst\n\n- a\n- b"));
    field()->setProperty("text", "changed");
    m_driver->click("saveEdit");
    QTRY_COMPARE(m_driver->shownTexts(), QStringList({"one", "changed"}));
    QCOMPARE(m_backend->requests.size(), 1);
    QCOMPARE(chat().conversation().version(chat().conversation().head()).count, 2);
  }

  void emptyEdit_cannotBeSaved_andShiftReturnBreaksTheLine() {
    say("one", "first");
    chat().editor()->edit(chat().conversation().path()[0]);
    QTRY_VERIFY(field() && field()->hasActiveFocus());
    field()->setProperty("text", " ");
    QVERIFY(!m_driver->item("saveEdit")->isEnabled());
    m_driver->press(Qt::Key_Return);
    QVERIFY(chat().editor()->isOpen());
    write("a");
    m_driver->press(Qt::Key_Return, Qt::ShiftModifier);
    write("b");
    QCOMPARE(chat().editor()->text(), QString("a\nb "));
    QVERIFY(m_driver->item("saveEdit")->isEnabled());
  }

  void up_inADraft_movesTheCursorOnly() {
    say("one", "first");
    m_driver->type("draft");
    m_driver->press(Qt::Key_Up);
    QVERIFY(!chat().editor()->isOpen());
  }

  void longMessage_isEditedInItsPlace_andScrolledTo() {
    QString question;
    for (int line = 0; line < 300; ++line) question += QString("line %1\n").arg(line);
    say(question, QString("An answer in many words.\n\n").repeated(200));
    m_driver->composer()->forceActiveFocus();
    m_driver->press(Qt::Key_Up);
    QTRY_VERIFY(field() && field()->hasActiveFocus());
    QTRY_VERIFY(isInView("saveEdit"));
    for (int i = 0; i < 3; ++i) m_driver->drawFrame();
    QVERIFY(isInView("saveEdit"));
  }

  void editedMessage_thatIsDeleted_endsTheEdit() {
    say("one", "first");
    say("two", "second");
    chat().editor()->edit(chat().conversation().path()[2]);
    QTRY_VERIFY(field());
    chat().history()->remove(chat().conversation().path()[2]);
    QVERIFY(!chat().editor()->isOpen());
    QTRY_COMPARE(m_driver->shownTexts(), QStringList({"one", "first"}));
    chat().history()->undoRemoval();
    QTRY_COMPARE(m_driver->shownTexts(), QStringList({"one", "first", "two", "second"}));
  }

  void unsavedEdit_isThereAgainAfterARestart() {
    say("one", "first");
    say("two", "second");
    const RecordId edited = chat().conversation().path()[2];
    chat().editor()->edit(edited);
    QTRY_VERIFY(field() && field()->hasActiveFocus());
    write(" and a half");
    m_driver->type("a draft");
    restart();
    QVERIFY(chat().editor()->isOpen());
    QCOMPARE(chat().editor()->messageId(), edited);
    QCOMPARE(chat().editor()->text(), QString("two and a half"));
    QTRY_VERIFY(field());
    QCOMPARE(field()->property("text").toString(), QString("two and a half"));
    QTRY_VERIFY(m_driver->composer()->hasActiveFocus());
    QCOMPARE(chat().composer()->draft(), QString("a draft"));
    m_backend->queueAnswer("third");
    chat().editor()->save();
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(100);
    QTRY_COMPARE(m_driver->shownTexts(), QStringList({"one", "first", "two and a half", "third"}));
    restart();
    QVERIFY(!chat().editor()->isOpen());
  }

  void cancelledEdit_andOneWithoutAChange_areNotKept() {
    say("one", "first");
    chat().editor()->edit(chat().conversation().path()[0]);
    restart();
    QVERIFY(!chat().editor()->isOpen());
    chat().editor()->edit(chat().conversation().path()[0]);
    chat().editor()->setText("other");
    chat().editor()->saveIfChanged();
    chat().editor()->cancel();
    restart();
    QVERIFY(!chat().editor()->isOpen());
  }

 private:
  void start() {
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
  }
  void restart() {
    m_driver.reset();
    m_backend.reset();
    start();
    QTRY_VERIFY(chat().isLoaded());
  }
  ChatModel& chat() { return m_driver->chat(); }
  bool isInView(const QString& name) const {
    const QQuickItem* item = m_driver->item(name);
    if (!item) return false;
    const double y = item->mapToScene({0, 0}).y();
    return y >= 0 && y + item->height() <= m_driver->window()->height();
  }
  QQuickItem* field() const { return m_driver->item("editedText"); }
  void write(const QString& text) {
    for (const QChar c : text)
      QTest::sendKeyEvent(QTest::Click, m_driver->window(), Qt::Key_unknown, QString(c),
                          Qt::NoModifier);
  }
  void say(const QString& message, const QString& answer) {
    m_backend->queueAnswer(answer);
    chat().turns()->ask(message);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(10000);
    QTRY_VERIFY(!chat().turns()->isGenerating());
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(EditInPlaceTest)
#include "tst_edit_in_place.moc"
