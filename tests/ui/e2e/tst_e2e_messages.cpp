#include <QClipboard>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QMimeData>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>
#include <QUrl>

#include "tests/support/watched_test.h"
#include "tests/ui/e2e/real_application.h"
#include "tests/ui/ui_test_main.h"

using namespace quire;

namespace {

constexpr auto kCtrlShift = Qt::ControlModifier | Qt::ShiftModifier;

/// Markdown that fetches, where it is shown by something that does.
constexpr const char* kFetching = R"(![an image](ADDRESS/a.png) ![][reference]

<img src="ADDRESS/b.png"> <link rel="stylesheet" href="ADDRESS/c.css">

<style>@import url(ADDRESS/d.css); p { background: url(ADDRESS/e.png) }</style>

<iframe src="ADDRESS/f.html"></iframe><script src="ADDRESS/g.js"></script>

# <img src='ADDRESS/h.png'/> heading

- <img src="ADDRESS/i.png"> item

| <img src="ADDRESS/j.png"> | ![](ADDRESS/k.png) |
|---|---|
| <object data="ADDRESS/l.svg"> | b |

$\text{<img src="ADDRESS/m.png">}$ `<img src="ADDRESS/n.png">`

```html
<img src="ADDRESS/o.png">
```

[reference]: ADDRESS/p.png "<img src='ADDRESS/q.png'>"

<ADDRESS/r.png> ADDRESS/s.png the last words
)";

}  // namespace

/// Messages: their versions, what is done with them, and how answers are shown.
class MessagesTest : public WatchedTest {
  Q_OBJECT

 private slots:
  void answerAgain_keepsBothVersions_andTheArrowsLeadBetweenThem() {
    m_real->ask("What is the capital of Norway?");
    const RecordId first = conversation().head();
    QVERIFY(hands().click("Regenerate (keeps this version)"));
    QTRY_VERIFY(conversation().head() != first);
    const RecordId second = conversation().head();
    m_real->waitForAnswer();
    QTRY_VERIFY(hands().sees("2 / 2"));
    QVERIFY(hands().click("Previous version"));
    QTRY_COMPARE(conversation().head(), first);
    m_real->restart();
    QTRY_COMPARE(conversation().head(), first);
    QVERIFY(hands().click("Next version"));
    QTRY_COMPARE(conversation().head(), second);
  }

  void editedQuestion_isAVersion_andIsAnsweredAnew() {
    m_real->ask("What is the capital of Norway?");
    const RecordId question = conversation().path().first();
    QVERIFY(hands().pointAtText("What is the capital of Norway?"));
    QVERIFY(hands().click("Edit as a new version"));
    QTRY_VERIFY(m_real->chat().editor()->isOpen());
    QTRY_VERIFY(hands().hasFocus("editedText"));
    hands().press(Qt::Key_A, Qt::ControlModifier);
    hands().type("What is the capital of Italy?");
    hands().press(Qt::Key_Return);
    QTRY_VERIFY(conversation().path().first() != question);
    QVERIFY(!m_real->waitForAnswer().text().isEmpty());
    QCOMPARE(conversation().version(conversation().path().first()).count, 2);
    QCOMPARE(conversation().path().size(), 2);
  }

  void fork_opensBeside_andSaysHowManyTokensWereReused() {
    m_real->ask("What is the capital of Norway? Please say it in one whole sentence.");
    const RecordId origin = m_real->chat().chatId();
    const MessageRecord first = headOf(m_real->chat());
    QVERIFY(hands().click("moreActions"));
    QVERIFY(hands().click("Fork from here"));
    QTRY_VERIFY(m_real->chat().chatId() != origin);
    QCOMPARE(m_real->app().panes()->count(), 2);
    QCOMPARE(m_real->chat().record().forkedFrom, first.id);
    QVERIFY(hands().waitForNoPopup());
    QTRY_VERIFY(hands().hasFocus("composerText"));
    hands().type("And of Italy?");
    hands().press(Qt::Key_Return);
    QTRY_COMPARE(conversation().path().size(), 4);
    const MessageRecord answer = m_real->waitForAnswer();
    QVERIFY2(answer.error.isEmpty(), qPrintable(answer.error));
    constexpr int kBlockSize = 16;
    QVERIFY(answer.reusedTokens + kBlockSize + 1 >= first.promptTokens + first.outputTokens);
    QTRY_VERIFY(hands().sees(QStringLiteral("Forked: %1").arg(answer.reusedTokens)));
  }

  void cutOffAnswer_goesOnWhereItWas() {
    MessageRecord begun;
    for (int round = 0; round < 8 && begun.status != MessageStatus::Stopped; ++round) {
      hands().press(Qt::Key_N, Qt::ControlModifier);
      QVERIFY(hands().say("Tell me a long story about a bear"));
      QTRY_VERIFY_WITH_TIMEOUT(
          !conversation().isEmpty() && !headOf(m_real->chat()).text().isEmpty(), kEngineMs);
      hands().press(Qt::Key_Escape);
      begun = m_real->waitForAnswer();  // A short story may be over by now.
    }
    QCOMPARE(begun.status, MessageStatus::Stopped);
    QVERIFY(hands().click("continueButton"));
    QTRY_VERIFY(headOf(m_real->chat()).text().size() > begun.text().size());
    const MessageRecord whole = m_real->waitForAnswer();
    QCOMPARE(whole.id, begun.id);
    QCOMPARE(whole.status, MessageStatus::Complete);
    QVERIFY(whole.text().startsWith(begun.text()));
  }

  void message_isCopiedThreeWays_byItsMenu() {
    m_real->ask("Write a Python function that adds two numbers");
    const MessageRecord answer = headOf(m_real->chat());
    QClipboard& clipboard = *QGuiApplication::clipboard();
    hands().press(Qt::Key_C, kCtrlShift);
    QTRY_COMPARE(clipboard.text(), answer.text());
    choose("Copy with formatting");
    QTRY_VERIFY(clipboard.mimeData()->hasHtml());
    choose("Copy");
    QTRY_VERIFY(!clipboard.mimeData()->hasHtml());
    QVERIFY(!clipboard.text().contains("```"));
    choose("Copy as Markdown");
    QTRY_COMPARE(clipboard.text(), answer.text());
  }

  void link_asksBeforeItOpens() {
    const QString words = "A page with so many words in its name that the link is as wide as this";
    makeAnswer("[" + words + "](http://127.0.0.1/z)");
    QVERIFY(hands().pointAtText(words, Qt::LeftButton));
    QTRY_VERIFY(hands().sees("Open this link in your browser?"));
    QTRY_VERIFY(hands().sees("http://127.0.0.1/z"));
    QVERIFY(hands().click("Copy link"));
    QTRY_COMPARE(QGuiApplication::clipboard()->text(), "http://127.0.0.1/z");
    QVERIFY(hands().click("Cancel"));
    QTRY_VERIFY(!hands().sees("Open this link in your browser?"));
  }

  void link_opensOnlyAfterOpen() {
    const QString words = "A page with so many words in its name that the link is as wide as this";
    // Its host, in ASCII, stands nowhere in the link itself.
    const QString link = QString::fromUtf8("http://example.org@b\u0430nk.example/page");
    QDesktopServices::setUrlHandler("http", this, "noteOpened");
    makeAnswer("[" + words + "](" + link + ")");
    QVERIFY(hands().pointAtText(words, Qt::LeftButton));
    QTRY_VERIFY(hands().sees("xn--bnk-6cd.example"));
    QTRY_VERIFY(hands().sees(link));
    QTRY_VERIFY(hands().hasFocus("Cancel"));
    hands().press(Qt::Key_Space);
    QTRY_VERIFY(!hands().sees("Open this link in your browser?"));
    QVERIFY(m_opened.isEmpty());
    QVERIFY(hands().pointAtText(words, Qt::LeftButton));
    QVERIFY(hands().click("Cancel"));
    QTRY_VERIFY(!hands().sees("Open this link in your browser?"));
    QVERIFY(m_opened.isEmpty());
    QVERIFY(hands().pointAtText(words, Qt::LeftButton));
    QVERIFY(hands().click("Open"));
    QTRY_COMPARE(m_opened, QList<QUrl>{QUrl(link)});
    QTRY_VERIFY(!hands().sees("Open this link in your browser?"));
    QDesktopServices::unsetUrlHandler("http");
  }

  /// Whatever a message holds, showing and copying it makes no connection.
  void rendering_contactsNobody() {
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress::LocalHost));
    const QString address = QString("http://127.0.0.1:%1").arg(server.serverPort());
    const QString text = QString(kFetching).trimmed().replace("ADDRESS", address);
    m_real->ask("<img src=\"" + address + "/title.png\"> " + text);
    makeAnswer(text);
    QTRY_VERIFY(hands().sees("the last words"));
    choose("Copy with formatting");
    QTRY_VERIFY(QGuiApplication::clipboard()->mimeData()->hasHtml());
    hands().type("<img src=\"" + address + "/typed.png\">");
    QTest::qWait(500);
    QVERIFY(!server.hasPendingConnections());
    // It would be noticed.
    QTcpSocket socket;
    socket.connectToHost(QHostAddress::LocalHost, server.serverPort());
    QTRY_VERIFY(server.hasPendingConnections());
  }

  void deletedMessages_comeBack() {
    m_real->ask("What is the capital of Norway?");
    const QList<RecordId> path = conversation().path();
    QVERIFY(hands().pointAtText("What is the capital of Norway?", Qt::RightButton));
    QVERIFY(hands().click("Delete"));
    QTRY_VERIFY(m_real->chat().isEmpty());
    QVERIFY(hands().click("Undo"));
    QTRY_COMPARE(conversation().path(), path);
  }

  void answer_showsHtmlAsText_andCopiesItsCode() {
    const QString hostile = QStringLiteral(
        "<img src=\"http://127.0.0.1/x.png\"> ![remote](http://127.0.0.1/y.png) "
        "and [a page](http://127.0.0.1/z).\n\n```python\ndef add(a, b):\n    return a + b\n```\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n<think>hidden</think>\n\n$x^2$ is a square.");
    makeAnswer(hostile);
    QTRY_VERIFY(hands().sees("<img src"));  // As text.
    QTRY_VERIFY(hands().sees("python"));
    QVERIFY(hands().click("Copy code"));
    QTRY_VERIFY(QGuiApplication::clipboard()->text().startsWith("def add(a, b):"));
  }

 private:
  Hands& hands() { return m_real->hands(); }
  const Conversation& conversation() { return m_real->chat().conversation(); }

  Q_INVOKABLE void noteOpened(const QUrl& url) { m_opened.append(url); }

  /// In the menu of the last message.
  void choose(const QString& action) {
    hands().find("timeline")->forceActiveFocus();
    hands().press(Qt::Key_F10, Qt::ShiftModifier);
    QVERIFY(hands().click(action));
    QVERIFY(hands().waitForNoPopup());
  }

  /// An answer of these words, as far as the window can tell: it is edited into them by hand.
  void makeAnswer(const QString& text) {
    m_real->ask("What is the capital of Norway?");
    choose("Edit answer");
    QTRY_VERIFY(m_real->chat().editor()->isOpen());
    QTRY_VERIFY(hands().hasFocus("editedText"));
    QGuiApplication::clipboard()->setText(text);
    hands().press(Qt::Key_A, Qt::ControlModifier);
    hands().press(Qt::Key_V, Qt::ControlModifier);
    QTRY_COMPARE(m_real->chat().editor()->text(), text);
    hands().press(Qt::Key_Return);
    QTRY_COMPARE(headOf(m_real->chat()).text(), text);
  }

  void prepare() override {
    m_opened.clear();
    m_real = std::make_unique<RealApplication>();
  }
  void tidyUp() override { m_real.reset(); }

  std::unique_ptr<RealApplication> m_real;
  QList<QUrl> m_opened;
};

QUIRE_UI_TEST_MAIN(MessagesTest)
#include "tst_e2e_messages.moc"
