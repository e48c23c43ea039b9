#include "app/remote/keychain_store.h"

#include <QTest>

using namespace quire;

namespace {

SecretReading readNow(SecretStore& store, QObject& receiver, const QString& name) {
  std::optional<SecretReading> reading;
  store.read(name, {&receiver, [&](const SecretReading& got) { reading = got; }});
  if (!QTest::qWaitFor([&] { return reading.has_value(); }, 20000)) qFatal("No reply.");
  return *reading;
}

SecretStoring writeNow(SecretStore& store, QObject& receiver, const QString& name,
                       const QString& secret) {
  std::optional<SecretStoring> storing;
  store.write(name, secret, {&receiver, [&](const SecretStoring& got) { storing = got; }});
  if (!QTest::qWaitFor([&] { return storing.has_value(); }, 20000)) qFatal("No reply.");
  return *storing;
}

}  // namespace

class KeychainStoreTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (isReal()) return;
    qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
    qunsetenv("DISPLAY");
  }

  /// A secret is remembered, and what is missing is said.
  void withoutKeychain_secretsAreRemembered() {
    if (isReal()) QSKIP("There is a keychain.");
    KeychainStore store;
    const SecretStoring storing = writeNow(store, *this, "a https://a.com:443", "sk-1");
    QVERIFY(!storing.isStored);
    QVERIFY(!storing.error.isEmpty());
    QCOMPARE(readNow(store, *this, "a https://a.com:443").secret, QString("sk-1"));
    QCOMPARE(readNow(store, *this, "b").secret, QString());
    QVERIFY(!readNow(store, *this, "b").error.isEmpty());
    store.remove("a https://a.com:443");
    QCOMPARE(readNow(store, *this, "a https://a.com:443").secret, QString());
  }

  /// QUIRE_KEYCHAIN=1 dbus-run-session -- sh -c 'echo x | gnome-keyring-daemon --unlock; …'
  void keychain_keepsSecrets() {
    if (!isReal()) QSKIP("QUIRE_KEYCHAIN is not set.");
    const QString name = "test https://a.com:443";
    {
      KeychainStore store;
      QCOMPARE(writeNow(store, *this, name, "sk-1").error, QString());
    }
    KeychainStore store;
    QCOMPARE(readNow(store, *this, name).secret, QString("sk-1"));
    store.remove(name);
    QTest::qWait(500);
    KeychainStore later;
    QCOMPARE(readNow(later, *this, name).secret, QString());
    QCOMPARE(readNow(later, *this, name).error, QString());
  }

 private:
  static bool isReal() { return qEnvironmentVariableIsSet("QUIRE_KEYCHAIN"); }
};

QTEST_MAIN(KeychainStoreTest)
#include "tst_keychain_store.moc"
