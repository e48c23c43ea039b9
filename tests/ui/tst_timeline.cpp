#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <functional>

#include "app/store/conversation_store.h"
#include "tests/bench/bench_texts.h"
#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

MessageRecord message(RecordId id, RecordId parent, MessageRole role, const QString& text) {
  MessageRecord record;
  record.id = id;
  record.chatId = 1;
  record.parentId = parent;
  record.role = role;
  record.setText(text);
  return record;
}

}  // namespace

/// The conversation as it is drawn: what stays where it is, and how much of it there is.
class TimelineTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
  }

  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  void bigChat_keepsFewDelegates_andNeverBlocks() {
    QList<MessageRecord> messages;
    for (int i = 1; i <= 2000; ++i) {
      const bool asks = i % 2 == 1;
      messages.append(message(i + 10, i == 1 ? 0 : i + 9,
                              asks ? MessageRole::User : MessageRole::Assistant,
                              asks ? QString("Question %1?").arg(i) : benchText("mixed", 700)));
    }
    open(messages);
    lookThrough();
  }

  void hugeMessage_keepsFewDelegates_andNeverBlocks() {
    open({message(11, 0, MessageRole::User, benchText("mixed", 300'000)),
          message(12, 11, MessageRole::Assistant, benchText("list", 1'200'000))});
    lookThrough();
  }

  void olderMessages_doNotMoveWhatIsRead() {
    QList<MessageRecord> messages;
    for (int i = 1; i <= 400; ++i)
      messages.append(message(i + 10, i == 1 ? 0 : i + 9,
                              i % 2 ? MessageRole::User : MessageRole::Assistant,
                              benchText("mixed", i % 2 ? 200 : 2500)));
    prepare(messages);
    m_driver->app().navigation()->openChat(1);
    QCoreApplication::processEvents();
    QQuickItem* list = m_driver->item("timeline");
    QVERIFY(m_driver->chat().timeline()->isLoading());
    list->setProperty("contentY", list->property("contentY").toDouble() - 700);
    QCoreApplication::processEvents();
    QQuickItem* seen = itemAtTop();
    QVERIFY(seen);
    const double before = seen->mapToScene({0, 0}).y();
    QTRY_VERIFY(!m_driver->chat().timeline()->isLoading());
    m_driver->settle(50);
    QVERIFY(std::abs(seen->mapToScene({0, 0}).y() - before) < 1.0);
  }

  void messageThatIsNotReadYet_isShownWhenItIs_data() {
    QTest::addColumn<int>("wanted");
    QTest::newRow("first") << 11;
    QTest::newRow("in the middle") << 151;
  }
  void messageThatIsNotReadYet_isShownWhenItIs() {
    QFETCH(const int, wanted);
    QList<MessageRecord> messages;
    for (int i = 1; i <= 400; ++i)
      messages.append(message(i + 10, i == 1 ? 0 : i + 9,
                              i % 2 ? MessageRole::User : MessageRole::Assistant,
                              benchText("mixed", i % 2 ? 200 : 2500)));
    prepare(messages);
    QSignalSpy faded(m_driver->item("revealMark"), &QQuickItem::opacityChanged);
    m_driver->app().navigation()->openMessage(1, wanted);
    ChatModel& chat = m_driver->chat();
    QCOMPARE(chat.timeline()->firstRowOf(wanted), -1);
    QTRY_COMPARE(chat.history()->revealedMessage(), 0);
    QTRY_VERIFY(!faded.isEmpty());
    QTRY_VERIFY(!chat.timeline()->isLoading());
    m_driver->settle(50);
    QQuickItem* list = m_driver->item("timeline");
    QQuickItem* item = nullptr;
    QMetaObject::invokeMethod(list, "itemAtIndex", Q_RETURN_ARG(QQuickItem*, item),
                              Q_ARG(int, chat.timeline()->firstRowOf(wanted)));
    QVERIFY(item);
    const double top = item->mapToItem(list, {0, 0}).y();
    QVERIFY2(top > -1 && top < 60, qPrintable(QString::number(top)));
  }

  void jumpToLatest_coversNoText() {
    open({message(11, 0, MessageRole::User, "question"),
          message(12, 11, MessageRole::Assistant, benchText("mixed", 20'000))});
    QQuickItem* const list = m_driver->item("timeline");
    const QQuickItem* const strip = m_driver->item("latestStrip");
    QTRY_VERIFY(!strip->isVisible());
    m_driver->settle(0);
    const double whole = list->height();
    for (int step = 0; step < 4; ++step) {
      list->setProperty("contentY", list->property("contentY").toDouble() - 400);
      QTest::qWait(20);
    }
    QTRY_VERIFY(strip->isVisible());
    QTRY_COMPARE(list->height(), whole - strip->height());
    QTRY_COMPARE(strip->y(), list->y() + list->height());
    m_driver->click("latestButton");
    QTRY_VERIFY(!strip->isVisible());
    QTRY_COMPARE(list->height(), whole);
    QTRY_VERIFY(list->property("atYEnd").toBool());
  }

  void selection_survivesStreaming() {
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_backend->queueAnswer(
        "First paragraph of words.\n\n- item one\n- item two\n\n```c\nint x;\n```\n\nEnd.");
    m_backend->charactersPerTick = 5;
    m_driver->chat().composer()->sendText("ask");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(4);
    QTRY_VERIFY(findText("First paragraph of"));
    QQuickItem* text = findText("First paragraph of");
    QMetaObject::invokeMethod(text, "select", Q_ARG(int, 0), Q_ARG(int, 5));
    QCOMPARE(text->property("selectedText").toString(), QString("First"));
    m_backend->advance(1000);
    m_driver->settle(50);
    QTRY_VERIFY(findText("End."));
    QCOMPARE(findText("First paragraph of words."), text);
    QCOMPARE(text->property("selectedText").toString(), QString("First"));
  }

  void streamMark_staysAtTheEnd_whenThePaneChanges() {
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_backend->queueAnswer(QString("Words that go on and on. ").repeated(60));
    m_backend->charactersPerTick = 600;
    m_driver->chat().composer()->sendText("ask");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(1);
    for (const int width : {700, 1400, 900}) {
      m_driver->window()->resize(width, 700);
      m_driver->settle(60);
      m_backend->advance(width == 900 ? 1 : 0);
      m_driver->settle(60);
      const QQuickItem* text = findText("Words");
      const QQuickItem* mark = m_driver->item("streamMark");
      QVERIFY(text && mark);
      const double bottom = mark->mapToItem(text, {0, mark->height()}).y();
      QVERIFY2(std::abs(bottom - text->height()) < 10,
               qPrintable(QString("%1 of %2 at %3").arg(bottom).arg(text->height()).arg(width)));
    }
  }

  void wideParts_scrollTogether_whileTheyMove_data() {
    QTest::addColumn<QString>("answer");
    QTest::newRow("code") << "```\n" + (QString("wide ").repeated(80) + "\n").repeated(50) + "```";
    const QString row = QString("| wide cell ").repeated(10) + "|\n";
    QTest::newRow("table") << row + QString("|---").repeated(10) + "|\n" + row.repeated(2);
  }
  void wideParts_scrollTogether_whileTheyMove() {
    QFETCH(const QString, answer);
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_driver->window()->resize(1000, 900);
    m_backend->queueAnswer(answer);
    m_backend->charactersPerTick = 100000;
    m_driver->chat().composer()->sendText("ask");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(1000);
    m_driver->settle(100);
    QQuickItem* list = m_driver->item("timeline");
    QTRY_VERIFY(wideParts(list).size() >= 2);
    const QList<QQuickItem*> parts = wideParts(list);
    const auto inSight = std::find_if(parts.cbegin(), parts.cend(), [&](const QQuickItem* part) {
      return list->contains(part->mapToItem(list, {0, 10}));
    });
    QVERIFY(inSight != parts.cend());
    const auto place = [](const QQuickItem* part) { return part->property("contentX").toDouble(); };
    int seen = 0;
    double last = 0;
    for (int step = 0; step < 500 && seen < 3; ++step) {
      const QPointF at = (*inSight)->mapToScene({100, 10});
      QWheelEvent event(at, at, {}, {-480, 0}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                        false);
      event.setTimestamp(30 * (static_cast<quint64>(step) / 100 + 1));  // It is scrolled by speed.
      if (step % 100 == 0) QCoreApplication::sendEvent(m_driver->window(), &event);
      QTest::qWait(1);
      if (place(*inSight) <= last) continue;
      last = place(*inSight);
      for (const QQuickItem* part : parts) QCOMPARE(place(part), last);
      ++seen;
    }
    QVERIFY(seen > 0);
  }

  void laterPartOfCode_isColoured_fromTheStateWhereItBegins() {
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_driver->window()->resize(1000, 900);
    m_backend->queueAnswer("```c\n/*\n" + QString("word\n").repeated(50) + "*/\n```");
    m_backend->charactersPerTick = 100000;
    m_driver->chat().composer()->sendText("ask");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(1000);
    QTRY_COMPARE(startStates(m_driver->item("timeline")), QList<int>({0, 1}));
  }

  void reasoning_opensByKeyboard() {
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_backend->queueAnswer("<think>\nsecret words\n</think>\n\nanswer");
    m_driver->chat().composer()->sendText("ask");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(1000);
    m_driver->settle(50);
    QCOMPARE(m_driver->shownTexts(), QStringList({"ask", "", "answer"}));
    QVERIFY(!findText("secret words"));
    QTRY_VERIFY(m_driver->item("thoughtButton"));
    QQuickItem* button = m_driver->item("thoughtButton");
    button->forceActiveFocus(Qt::TabFocusReason);
    m_driver->press(Qt::Key_Return);
    QTRY_VERIFY(findText("secret words"));
    m_driver->press(Qt::Key_Space);
    QTRY_COMPARE(m_driver->shownTexts(), QStringList({"ask", "", "answer"}));
  }

 private:
  void prepare(const QList<MessageRecord>& messages) {
    auto store = ConversationStore::open(m_folder->path());
    QVERIFY(store.has_value());
    NewChat chat;
    chat.chat.id = 1;
    chat.chat.title = "big";
    chat.chat.headMessageId = messages.last().id;
    chat.chat.activeMs = 1;
    chat.messages = messages;
    QVERIFY((*store)->createChat(chat).has_value());
    ChatRecord other;
    other.id = 2;
    other.title = "other";
    other.activeMs = 2;
    QVERIFY((*store)->putChat(other).has_value());
    store->reset();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_driver->app().navigation()->openChat(2);
    QTest::qWait(100);
  }

  void open(const QList<MessageRecord>& messages) {
    prepare(messages);
    WatchedApplication::instance().reset();
    m_driver->app().navigation()->openChat(1);
    QTRY_VERIFY_WITH_TIMEOUT(!m_driver->chat().timeline()->isLoading(), 20000);
    QTest::qWait(100);
  }

  /// What is wider than its place, and scrolls.
  static QList<QQuickItem*> wideParts(QQuickItem* item) {
    QList<QQuickItem*> parts;
    const bool isWide = item->property("contentWidth").toDouble() > item->width() + 1;
    if (item->inherits("QQuickFlickable") && isWide) parts.append(item);
    for (QQuickItem* child : item->childItems()) parts += wideParts(child);
    return parts;
  }

  /// The lexer's states in which the parts of code begin, the smallest first.
  static QList<int> startStates(const QQuickItem* item) {
    QList<int> states;
    const QVariant state = item->property("startState");
    if (state.isValid()) states.append(state.toInt());
    for (const QQuickItem* child : item->childItems()) states += startStates(child);
    std::sort(states.begin(), states.end());
    return states;
  }

  void lookThrough() {
    QQuickItem* list = m_driver->item("timeline");
    const auto* content = list->property("contentItem").value<QQuickItem*>();
    const auto isDelegate = [](const QQuickItem* item) {  // The mark of what was searched is none.
      return item->property("index").isValid();
    };
    // A step beyond the page creates its rows before it releases the others: about 30 of each.
    constexpr qsizetype kMostRows = 64;
    qsizetype most = 0;
    for (int step = 0; step < 60; ++step) {
      list->setProperty("contentY", list->property("contentY").toDouble() - 700);
      QTest::qWait(1);
      most = std::max<qsizetype>(most, std::ranges::count_if(content->childItems(), isDelegate));
    }
    QVERIFY2(most > 3 && most <= kMostRows, qPrintable(QString::number(most)));
    // cleanup() compares the longest event with the limit.
  }

  QQuickItem* itemAtTop() {
    QQuickItem* list = m_driver->item("timeline");
    QQuickItem* found = nullptr;
    QMetaObject::invokeMethod(list, "itemAt", Q_RETURN_ARG(QQuickItem*, found), Q_ARG(double, 300),
                              Q_ARG(double, list->property("contentY").toDouble() + 100));
    return found;
  }

  /// The text item that shows this, and nothing before it.
  QQuickItem* findText(const QString& begin) {
    QList<QQuickItem*> items = {m_driver->item("timeline")};
    while (!items.isEmpty()) {
      QQuickItem* at = items.takeFirst();
      const QVariant document = at->property("textDocument");
      if (document.isValid() && at->isVisible() &&
          at->property("text").toString().startsWith(begin))
        return at;
      items += at->childItems();
    }
    return nullptr;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(TimelineTest)
#include "tst_timeline.moc"
