#include <QTemporaryDir>
#include <QTest>

#include "app/store/conversation_store.h"
#include "tests/bench/bench_texts.h"
#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

/// The line at the top of the view, while what is above it changes its height.
class ReadingTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    fillStore();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_driver->window()->resize(1300, 800);
    m_driver->app().navigation()->openChat(1);
    QTRY_VERIFY(!m_driver->chat().timeline()->isLoading());
    m_driver->settle(100);
    for (int step = 0; step < 4; ++step) scroll(-400);
  }
  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  void foldAbove_leavesTheLine() {
    const int thought = thoughtAbove();
    QVERIFY(thought >= 0);
    const QString line = textAtTop();
    const double offset = offsetAtTop();
    for (int times = 0; times < 4; ++times) {
      m_driver->chat().timeline()->toggleFold(thought);
      m_driver->settle(60);
      QCOMPARE(textAtTop(), line);
      QVERIFY2(std::abs(offsetAtTop() - offset) < 2, qPrintable(QString::number(offsetAtTop())));
    }
  }

  void largerText_andBack_leavesTheLine() {
    compareAfter([this] { m_driver->app().appearance()->setTextPercent(130); });
    compareAfter([this] { m_driver->app().appearance()->setTextPercent(90); });
    compareAfter([this] { m_driver->app().appearance()->setTextPercent(100); });
  }

  void otherWidths_leaveTheLine() {
    for (const int width : {1000, 800, 700, 900, 1300}) {
      compareAfter([&] { m_driver->window()->resize(width, 800); });
    }
  }

  void otherWidths_oneFrameAfterTheOther_doNotDrift() {
    const QString line = textAtTop();
    const double share = shareAtTop();
    for (int width = 1300; width > 700; width -= 30) {
      m_driver->window()->resize(width, 800);
      QTest::qWait(8);
    }
    for (int width = 700; width <= 1300; width += 30) {
      m_driver->window()->resize(width, 800);
      QTest::qWait(8);
    }
    m_driver->settle(100);
    QCOMPARE(textAtTop(), line);
    QVERIFY2(std::abs(shareAtTop() - share) < 0.1,
             qPrintable(QString("%1 %2").arg(share).arg(shareAtTop())));
  }

  /// In the same turn, and between the frames of a change.
  void readersOwnScroll_isNeverUndone() {
    for (int step = 0; step < 6; ++step) {
      m_driver->window()->resize(step % 2 ? 1300 : 900, 800);
      const double before = place();
      list()->setProperty("contentY", list()->property("contentY").toDouble() - 60);
      QTest::qWait(20);
      scroll(-60);
      QVERIFY2(place() < before, qPrintable(QString("%1 %2").arg(before).arg(place())));
      const QString line = textAtTop();
      const double share = shareAtTop();
      m_driver->settle(100);
      QCOMPARE(textAtTop(), line);
      QVERIFY(std::abs(shareAtTop() - share) < 0.1);
    }
  }

  void wheel_goesOn_whileWidthsChange() {
    const double before = place();
    double last = before;
    const QPointF at(m_driver->window()->width() / 2.0, 300);
    for (int step = 0; step < 6; ++step) {
      QWheelEvent event(at, at, {}, {0, 120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                        false);
      event.setTimestamp(30 * (static_cast<quint64>(step) + 1));  // It is scrolled by speed.
      QCoreApplication::sendEvent(m_driver->window(), &event);
      m_driver->window()->resize(1300 - 20 * step, 800);
      m_driver->settle(30);
      QTRY_VERIFY2(place() < last, qPrintable(QString("%1 %2").arg(last).arg(place())));
      last = place();
    }
    QTRY_VERIFY(!list()->property("moving").toBool());
    QVERIFY2(place() < before - 0.5, qPrintable(QString("%1 %2").arg(before).arg(place())));
  }

  /// Scrolled up a little, in a window of another width than before: what comes is below the line.
  void answerThatGrows_leavesTheLine() {
    m_backend->queueAnswer(QString("Words that go on and on. ").repeated(1000));
    m_backend->charactersPerTick = 500;
    m_driver->chat().composer()->sendText("ask");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(12);
    m_driver->settle(100);
    scroll(-100);
    m_driver->window()->resize(1000, 800);
    m_driver->settle(60);
    const int row = rowAtTop();
    const double offset = offsetAtTop();
    const double height = list()->property("contentHeight").toDouble();
    m_backend->advance(12);
    m_driver->settle(100);
    QCOMPARE(rowAtTop(), row);
    QVERIFY(list()->property("contentHeight").toDouble() > height + 100);
    QVERIFY2(std::abs(offsetAtTop() - offset) < 2, qPrintable(QString::number(offsetAtTop())));
    m_backend->advance(100);
  }

  void atTheEnd_itStaysAtTheEnd() {
    QMetaObject::invokeMethod(list(), "showLatest");
    m_driver->settle(60);
    for (const int width : {800, 1300}) {
      m_driver->window()->resize(width, 800);
      m_driver->settle(100);
      const auto distance = [this] {
        return list()->property("originY").toDouble() +
               list()->property("contentHeight").toDouble() + 24 - list()->height() -
               list()->property("contentY").toDouble();
      };
      QTRY_VERIFY(std::abs(distance()) < 2);
    }
  }

 private:
  QQuickItem* list() { return m_driver->item("timeline"); }

  void scroll(double by) {
    list()->setProperty("contentY", list()->property("contentY").toDouble() + by);
    m_driver->settle(20);
  }
  int rowAtTop() {
    int row = -1;
    QMetaObject::invokeMethod(list(), "indexAt", Q_RETURN_ARG(int, row), Q_ARG(double, 300.0),
                              Q_ARG(double, list()->property("contentY").toDouble() + 1));
    return row;
  }
  QQuickItem* itemOf(int row) {
    QQuickItem* item = nullptr;
    QMetaObject::invokeMethod(list(), "itemAtIndex", Q_RETURN_ARG(QQuickItem*, item),
                              Q_ARG(int, row));
    return item;
  }
  QString textAtTop() {
    const TimelineModel& rows = *m_driver->chat().timeline();
    const int row = rowAtTop();
    const QModelIndex index = rows.index(row);
    return QString::number(rows.data(index, TimelineModel::kMessageId).toLongLong()) + ' ' +
           rows.data(index, TimelineModel::kText).toString().left(30) +
           rows.data(index, TimelineModel::kThoughtText).toString();
  }
  double offsetAtTop() {
    const QQuickItem* item = itemOf(rowAtTop());
    return item ? list()->property("contentY").toDouble() - item->y() : -1;
  }
  double shareAtTop() {
    const QQuickItem* item = itemOf(rowAtTop());
    return item ? offsetAtTop() / item->height() : -1;
  }
  /// Where the view begins, in rows.
  double place() { return rowAtTop() + shareAtTop(); }

  template <typename Change>
  void compareAfter(const Change& change) {
    const double before = place();
    change();
    m_driver->settle(120);
    QVERIFY2(std::abs(place() - before) < 0.06,
             qPrintable(QString("%1 %2").arg(before).arg(place())));
  }
  /// The last reasoning before the view whose row is still there; -1: none.
  int thoughtAbove() {
    const TimelineModel& rows = *m_driver->chat().timeline();
    for (int row = rowAtTop() - 1; row >= 0; --row) {
      const QString thought = rows.data(rows.index(row), TimelineModel::kThoughtText).toString();
      if (!thought.isEmpty()) return row;
    }
    return -1;
  }

  void fillStore() {
    NewChat chat;
    chat.chat.id = 1;
    chat.chat.title = "read";
    chat.chat.activeMs = 1;
    for (int i = 1; i <= 40; ++i) {
      MessageRecord message;
      message.id = i + 10;
      message.chatId = 1;
      message.parentId = i == 1 ? 0 : i + 9;
      const bool asks = i % 2 == 1;
      message.role = asks ? MessageRole::User : MessageRole::Assistant;
      message.setText(asks ? QString("Question %1?").arg(i)
                           : QString("<think>\n") + benchText("mixed", 1500) + "\n</think>\n\n" +
                                 QString("Words to read. ").repeated(100));
      chat.messages.append(message);
    }
    chat.chat.headMessageId = chat.messages.last().id;
    const auto store = ConversationStore::open(m_folder->path());
    if (!store || !(*store)->createChat(chat)) qFatal("No store.");
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(ReadingTest)
#include "tst_reading.moc"
