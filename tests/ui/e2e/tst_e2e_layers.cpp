#include <QTest>

#include "tests/support/watched_test.h"
#include "tests/ui/e2e/real_application.h"
#include "tests/ui/ui_test_main.h"

using namespace quire;

namespace {

const QString kLength = QStringLiteral("Maximum answer length");
const QString kReset = QStringLiteral("Reset Maximum answer length");

}  // namespace

/// How answers are drawn, decided for a model, a persona and a chat, each over the one before and
/// each with its way back: by hand, and as far as the real sampler, which counts the tokens.
class LayersTest : public WatchedTest {
  Q_OBJECT

 private slots:
  void model_decides_onItsCard_andFindsBackInTheSettings() {
    openModelSheet();
    QVERIFY(hands().scrollTo(kLength));
    QVERIFY(hands().sees("Default: "));
    QVERIFY(!hands().find(kReset));
    change("9");
    leaveSheet();
    QCOMPARE(tokensInANewChat(), 9);
    m_real->restart();  // It is the model's for good.
    QCOMPARE(tokensInANewChat(), 9);
    hands().press(Qt::Key_Comma, Qt::ControlModifier);
    QTRY_VERIFY(m_real->app().navigation()->page() == Navigation::Page::Settings);
    QVERIFY(hands().click("section-answers"));
    QVERIFY(hands().scrollTo(kLength));
    goBack();
    QVERIFY(tokensInANewChat() > 9);
  }

  void persona_decidesOverTheModel_andFindsBack() {
    setForModel("9");
    openPersonas();
    QVERIFY(hands().click("newPersona"));
    QVERIFY(hands().write("personaName", "Brief"));
    QVERIFY(hands().click("personaPrompt"));
    hands().type("You are brief.");
    QVERIFY(hands().scrollTo(kLength));
    change("6");
    QTRY_VERIFY2(hands().sees("Default: 9, from the settings of"), "The model's is its default.");
    savePersona();
    QCOMPARE(tokensUnderThePersona(), 6);
    openPersonas();
    withPersona("Edit");
    QVERIFY(hands().scrollTo(kLength));
    goBack();
    savePersona();
    QCOMPARE(tokensUnderThePersona(), 9);
  }

  void chat_decidesOverItsPersona_andFindsBack() {
    openPersonas();
    QVERIFY(hands().click("newPersona"));
    QVERIFY(hands().write("personaName", "Brief"));
    QVERIFY(hands().click("personaPrompt"));
    hands().type("You are brief.");
    QVERIFY(hands().scrollTo(kLength));
    change("6");
    savePersona();
    openPersonas();
    withPersona("Start chat");
    openChatSettings();
    QVERIFY(hands().scrollTo(kLength));
    change("3");
    QTRY_VERIFY(hands().sees("Default: 6, from the persona Brief"));
    leaveSheet();
    QCOMPARE(tokensOfTheNextAnswer(), 3);
    openChatSettings();
    QVERIFY(hands().scrollTo(kLength));
    goBack();
    leaveSheet();
    QCOMPARE(tokensOfTheNextAnswer(), 6);
  }

 private:
  Hands& hands() { return m_real->hands(); }

  void change(const QString& length) {
    QVERIFY(hands().write(kLength, length));
    QTRY_VERIFY(hands().find(kReset));
  }

  void goBack() {
    QVERIFY(hands().scrollTo(kReset));
    QVERIFY(hands().click(kReset));
    QTRY_VERIFY(!hands().find(kReset));
  }

  void leaveSheet() {
    hands().press(Qt::Key_Escape);
    QVERIFY(hands().waitForNoPopup());
  }

  void openModelSheet() {
    hands().press(Qt::Key_2, Qt::AltModifier);
    QVERIFY(hands().click("modelOptions"));
    QVERIFY(hands().scrollTo("generationLink"));
    QVERIFY(hands().click("generationLink"));
    QVERIFY(hands().waitForPopup());
  }

  void setForModel(const QString& length) {
    openModelSheet();
    QVERIFY(hands().scrollTo(kLength));
    change(length);
    leaveSheet();
  }

  void openPersonas() {
    hands().press(Qt::Key_1, Qt::AltModifier);
    QTRY_VERIFY(hands().find("newPersona"));
  }

  void savePersona() {
    QVERIFY(hands().click("sheetSave"));
    QTRY_VERIFY(!m_real->app().personaLibrary()->editor()->isOpen());
    QVERIFY(hands().waitForNoPopup());
  }

  void withPersona(const QString& doing) {
    // (QTRY_VERIFY counts attempts, each of which takes seconds.)
    QVERIFY(QTest::qWaitFor([&] { return hands().scrollTo("Actions for Brief"); }, kEngineMs));
    QVERIFY(hands().click("Actions for Brief"));
    QVERIFY(hands().waitForPopup());
    QVERIFY(hands().click(doing));
    QVERIFY(doing == "Edit" ? hands().waitForPopup() : hands().waitForNoPopup());
  }

  void openChatSettings() {
    QVERIFY(hands().click("chatSettings"));
    QTRY_VERIFY(m_real->app().chatSettings()->isOpen());
    QVERIFY(hands().waitForPopup());
  }

  int tokensInANewChat() {
    hands().press(Qt::Key_N, Qt::ControlModifier);
    return tokensOfTheNextAnswer();
  }

  int tokensUnderThePersona() {
    openPersonas();
    withPersona("Start chat");
    return tokensOfTheNextAnswer();
  }

  /// -1: it was not to be had.
  int tokensOfTheNextAnswer() {
    const auto numMessages = [&] { return m_real->chat().conversation().path().size(); };
    const auto before = numMessages();
    if (!hands().say("Tell me a long story about a fox")) return -1;
    if (!QTest::qWaitFor([&] { return numMessages() > before; }, kEngineMs)) return -1;
    return m_real->waitForAnswer().outputTokens;
  }

  void prepare() override { m_real = std::make_unique<RealApplication>(); }
  void tidyUp() override { m_real.reset(); }

  std::unique_ptr<RealApplication> m_real;
};

QUIRE_UI_TEST_MAIN(LayersTest)
#include "tst_e2e_layers.moc"
