#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLockFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <thread>

#include "app/session/raise_request.h"

using namespace quire;

class RaiseRequestTest : public QObject {
  Q_OBJECT

 private slots:
  void askRunning_isFalseWhereNothingRuns() {
    QTemporaryDir folder;
    QVERIFY(!RaiseRequest::askRunning(folder.path(), 1000));
  }

  void askRunning_isFalseWhereNobodyAnswers() {
    QTemporaryDir folder;
    QLockFile lock(folder.filePath("quire.lock"));
    QVERIFY(lock.tryLock());
    QVERIFY(!RaiseRequest::askRunning(folder.path(), 50));
    QVERIFY(!QFile::exists(folder.filePath("window/raise")));
  }

  void askRunning_raisesTheOther() {
    QTemporaryDir folder;
    QLockFile lock(folder.filePath("quire.lock"));
    QVERIFY(lock.tryLock());
    RaiseRequest running(folder.path());
    QSignalSpy requested(&running, &RaiseRequest::requested);
    qputenv("XDG_ACTIVATION_TOKEN", "leave");
    std::atomic<int> answer = -1;
    std::thread second([&] { answer = RaiseRequest::askRunning(folder.path(), 5000) ? 1 : 0; });
    QTRY_COMPARE(answer.load(), 1);
    second.join();
    QCOMPARE(requested.size(), 1);
    QCOMPARE(requested[0][0].toString(), QStringLiteral("leave"));
  }

  void askRunning_passesTheModelOn_data() {
    QTest::addColumn<QString>("named");
    QTest::addColumn<QString>("passed");
    QTest::newRow("path") << "/models/한글 model.gguf"
                          << "/models/한글 model.gguf";
    QTest::newRow("none") << ""
                          << "";
    QTest::newRow("relative") << "model.gguf"
                              << "";
    QTest::newRow("two lines") << "/models/a\n/models/b.gguf"
                               << "";
  }
  void askRunning_passesTheModelOn() {
    QFETCH(QString, named);
    QFETCH(QString, passed);
    QTemporaryDir folder;
    QLockFile lock(folder.filePath("quire.lock"));
    QVERIFY(lock.tryLock());
    RaiseRequest running(folder.path());
    QSignalSpy requested(&running, &RaiseRequest::requested);
    QSignalSpy models(&running, &RaiseRequest::modelRequested);
    qputenv("XDG_ACTIVATION_TOKEN", "leave\nme");  // A line break must not name a model.
    std::atomic<int> answer = -1;
    std::thread second(
        [&] { answer = RaiseRequest::askRunning(folder.path(), 5000, named) ? 1 : 0; });
    QTRY_COMPARE(answer.load(), 1);
    second.join();
    QCOMPARE(requested.size(), 1);
    QCOMPARE(requested[0][0].toString(), QStringLiteral("leave me"));
    QCOMPARE(models.size(), passed.isEmpty() ? 0 : 1);
    if (!passed.isEmpty()) QCOMPARE(models[0][0].toString(), passed);
  }

  void folderThatIsALink_isReplaced() {
    QTemporaryDir folder, other;
    QFile file(other.filePath("raise"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("other") == 5);
    file.close();
    QVERIFY(QFile::setPermissions(other.path(), QFileDevice::Permissions(0x7777)));
    QVERIFY(QFile::link(other.path(), folder.filePath("window")));
    const auto before = QFileInfo(other.path()).permissions();
    const RaiseRequest running(folder.path());
    QVERIFY2(file.exists(), "a file of another program was removed");
    QCOMPARE(QFileInfo(other.path()).permissions(), before);
    QVERIFY(!QFileInfo(folder.filePath("window")).isSymLink());
    QVERIFY(QFileInfo(folder.filePath("window")).isDir());
  }
};

QTEST_GUILESS_MAIN(RaiseRequestTest)
#include "tst_raise_request.moc"
