#include <QTemporaryDir>
#include <QTest>

#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

/// A store with more chats than the window has room for.
class ManyChatsTest : public WatchedTest {
  Q_OBJECT

 private slots:
  void open_makesRowsOnlyForWhatIsSeen() {
    constexpr int kNumChats = 400;
    constexpr int kMaxRows = 60;
    QTemporaryDir folder;
    {
      const auto store = std::move(*ConversationStore::open(folder.path()));
      for (int i = 1; i <= kNumChats; ++i) {
        ChatRecord chat;
        chat.id = i;
        chat.title = QStringLiteral("Chat %1").arg(i);
        chat.activeMs = 1'700'000'000'000 + i * 3'600'000LL;
        QVERIFY(store->putChat(chat));
      }
    }
    FakeBackend backend;
    WindowDriver driver(backend, folder.path());
    QCOMPARE(driver.app().chats()->count(), kNumChats);
    driver.settle(0);
    auto* content =
        driver.item(QStringLiteral("chatList"))->property("contentItem").value<QQuickItem*>();
    const qsizetype rows = content->childItems().size();
    QVERIFY2(rows > 5 && rows < kMaxRows, qPrintable(QString::number(rows)));
  }
};

QUIRE_UI_TEST_MAIN(ManyChatsTest)
#include "tst_many_chats.moc"
