#include "app/sidebar/chat_list_model.h"

#include <QAbstractItemModelTester>
#include <QRandomGenerator>
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
  for (int row = 0; row < model.rowCount(); ++row) ids.append(model.idAt(row));
  return ids;
}

FolderRecord folder(RecordId id, int position) {
  FolderRecord record;
  record.id = id;
  record.name = QStringLiteral("folder %1").arg(id);
  record.position = position;
  return record;
}

/// One letter for each row: C for a chat, F for a folder, A for the archive.
QString kinds(const ChatListModel& model) {
  QString letters;
  for (int row = 0; row < model.rowCount(); ++row) {
    const auto kind = model.data(model.index(row), ChatListModel::kKind);
    letters += QStringLiteral("CFA")[static_cast<int>(kind.value<ChatListModel::RowKind>())];
  }
  return letters;
}

QString title(const ChatListModel& model, int row) {
  return model.data(model.index(row), ChatListModel::kTitle).toString();
}

}  // namespace

class ChatListModelTest : public QObject {
  Q_OBJECT

 private slots:
  void chats_areSortedByActivity_andSectioned() {
    ChatListModel model;
    QAbstractItemModelTester tester(&model);
    model.setChats(
        {chat(1, noonToday() - 4 * kDayMs), chat(2, noonToday()), chat(3, noonToday() - kDayMs)});
    QCOMPARE(order(model), QList<RecordId>({2, 3, 1}));
    const auto section = [&](int row) {
      return model.data(model.index(row), ChatListModel::kSection).toString();
    };
    QCOMPARE(section(0), QString("Today"));
    QCOMPARE(section(1), QString("Yesterday"));
    QCOMPARE(section(2), QString("Last 7 days"));
  }

  void timeText_ofAnEarlierDay_isADate() {
    ChatListModel model;
    model.setChats({chat(1, noonToday()), chat(2, noonToday() - kDayMs)});
    const auto time = [&](int row) {
      return model.data(model.index(row), ChatListModel::kTimeText).toString();
    };
    QVERIFY2(time(0).contains(u':'), qPrintable(time(0)));
    QCOMPARE(time(1), QString("Yesterday"));
  }

  void put_movesAnActiveChatToTheTop_andKeepsItsActivity() {
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
    model.put(chat(4, 300));  // At the same time, the newer chat comes first.
    QCOMPARE(order(model), QList<RecordId>({4, 3, 2, 1}));
  }

  void take_returnsTheChat() {
    ChatListModel model;
    QAbstractItemModelTester tester(&model);
    model.setChats({chat(1, 100), chat(2, 200)});
    const auto taken = model.take(1);
    QVERIFY(taken);
    QCOMPARE(taken->title, QString("chat 1"));
    QCOMPARE(order(model), QList<RecordId>({2}));
    QVERIFY(!model.take(1));
  }

  void rows_arePinned_thenFolders_thenRecent_thenTheArchive() {
    ChatListModel model;
    QAbstractItemModelTester tester(&model);
    ChatRecord pinned = chat(1, 100);
    pinned.pinned = true;
    ChatRecord filed = chat(2, 300);
    filed.folderId = 50;
    ChatRecord away = chat(3, 400);
    away.archived = true;
    model.setChats({pinned, filed, away, chat(4, 200)}, {folder(50, 0), folder(51, 1)});
    QCOMPARE(kinds(model), QString("CFCFCA"));
    QCOMPARE(order(model), QList<RecordId>({1, 0, 2, 0, 4, 0}));
    QCOMPARE(model.data(model.index(0), ChatListModel::kSection).toString(), QString("Pinned"));
    QCOMPARE(model.data(model.index(1), ChatListModel::kCountText).toString(), QString("1"));
    QCOMPARE(title(model, 5), QString("1 archived"));
    QVERIFY(model.contains(3));
    QCOMPARE(model.rowOf(3), -1);
    model.setArchiveOpen(true);
    QCOMPARE(order(model).last(), 3);
    away.archived = false;
    model.put(away);
    QCOMPARE(kinds(model), QString("CFCFCC"));  // Without archived chats there is no line.
    QCOMPARE(order(model), QList<RecordId>({1, 0, 2, 0, 3, 4}));
  }

  void closedFolder_hidesItsChats_andShowsTheirActivity() {
    ChatListModel model;
    QAbstractItemModelTester tester(&model);
    ChatRecord filed = chat(2, 300);
    filed.folderId = 50;
    model.setChats({filed, chat(4, 200)}, {folder(50, 0)});
    FolderRecord closed = folder(50, 0);
    closed.isOpen = false;
    model.putFolder(closed);
    QCOMPARE(order(model), QList<RecordId>({0, 4}));
    QVERIFY(!model.data(model.index(0), ChatListModel::kIsUnread).toBool());
    filed.unread = true;
    model.put(filed);
    model.setGenerating(2, true);
    QVERIFY(model.data(model.index(0), ChatListModel::kIsUnread).toBool());
    QVERIFY(model.data(model.index(0), ChatListModel::kIsGenerating).toBool());
    closed.isOpen = true;
    model.putFolder(closed);
    QCOMPARE(order(model), QList<RecordId>({0, 2, 4}));
    model.takeFolder(50);
    QCOMPARE(order(model), QList<RecordId>({2, 4}));
    model.putFolder(closed);  // The restored folder contains its chat again.
    QCOMPARE(order(model), QList<RecordId>({0, 2, 4}));
  }

  void neighbours_skipLines() {
    ChatListModel model;
    ChatRecord filed = chat(2, 300);
    filed.folderId = 50;
    model.setChats({filed, chat(4, 200)}, {folder(50, 0), folder(51, 1)});
    QCOMPARE(order(model), QList<RecordId>({0, 2, 0, 4}));
    QCOMPARE(model.neighbourOf(2, 1), 4);
    QCOMPARE(model.neighbourOf(4, -1), 2);
    QCOMPARE(model.neighbourOf(2, -1), 0);
    QCOMPARE(model.neighbourOf(99, 1), 2);
    QCOMPARE(model.chatNear(2), 4);
    QCOMPARE(model.chatNear(4), 4);
  }

  void selection_spansRows_andIsTheTargetOfActions() {
    ChatListModel model;
    model.setChats({chat(1, 100), chat(2, 200), chat(3, 300), chat(4, 400)});
    model.setCurrent(4);
    QCOMPARE(model.targetsOf(2), QList<RecordId>({2}));
    model.toggleSelected(2);  // The shown chat is selected, too.
    QCOMPARE(model.targetsOf(2), QList<RecordId>({4, 2}));
    QCOMPARE(model.targetsOf(1), QList<RecordId>({1}));
    model.selectTo(1);
    QCOMPARE(model.targetsOf(1), QList<RecordId>({2, 1}));
    model.extendSelection(-1);
    QCOMPARE(model.targetsOf(2), QList<RecordId>({2}));
    model.selectAll();
    QCOMPARE(model.selectedCount(), 4);
    model.take(3);
    QCOMPARE(model.selectedCount(), 3);
    model.clearSelection();
    QCOMPARE(model.selectedCount(), 0);
  }

  /// After random changes the rows equal those of a new model.
  void randomChanges_giveTheSameRowsAsANewModel() {
    const quint32 seed = QRandomGenerator::global()->generate();
    qInfo("seed %u", seed);
    QRandomGenerator random(seed);
    ChatListModel model;
    QAbstractItemModelTester tester(&model);
    QHash<RecordId, ChatRecord> chats;
    QHash<RecordId, FolderRecord> folders;
    for (int step = 0; step < 600; ++step) {
      const RecordId id = random.bounded(1, 25);
      switch (random.bounded(8)) {
        case 0:
          model.take(id);
          chats.remove(id);
          break;
        case 1:
          folders[100 + id % 4] = folder(100 + id % 4, random.bounded(3));
          folders[100 + id % 4].isOpen = random.bounded(2) == 0;
          model.putFolder(folders[100 + id % 4]);
          break;
        case 2:
          model.takeFolder(100 + id % 4);
          folders.remove(100 + id % 4);
          break;
        case 3:
          model.setArchiveOpen(random.bounded(2) == 0);
          break;
        default: {
          ChatRecord record = chat(id, random.bounded(1000));
          record.pinned = random.bounded(4) == 0;
          record.archived = random.bounded(4) == 0;
          record.folderId = random.bounded(2) == 0 ? 0 : 100 + random.bounded(4);
          chats[id] = record;
          model.put(record);
        }
      }
      ChatListModel fresh;
      fresh.setArchiveOpen(model.isArchiveOpen());
      fresh.setChats(chats.values(), folders.values());
      QCOMPARE(order(model), order(fresh));
      QCOMPARE(kinds(model), kinds(fresh));
      for (int row = 0; row < model.rowCount(); ++row) {
        QCOMPARE(title(model, row), title(fresh, row));
        if (model.idAt(row) != 0) QCOMPARE(model.rowOf(model.idAt(row)), row);
      }
    }
  }

  /// Checks the order only; bench_chat_list measures the time, which is below a millisecond each.
  void tenThousandChats_moveAndStaySorted() {
    ChatListModel model;
    QList<ChatRecord> chats;
    for (RecordId id = 1; id <= 10'000; ++id) chats.append(chat(id, id * 1000));
    model.setChats(chats);
    for (RecordId id = 1; id <= 10'000; id += 7) model.put(chat(id, 20'000'000 + id));
    QCOMPARE(model.rowCount(), 10'000);
    for (int row = 1; row < model.rowCount(); ++row) {
      QVERIFY(model.find(model.idAt(row - 1))->activeMs > model.find(model.idAt(row))->activeMs);
    }
  }

  void setCurrent_marksTheRow() {
    ChatListModel model;
    model.setChats({chat(1, 100), chat(2, 200)});
    QSignalSpy moved(&model, &ChatListModel::currentRowChanged);
    model.setCurrent(1);
    QVERIFY(model.data(model.index(1), ChatListModel::kIsCurrent).toBool());
    QVERIFY(!model.data(model.index(0), ChatListModel::kIsCurrent).toBool());
    QCOMPARE(model.currentRow(), 1);
    QVERIFY(moved.count() > 0);
  }
};

QTEST_GUILESS_MAIN(ChatListModelTest)
#include "tst_chat_list_model.moc"
