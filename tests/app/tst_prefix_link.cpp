#include <QTemporaryDir>
#include <QtTest>

#include <memory>

#include "app/prefix_link.h"
#include "tests/app/store/prefix/sample_blocks.h"
#include "tests/app/store/sample_records.h"
#include "tests/support/fake_backend.h"

using namespace quire;
using namespace std::chrono_literals;

/// What is kept for a chat or a persona goes when they go, and never before.
class TestPrefixLink : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    const auto store = std::move(*ConversationStore::open(m_folder->path()));
    for (const RecordId id : {2, 3}) QVERIFY(store->putChat(samples::chat(id)));
    QVERIFY(store->putPersona(samples::persona(1)));
    m_database = openPrefixDatabase(m_folder->path());
    for (const RecordId id : {2, 3, 99}) save({PrefixOwner::Kind::kChat, id});
    for (const RecordId id : {1, 98}) save({PrefixOwner::Kind::kPersona, id});
    QCOMPARE(kept(), QStringList({"chat 2", "chat 3", "chat 99", "persona 1", "persona 98"}));
  }

  void open_forgetsWhoIsGone() {
    open();
    QCOMPARE(kept(), QStringList({"chat 2", "chat 3", "persona 1"}));
  }

  void open_keepsWhatIsWithoutARow_data() {
    QTest::addColumn<bool>("isArchived");
    QTest::addColumn<bool>("isOpen");
    QTest::newRow("a closed folder") << false << false;
    QTest::newRow("an open folder's line") << false << true;
    QTest::newRow("the archive") << true << false;
  }
  void open_keepsWhatIsWithoutARow() {
    QFETCH(bool, isArchived);
    QFETCH(bool, isOpen);
    {
      const auto store = std::move(*ConversationStore::open(m_folder->path()));
      QVERIFY(store->putFolder({.id = 7, .name = "F", .position = 1, .isOpen = isOpen}));
      for (const RecordId id : {2, 3}) {
        ChatRecord chat = samples::chat(id);
        chat.pinned = false;
        chat.archived = isArchived && id == 2;
        chat.folderId = !isArchived && id == 2 ? 7 : 0;
        QVERIFY(store->putChat(chat));
      }
    }
    open();
    QCOMPARE(kept(), QStringList({"chat 2", "chat 3", "persona 1"}));
  }

  void deleteChat_forgetsOnceThereIsNoWayBack() {
    const auto app = open();
    app->library()->remove(2);
    QCOMPARE(kept(), QStringList({"chat 2", "chat 3", "persona 1"}));
    app->library()->undo();
    QCOMPARE(kept(), QStringList({"chat 2", "chat 3", "persona 1"}));
    app->library()->remove(2);
    app->library()->remove(3);  // Ends what could be undone of the first.
    QCOMPARE(kept(), QStringList({"chat 3", "persona 1"}));
    app->close();
    QCOMPARE(kept(), QStringList({"persona 1"}));
  }

  void budgets_areSettings() {
    {
      const auto store = std::move(*ConversationStore::open(m_folder->path()));
      QVERIFY(store->putSetting("prefix.chatMiB", "0"));
      QVERIFY(store->putSetting("prefix.personaMiB", "much"));
    }
    open();
    QCOMPARE(kept(), QStringList({"persona 1"}));
  }

  void budgets_canBeGiven() {
    open(0);
    QCOMPARE(kept(), QStringList());
  }

 private:
  static std::vector<StoredBlock> blocksOf(const PrefixOwner& owner) {
    return samples::chain(nameOf(owner).toStdString(), 2);
  }

  static QString nameOf(const PrefixOwner& owner) {
    const bool isChat = owner.kind == PrefixOwner::Kind::kChat;
    return QString("%1 %2").arg(isChat ? "chat" : "persona").arg(owner.id);
  }

  void save(const PrefixOwner& owner) {
    for (const StoredBlock& block : blocksOf(owner)) m_database->save(block, owner);
  }

  /// For whom there is something.
  QStringList kept() {
    if (!m_database->flush(10s)) return {"the database does not come to rest"};
    QStringList names;
    for (const auto kind : {PrefixOwner::Kind::kChat, PrefixOwner::Kind::kPersona}) {
      for (const RecordId id : {1, 2, 3, 98, 99}) {
        const auto keys = samples::keysOf(blocksOf({kind, id}));
        if (m_database->count_stored(keys) > 0) names.append(nameOf({kind, id}));
      }
    }
    return names;
  }

  std::unique_ptr<AppModel> open(std::optional<int> mebibytes = {}) {
    auto app = std::make_unique<AppModel>(m_backend, m_folder->path(), QByteArray());
    linkPrefixDatabase(*app, m_database, mebibytes);
    app->open();
    return app;
  }

  FakeBackend m_backend;
  std::unique_ptr<QTemporaryDir> m_folder;
  std::shared_ptr<PrefixDatabase> m_database;
};

QTEST_MAIN(TestPrefixLink)
#include "tst_prefix_link.moc"
