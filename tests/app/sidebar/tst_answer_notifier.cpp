#include "app/sidebar/answer_notifier.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/fake_backend.h"

using namespace quire;

namespace {

/// Remembers what was shown.
class FakeNotifications : public DesktopNotifications {
 public:
  explicit FakeNotifications(QList<DesktopNotice>& shown, int& withdrawn)
      : m_shown(shown), m_withdrawn(withdrawn) {}

  void show(const DesktopNotice& notice) override { m_shown.append(notice); }
  void withdraw() override { ++m_withdrawn; }

 private:
  QList<DesktopNotice>& m_shown;
  int& m_withdrawn;
};

}  // namespace

/// When the desktop is told of an answer, and of which.
class AnswerNotifierTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_session = std::make_unique<DataSession>(m_folder->path());
    QVERIFY(m_session->open());
    m_generation = std::make_unique<GenerationDefaults>(m_backend, *m_session);
    m_library = std::make_unique<ChatLibrary>(m_backend, m_backend, *m_session, m_personas,
                                              m_engine, *m_generation);
    QVERIFY(m_library->load());
    m_shown.clear();
    m_withdrawn = 0;
    m_hasFocus = false;
    makeNotifier();
  }

  void cleanup() {
    m_notifier.reset();
    m_library->close();
    m_session->flush(5000);
    m_library.reset();
    m_generation.reset();
    m_session.reset();
  }

  void answerWithoutFocus_isAnnounced_withoutWhatItSays() {
    QSignalSpy attention(m_notifier.get(), &AnswerNotifier::attentionWanted);
    answer("a secret question", "a secret answer");
    QCOMPARE(m_shown.size(), 1);
    QCOMPARE(m_shown[0].title, QString("1 answer(s) ready"));
    QVERIFY(!m_shown[0].text.contains("secret answer"));
    QVERIFY(!m_shown[0].sounds);
    QCOMPARE(attention.count(), 1);
  }

  void answerWithFocus_isNot() {
    m_hasFocus = true;
    answer("one", "two");
    QVERIFY(m_shown.isEmpty());
  }

  void severalAnswers_shareANotice_thatGoesWithTheFocus() {
    answer("one", "first");
    answer("two", "second");
    QCOMPARE(m_shown.size(), 2);
    QCOMPARE(m_shown[1].title, QString("2 answer(s) ready"));
    QCOMPARE(m_shown[1].text, QString("two\none"));
    m_notifier->onFocusGained();
    QCOMPARE(m_withdrawn, 1);
    answer("three", "third");
    QCOMPARE(m_shown.last().title, QString("1 answer(s) ready"));
  }

  void stoppedAnswer_isNotAnnounced_aFailedOneIs() {
    ChatModel& chat = begin("go", "a long answer that is stopped");
    chat.turns()->stop();
    QTRY_VERIFY(!chat.turns()->isGenerating());
    QVERIFY(m_shown.isEmpty());
    m_backend.failNext("No.");
    ChatModel& failed = *m_library->blank();
    failed.turns()->ask("fails");
    QTRY_COMPARE(m_shown.size(), 1);
    QCOMPARE(m_shown[0].title, QString("The answer failed"));
  }

  void choices_areKept() {
    m_notifier->setSounds(true);
    answer("one", "two");
    QVERIFY(m_shown.last().sounds);
    m_notifier->setOn(false);
    QCOMPARE(m_withdrawn, 1);
    answer("three", "four");
    QCOMPARE(m_shown.size(), 1);
    makeNotifier();
    QVERIFY(!m_notifier->isOn());
    QVERIFY(m_notifier->sounds());
  }

  void click_wantsTheChat_orTheWindowAlone() {
    QSignalSpy wanted(m_notifier.get(), &AnswerNotifier::chatWanted);
    const RecordId first = answer("one", "first");
    emit m_desktop->activated("token");
    QCOMPARE(wanted.takeFirst(), QVariantList({QVariant::fromValue<qint64>(first), "token"}));
    answer("two", "second");
    answer("three", "third");
    emit m_desktop->activated({});
    QCOMPARE(wanted.takeFirst().at(0).toLongLong(), 0);
  }

 private:
  void makeNotifier() {
    m_notifier = std::make_unique<AnswerNotifier>(*m_library, *m_session);
    m_notifier->load();
    m_notifier->setFocusCheck([this] { return m_hasFocus; });
    auto desktop = std::make_unique<FakeNotifications>(m_shown, m_withdrawn);
    m_desktop = desktop.get();
    m_notifier->setDesktop(std::move(desktop));
  }
  ChatModel& begin(const QString& question, const QString& text) {
    m_backend.queueAnswer(text);
    ChatModel* chat = m_library->blank();
    chat->turns()->ask(question);
    if (!QTest::qWaitFor([&] { return m_backend.numRunning() > 0; }, 60'000))
      qFatal("Nothing runs.");
    return *chat;
  }
  /// Asks in a new chat and waits for the end of the answer; the chat's id.
  RecordId answer(const QString& question, const QString& text) {
    ChatModel& chat = begin(question, text);
    m_backend.advance(100);
    if (!QTest::qWaitFor([&] { return !chat.turns()->isGenerating(); }, 60'000))
      qFatal("It goes on.");
    return chat.chatId();
  }

  FakeBackend m_backend;
  PersonaListModel m_personas;
  EngineStatus m_engine{m_backend};
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<DataSession> m_session;
  std::unique_ptr<GenerationDefaults> m_generation;
  std::unique_ptr<ChatLibrary> m_library;
  std::unique_ptr<AnswerNotifier> m_notifier;
  FakeNotifications* m_desktop = nullptr;
  QList<DesktopNotice> m_shown;
  int m_withdrawn = 0;
  bool m_hasFocus = false;
};

QTEST_MAIN(AnswerNotifierTest)
#include "tst_answer_notifier.moc"
