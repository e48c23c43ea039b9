#include <QtTest>

#include "tests/app/hub/download_stage.h"
#include "tests/support/small_disk.h"

using namespace quire;
using Kind = HubFault::Kind;

namespace {

std::string whyNoDisk;  ///< Why there can be no small disk.

}  // namespace

/// Several downloads, their speed, and the disk under them.
class DownloadQueueTest : public QObject, protected DownloadStage {
  Q_OBJECT

 private slots:
  void init() { begin(); }
  void cleanup() { m_hub.reset(); }

  void pauseResumeCancel() {
    DownloadQueue queue(quickOptions());
    queue.setBytesPerSecond(1'000'000);
    const DownloadId id = queue.add(onePlan());
    QTRY_VERIFY(queue.status(id).bytes > 300'000);
    queue.pause(id);
    QTRY_COMPARE(queue.status(id).state, DownloadState::kPaused);
    const qint64 bytes = queue.status(id).bytes;
    const int numRequests = m_hub->numFileRequests();
    QTest::qWait(300);
    QCOMPARE(queue.status(id).bytes, bytes);
    QCOMPARE(m_hub->numFileRequests(), numRequests);
    queue.resume(id);
    QTRY_VERIFY(queue.status(id).bytes > bytes + 100'000);
    QCOMPARE(m_hub->seen().last().headers.value("range"),
             "bytes=" + QByteArray::number(bytes) + '-');
    QSignalSpy ended(&queue, &DownloadQueue::ended);
    queue.cancel(id);
    QTRY_COMPARE(queue.status(id).state, DownloadState::kCancelled);
    QTRY_COMPARE(ended.size(), 1);
    QCOMPARE(filesIn(m_folder->path()), QStringList());
    queue.forget(id);
    QVERIFY(queue.ids().isEmpty());
  }

  void failedOne_canBeCancelled() {
    m_hub->setFaults(
        [](const HubRequest&, int) { return HubFault{.kind = Kind::kStatus, .status = 403}; });
    DownloadQueue queue(quickOptions());
    QSignalSpy ended(&queue, &DownloadQueue::ended);
    const DownloadId id = queue.add(onePlan());
    QTRY_COMPARE(queue.status(id).state, DownloadState::kFailed);
    QTRY_COMPARE(ended.size(), 1);
    queue.cancel(id);
    QTRY_COMPARE(queue.status(id).state, DownloadState::kCancelled);
    QTRY_COMPARE(ended.size(), 2);
  }

  void speedLimit_holds() {
    DownloadQueue queue(quickOptions());
    queue.setBytesPerSecond(2'000'000);
    QElapsedTimer timer;
    timer.start();
    const DownloadId id = queue.add(onePlan());
    QTRY_VERIFY_WITH_TIMEOUT(queue.status(id).hasEnded(), 20'000);
    QCOMPARE(queue.status(id).state, DownloadState::kDone);
    QVERIFY2(timer.elapsed() > 1100, qPrintable(QString::number(timer.elapsed())));
  }

  void queue_runsSoManyAtOnce() {
    DownloadQueue queue(quickOptions());
    queue.setMaxRunning(2);
    queue.setBytesPerSecond(3'000'000);
    QList<DownloadId> ids;
    for (quint32 i = 0; i < 4; ++i) {
      m_contents = ggufOf(kBytes / 2, i + 1);
      ids.append(queue.add(onePlan("repo" + QByteArray::number(i))));
    }
    int most = 0;
    const auto countRunning = [&] {
      int running = 0;
      bool haveEnded = true;
      for (const DownloadId id : ids) {
        const DownloadState state = queue.status(id).state;
        running += state == DownloadState::kRunning || state == DownloadState::kChecking;
        haveEnded = haveEnded && queue.status(id).hasEnded();
      }
      most = std::max(most, running);
      return haveEnded;
    };
    QTRY_VERIFY_WITH_TIMEOUT(countRunning(), 30'000);
    QCOMPARE(most, 2);
    for (const DownloadId id : ids) QCOMPARE(queue.status(id).state, DownloadState::kDone);
  }

  void oneDownload_isWrittenOnce() {
    DownloadQueue first(quickOptions());
    first.setBytesPerSecond(500'000);
    const DownloadId id = first.add(onePlan());
    QTRY_VERIFY(first.status(id).bytes > 0);
    const DownloadStatus second = run(onePlan());
    QCOMPARE(second.state, DownloadState::kFailed);
    QVERIFY2(QString::fromStdString(second.error->message).contains("is being downloaded"),
             errorOf(second));
    first.setBytesPerSecond(0);
    QTRY_COMPARE_WITH_TIMEOUT(first.status(id).state, DownloadState::kDone, 20'000);
    QCOMPARE(contentsOf(target()), m_contents);
  }

  void smallDisk_isSaidBefore() {
    if (!whyNoDisk.empty()) QSKIP(whyNoDisk.c_str());
    SmallDisk disk(m_folder->path().toStdString(), 2 << 20);
    QVERIFY(disk.isMounted());
    const DownloadStatus status = run(onePlan());
    QCOMPARE(status.state, DownloadState::kFailed);
    const QString words = QString::fromStdString(status.error->message);
    QVERIFY2(words.contains("needs 3 MB more") && words.contains("has only") &&
                 words.contains("that stay free"),
             qPrintable(words));
    QCOMPARE(m_hub->numFileRequests(), 0);
  }

  void fullDisk_keepsThePart() {
    if (!whyNoDisk.empty()) QSKIP(whyNoDisk.c_str());
    SmallDisk disk(m_folder->path().toStdString(), 8 << 20);
    QVERIFY(disk.isMounted());
    DownloadQueue queue(quickOptions());
    queue.setBytesPerSecond(500'000);
    const DownloadId id = queue.add(onePlan());
    QTRY_VERIFY(queue.status(id).bytes > 300'000);
    disk.fill();
    queue.setBytesPerSecond(0);
    QTRY_COMPARE_WITH_TIMEOUT(queue.status(id).state, DownloadState::kFailed, 10'000);
    QVERIFY2(queue.errorText(id).contains("because the disk is full"),
             qPrintable(queue.errorText(id)));
    const qint64 kept = queue.status(id).bytes;
    QVERIFY(kept > 300'000);
    disk.empty();
    queue.resume(id);
    QTRY_COMPARE_WITH_TIMEOUT(queue.status(id).state, DownloadState::kDone, 10'000);
    QCOMPARE(contentsOf(target()), m_contents);
    const QByteArray range = m_hub->seen().last().headers.value("range");
    QVERIFY2(range.mid(6).chopped(1).toLongLong() >= 300'000, range.constData());
  }
};

int main(int argc, char** argv) {
  whyNoDisk = SmallDisk::prepare();
  QCoreApplication application(argc, argv);
  DownloadQueueTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_download_queue.moc"
