#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "tests/bench/bench_texts.h"
#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

const QString kFormula = QStringLiteral(
    "$$\n\\begin{aligned} x_{1,2} &= \\frac{-b \\pm \\sqrt{b^2-4ac}}{2a} \\\\ y &= "
    "\\sum_{i=0}^{n} \\frac{1}{1+\\frac{1}{i}} \\\\ z &= \\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\\\ 5 "
    "& "
    "6 \\end{pmatrix} \\end{aligned}\n$$\n\n");
const QString kTable =
    QStringLiteral("| a | b |\n|---|---|\n| $\\frac{1}{2}$ | two |\n| 3 | 4 |\n\n");

/// Characters in a tick, and ticks before each frame.
std::vector<std::pair<int, int>> paces() {
  std::vector<std::pair<int, int>> all = {{7, 3}, {90, 1}, {700, 3}, {100'000, 1}};
  if (!qEnvironmentVariableIsSet("QUIRE_LONG_TESTS")) return all;
  all.insert(all.end(), {{7, 1}, {90, 3}, {700, 1}, {100'000, 3}});
  return all;
}

QString codeOf(int lines) {
  return "```cpp\n" + QStringLiteral("int value = compute(17);  // a line\n").repeated(lines) +
         "```\n\n";
}

}  // namespace

/// A timeline that nobody scrolls shows the end of the answer, whatever it grows by and whatever
/// happens around it.
class FollowTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    openWindow();
  }

  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  void answer_isFollowedToItsEnd_data() {
    QTest::addColumn<QString>("answer");
    const QString words = QStringLiteral("Some words that wrap over a few lines. ").repeated(40);
    QTest::newRow("formula last") << words + "\n\n" + kFormula;
    QTest::newRow("formulas") << (words + "\n\n" + kFormula).repeated(4);
    QTest::newRow("inline formula last")
        << words + "\n\nSo $\\frac{\\frac{a}{b}}{\\frac{c}{d}}$ is $\\sqrt{\\frac{1}{2}}$";
    QTest::newRow("code last") << words + "\n\n" + codeOf(30);
    QTest::newRow("long code") << words + "\n\n" + codeOf(400);
    QTest::newRow("table last") << words + "\n\n" + kTable.repeated(6);
    QTest::newRow("reasoning") << "<think>\n" + words.repeated(6) + "\n</think>\n\n" + words;
    QTest::newRow("long reasoning, short answer")
        << "<think>\n" + (words + "\n\n").repeated(12) + "\n</think>\n\nYes.";
    QTest::newRow("reasoning, formula")
        << "<think>\n" + (words + "\n\n").repeated(12) + "\n</think>\n\n" + kFormula;
    QTest::newRow("mixed") << benchText("mixed", 12'000) + kFormula;
  }
  void answer_isFollowedToItsEnd() {
    QFETCH(const QString, answer);
    for (const auto& [step, beforeFrame] : paces()) {
      ask(answer, step);
      while (m_backend->numRunning() > 0) {
        m_backend->advance(beforeFrame);
        QCoreApplication::processEvents();
        m_driver->drawFrame();
        if (step > 7) QVERIFY2(isNearEnd(), qPrintable(place()));
      }
      settle();
      QVERIFY2(isAtEnd(), qPrintable(QString("%1 a tick: %2").arg(step).arg(place())));
    }
  }

  /// While another page is shown, the timeline is not drawn.
  void answer_isFollowedBehindAPage() {
    const QString words = QStringLiteral("Some words that wrap over a few lines. ").repeated(40);
    for (const QString& last : {kFormula, codeOf(60), kTable, words}) {
      ask((words + "\n\n").repeated(3) + last, 500);
      m_backend->advance(2);
      settle();
      m_driver->app().navigation()->setPage(Navigation::Page::Settings);
      settle();
      m_backend->advance(100'000);
      settle();
      m_driver->app().navigation()->setPage(Navigation::Page::Chats);
      settle();
      QTRY_VERIFY2(isAtEnd(), qPrintable(place()));
    }
  }

  /// What happens around the timeline is not the user's scrolling.
  void answer_isFollowedWhileTheWindowChanges_data() {
    QTest::addColumn<int>("seed");
    const int seeds = qEnvironmentVariableIsSet("QUIRE_LONG_TESTS") ? 24 : 6;
    for (int seed = 1; seed <= seeds; ++seed) QTest::addRow("seed %d", seed) << seed;
  }
  void answer_isFollowedWhileTheWindowChanges() {
    QFETCH(const int, seed);
    std::mt19937 random(static_cast<unsigned>(seed));
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    ask(mixedAnswer(below), 20 + below(400));
    QString history;
    while (m_backend->numRunning() > 0) {
      m_backend->advance(1 + below(3));
      const int event = below(14);
      if (event == 0) m_driver->window()->resize(700 + below(700), 500 + below(400));
      if (event == 1) m_driver->app().composer()->setDraft(QString("line\n").repeated(below(8)));
      if (event == 2) m_driver->chat().setNotice(below(2) ? "Something happened." : "");
      if (event == 3) m_driver->app().panes()->setCount(1 + below(2));
      if (event < 4) history += QString::number(event) + ' ';
      if (below(2)) QCoreApplication::processEvents();
      if (below(3) == 0) m_driver->drawFrame();
    }
    settle();
    QTRY_VERIFY2(isAtEnd(), qPrintable(history + place()));
  }

  /// The wheel leaves the end of an answer that grows in each frame, and comes back to it.
  void wheel_leavesTheEnd_andComesBack() {
    ask(benchText("mixed", 60'000), 20);
    m_backend->advance(400);
    settle();
    QVERIFY(isAtEnd() && !isShort());
    for (int i = 0; i < 3; ++i) turnWheel(120);
    QTRY_VERIFY(!isMovingAfterGrowing());
    QVERIFY2(!isFollowing() && distance() > 30, qPrintable(place()));
    for (int i = 0; i < 200 && !isFollowing(); ++i) turnWheel(-1200);
    QTRY_VERIFY(!isMovingAfterGrowing());
    QVERIFY2(isFollowing() && m_backend->numRunning() > 0, qPrintable(place()));
    m_backend->advance(1'000'000);
    settle();
    QVERIFY2(isAtEnd(), qPrintable(place()));
  }

  /// A list creates a page of rows at its beginning when it gets a model. Those of a chat would be
  /// released at once, since it opens at its end.
  void openedChat_createsRowsAtItsEndAlone() {
    const RecordId longChat = answered(QStringLiteral("A paragraph.\n\n").repeated(150));
    answered(QStringLiteral("short"));
    restart();  // Otherwise rows of the first chat would be used again.
    auto* content = timeline().property("contentItem").value<QQuickItem*>();
    const QList<QQuickItem*> before = content->childItems();
    timeline().setProperty("cacheBuffer", 0);
    m_driver->app().navigation()->openChat(longChat);
    settle();
    QVERIFY2(isAtEnd() && !isShort(), qPrintable(place()));
    qsizetype created = 0;
    qsizetype shown = 0;
    for (const QQuickItem* row : content->childItems()) {
      const double top = row->y() - number("contentY");
      if (row->isVisible() && top < timeline().height() && top + row->height() > 0) ++shown;
      if (!before.contains(row)) ++created;
    }
    QVERIFY2(shown > 10, qPrintable(QString::number(shown)));
    constexpr qsizetype kOthers = 6;  // The first row, and some of about 17 above the view.
    QVERIFY2(created <= shown + kOthers,
             qPrintable(QStringLiteral("%1 rows for %2").arg(created).arg(shown)));
  }

 private:
  void openWindow() {
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_driver->window()->resize(1000, 700);
  }
  void restart() {
    m_driver.reset();
    openWindow();
    QTRY_VERIFY(m_driver->chat().isLoaded());
  }
  RecordId answered(const QString& answer) {
    ask(answer, 100'000);
    m_backend->advance(10);
    settle();
    return m_driver->chat().chatId();
  }
  template <typename Below>
  static QString mixedAnswer(const Below& below) {
    QString answer;
    for (int i = 0; i < 12; ++i) {
      const QStringList kinds = {kFormula, codeOf(5 + below(60)), kTable, benchText("mixed", 900),
                                 "<think>\n" + benchText("mixed", 1500) + "\n</think>\n\n"};
      answer += kinds[i == 0 ? below(5) : below(4)] + "\n\n";
    }
    return answer;
  }
  void turnWheel(int by) {
    const QPointF at(m_driver->window()->width() / 2.0, 300);
    QWheelEvent event(at, at, {}, {0, by}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    event.setTimestamp(m_wheelMs += 30);  // A list moves by how fast the wheel turns.
    QCoreApplication::sendEvent(m_driver->window(), &event);
    isMovingAfterGrowing();
  }
  bool isMovingAfterGrowing() {
    m_backend->advance(1);
    QTest::qWait(10);
    m_driver->drawFrame();
    return timeline().property("moving").toBool();
  }
  void ask(const QString& answer, int charactersPerTick) {
    m_driver->app().panes()->setCount(1);
    m_driver->app().navigation()->newChat();
    m_backend->charactersPerTick = charactersPerTick;
    m_backend->queueAnswer(answer);
    m_driver->chat().turns()->ask("question");
    QTRY_COMPARE(m_backend->numRunning(), 1);
  }
  void settle() {
    for (int i = 0; i < 6; ++i) {
      QCoreApplication::processEvents();
      m_driver->drawFrame();
    }
    QTest::qWait(20);
  }
  QQuickItem& timeline() {
    QList<QQuickItem*> open = {m_driver->window()->contentItem()};
    while (!open.isEmpty()) {
      QQuickItem* at = open.takeFirst();
      const bool isOfChat = at->property("chat").value<ChatModel*>() == &m_driver->chat();
      if (at->objectName() == "timeline" && isOfChat) return *at;
      open += at->childItems();
    }
    qFatal("There is no timeline of the chat.");
  }
  double number(const char* name) { return timeline().property(name).toDouble(); }
  double distance() {
    return number("originY") + number("contentHeight") + number("bottomMargin") -
           number("contentY") - timeline().height();
  }
  bool isFollowing() { return timeline().property("isFollowing").toBool(); }
  bool isShort() { return number("contentHeight") + number("bottomMargin") <= timeline().height(); }
  bool isAtEnd() { return isFollowing() && (isShort() || std::abs(distance()) < 2.0); }
  bool isNearEnd() { return isFollowing(); }
  QString place() {
    return QStringLiteral("following %1, %2 from the end, content %3, height %4")
        .arg(isFollowing())
        .arg(distance())
        .arg(number("contentHeight"))
        .arg(timeline().height());
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
  quint64 m_wheelMs = 1000;
};

QUIRE_UI_TEST_MAIN(FollowTest)
#include "tst_follow.moc"
