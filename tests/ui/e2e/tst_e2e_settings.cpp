#include <QTest>

#include "tests/support/watched_test.h"
#include "tests/ui/e2e/real_application.h"
#include "tests/ui/ui_test_main.h"

using namespace quire;

namespace {

const QString kStory = QStringLiteral("Tell me a short story about a fox");

}  // namespace

/// Settings of a model, a persona and a chat, changed by hand, as far as the real sampler; and
/// those of the window.
class SettingsTest : public WatchedTest {
  Q_OBJECT

 private slots:
  void everyFieldOfAChat_saysItsDefault_isChanged_andFindsBack() {
    const QList<std::pair<QString, QString>> fields = {{"Temperature", "0.3"},
                                                       {"Top p", "0.8"},
                                                       {"Top k", "20"},
                                                       {"Min p", "0.1"},
                                                       {"Maximum answer length", "64"},
                                                       {"Repetition penalty", "1.2"},
                                                       {"Presence penalty", "0.5"},
                                                       {"Frequency penalty", "0.4"},
                                                       {"Stop strings", "###|User:"},
                                                       {"Seed", "7"}};
    openChatSettings();
    const GenerationEditor& editor = *m_real->app().chatSettings()->generation();
    for (const auto& [field, value] : fields) {
      QVERIFY(hands().scrollTo(field));
      QVERIFY(!hands().find("Reset " + field));
      QVERIFY(hands().write(field, value));
      QVERIFY2(QTest::qWaitFor([&] { return hands().find("Reset " + field); }), qPrintable(field));
      const GenerationSettings set = editor.own();
      if (field != "Stop strings") {  // Anything is a stop string.
        QVERIFY(hands().write(field, "nonsense"));
        QTRY_VERIFY(hands().sees("number"));
        QCOMPARE(editor.own(), set);
      }
      QVERIFY(hands().click("Reset " + field));
      QTRY_VERIFY(!editor.hasOwn());
    }
  }

  void temperatureZero_saysTheSameTwice_andASeedDoesToo() {
    setInChat({{"Temperature", "0"}});
    const QString first = answerTo(kStory);
    hands().press(Qt::Key_N, Qt::ControlModifier);
    setInChat({{"Temperature", "0"}});
    QCOMPARE(answerTo(kStory), first);
    hands().press(Qt::Key_N, Qt::ControlModifier);
    setInChat({{"Temperature", "1.2"}, {"Seed", "11"}});
    const QString drawn = answerTo(kStory);
    QVERIFY(drawn != first);
    hands().press(Qt::Key_N, Qt::ControlModifier);
    setInChat({{"Temperature", "1.2"}, {"Seed", "11"}});
    QCOMPARE(answerTo(kStory), drawn);
    QCOMPARE(headOf(m_real->chat()).seed, quint64{11});
  }

  void lengthAndStopString_endTheAnswer() {
    setInChat({{"Temperature", "0"}});
    const QString whole = answerTo(kStory);
    QVERIFY2(whole.count(u' ') > 12, qPrintable(whole));
    hands().press(Qt::Key_N, Qt::ControlModifier);
    setInChat({{"Temperature", "0"}, {"Maximum answer length", "5"}});
    const QString cut = answerTo(kStory);
    QCOMPARE(headOf(m_real->chat()).outputTokens, 5);
    QVERIFY2(whole.startsWith(cut.trimmed()), qPrintable(cut));
    const QString word = whole.section(u' ', 6, 6);
    hands().press(Qt::Key_N, Qt::ControlModifier);
    setInChat({{"Temperature", "0"}, {"Stop strings", " " + word}});
    const QString stopped = answerTo(kStory);
    QCOMPARE(stopped, whole.section(" " + word, 0, 0));
  }

  void themeLanguageAndIdleTime_areChosenByHand_andOutliveARestart() {
    hands().press(Qt::Key_Comma, Qt::ControlModifier);
    QVERIFY(hands().choose("themeSelect", "Dark"));
    QTRY_COMPARE(m_real->app().appearance()->themeChoice(), "dark");
    QTRY_VERIFY(hands().find("Reset Theme"));
    QVERIFY(hands().click("section-engine"));
    QVERIFY(hands().scrollTo("idleSelect"));
    QVERIFY(hands().choose("idleSelect", m_real->app().settings()->idleChoices().at(2)));
    QTRY_VERIFY(m_real->engine().idleUnload() > 0);
    const int minutes = m_real->engine().idleUnload();
    QVERIFY(hands().click("section-appearance"));
    QVERIFY(hands().choose("Language", QStringLiteral("한국어")));
    QTRY_VERIFY(hands().sees(QStringLiteral("설정")));
    m_real->restart();
    QCOMPARE(m_real->app().appearance()->themeChoice(), "dark");
    QCOMPARE(m_real->engine().idleUnload(), minutes);
    QTRY_VERIFY(!hands().sees("New chat"));
    hands().press(Qt::Key_Comma, Qt::ControlModifier);
    QVERIFY(hands().choose(QStringLiteral("언어"), "English"));
    QTRY_VERIFY(hands().sees("New chat"));
    QVERIFY(hands().click("Reset Theme"));
    QTRY_COMPARE(m_real->app().appearance()->themeChoice(), "system");
  }

 private:
  Hands& hands() { return m_real->hands(); }

  void openChatSettings() {
    QVERIFY(hands().click("chatSettings"));
    QTRY_VERIFY(m_real->app().chatSettings()->isOpen());
    QVERIFY(hands().waitForPopup());
    QVERIFY(hands().scrollTo("advancedSampling"));
    if (!hands().find("advancedSampling")->property("open").toBool())
      QVERIFY(hands().click("advancedSampling"));
  }

  void setInChat(const QList<std::pair<QString, QString>>& values) {
    openChatSettings();
    for (const auto& [field, value] : values) {
      QVERIFY(hands().scrollTo(field));
      QVERIFY(hands().write(field, value));
      QTRY_VERIFY(hands().find("Reset " + field));
    }
    hands().press(Qt::Key_Escape);
    QTRY_VERIFY(!m_real->app().chatSettings()->isOpen());
    QVERIFY(hands().waitForNoPopup());
  }

  QString answerTo(const QString& question) {
    if (!hands().say(question)) return {};
    if (!QTest::qWaitFor([&] { return !m_real->chat().isEmpty(); }, kEngineMs)) return {};
    return m_real->waitForAnswer().text();
  }

  void prepare() override { m_real = std::make_unique<RealApplication>(); }
  void tidyUp() override { m_real.reset(); }

  std::unique_ptr<RealApplication> m_real;
};

QUIRE_UI_TEST_MAIN(SettingsTest)
#include "tst_e2e_settings.moc"
