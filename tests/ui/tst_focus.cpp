#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

QByteArray presets() {
  QFile file(QStringLiteral(":/quire/personas/presets.json"));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

/// Where the keyboard is after something else than the composer was used: what is typed then is
/// written there.
class FocusTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path(), presets());
  }

  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  void clickOnAPersona_leavesTheKeyboardAtTheMessage() {
    QTRY_VERIFY(m_driver->item("personaCard"));
    QTRY_VERIFY(m_driver->item("personaCard")->width() > 0);
    m_driver->click("personaCard");
    const RecordId persona = chat().personaId();
    QVERIFY(persona != 0);
    write("hello there");
    QCOMPARE(chat().composer()->draft(), QString("hello there"));
    QCOMPARE(chat().personaId(), persona);  // The space did not press its card again.
  }

  void popupThatCloses_givesTheKeyboardBack() {
    m_driver->click("askChip");
    QTRY_VERIFY(m_driver->item("ask3"));
    QTRY_VERIFY(isStill(m_driver->item("ask3")));
    m_driver->click("ask3");
    m_driver->press(Qt::Key_Escape);
    QTRY_VERIFY(m_driver->composer()->hasActiveFocus());
    write("two words");
    QCOMPARE(chat().composer()->draft(), QString("two words"));
  }

  void menuOfTheTargets_givesTheKeyboardBack() {
    m_driver->press(Qt::Key_2, Qt::ControlModifier);
    QTRY_VERIFY(m_driver->item("targetChip") && m_driver->item("targetChip")->isVisible());
    QTRY_VERIFY(isStill(m_driver->item("targetChip")));
    m_driver->click("targetChip");
    QTRY_VERIFY(m_driver->isPopupOpen() && !m_driver->composer()->hasActiveFocus());
    m_driver->press(Qt::Key_Down);
    m_driver->press(Qt::Key_Down);
    m_driver->press(Qt::Key_Return);
    ComposerModel& composer = *m_driver->app().composer();
    QTRY_VERIFY(composer.toAll());
    QTRY_VERIFY(m_driver->composer()->hasActiveFocus());
    write("to all");
    QCOMPARE(composer.draft(), QString("to all"));
  }

  void textTypedElsewhereInAChat_goesToTheComposer_commandsDoNot() {
    m_driver->type("one");
    m_driver->item("chatSettings")->forceActiveFocus();
    QVERIFY(!m_driver->composer()->hasActiveFocus());
    write("X", Qt::ControlModifier);
    write("\x7f");
    QCOMPARE(chat().composer()->draft(), QString("one"));
    write(", two");
    QVERIFY(m_driver->composer()->hasActiveFocus());
    QCOMPARE(chat().composer()->draft(), QString("one, two"));
  }

  void renaming_givesTheKeyboardBack() {
    m_driver->chat().composer()->sendText("first words");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(20);
    SidebarState& sidebar = *m_driver->app().sidebar();
    for (const Qt::Key last : {Qt::Key_Return, Qt::Key_Escape}) {
      m_driver->composer()->forceActiveFocus();
      m_driver->press(Qt::Key_F2);
      QTRY_VERIFY(!m_driver->composer()->hasActiveFocus());
      m_driver->press(last);
      QTRY_COMPARE(sidebar.renamedChatId(), 0);
      QTRY_VERIFY(m_driver->composer()->hasActiveFocus());
    }
  }

 private:
  ChatModel& chat() { return m_driver->chat(); }
  /// With the keyboard where it is.
  void write(const QString& text, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    for (QChar c : text) {
      const Qt::Key key = c == u' ' ? Qt::Key_Space : Qt::Key_unknown;
      QTest::sendKeyEvent(QTest::Click, m_driver->window(), key, QString(c), modifiers);
    }
  }
  bool isStill(QQuickItem* item) {
    const QPointF before = item->mapToScene({});
    QTest::qWait(30);
    return item->isVisible() && item->mapToScene({}) == before;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(FocusTest)
#include "tst_focus.moc"
