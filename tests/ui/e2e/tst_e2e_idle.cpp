#include <QDir>
#include <QEventLoop>
#include <QFile>
#include <QGuiApplication>
#include <QTest>
#include <QTimer>

#include <unistd.h>

#include <ctime>

#include "tests/support/bundled_model.h"
#include "tests/ui/e2e/real_application.h"

using namespace quire;

namespace {

constexpr int kRestMs = 6000;    ///< Enough for the work that follows a start and an answer.
constexpr int kLookMs = 10'000;  ///< How long the idle window is measured.
/// The processor time allowed in kLookMs: less than half a percent of one core. It is not 0,
/// because the text cursor blinks, and software rendering draws it.
constexpr double kMostMs = 45.0;

/// Processor time of each thread of this process in ms, by its name and number.
QMap<QString, double> threadTimes() {
  QMap<QString, double> times;
  const double msPerTick = 1000.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  const QDir tasks(QStringLiteral("/proc/self/task"));
  for (const QString& id : tasks.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
    QFile file(tasks.filePath(id + QStringLiteral("/stat")));
    if (!file.open(QIODevice::ReadOnly)) continue;
    const QByteArray stat = file.readAll();
    const qsizetype begin = stat.indexOf('('), end = stat.lastIndexOf(')');
    const QList<QByteArray> fields = stat.mid(end + 2).split(' ');
    const QString name = QString::fromUtf8(stat.mid(begin + 1, end - begin - 1));
    times.insert(name + u' ' + id,
                 msPerTick * (fields.value(11).toInt() + fields.value(12).toInt()));
  }
  return times;
}

double processMs() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

/// Waits in the event loop. QTest::qWait() would wake the thread a hundred times a second.
void sleepInTheLoop(int ms) {
  QEventLoop loop;
  QTimer::singleShot(ms, &loop, &QEventLoop::quit);
  loop.exec();
}

QString busiest(const QMap<QString, double>& before, const QMap<QString, double>& after) {
  QStringList lines;
  for (auto it = after.cbegin(); it != after.cend(); ++it) {
    const double ms = it.value() - before.value(it.key());
    if (ms > 0.0) lines.append(QStringLiteral("%1: %2 ms").arg(it.key()).arg(ms));
  }
  return lines.join(QStringLiteral(", "));
}

}  // namespace

/// A window in which nothing happens, with a model loaded and chats open, lets the processor sleep.
class IdleTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_real = std::make_unique<RealApplication>(); }
  void cleanup() { m_real.reset(); }

  void idleWindow_takesNoProcessorTime_data() {
    QTest::addColumn<QString>("draft");
    QTest::newRow("a model") << QString();
    QTest::newRow("a model and its draft model") << QString::fromStdString(draft_model_folder());
  }
  void idleWindow_takesNoProcessorTime() {
    if (!qEnvironmentVariableIsSet("QUIRE_LONG_TESTS")) QSKIP("QUIRE_LONG_TESTS=1 waits for it.");
    QFETCH(QString, draft);
    const QString model = QString::fromStdString(bundled_model_folder());
    if (!draft.isEmpty()) {
      m_real->engine().loadModel({.path = model, .draftPath = draft});
      QTRY_COMPARE_WITH_TIMEOUT(m_real->engine().primaryModel().draftName,
                                QString("quire-mini-draft"), kEngineMs);
    }
    m_real->ask("What is the capital of Norway?");
    m_real->hands().press(Qt::Key_2, Qt::ControlModifier);
    QTRY_COMPARE(m_real->app().panes()->count(), 2);
    m_real->ask("Tell me a long story about a bear");
    sleepInTheLoop(kRestMs);
    const auto before = threadTimes();
    const double began = processMs();
    sleepInTheLoop(kLookMs);
    const double took = processMs() - began;
    qInfo("%.1f ms in %d s", took, kLookMs / 1000);
    QVERIFY2(took < kMostMs, qPrintable(busiest(before, threadTimes())));
  }

 private:
  std::unique_ptr<RealApplication> m_real;
};

/// Not with a WatchedApplication, whose own thread wakes a hundred times a second.
int main(int argc, char** argv) {
  qputenv("QT_QUICK_BACKEND", "software");
  qputenv("QSG_RENDER_LOOP", "basic");
  qputenv("LC_ALL", "C.UTF-8");
  QGuiApplication application(argc, argv);
  setUpLook();
  IdleTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_e2e_idle.moc"
