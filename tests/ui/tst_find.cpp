#include <QTemporaryDir>
#include <QTest>

#include <functional>

#include "app/store/conversation_store.h"
#include "tests/bench/bench_texts.h"
#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

MessageRecord message(RecordId id, const QString& text) {
  MessageRecord record;
  record.id = id;
  record.chatId = 1;
  record.parentId = id == 11 ? 0 : id - 1;
  record.role = id % 2 ? MessageRole::User : MessageRole::Assistant;
  record.setText(text);
  return record;
}

}  // namespace

/// "Find in this chat" by the keyboard, in the real window.
class FindTest : public WatchedTest {
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
  void keyboard_opensMovesAndCloses() {
    open({"a needle",
          "The **Nee**dle.\n\n```\nint needle;\n```\n\n| needle | x |\n|---|---|\n| y | z |"});
    m_driver->composer()->forceActiveFocus();
    m_driver->press(Qt::Key_F, Qt::ControlModifier);
    QTRY_VERIFY(m_driver->item("findBar")->isVisible());
    QTRY_VERIFY(m_driver->item("findField")->hasActiveFocus());
    write("needle");
    QTRY_COMPARE(count(), QString("1 of 4"));
    QTRY_COMPARE(marks()->property("count").toInt(), 4);
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(count(), QString("2 of 4"));
    m_driver->press(Qt::Key_F3);
    QTRY_COMPARE(count(), QString("3 of 4"));
    m_driver->press(Qt::Key_Return, Qt::ShiftModifier);
    m_driver->press(Qt::Key_F3, Qt::ShiftModifier);
    m_driver->press(Qt::Key_F3, Qt::ShiftModifier);
    QTRY_COMPARE(count(), QString("4 of 4"));
    m_driver->press(Qt::Key_Escape);
    QTRY_VERIFY(!m_driver->item("findBar")->isVisible());
    QTRY_VERIFY(m_driver->composer()->hasActiveFocus());
    QTRY_COMPARE(marks()->property("count").toInt(), 0);
  }

  void marks_lieOverTheirText() {
    open({"question", "some words, then a needle here"});
    find("needle");
    QTRY_COMPARE(marks()->property("count").toInt(), 1);
    // The mark is placed when its row has been laid out.
    QTRY_VERIFY(marks()->property("currentRect").toRectF().width() > 20);
    m_driver->settle(0);
    const QRectF rect = marks()->property("currentRect").toRectF();
    QQuickItem* text = textItem("some words");
    QVERIFY(text);
    const auto begin = static_cast<int>(text->property("text").toString().indexOf("needle"));
    QRectF from;
    QVERIFY(QMetaObject::invokeMethod(text, "positionToRectangle", Q_RETURN_ARG(QRectF, from),
                                      Q_ARG(int, begin)));
    const QPointF corner = text->mapToItem(marks(), from.topLeft());
    QVERIFY2(std::abs(rect.x() - corner.x()) < 2,
             qPrintable(QString("%1 %2").arg(rect.x()).arg(corner.x())));
    QVERIFY(rect.contains(text->mapToItem(marks(), from.center() + QPointF(5, 0))));
  }

  void formulas_areNotCounted_andDoNotShiftTheMarks() {
    open({"question", "$x$ x and $\\frac{a}{b}$ x\n\n$$\nx^2\n$$"});
    find("x");
    QTRY_COMPARE(count(), QString("1 of 2"));
    QTRY_COMPARE(marks()->property("count").toInt(), 2);
    const double first = marks()->property("currentRect").toRectF().x();
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(count(), QString("2 of 2"));
    QTRY_VERIFY(marks()->property("currentRect").toRectF().x() > first + 20);
  }

  void manyMarks_inOneRow_areBounded() {
    open({"question", QString(6000, 'z')});
    find("z");
    QTRY_COMPARE(count().section(' ', 2), QString("6,000"));
    QTRY_VERIFY(marks()->property("count").toInt() > 0);
    m_driver->press(Qt::Key_Return, Qt::ShiftModifier);
    QTRY_VERIFY(!marks()->property("currentRect").toRectF().isEmpty());
    QVERIFY(marks()->property("count").toInt() <= 1501);
  }

  void marks_outOfView_areNotMade() {
    open({"question", "needle " + QString("word ").repeated(3000) + "needle"});
    find("needle");
    QTRY_COMPARE(count().section(' ', 1), QString("of 2"));
    for (int i = 0; i < 2; ++i) {
      QTRY_VERIFY(!marks()->property("currentRect").toRectF().isEmpty());
      QTRY_COMPARE(marks()->property("count").toInt(), 1);
      m_driver->press(Qt::Key_Return);
    }
  }

  void bar_coversNoText() {
    open({"question", QString("word ").repeated(3000)});
    const QQuickItem* const timeline = m_driver->item("timeline");
    const double before = timeline->height();
    find("word");
    const QQuickItem* const bar = m_driver->item("findBar");
    QTRY_VERIFY(timeline->y() >= bar->y() + bar->height());
    QTRY_VERIFY(timeline->height() < before);
    m_driver->press(Qt::Key_Escape);
    QTRY_VERIFY(!bar->isVisible());
    QTRY_VERIFY(timeline->y() < bar->y() + bar->height());
  }

  void currentMatch_isScrolledTo_inALongChat() {
    QStringList texts;
    for (int i = 0; i < 400; ++i)
      texts.append(benchText("mixed", i % 2 ? 1500 : 200) + (i % 100 == 1 ? "\n\nneedle\n" : ""));
    open(texts);
    find("needle");
    QTRY_COMPARE_WITH_TIMEOUT(count().section(' ', 2), QString("4"), 10000);
    for (int i = 0; i < 5; ++i) {
      m_driver->press(Qt::Key_Return);
      QTRY_VERIFY(!marks()->property("currentRect").toRectF().isEmpty());
      m_driver->settle(50);
      const auto rect = [&] { return marks()->property("currentRect").toRectF(); };
      QTRY_VERIFY2(rect().top() >= 20 && rect().bottom() < marks()->height(),
                   qPrintable(QString::number(rect().top())));
    }
  }

  void foldedText_isUnfolded_andWideCodeScrolled() {
    const QString wide = "```\nint value; // " + QString("wide ").repeated(80) + "needle\n```\n";
    open({"question", "<think>\nA needle in the haystack.\n</think>\n\nanswer\n\n" + wide});
    find("needle");
    QTRY_COMPARE(count(), QString("1 of 2"));
    QTRY_VERIFY(textItem("A needle"));
    QTRY_VERIFY(!marks()->property("currentRect").toRectF().isEmpty());
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(count(), QString("2 of 2"));
    QTRY_VERIFY(!marks()->property("currentRect").toRectF().isEmpty());
  }

  void streaming_countsWhatComes() {
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_backend->queueAnswer(QString("A needle and more words. ").repeated(40));
    m_driver->chat().composer()->sendText("ask for a needle");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    find("needle");
    QTRY_COMPARE(count(), QString("1 of 1"));
    m_backend->advance(40);
    QTRY_VERIFY(count().startsWith("1 of ") && count() != "1 of 1");
    m_backend->advance(100000);
    QTRY_VERIFY(!m_driver->chat().turns()->isGenerating());
    QTRY_COMPARE(count(), QString("1 of 41"));
    QTRY_VERIFY(marks()->property("count").toInt() > 20);
  }

  void hugeMessages_neverBlock() {
    open({benchText("mixed", 300'000), benchText("list", 1'200'000)});
    for (const char* query : {"e", "the", "no such words"}) {
      find(query);
      QTRY_VERIFY_WITH_TIMEOUT(!m_driver->chat().find()->isScanning(), 20000);
      m_driver->press(Qt::Key_Return);
      QTest::qWait(50);
    }
    // cleanup() compares the longest event with the limit.
  }

  void panes_areSearchedEachForItself() {
    open({"a needle", "needle needle"});
    m_driver->press(Qt::Key_2, Qt::ControlModifier);
    m_driver->finishPages();
    m_driver->settle(50);
    m_driver->app().panes()->setFocusedPane(0);
    m_driver->press(Qt::Key_F, Qt::ControlModifier);
    ChatModel& searched = m_driver->chat();
    QTRY_VERIFY(searched.find()->isOpen());
    searched.find()->setQuery("needle");
    QTRY_COMPARE(searched.find()->countText(), QString("1 of 3"));
    m_driver->app().panes()->setFocusedPane(1);
    QVERIFY(&m_driver->chat() != &searched);
    QVERIFY(!m_driver->chat().find()->isOpen());
    QCOMPARE(searched.find()->countText(), QString("1 of 3"));
  }

 private:
  void open(const QStringList& texts) {
    auto store = ConversationStore::open(m_folder->path());
    QVERIFY(store.has_value());
    NewChat chat;
    chat.chat.id = 1;
    chat.chat.title = "searched";
    chat.chat.activeMs = 1;
    for (qsizetype i = 0; i < texts.size(); ++i)
      chat.messages.append(message(11 + static_cast<RecordId>(i), texts[i]));
    chat.chat.headMessageId = chat.messages.last().id;
    QVERIFY((*store)->createChat(chat).has_value());
    store->reset();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_driver->app().navigation()->openChat(1);
    QTRY_VERIFY_WITH_TIMEOUT(
        m_driver->chat().isLoaded() && !m_driver->chat().timeline()->isLoading(), 20000);
    QTest::qWait(100);
    WatchedApplication::instance().reset();
  }
  void find(const QString& query) {
    m_driver->press(Qt::Key_F, Qt::ControlModifier);
    QTRY_VERIFY(m_driver->item("findField")->hasActiveFocus());
    write(query);
  }
  void write(const QString& text) {
    for (const QChar c : text)
      QTest::sendKeyEvent(QTest::Click, m_driver->window(), Qt::Key_unknown, QString(c),
                          Qt::NoModifier);
  }
  QString count() const { return m_driver->item("findCount")->property("text").toString(); }
  QQuickItem* marks() const { return m_driver->item("findMarks"); }
  QQuickItem* textItem(const QString& begin) const {
    QList<QQuickItem*> items = {m_driver->item("timeline")};
    while (!items.isEmpty()) {
      QQuickItem* at = items.takeFirst();
      const bool isText = at->property("textDocument").isValid() && at->isVisible();
      if (isText && at->property("text").toString().startsWith(begin)) return at;
      items += at->childItems();
    }
    return nullptr;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(FindTest)
#include "tst_find.moc"
