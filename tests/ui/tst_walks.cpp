#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/screen_reader.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

QByteArray presets() {
  QFile file(QStringLiteral(":/quire/personas/presets.json"));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

/// What people do in the window, done by keys and by the accessibility tree alone.
class WalksTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    m_backend->charactersPerTick = 1000;
    m_backend->setModels(
        {{.path = "/m.gguf", .name = "m", .state = ModelState::State::kReady, .primary = true}});
  }
  void tidyUp() override {
    m_reader.reset();
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  void firstRun_startsAChat_thatAnswers() {
    open(true);
    QTRY_VERIFY(reader().hears(QAccessible::Pane, "Welcome to Quire"));
    QTRY_COMPARE(reader().focusedRole(), QAccessible::Button);
    QVERIFY2(!reader().focusedName().isEmpty(), "The first choice has no name.");
    reader().press(Qt::Key_Return);
    QTRY_VERIFY(!reader().hears(QAccessible::Pane, "Welcome to Quire"));
    QTRY_COMPARE(reader().focusedRole(), QAccessible::EditableText);
    QVERIFY(!reader().focusedName().isEmpty());
    reader().press(Qt::Key_A, Qt::ControlModifier);
    say("Speak");
    QCOMPARE(m_backend->requests.last().turns.last().text, QString("Speak"));
  }

  void fourPanes_getTheSameQuestion() {
    open();
    reader().press(Qt::Key_4, Qt::ControlModifier);
    QTRY_COMPARE(m_driver->app().panes()->count(), 4);
    QVERIFY(reader().tabToBeginning("To this chat"));
    QCOMPARE(reader().focusedRole(), QAccessible::Button);
    reader().press(Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(reader().focusedName().startsWith("To all 4 panes"));
    toComposer();
    const qsizetype before = m_backend->requests.size();
    reader().type("Why?");
    reader().press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), before + 4);
    m_backend->advance(10);
    QTRY_COMPARE(m_backend->numRunning(), 0);
  }

  void message_isEdited_andBothVersionsAreToldOf() {
    open();
    m_backend->queueAnswer("Because.");
    say("Why?");
    QVERIFY(reader().tabTo("Edit as a new version"));
    reader().press(Qt::Key_Space);
    QTRY_COMPARE(reader().focusedText(), QString("Why?"));
    QCOMPARE(reader().focusedRole(), QAccessible::EditableText);
    QVERIFY(!reader().focusedName().isEmpty());
    reader().press(Qt::Key_End);
    m_backend->queueAnswer("Therefore.");
    const qsizetype before = m_backend->requests.size();
    reader().type(" not?");
    reader().press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), before + 1);
    QCOMPARE(m_backend->requests.last().turns.last().text, QString("Why? not?"));
    m_backend->advance(10);
    QTRY_VERIFY(reader().hears(QAccessible::Button, "Previous version"));
  }

  void answer_isRegenerated_andTheOldOneIsReached() {
    open();
    m_backend->queueAnswer("Because.");
    say("Why?");
    m_backend->queueAnswer("Therefore.");
    QVERIFY(reader().tabToBeginning("Regenerate"));
    QCOMPARE(reader().focusedRole(), QAccessible::Button);
    reader().press(Qt::Key_Space);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(10);
    const auto says = [this](const QString& words) {
      return m_driver->shownTexts().join(u' ').contains(words);
    };
    QTRY_VERIFY(says("Therefore."));
    QVERIFY(reader().tabTo("Previous version"));
    reader().press(Qt::Key_Space);
    QTRY_VERIFY(says("Because."));
  }

  void setting_isFound_changed_andReset() {
    open();
    reader().press(Qt::Key_Comma, Qt::ControlModifier);
    QTRY_VERIFY(reader().hears(QAccessible::Pane, "Settings"));
    QVERIFY(reader().tabTo("Search settings"));
    reader().type("text size");
    QVERIFY(reader().tabTo("Text size"));
    QCOMPARE(reader().focusedRole(), QAccessible::Slider);
    reader().press(Qt::Key_Right);
    QTRY_COMPARE(m_driver->app().appearance()->textPercent(), 105);
    QVERIFY(reader().tabTo("Reset Text size"));
    reader().press(Qt::Key_Space);
    QTRY_COMPARE(m_driver->app().appearance()->textPercent(), 100);
  }

  void wrongSetting_isToldAsAnAlert_andByItsField() {
    open();
    reader().press(Qt::Key_Comma, Qt::ControlModifier);
    QTRY_VERIFY(reader().hears(QAccessible::Pane, "Settings"));
    QVERIFY(reader().tabTo("Search settings"));
    QVERIFY(reader().tabTo("Engine"));
    reader().press(Qt::Key_Space);
    QVERIFY(reader().tabToBeginning("Context in"));
    reader().type("7");
    reader().press(Qt::Key_Return);
    QTRY_VERIFY(reader().hears(QAccessible::AlertMessage, "This is a whole number"));
    QAccessibleInterface* field =
        QAccessible::queryAccessibleInterface(m_driver->window()->activeFocusItem());
    QVERIFY(field->text(QAccessible::Description).contains("whole number"));
  }

  void openSection_isToldAsSelected() {
    open();
    reader().press(Qt::Key_Comma, Qt::ControlModifier);
    QTRY_VERIFY(reader().hears(QAccessible::Pane, "Sections of the settings"));
    QVERIFY(reader().tabTo("Appearance"));
    const auto isSelected = [this] {
      return bool(QAccessible::queryAccessibleInterface(m_driver->window()->activeFocusItem())
                      ->state()
                      .selected);
    };
    QVERIFY(isSelected());
    reader().press(Qt::Key_Down);
    QCOMPARE(reader().focusedName(), QString("Answers"));
    QVERIFY(!isSelected());
  }

 private:
  ScreenReader& reader() { return *m_reader; }
  void open(bool isGreeted = false) {
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path(), presets(), isGreeted);
    m_driver->window()->resize(1440, 900);
    m_reader = std::make_unique<ScreenReader>(*m_driver->window());
    QTest::qWait(50);
  }
  void toComposer() {
    for (int i = 0; i < 250 && reader().focusedRole() != QAccessible::EditableText; ++i)
      reader().press(Qt::Key_Tab);
  }
  /// In the composer; the answer is complete afterwards.
  void say(const QString& words) {
    toComposer();
    const qsizetype before = m_backend->requests.size();
    reader().type(words);
    reader().press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), before + 1);
    m_backend->advance(10);
    QTRY_COMPARE(m_backend->numRunning(), 0);
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
  std::unique_ptr<ScreenReader> m_reader;
};

QUIRE_UI_TEST_MAIN(WalksTest)
#include "tst_walks.moc"
