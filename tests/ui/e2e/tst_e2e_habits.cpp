#include <QQmlProperty>
#include <QTest>

#include <thread>

#include "tests/support/watched_test.h"
#include "tests/ui/e2e/real_application.h"
#include "tests/ui/ui_test_main.h"

using namespace quire;

namespace {

constexpr auto kCtrlShift = Qt::ControlModifier | Qt::ShiftModifier;

}  // namespace

/// What one expects of every application: keys for all of it, its state remembered, its words in
/// the user's language.
class HabitsTest : public WatchedTest {
  Q_OBJECT

 private slots:
  void everyPage_isReachedByKeyboard() {
    using Page = Navigation::Page;
    const QList<std::pair<QKeyCombination, Page>> keys = {
        {Qt::AltModifier | Qt::Key_1, Page::Personas},
        {Qt::AltModifier | Qt::Key_2, Page::Models},
        {Qt::AltModifier | Qt::Key_3, Page::Engine},
        {Qt::ControlModifier | Qt::Key_Comma, Page::Settings},
        {QKeyCombination(Qt::Key_F1), Page::Shortcuts},
        {Qt::AltModifier | Qt::Key_Home, Page::Chats}};
    for (const auto& [key, page] : keys) {
      hands().press(key.key(), key.keyboardModifiers());
      QTRY_COMPARE(m_real->app().navigation()->page(), page);
      QTest::qWait(150);  // It is drawn.
    }
  }

  void palette_doesWhatItSays() {
    hands().press(Qt::Key_K, kCtrlShift);
    QTRY_VERIFY(hands().hasFocus("quickOpenField"));
    hands().type("theme dark");
    QTRY_VERIFY(m_real->app().quickOpen()->rowCount() > 0);
    hands().press(Qt::Key_Return);
    QTRY_COMPARE(m_real->app().appearance()->themeChoice(), "dark");
  }

  void draftsAndWindow_areRemembered() {
    m_real->ask("What is the capital of Norway?");
    hands().type("half a thought");
    QCOMPARE(m_real->chat().composer()->draft(), "half a thought");
    hands().press(Qt::Key_N, Qt::ControlModifier);
    QTRY_COMPARE(m_real->chat().composer()->draft(), "");
    hands().press(Qt::Key_PageDown, Qt::ControlModifier);
    QTRY_COMPARE(m_real->chat().composer()->draft(), "half a thought");
    m_real->restart();
    QTRY_COMPARE(m_real->chat().composer()->draft(), "half a thought");
  }

  void language_changesWithoutARestart() {
    QTRY_VERIFY(hands().sees("New chat"));
    hands().press(Qt::Key_Comma, Qt::ControlModifier);
    QVERIFY(hands().choose("Language", QStringLiteral("한국어")));
    QTRY_VERIFY(!hands().sees("New chat"));
    QTRY_VERIFY(hands().sees(QStringLiteral("새 대화")) || hands().sees(QStringLiteral("새 채팅")));
    QVERIFY(hands().choose(QStringLiteral("언어"), "English"));
    QTRY_VERIFY(hands().sees("New chat"));
  }

  void tab_reachesTheWholeWindow_andEveryStopHasAName() {
    hands().press(Qt::Key_Tab);
    QSet<const QQuickItem*> stops;
    for (int step = 0; step < 60; ++step) {
      const QQuickItem* at = m_real->window()->activeFocusItem();
      if (!at || stops.contains(at)) break;
      stops.insert(at);
      QVERIFY2(!accessibleNameOf(*at).isEmpty(),
               qPrintable(
                   QStringLiteral("%1 “%2” has no name")
                       .arg(QString::fromLatin1(at->metaObject()->className()), at->objectName())));
      hands().press(Qt::Key_Tab);
    }
    QVERIFY2(stops.size() > 8, qPrintable(QString::number(stops.size())));
  }

  void secondStart_raisesTheFirst() {
    bool raised = false;
    connect(&m_real->app(), &AppModel::raiseRequested, this, [&] { raised = true; });
    bool answered = false;
    std::thread other(
        [&] { answered = RaiseRequest::askRunning(m_real->dataFolder(), kEngineMs); });
    const bool came = QTest::qWaitFor([&] { return raised; }, kEngineMs);
    other.join();
    QVERIFY(came);
    QVERIFY(answered);
  }

 private:
  Hands& hands() { return m_real->hands(); }

  void prepare() override { m_real = std::make_unique<RealApplication>(); }
  void tidyUp() override { m_real.reset(); }

  std::unique_ptr<RealApplication> m_real;
};

QUIRE_UI_TEST_MAIN(HabitsTest)
#include "tst_e2e_habits.moc"
