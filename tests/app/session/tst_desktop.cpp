#include <QDBusConnection>
#include <QDBusServer>
#include <QDBusVariant>
#include <QSignalSpy>
#include <QTest>

#include <memory>

#include "app/session/freedesktop_notifications.h"
#include "app/session/launcher_entry.h"

using namespace quire;

namespace {

const QString kNotifications = QStringLiteral("/org/freedesktop/Notifications");

}  // namespace

/// The notifications of a desktop; notes what it is asked for.
class FakeDesktop : public QObject {
  Q_OBJECT
  Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")

 public:
  struct Shown {
    uint replaces = 0;
    QString title;
    QString text;
    QVariantMap hints;
  };
  QList<Shown> shown;
  QList<uint> closed;

 public slots:
  uint Notify(const QString&, uint replaces, const QString&, const QString& title,
              const QString& text, const QStringList&, const QVariantMap& hints, int) {
    shown.append({replaces, title, text, hints});
    return replaces != 0 ? replaces : ++m_lastId;
  }
  void CloseNotification(uint id) { closed.append(id); }

 signals:
  void ActionInvoked(uint id, const QString& action);
  void NotificationClosed(uint id, uint reason);
  void ActivationToken(uint id, const QString& token);

 private:
  uint m_lastId = 6;
};

/// What is sent to the desktop, over a connection to a desktop of our own.
class DesktopTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    connect(&m_server, &QDBusServer::newConnection, this, [this](QDBusConnection connection) {
      connection.registerObject(
          kNotifications, &m_desktop,
          QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals);
      connection.connect({}, "/com/canonical/Unity/LauncherEntry",
                         "com.canonical.Unity.LauncherEntry", "Update", this,
                         SLOT(noteUpdate(QString, QVariantMap)));
      m_connections.append(connection);
    });
    if (!m_server.isConnected()) QSKIP("No D-Bus server can be opened here.");
    QDBusConnection::connectToPeer(m_server.address(), "desktop");
    QTRY_COMPARE(m_connections.size(), 1);
  }

  void init() {
    m_desktop.shown.clear();
    m_desktop.closed.clear();
    m_updates.clear();
  }

  void notice_isShownAsText_andReplacedByTheNext() {
    FreedesktopNotifications notifications(bus());
    notifications.show({.title = "1 answer ready", .text = "<b>Chat</b>", .sounds = false});
    notifications.show({.title = "2 answers ready", .text = "A\nB", .sounds = false});
    notifications.show({.title = "3 answers ready", .text = "A\nB\nC", .sounds = true});
    QTRY_COMPARE(m_desktop.shown.size(), 2);  // The last one alone waited.
    QCOMPARE(m_desktop.shown[0].text, QString("&lt;b&gt;Chat&lt;/b&gt;"));
    QCOMPARE(m_desktop.shown[0].replaces, 0u);
    QVERIFY(m_desktop.shown[0].hints.value("suppress-sound").toBool());
    QCOMPARE(m_desktop.shown[1].title, QString("3 answers ready"));
    QVERIFY(m_desktop.shown[1].replaces != 0);
    QVERIFY(m_desktop.shown[1].hints.contains("sound-name"));
  }

  void withdrawnNotice_isClosed_alsoWhileItIsSent() {
    FreedesktopNotifications notifications(bus());
    notifications.show({.title = "1 answer ready", .text = {}, .sounds = false});
    notifications.withdraw();
    QTRY_COMPARE(m_desktop.closed.size(), 1);
    notifications.withdraw();
    QTest::qWait(30);
    QCOMPARE(m_desktop.closed.size(), 1);
  }

  void click_isTold_ofOurNoticeOnly() {
    FreedesktopNotifications notifications(bus());
    QSignalSpy activated(&notifications, &DesktopNotifications::activated);
    notifications.show({.title = "1 answer ready", .text = {}, .sounds = false});
    QTRY_COMPARE(m_desktop.shown.size(), 1);
    notifications.withdraw();
    QTRY_COMPARE(m_desktop.closed.size(), 1);
    const uint id = m_desktop.closed.first() + 1;
    notifications.show({.title = "1 answer ready", .text = {}, .sounds = false});
    QTRY_COMPARE(m_desktop.shown.size(), 2);
    const auto isClickTold = [&] {  // From the moment on that the notice's id is known.
      if (activated.isEmpty()) emit m_desktop.ActionInvoked(id, "default");
      return !activated.isEmpty();
    };
    QTRY_VERIFY(isClickTold());
    emit m_desktop.ActivationToken(id, "token");
    emit m_desktop.ActionInvoked(id + 5, "default");
    emit m_desktop.ActionInvoked(id, "other");
    emit m_desktop.ActionInvoked(id, "default");
    emit m_desktop.ActivationToken(id, "last");
    emit m_desktop.ActionInvoked(id, "default");
    QTRY_COMPARE(activated.last()[0].toString(), QString("last"));
    QCOMPARE(activated[activated.size() - 2][0].toString(), QString("token"));
  }

  void taskBar_showsWholePercents_once() {
    LauncherEntry entry(bus());
    entry.show({.progress = 0.500});
    entry.show({.progress = 0.501});
    entry.show({.progress = 0.52, .numAnswering = 3});
    QTRY_COMPARE(m_updates.size(), 2);
    QCOMPARE(m_updates[0].value("progress").toDouble(), 0.5);
    QVERIFY(m_updates[0].value("progress-visible").toBool());
    QVERIFY(!m_updates[0].value("count-visible").toBool());
    QCOMPARE(m_updates[1].value("count").toLongLong(), 3);
    entry.show({});
    QTRY_COMPARE(m_updates.size(), 3);
    QVERIFY(!m_updates[2].value("progress-visible").toBool());
  }

 public slots:
  void noteUpdate(const QString& application, const QVariantMap& properties) {
    QCOMPARE(application, QString("application://quire.desktop"));
    m_updates.append(properties);
  }

 private:
  static QDBusConnection bus() { return QDBusConnection("desktop"); }

  FakeDesktop m_desktop;
  QDBusServer m_server{QStringLiteral("unix:tmpdir=/tmp")};
  QList<QDBusConnection> m_connections;
  QList<QVariantMap> m_updates;
};

QTEST_GUILESS_MAIN(DesktopTest)
#include "tst_desktop.moc"
