#include <QTemporaryDir>
#include <QTest>

#include "app/chat/own_prompt.h"
#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

/// The composer's menu for personas and saved prompts, and a chat's own system prompt, in the real
/// window.
class SlashTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    start();
  }

  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  void slash_opensAMenu_thatTypingFilters() {
    addPersona("Teacher");
    addPersona("Critic");
    m_driver->type("/");
    QTRY_VERIFY(m_driver->item("slashMenu")->isVisible());
    QCOMPARE(titles(), QStringList({"Teacher", "Critic"}));
    m_driver->type("cri");
    QCOMPARE(titles(), QStringList({"Critic"}));
    m_driver->press(Qt::Key_Return);
    QTRY_VERIFY(!menu().isOpen());
    QCOMPARE(m_driver->chat().personaName(), QString("Critic"));
    QCOMPARE(text(), QString());
    QVERIFY(m_backend->requests.isEmpty());
  }

  /// Each section is in one piece, that of the best match first.
  void sections_haveHeadings() {
    addPersona("Plain teacher");
    addPersona("Critic");
    m_driver->app().composer()->setDraft("Explain plainly\n");
    m_driver->composer()->setProperty("cursorPosition", 16);
    m_driver->type("/save");
    m_driver->press(Qt::Key_Return);
    m_driver->app().composer()->setDraft({});
    m_driver->type("/");
    QCOMPARE(titles(), QStringList({"Plain teacher", "Critic", "Explain plainly"}));
    QCOMPARE(sections(), QStringList({"Personas", "Personas", "Saved prompts"}));
    m_driver->type("expla");
    QCOMPARE(sections().first(), QString("Saved prompts"));
    m_driver->composer()->setProperty("text", "");
    m_driver->type("/plain");
    QCOMPARE(sections(), QStringList({"Personas", "Saved prompts"}));
  }

  void arrows_move_andReturnChooses() {
    addPersona("Teacher");
    addPersona("Critic");
    m_driver->type("/");
    m_driver->press(Qt::Key_Down);
    QCOMPARE(menu().currentText(), QString("Critic"));
    m_driver->press(Qt::Key_Down);
    QCOMPARE(menu().currentText(), QString("Teacher"));
    m_driver->press(Qt::Key_Up);
    m_driver->press(Qt::Key_Tab);
    QCOMPARE(m_driver->chat().personaName(), QString("Critic"));
    QVERIFY(m_driver->composer()->hasActiveFocus());
  }

  void escape_leavesTheSlash() {
    addPersona("Teacher");
    m_driver->type("/te");
    QVERIFY(menu().isOpen());
    m_driver->press(Qt::Key_Escape);
    QVERIFY(!menu().isOpen());
    QCOMPARE(text(), QString("/te"));
    m_driver->type("a");
    QVERIFY(!menu().isOpen());
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), 1);
    QCOMPARE(m_backend->requests.last().turns.last().text, QString("/tea"));
  }

  void otherSlashes_openNothing() {
    addPersona("Teacher");
    m_driver->type("and/or");
    QVERIFY(!menu().isOpen());
    m_driver->composer()->setProperty("text", "");
    m_driver->type("/usr/bin");
    QVERIFY(!menu().isOpen());
    m_driver->composer()->setProperty("text", "");
    m_driver->type("first");
    m_driver->press(Qt::Key_Return, Qt::ShiftModifier);
    m_driver->type("/tea");
    QVERIFY(menu().isOpen());
  }

  void prompts_areSaved_inserted_andDeleted() {
    m_driver->type("Explain this to a child:");
    m_driver->press(Qt::Key_Return, Qt::ShiftModifier);
    m_driver->type("/save");
    QCOMPARE(titles(), QStringList({"Save as a prompt"}));
    m_driver->press(Qt::Key_Return);
    QCOMPARE(text(), QString("Explain this to a child:\n"));
    m_driver->app().composer()->setDraft({});
    start();
    m_driver->type("/exp");
    QCOMPARE(titles(), QStringList({"Explain this to a child:"}));
    m_driver->press(Qt::Key_Return);
    QCOMPARE(text(), QString("Explain this to a child:"));
    m_driver->app().composer()->setDraft({});
    m_driver->type("/exp");
    m_driver->press(Qt::Key_Delete, Qt::ShiftModifier);
    QVERIFY(!menu().isOpen());
    start();
    m_driver->app().composer()->setDraft({});
    m_driver->type("/exp");
    QVERIFY(!menu().isOpen());
  }

  void ownPrompt_isReadWithoutAPersona_andKept() {
    addPersona("Teacher");
    say("one");
    QCOMPARE(m_backend->requests.last().turns.first().role, QString("user"));
    const RecordId id = m_driver->chat().chatId();
    m_driver->app().chatSettings()->open(&m_driver->chat());
    QTRY_VERIFY(m_driver->item("ownPrompt") && m_driver->item("ownPrompt")->isVisible());
    m_driver->app().chatSettings()->setOwnPrompt("You are brief.");
    m_driver->app().chatSettings()->close();
    say("two");
    QCOMPARE(m_backend->requests.last().turns.first().role, QString("system"));
    QCOMPARE(m_backend->requests.last().turns.first().text, QString("You are brief."));
    start();
    m_driver->app().navigation()->openChat(id);
    QTRY_VERIFY(m_driver->chat().isLoaded());
    say("three");
    QCOMPARE(m_backend->requests.last().turns.first().text, QString("You are brief."));
    m_driver->chat().history()->fork(m_driver->chat().conversation().head());
    QCOMPARE(ownPromptOf(m_driver->chat().record().settings), QString("You are brief."));
    m_driver->chat().setPersona(m_driver->app().personas()->personas()[0].id);
    say("four");
    QCOMPARE(m_backend->requests.last().turns.first().text, QString("Teacher's words"));
  }

  void ownPrompt_keepsOtherSettings_andIsBounded() {
    GenerationSettings settings = generationSettingsFromJson(R"({"temperature":0.5,"newer":[1]})");
    setOwnPrompt(settings, QString(2 * kMaxOwnPrompt, QChar(1)));
    const GenerationSettings read = generationSettingsFromJson(toJson(settings));
    QCOMPARE(ownPromptOf(read).size(), kMaxOwnPrompt);
    QCOMPARE(read.temperature, std::optional(0.5));
    QVERIFY(toJson(read).contains("newer"));
    GenerationSettings cleared = read;
    setOwnPrompt(cleared, " ");
    QCOMPARE(ownPromptOf(cleared), QString());
    QVERIFY(!toJson(cleared).contains("system_prompt"));
    QCOMPARE(ownPromptOf(generationSettingsFromJson(R"({"system_prompt":7})")), QString());
  }

 private:
  void start() {
    m_driver.reset();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
  }
  void addPersona(const QString& name) {
    PersonaLibrary& personas = *m_driver->app().personaLibrary();
    personas.create();
    personas.editor()->setName(name);
    personas.editor()->setPrompt(name + "'s words");
    personas.editor()->save();
  }
  void say(const QString& message) {
    m_backend->queueAnswer("answer");
    m_driver->chat().turns()->ask(message);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(100);
    QTRY_VERIFY(!m_driver->chat().turns()->isGenerating());
  }
  QStringList sections() const {
    QStringList all;
    for (int row = 0; row < menu().rowCount(); ++row)
      all.append(menu().data(menu().index(row), SlashMenu::kSection).toString());
    return all;
  }
  SlashMenu& menu() const { return *m_driver->app().composer()->slash(); }
  QString text() const { return m_driver->composer()->property("text").toString(); }
  QStringList titles() const {
    QStringList titles;
    for (int row = 0; row < menu().rowCount(); ++row)
      titles.append(menu().data(menu().index(row), SlashMenu::kTitle).toString());
    return titles;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(SlashTest)
#include "tst_slash.moc"
