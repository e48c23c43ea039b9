#include <QDirIterator>
#include <QTemporaryDir>
#include <QTest>

#include "app/remote/memory_secrets.h"
#include "app/remote/router_backend.h"
#include "app/remote_link.h"
#include "tests/app/remote/fault_server.h"
#include "tests/support/fake_backend.h"

using namespace quire;

namespace {

const QByteArray kKey = "sk-never-on-disk-4711";

RemoteOptions patience() {
  return {.attempts = 2, .firstWaitMs = 2, .lingerMs = 50};
}

}  // namespace

/// Chats of the window with a model of another machine: the whole way from the composer to the
/// disk.
class RemoteChatTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_server = std::make_unique<FaultServer>();
    m_local = std::make_unique<FakeBackend>();
    m_secrets = std::make_unique<MemorySecrets>();
    m_remote = std::make_unique<RemoteBackend>(*m_secrets, patience());
    m_router = std::make_unique<RouterBackend>(*m_local, *m_remote);
    open();
    // The local model is gone, which does not matter to chats elsewhere.
    m_local->setState(ModelManager::State::Failed, "No model.");
    enterEndpoint();
    chat().setOwnModel(m_path);
  }
  void cleanup() {
    m_app.reset();
    m_router.reset();
    m_remote.reset();
  }

  void answer_streamsAndIsStored() {
    QVERIFY(chat().isRemote() && chat().isReady());
    m_server->queue(wholeStream({"Gr\xc3\xbc\xc3\x9f", "e."}));
    send("Hello?");
    QTRY_COMPARE(last().status, MessageStatus::Complete);
    QCOMPARE(last().text(), QString("Grüße."));
    QCOMPARE(last().promptTokens, 12);
    QCOMPARE(last().cachedTokens, 8);
    QCOMPARE(last().outputTokens, 7);
    QCOMPARE(last().modelFingerprint, m_path);
    QVERIFY(last().modelName.startsWith("m · "));
    QVERIFY(m_local->requests.isEmpty());
    QVERIFY(m_server->seen.last().head.contains("Bearer " + kKey));

    const RecordId id = chat().chatId();
    m_app.reset();
    open();
    m_app->navigation()->openChat(id);
    QTRY_VERIFY(chat().isLoaded());
    QCOMPARE(last().text(), QString("Grüße."));
    QCOMPARE(last().modelFingerprint, m_path);
    QVERIFY(chat().isRemote());
  }

  void key_isInNoFile() {
    m_server->queue(response(401, "{\"error\": {\"message\": \"Bad key " + kKey + "\"}}"));
    send("Hello?");
    QTRY_COMPARE(last().status, MessageStatus::Failed);
    QVERIFY2(!last().error.contains(kKey), qPrintable(last().error));
    m_app.reset();
    int numFiles = 0;
    QDirIterator files(m_folder->path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      if (!file.open(QIODevice::ReadOnly)) continue;
      ++numFiles;
      QVERIFY2(!file.readAll().contains(kKey), qPrintable(file.fileName()));
    }
    QVERIFY(numFiles > 0);
  }

  void brokenAnswer_keepsItsTextAndContinues() {
    m_server->queue(eventStream({textChunk("Once upon")}).chopped(5));
    send("A story.");
    QTRY_COMPARE(last().status, MessageStatus::Failed);
    QCOMPARE(last().text(), QString("Once upon"));
    QVERIFY2(last().error.contains("Continue goes on"), qPrintable(last().error));
    QCOMPARE(chat().turns()->continuable(), last().id);
    m_server->forget();
    m_server->queue(wholeStream({" a time."}));
    chat().turns()->continueAnswer(last().id);
    QTRY_COMPARE(last().status, MessageStatus::Complete);
    QCOMPARE(last().text(), QString("Once upon a time."));
    QVERIFY(m_server->seen.last().body.contains("continue_final_message"));
  }

  void stop_keepsTheText() {
    m_server->queue(
        {.pieces = {eventStream({textChunk("Once")}).chopped(5)}, .end = Behaviour::End::kStay});
    send("A story.");
    QTRY_COMPARE(last().text(), QString("Once"));
    chat().turns()->stop();
    QTRY_COMPARE(last().status, MessageStatus::Stopped);
    QTRY_COMPARE(m_server->numClosedByClient, 1);
  }

  void regenerateForkAndAskSeveral_work() {
    m_server->queue(wholeStream({"One."}));
    m_server->queue(wholeStream({"Two."}));
    send("Hello?");
    QTRY_COMPARE(last().text(), QString("One."));
    QTRY_VERIFY(chat().turns()->canRegenerate());
    chat().turns()->regenerate(last().id);
    QTRY_COMPARE(last().text(), QString("Two."));
    QTRY_COMPARE(last().status, MessageStatus::Complete);
    QCOMPARE(chat().conversation().version(last().id).count, 2);
    chat().turns()->regenerateSeveral(last().id, 3);
    QTRY_COMPARE(m_server->seen.size(), 5);
    QTRY_VERIFY(!chat().turns()->isGenerating());
    QCOMPARE(chat().turns()->group()->numRows(), 3);
    chat().turns()->keepAllAnswers();

    chat().history()->fork(last().id);
    QVERIFY(chat().isRemote());
    QCOMPARE(chat().record().modelPath, m_path);
    send("And now?");
    QTRY_COMPARE(last().status, MessageStatus::Complete);
    QCOMPARE(m_server->seen.size(), 6);
    QVERIFY(m_local->requests.isEmpty());
  }

  void removedEndpoint_isSaid() {
    m_app->models()->remote()->remove(readRemotePath(m_path)->endpointId);
    QVERIFY(chat().isRemote() && !chat().isReady());
    chat().composer()->setDraft("Hello?");
    QVERIFY(!chat().composer()->canSend());
    QVERIFY(chat().composer()->warns());
    QVERIFY2(chat().composer()->note().contains("page Models"),
             qPrintable(chat().composer()->note()));
    chat().leaveRemote();
    QVERIFY(!chat().isRemote());
    QVERIFY(!chat().isReady());  // Of the local model, which failed.
  }

  void pause_isOfTheLocalModel() {
    m_server->queue({.pieces = {}, .end = Behaviour::End::kStay});
    m_local->setPaused(true);
    send("Hello?");
    QTRY_COMPARE(m_server->seen.size(), 1);
    QVERIFY(chat().turns()->isGenerating());
    QVERIFY(!chat().turns()->isPaused());
  }

 private:
  void open() {
    m_app = std::make_unique<AppModel>(EngineInterfaces{*m_router, *m_local, m_local->inspector()},
                                       m_folder->path(), "[]");
    linkRemote(*m_app, *m_remote, *m_secrets);
    m_app->open();
  }
  void enterEndpoint() {
    RemoteModels& remote = *m_app->models()->remote();
    remote.add();
    EndpointEditor& editor = *remote.editor();
    editor.setAddress(m_server->address());
    editor.setKey(kKey);
    m_server->queue(response(200, R"({"data": [{"id": "m", "owned_by": "vllm"}]})"));
    editor.save();
    QTRY_COMPARE(remote.count(), 1);
    m_server->forget();
    m_server->seen.clear();
    m_server->numClosedByClient = 0;
    m_path = remote.choices()->data(remote.choices()->index(0), RemoteChoices::kPath).toString();
  }
  void send(const QString& text) { chat().composer()->sendText(text); }
  ChatModel& chat() { return *m_app->currentChat(); }
  MessageRecord last() {
    const Conversation& conversation = chat().conversation();
    const MessageRecord* const head = conversation.find(conversation.head());
    return head ? *head : MessageRecord();
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FaultServer> m_server;
  std::unique_ptr<FakeBackend> m_local;
  std::unique_ptr<MemorySecrets> m_secrets;
  std::unique_ptr<RemoteBackend> m_remote;
  std::unique_ptr<RouterBackend> m_router;
  std::unique_ptr<AppModel> m_app;
  QString m_path;
};

QTEST_MAIN(RemoteChatTest)
#include "tst_remote_chat.moc"
