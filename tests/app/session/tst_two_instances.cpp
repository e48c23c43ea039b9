#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>

#include "app/session/data_session.h"
#include "app/session/raise_request.h"
#include "tests/app/store/sample_records.h"

using namespace quire;

namespace {

constexpr const char* kHold = "--hold";

/// The other program: opens the folder, says so, and stays until it is killed.
int holdFolder(const QString& folder) {
  DataSession session(folder);
  const auto opened = session.open();
  std::printf("%s\n", opened ? "open" : opened.error().message.c_str());
  std::fflush(stdout);
  return opened ? QCoreApplication::exec() : 1;
}

}  // namespace

/// Two programs with one data folder: never two writers.
class TestTwoInstances : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_other = std::make_unique<QProcess>();
  }
  void cleanup() {
    m_other->kill();
    m_other->waitForFinished();
  }

  void secondProgram_isRefused() {
    DataSession first(m_folder->path());
    QVERIFY(first.open());
    const QByteArray said = startOther();
    QVERIFY2(said.contains("already running"), said.constData());
    QVERIFY(m_other->waitForFinished());
    QCOMPARE(m_other->exitCode(), 1);
    // Also when its own clock or the file's date is off: a lock never becomes stale by its age.
    QFile lock(m_folder->path() + "/quire.lock");
    QVERIFY(lock.open(QIODevice::ReadWrite));
    QVERIFY(
        lock.setFileTime(QDateTime(QDate(2001, 1, 1), QTime()), QFileDevice::FileModificationTime));
    QVERIFY(startOther().contains("already running"));
  }

  void killedProgram_leavesTheFolderFree() {
    QCOMPARE(startOther(), QByteArray("open\n"));
    DataSession second(m_folder->path());
    QVERIFY(!second.open());
    m_other->kill();
    QVERIFY(m_other->waitForFinished());
    QVERIFY(second.open());
  }

  /// Any error of the lock is one, not only that of a lock that another program holds.
  void lockThatIsAFolder_isAnError() {
    QVERIFY(QDir(m_folder->path()).mkpath("quire.lock/x"));
    DataSession session(m_folder->path());
    const auto opened = session.open();
    QVERIFY(!opened);
    QCOMPARE(opened.error().code, ErrorCode::kIo);
    QVERIFY2(opened.error().message.find(m_folder->path().toStdString()) != std::string::npos ||
                 opened.error().message.find("already running") != std::string::npos,
             opened.error().message.c_str());
    QVERIFY(!QFile::exists(m_folder->path() + "/quire.db"));
  }

  void lockThatIsNoLock_isAnError_data() {
    QTest::addColumn<QString>("target");
    QTest::newRow("pipe") << QString();
    QTest::newRow("huge file") << "huge";
    QTest::newRow("device") << "/dev/zero";
  }
  /// QLockFile would wait for the other end of a pipe, and read a line without an end.
  void lockThatIsNoLock_isAnError() {
    QFETCH(QString, target);
    const QString lock = m_folder->filePath("quire.lock");
    if (target.isEmpty()) {
      QCOMPARE(::mkfifo(qPrintable(lock), 0600), 0);
    } else if (target == "huge") {
      QFile file(lock);
      QVERIFY(file.open(QIODevice::WriteOnly) && file.resize(qint64{1} << 30));
    } else {
      QVERIFY(QFile::link(target, lock));
    }
    DataSession session(m_folder->path());
    const auto opened = session.open();
    QVERIFY(!opened);
    const QString sentence = QString::fromStdString(opened.error().message);
    QCOMPARE(sentence,
             QString("The file \"%1\" is not a lock that Quire made. Delete it.").arg(lock));
    QVERIFY(!RaiseRequest::askRunning(m_folder->path(), 60'000));
  }

  void lockThatMayBeLeft_isNamed_data() {
    QTest::addColumn<QByteArray>("lock");
    QTest::addColumn<QString>("named");
    QTest::newRow("empty") << QByteArray() << "does not say for which program";
    QTest::newRow("another computer's")
        << QByteArray("4242\nquire\nelsewhere\nother-id\nother-boot\n") << "\"elsewhere\"";
  }
  /// Such locks never become stale.
  void lockThatMayBeLeft_isNamed() {
    QFETCH(QByteArray, lock);
    QFETCH(QString, named);
    QFile file(m_folder->filePath("quire.lock"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(lock) == lock.size());
    file.close();
    DataSession session(m_folder->path());
    const auto opened = session.open();
    QVERIFY(!opened);
    const QString sentence = QString::fromStdString(opened.error().message);
    QVERIFY2(sentence.contains(named), qPrintable(sentence));
    QVERIFY2(sentence.contains(file.fileName()), qPrintable(sentence));
    QVERIFY(file.remove());
    QVERIFY(session.open());
  }

 private:
  /// Its first line.
  QByteArray startOther() {
    m_other->start(QCoreApplication::applicationFilePath(), {kHold, m_folder->path()});
    while (!m_other->canReadLine() && m_other->waitForReadyRead(60'000)) {
    }
    return m_other->readLine();
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<QProcess> m_other;
};

int main(int argc, char** argv) {
  QCoreApplication application(argc, argv);
  if (argc == 3 && qstrcmp(argv[1], kHold) == 0) return holdFolder(QString::fromUtf8(argv[2]));
  TestTwoInstances test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_two_instances.moc"
