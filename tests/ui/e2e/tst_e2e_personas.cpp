#include <QTest>

#include "tests/support/watched_test.h"
#include "tests/ui/e2e/real_application.h"
#include "tests/ui/ui_test_main.h"

using namespace quire;

/// Personas: the library of them, made and changed by hand, and what a chat under one gains.
class PersonasTest : public WatchedTest {
  Q_OBJECT

 private slots:
  void newPersona_isMadeByHand_andOutlivesARestart() {
    const int before = personas().count();
    QVERIFY(before > 2);  // The presets.
    hands().press(Qt::Key_1, Qt::AltModifier);
    QVERIFY(hands().click("newPersona"));
    QVERIFY(hands().click("personaName"));
    hands().press(Qt::Key_A, Qt::ControlModifier);
    hands().type("Pirate");
    QVERIFY(hands().click("personaPrompt"));
    hands().type("You speak like a pirate.");
    QVERIFY(hands().click("sheetSave"));
    QTRY_COMPARE(personas().count(), before + 1);
    QTRY_VERIFY(hands().sees("Pirate"));
    m_real->restart();
    QCOMPARE(personas().count(), before + 1);
  }

  void secondChatUnderOnePersona_findsItsPromptInTheCache_andTheCardIsWarm() {
    newChatWithSecond();
    QVERIFY(hands().say("Who are you?"));
    QTRY_VERIFY(!m_real->chat().isEmpty());
    const MessageRecord first = m_real->waitForAnswer();
    newChatWithSecond();
    QVERIFY(hands().say("What can you do?"));
    QTRY_VERIFY(!m_real->chat().isEmpty());
    const MessageRecord second = m_real->waitForAnswer();
    QVERIFY2(second.cachedTokens >= 16, qPrintable(QString::number(first.promptTokens)));
    hands().press(Qt::Key_1, Qt::AltModifier);
    QTRY_VERIFY_WITH_TIMEOUT(hands().sees("Ready"), kEngineMs);
  }

  void deletedPersona_comesBack() {
    hands().press(Qt::Key_1, Qt::AltModifier);
    const int before = personas().count();
    const QString name = personas().data(personas().index(0), PersonaListModel::kName).toString();
    QVERIFY(hands().click("Actions for " + name));
    QVERIFY(hands().click("Delete"));
    QTRY_COMPARE(personas().count(), before - 1);
    QVERIFY(hands().click("Undo"));
    QTRY_COMPARE(personas().count(), before);
  }

 private:
  Hands& hands() { return m_real->hands(); }
  PersonaListModel& personas() { return *m_real->app().personas(); }

  void newChatWithSecond() {
    hands().press(Qt::Key_1, Qt::AltModifier);
    const QString name = personas().data(personas().index(1), PersonaListModel::kName).toString();
    QVERIFY(hands().click("Actions for " + name));
    QVERIFY(hands().click("Start chat"));
    QTRY_COMPARE(m_real->app().navigation()->page(), Navigation::Page::Chats);
    QVERIFY(hands().waitForNoPopup());
    QTRY_VERIFY(hands().sees(name));
    QVERIFY(m_real->chat().isEmpty());
  }

  void prepare() override { m_real = std::make_unique<RealApplication>(); }
  void tidyUp() override { m_real.reset(); }

  std::unique_ptr<RealApplication> m_real;
};

QUIRE_UI_TEST_MAIN(PersonasTest)
#include "tst_e2e_personas.moc"
