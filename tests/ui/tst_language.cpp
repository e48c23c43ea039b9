#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/session/text_announcer.h"
#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

constexpr int kTimersMs = 800;  // Longer than those after which drafts are saved.

}  // namespace

/// The language of the window is changed while it is open: words of QML and of C++ follow.
class LanguageTest : public WatchedTest {
  Q_OBJECT

 private:
  static QString sendText(const WindowDriver& driver) {
    return driver.item(QStringLiteral("sendButton"))->property("text").toString();
  }
  static QString placeholder(const WindowDriver& driver) {
    return driver.composer()->property("placeholderText").toString();
  }

 protected:
  void prepare() override { QLocale::setDefault(QLocale::c()); }

 private slots:
  void setChoice_changesWhatIsShown() {
    QTemporaryDir folder;
    FakeBackend backend;
    WindowDriver driver(backend, folder.path());
    driver.app().language()->setChoice(QStringLiteral("en"));
    QTRY_COMPARE(sendText(driver), QStringLiteral("Send"));
    QTRY_COMPARE(placeholder(driver), QStringLiteral("Write a message"));
    driver.app().language()->setChoice(QStringLiteral("ko"));
    QTRY_COMPARE(sendText(driver), QStringLiteral("보내기"));          // Of QML.
    QTRY_COMPARE(placeholder(driver), QStringLiteral("메시지 입력"));  // Of a property.
    driver.chat().composer()->sendText(QStringLiteral("hello"));
    QTRY_COMPARE(driver.app().chats()->count(), 1);
    const auto section = [&] {
      return driver.app().chats()->index(0).data(ChatListModel::kSection).toString();
    };
    QTRY_COMPARE(section(), QStringLiteral("오늘"));  // Of a row.
    driver.app().language()->setChoice(QStringLiteral("en"));
    QTRY_COMPARE(section(), QStringLiteral("Today"));
  }

  void sectionsOfModels_followTheLanguage() {
    QTemporaryDir folder;
    FakeBackend backend;
    backend.setModels({{.path = "/bundled", .primary = true, .isDemonstration = true}});
    WindowDriver driver(backend, folder.path());
    driver.app().language()->setChoice(QStringLiteral("en"));
    const ModelListModel& list = *driver.app().models()->list();
    QTRY_COMPARE(list.count(), 1);
    QTRY_COMPARE(list.index(0).data(ModelListModel::kSection).toString(), QString("Loaded"));
    driver.app().language()->setChoice(QStringLiteral("ko"));
    QTRY_COMPARE(list.index(0).data(ModelListModel::kSection).toString(), QString("불러온 모델"));
    driver.app().language()->setChoice(QStringLiteral("en"));
  }

  /// The row's words are another model then, which must not change what is chosen.
  void precision_staysChosen() {
    QTemporaryDir folder;
    FakeBackend backend;
    WindowDriver driver(backend, folder.path());
    driver.app().language()->setChoice(QStringLiteral("en"));
    driver.app().navigation()->setPage(Navigation::Page::Settings);
    QTRY_VERIFY(driver.item("engineChoice3"));
    const auto shown = [&] {
      return driver.item("engineChoice3")->property("displayText").toString();
    };
    driver.app().models()->engineSettings()->set(EngineSettings::kPrecision, "i8");
    QTRY_COMPARE(shown(), QStringLiteral("8 bit"));
    driver.app().language()->setChoice(QStringLiteral("ko"));
    QTRY_COMPARE(shown(), QStringLiteral("8비트"));
  }

  void window_keepsItsSize() {
    QTemporaryDir folder;
    FakeBackend backend;
    WindowDriver driver(backend, folder.path());
    driver.window()->resize(1001, 702);
    driver.app().language()->setChoice(QStringLiteral("ko"));
    QTest::qWait(20);
    QCOMPARE(driver.window()->size(), QSize(1001, 702));
    driver.app().language()->setChoice(QStringLiteral("en"));
  }

  void tellingWordsAnew_doesNothingElse() {
    QTemporaryDir folder;
    FakeBackend backend;
    WindowDriver driver(backend, folder.path());
    driver.app().panes()->split();
    driver.chat().composer()->sendText(QStringLiteral("hello"));
    DataSession& session = driver.app().session();
    QTest::qWait(kTimersMs);
    QVERIFY(session.writer().flush(kCommitMs));
    QCoreApplication::processEvents();
    const int warmed = backend.inspector().numWarmed;
    QVERIFY(warmed > 0);
    QSignalSpy put(&session, &DataSession::settingChanged);
    QSignalSpy written(&session.writer(), &StoreWriter::committed);
    TextAnnouncer announcer(driver.app());
    announcer.announce();
    QVERIFY(announcer.isBusy());
    session.putSetting(QStringLiteral("meanwhile"), QStringLiteral("1"));
    QTRY_VERIFY(!announcer.isBusy());
    QTest::qWait(kTimersMs);
    QCOMPARE(put.size(), 1);
    QTRY_COMPARE(written.size(), 1);
    QCOMPARE(session.setting(QStringLiteral("meanwhile")), QStringLiteral("1"));
    QCOMPARE(backend.inspector().numWarmed, warmed);
  }

  void composer_isAsHighForHangul() {
    QTemporaryDir folder;
    FakeBackend backend;
    WindowDriver driver(backend, folder.path());
    driver.app().language()->setChoice(QStringLiteral("en"));
    driver.settle(0);
    const QQuickItem* scroll = driver.composer()->parentItem()->parentItem();
    const double before = scroll->height();
    driver.composer()->setProperty("text", QStringLiteral("안녕하세요"));
    QTRY_COMPARE(driver.chat().composer()->draft(), QStringLiteral("안녕하세요"));
    driver.settle(0);
    QVERIFY2(qAbs(scroll->height() - before) <= 1.0, "The field jumps under the first letter.");
  }

  void composer_beginsAtItsTopInKorean() {
    QTemporaryDir folder;
    FakeBackend backend;
    {
      WindowDriver driver(backend, folder.path());
      driver.app().language()->setChoice(QStringLiteral("ko"));
    }
    WindowDriver driver(backend, folder.path());
    driver.settle(50);
    const QQuickItem* scroll = driver.composer()->parentItem()->parentItem();
    QCOMPARE(scroll->property("contentY").toDouble(), 0.0);
  }

  void choice_isRemembered() {
    QTemporaryDir folder;
    FakeBackend backend;
    {
      WindowDriver driver(backend, folder.path());
      driver.app().language()->setChoice(QStringLiteral("ko"));
    }
    WindowDriver driver(backend, folder.path());
    QCOMPARE(driver.app().language()->choice(), QStringLiteral("ko"));
    QTRY_COMPARE(sendText(driver), QStringLiteral("보내기"));
  }

  void setChoice_refusesWhatItDoesNotSpeak() {
    InterfaceLanguage language;
    language.setChoice(QStringLiteral("tlh"));
    QCOMPARE(language.choice(), QStringLiteral("system"));
  }
};

QUIRE_UI_TEST_MAIN(LanguageTest)
#include "tst_language.moc"
