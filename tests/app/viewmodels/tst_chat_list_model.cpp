#include "app/viewmodels/chats/chat_list_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace quire;

namespace {

constexpr qint64 kDayMs = 24 * 3600 * 1000;

ChatRecord chat(RecordId id, qint64 activeMs) {
  ChatRecord record;
  record.id = id;
  record.title = QStringLiteral("chat %1").arg(id);
  record.activeMs = activeMs;
  return record;
}

qint64 noonToday() {
  return QDate::currentDate().startOfDay().toMSecsSinceEpoch() + kDayMs / 2;
}

QList<RecordId> order(const ChatListModel& model) {
  QList<RecordId> ids;
  for (int row = 0; row < model.count(); ++row) ids.append(model.idAt(row));
  return ids;
}

}  // namespace

class ChatListModelTest : public QObject {
  Q_OBJECT

 private slots:
  void chats_areSortedByActivity_andSectioned() {
    ChatListModel model;
    QAbstractItemModelTester tester(&model);
    model.setChats(
        {chat(1, noonToday() - 9 * kDayMs), chat(2, noonToday()), chat(3, noonToday() - kDayMs)});
    QCOMPARE(order(model), QList<RecordId>({2, 3, 1}));
    const auto section = [&](int row) {
      return model.data(model.index(row), ChatListModel::kSection).toString();
    };
    QCOMPARE(section(0), QString("Today"));
    QCOMPARE(section(1), QString("Yesterday"));
    QCOMPARE(section(2), QString("Earlier"));
  }

  void put_movesAnActiveChatToTheTop_keepingWhatItIsDoing() {
    ChatListModel model;
    QAbstractItemModelTester tester(&model);
    model.setChats({chat(1, 100), chat(2, 200), chat(3, 300)});
    model.setGenerating(1, true);
    model.put(chat(1, 400));
    QCOMPARE(order(model), QList<RecordId>({1, 3, 2}));
    QVERIFY(model.data(model.index(0), ChatListModel::kIsGenerating).toBool());
    model.put(chat(1, 250));
    QCOMPARE(order(model), QList<RecordId>({3, 1, 2}));
  }

  void put_insertsInPlace() {
    ChatListModel model;
    QAbstractItemModelTester tester(&model);
    model.setChats({chat(1, 100), chat(3, 300)});
    model.put(chat(2, 200));
    model.put(chat(4, 300));  // Of the same time: the younger one first.
    QCOMPARE(order(model), QList<RecordId>({4, 3, 2, 1}));
  }

  void take_givesTheChatBack() {
    ChatListModel model;
    QAbstractItemModelTester tester(&model);
    model.setChats({chat(1, 100), chat(2, 200)});
    const auto taken = model.take(1);
    QVERIFY(taken);
    QCOMPARE(taken->title, QString("chat 1"));
    QCOMPARE(order(model), QList<RecordId>({2}));
    QVERIFY(!model.take(1));
  }

  void setCurrent_marksTheChatAsRead() {
    ChatListModel model;
    model.setChats({chat(1, 100), chat(2, 200)});
    model.setUnread(1, true);
    QVERIFY(model.data(model.index(1), ChatListModel::kIsUnread).toBool());
    QSignalSpy moved(&model, &ChatListModel::currentRowChanged);
    model.setCurrent(1);
    QVERIFY(!model.data(model.index(1), ChatListModel::kIsUnread).toBool());
    QVERIFY(model.data(model.index(1), ChatListModel::kIsCurrent).toBool());
    QCOMPARE(model.currentRow(), 1);
    QVERIFY(moved.count() > 0);
  }
};

QTEST_GUILESS_MAIN(ChatListModelTest)
#include "tst_chat_list_model.moc"
