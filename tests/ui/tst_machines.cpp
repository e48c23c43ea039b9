#include <QTemporaryDir>
#include <QTest>

#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

/// Models of other machines in the window: entered on the page Models, chosen in a chat, marked.
class MachinesTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->filePath("data"));
    remote().setTools({.test = [this](const RemoteEndpoint&, const std::optional<QString>& key,
                                      Reply<EndpointReport> reply) {
      m_key = key.value_or(QString());
      reply({.models = {"qwen3-235b"}, .server = ServerKind::kVllm});
    }});
  }
  void tidyUp() override { m_driver.reset(); }

 private slots:
  void machine_isTypedTestedAndSaved() {
    m_driver->app().navigation()->setPage(Navigation::Page::Models);
    QTRY_VERIFY(isShown("addEndpoint"));
    m_driver->click("addEndpoint");
    QTRY_VERIFY(isShown("endpointAddress") && m_driver->isPopupOpen());
    typeInto("endpointAddress", "gpu.example.com");
    typeInto("endpointKey", "sk-1");
    QCOMPARE(m_driver->item("endpointKey")->property("displayText").toString().contains("sk"),
             false);
    QTRY_VERIFY(isInside("testEndpoint"));
    m_driver->click("testEndpoint");
    QTRY_COMPARE(remote().editor()->result(), QString("It works and has 1 model."));
    QCOMPARE(m_key, QString("sk-1"));
    QTRY_VERIFY(m_driver->item("endpointModel"));
    m_driver->click("saveEndpoint");
    QTRY_COMPARE(remote().count(), 1);
    QTRY_VERIFY(isShown("startRemoteChat"));
    QTRY_VERIFY(!isShown("saveEndpoint"));  // The sheet takes clicks until it has slid away.

    m_driver->click("startRemoteChat");
    QTRY_COMPARE(m_driver->app().navigation()->page(), Navigation::Page::Chats);
    QVERIFY(m_driver->chat().isRemote());

    m_driver->app().navigation()->setPage(Navigation::Page::Models);
    QTRY_VERIFY(isShown("removeEndpoint"));
    m_driver->click("removeEndpoint");
    QTRY_COMPARE(remote().count(), 0);
    QTRY_VERIFY(!isShown("startRemoteChat"));
  }

  void chat_saysWhereItGoes() {
    enter("https://gpu.example.com", "Office");
    m_backend->setState(ModelManager::State::Failed, "There is no model.");
    QTRY_VERIFY(isShown("modelChip"));
    m_driver->click("modelChip");
    QTRY_VERIFY(isMenuOpen("remoteChoice"));
    m_driver->click("remoteChoice");
    QTRY_VERIFY(m_driver->chat().isRemote());
    QTRY_VERIFY(isShown("ownModelChip"));
    QCOMPARE(text("ownModelChip"), QString("qwen3-235b · Office"));
    const QString hint = m_driver->item("ownModelChip")->property("hintText").toString();
    QVERIFY2(hint.contains("leaves this computer") && hint.contains("gpu.example.com"),
             qPrintable(hint));
    QTRY_VERIFY2(text("composerNote").contains("Office"), qPrintable(text("composerNote")));

    m_driver->type("Hello");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), 1);
    QVERIFY(isRemotePath(m_backend->requests[0].modelPath));
    m_backend->advance(100);
    QTRY_VERIFY(isShown("cacheFact"));
    QTRY_VERIFY2(text("cacheFact").contains("tokens in"), qPrintable(text("cacheFact")));
    QVERIFY2(text("cacheFact").contains("$"), qPrintable(text("cacheFact")));

    m_driver->click("modelChip");
    QTRY_VERIFY(isMenuOpen("leaveRemote"));
    m_driver->click("leaveRemote");
    QTRY_VERIFY(!m_driver->chat().isRemote());
    QTRY_VERIFY(!isShown("ownModelChip"));
  }

  void newChats_stayHere() {
    enter("https://gpu.example.com", "Office");
    m_driver->chat().setOwnModel(
        remote().choices()->data(remote().choices()->index(0), RemoteChoices::kPath).toString());
    QVERIFY(m_driver->chat().isRemote() && m_driver->chat().isBlank());
    m_driver->app().navigation()->newChat();
    QVERIFY(m_driver->chat().isBlank());
    QVERIFY(!m_driver->chat().isRemote());
  }

 private:
  RemoteModels& remote() { return *m_driver->app().models()->remote(); }
  bool isShown(const QString& name) {
    const QQuickItem* const item = m_driver->item(name);
    return item && item->isVisible();
  }
  /// Whether it lies within the window, as what slides in does only later.
  bool isInside(const QString& name) {
    const QQuickItem* const item = m_driver->item(name);
    return item &&
           item->mapToScene({item->width(), item->height()}).y() < m_driver->window()->height();
  }
  bool isMenuOpen(const QString& name) {
    const QQuickItem* const entry = m_driver->item(name);
    const auto* const menu = entry ? entry->property("menu").value<QObject*>() : nullptr;
    return menu && menu->property("opened").toBool();
  }
  QString text(const QString& name) {
    const QQuickItem* const item = m_driver->item(name);
    return item ? item->property("text").toString() : QString();
  }
  void typeInto(const QString& name, const QString& text) {
    m_driver->item(name)->forceActiveFocus();
    for (const QChar c : text) {
      QTest::sendKeyEvent(QTest::Click, m_driver->window(), Qt::Key_unknown, QString(c),
                          Qt::NoModifier);
    }
  }
  void enter(const QString& address, const QString& name) {
    remote().add();
    EndpointEditor& editor = *remote().editor();
    editor.setAddress(address);
    editor.setName(name);
    editor.setInputPrice("10");
    editor.save();
    QTRY_COMPARE(remote().count(), 1);
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
  QString m_key;
};

QUIRE_UI_TEST_MAIN(MachinesTest)
#include "tst_machines.moc"
