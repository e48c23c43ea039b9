#include "app/settings/server_model.h"

#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/fake_api_server.h"

using namespace quire;

class TestServerModel : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_control = std::make_unique<FakeApiServer>();
    m_keys = std::make_unique<FakeServerKeys>();
    open();
  }
  void cleanup() {
    m_server.reset();
    m_session.reset();
    m_keys.reset();
    m_control.reset();
  }

  void isOffUntilItIsSwitchedOn() {
    QVERIFY(m_server->isAvailable());
    QVERIFY(!m_server->isOn());
    QCOMPARE(m_control->starts.size(), 0);
    QCOMPARE(m_keys->numReads, 0);  // The keychain may ask for a password.
    m_server->toggle();
    QVERIFY(m_server->isOn());
    QTRY_VERIFY(m_server->isRunning());
    QCOMPARE(m_control->starts.size(), 1);
    QCOMPARE(m_control->starts[0].port, 8000);
    QVERIFY(!m_control->starts[0].isPublic);
    QCOMPARE(m_server->address(), QString("http://127.0.0.1:8000/v1"));
    m_server->toggle();
    QVERIFY(!m_server->isOn());
    QCOMPARE(m_control->numStops, 1);
    open();
    QVERIFY(!m_server->isOn());
  }

  void withoutAServer_nothingIsOffered() {
    ServerModel server(*m_session);
    QVERIFY(!server.isAvailable());
    server.start();
    QVERIFY(!server.isOn());
    server.stop();
    QVERIFY(server.modelsText().contains("Models"));
  }

  void start_saysWhyItCannot() {
    m_control->refusal = "Port 8000 is in use by another program; choose another one.";
    m_server->start();
    QTRY_COMPARE(m_server->problem(), m_control->refusal);
    QVERIFY(!m_server->isOn());
    m_control->refusal.clear();
    m_server->start();
    QVERIFY(m_server->problem().isEmpty());
    QTRY_VERIFY(m_server->isRunning());
  }

  void key_isMadeOnce_andKept() {
    m_server->start();
    QTRY_VERIFY(m_server->isRunning());
    const QString key = m_control->starts[0].key;
    QVERIFY2(key.size() > 32, qPrintable(key));
    QCOMPARE(m_keys->kept.key, key);
    QCOMPARE(m_server->keyProblem(), QString());
    open();
    m_server->start();
    QTRY_COMPARE(m_control->starts.size(), 2);
    QCOMPARE(m_control->starts[1].key, key);
  }

  void key_isHiddenUntilItIsAskedFor() {
    m_keys->kept.key = "quire-secret";
    QVERIFY(m_server->keyText().isEmpty());
    m_server->start();
    QTRY_VERIFY(m_server->isRunning());
    QVERIFY(!m_server->keyText().isEmpty());
    QVERIFY(!m_server->keyText().contains("secret"));
    m_server->toggleKey();
    QTRY_COMPARE(m_server->keyText(), QString("quire-secret"));
    m_server->toggleKey();
    QVERIFY(!m_server->keyText().contains("secret"));
    m_server->copyKey();
    QTRY_COMPARE(QGuiApplication::clipboard()->text(), QString("quire-secret"));
  }

  void key_isInNoFileOfTheUser() {
    m_server->start();
    QTRY_VERIFY(m_server->isRunning());
    m_server->setPort("8100");
    m_session->flush(5000);
    const QByteArray key = m_control->starts[0].key.toUtf8();
    for (const QFileInfo& info : QDir(m_folder->path()).entryInfoList(QDir::Files)) {
      QFile file(info.filePath());
      QVERIFY(file.open(QIODevice::ReadOnly));
      QVERIFY2(!file.readAll().contains(key), qPrintable(info.fileName()));
    }
  }

  void renewKey_shutsOutTheOldOneAtOnce() {
    m_server->start();
    QTRY_VERIFY(m_server->isRunning());
    m_server->renewKey();
    QTRY_COMPARE(m_control->starts.size(), 2);
    QVERIFY(m_control->starts[1].key != m_control->starts[0].key);
    QCOMPARE(m_keys->kept.key, m_control->starts[1].key);
  }

  /// A key that the keychain does not give is not overwritten by one for this time.
  void key_thatCannotBeRead_isReplacedForThisTime() {
    m_keys->kept = {.error = "The keychain is locked."};
    m_server->start();
    QTRY_VERIFY(m_server->isRunning());
    QVERIFY(!m_control->starts[0].key.isEmpty());
    QVERIFY(m_keys->kept.key.isEmpty());
    QVERIFY2(m_server->keyProblem().contains("The keychain is locked."),
             qPrintable(m_server->keyProblem()));
  }

  void key_thatIsNotKept_isSaidToBeForgotten() {
    m_keys->keepProblem = "There is no keychain.";
    m_server->start();
    QTRY_VERIFY(m_server->keyProblem().contains("There is no keychain."));
    QTRY_VERIFY(m_server->isRunning());
    ServerModel without(*m_session);
    without.setControl(m_control.get(), nullptr);
    QVERIFY(without.keyProblem().contains("forgotten"));
    without.stop();
    without.start();
    QVERIFY(without.isRunning());
  }

  /// The keychain may wait for the user's password.
  void stop_whileTheKeyIsRead_keepsItOff() {
    m_keys->isSlow = true;
    m_server->start();
    QVERIFY(m_server->isOn());
    m_server->start();
    QCOMPARE(m_keys->numReads, 1);
    m_server->stop();
    QVERIFY(!m_server->isOn());
    m_keys->answer();
    QTest::qWait(20);
    QVERIFY(!m_server->isOn());
    QCOMPARE(m_control->starts.size(), 0);
  }

  void port_isChecked_andKept() {
    for (const char* wrong : {"0", "65536", "http", "-1", "8000.5"}) {
      m_server->setPort(wrong);
      QVERIFY2(m_server->portProblem().contains("65535"), wrong);
      QCOMPARE(m_server->port(), QString("8000"));
    }
    m_server->setPort(" 8123 ");
    QVERIFY(m_server->portProblem().isEmpty());
    QVERIFY(m_server->portIsSet());
    open();
    QCOMPARE(m_server->port(), QString("8123"));
    m_server->setPort("");
    QCOMPARE(m_server->port(), QString("8000"));
    QVERIFY(!m_server->portIsSet());
  }

  void change_whileItRuns_startsItAnew() {
    m_server->start();
    QTRY_VERIFY(m_server->isRunning());
    m_server->setPort("8123");
    QCOMPARE(m_control->starts.size(), 2);
    QCOMPARE(m_control->starts[1].port, 8123);
    m_server->chooseReach(1);
    QCOMPARE(m_control->starts.size(), 3);
    QVERIFY(m_control->starts[2].isPublic);
    QVERIFY(m_server->reachWarning().contains("not encrypted"));
    QVERIFY(!m_server->address().contains("127.0.0.1"));
    m_control->refusal = "The port 81 is reserved.";
    m_server->setPort("81");
    QCOMPARE(m_server->problem(), m_control->refusal);
    QVERIFY(!m_server->isOn());
  }

  void load_isShownWhileItRuns() {
    QVERIFY(m_server->loadText().isEmpty());
    m_server->start();
    QTRY_VERIFY(m_server->isRunning());
    QSignalSpy spy(m_server.get(), &ServerModel::loadChanged);
    m_control->clients = 3;
    m_control->requests = 2;
    QTRY_VERIFY(spy.count() > 0);
    QVERIFY(m_server->loadText().contains("3"));
    QVERIFY(m_server->loadText().contains("2"));
    QCOMPARE(m_server->modelsText(), QString("qwen3-8b"));
  }

  void serverThatIsGone_isNotAsked() {
    m_control.reset();
    QVERIFY(!m_server->isAvailable());
    m_server->stop();
    m_server->start();
    QVERIFY(!m_server->isOn());
  }

 private:
  void open() {
    m_server.reset();
    m_session.reset();
    m_control->runs = false;
    m_session = std::make_unique<DataSession>(m_folder->path());
    QVERIFY(m_session->open());
    m_server = std::make_unique<ServerModel>(*m_session);
    m_server->setControl(m_control.get(), m_keys.get());
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeApiServer> m_control;
  std::unique_ptr<FakeServerKeys> m_keys;
  std::unique_ptr<DataSession> m_session;
  std::unique_ptr<ServerModel> m_server;
};

QTEST_MAIN(TestServerModel)
#include "tst_server_model.moc"
