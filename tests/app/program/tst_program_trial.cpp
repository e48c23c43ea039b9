#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <sys/inotify.h>
#include <unistd.h>

#include "app/store/conversation_store.h"
#include "app/store/setting_keys.h"
#include "tests/app/program/real_program.h"
#include "tests/app/store/sample_records.h"
#include "tests/bench/random_gguf.h"

using namespace quire;

namespace {

constexpr int kPatienceMs = 60'000;

/// Notices whether any process has opened a file, for as long as it lives.
class OpenWatch {
 public:
  explicit OpenWatch(const QString& path) : m_events(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    if (::inotify_add_watch(m_events, QFile::encodeName(path), IN_OPEN) < 0) qFatal("No inotify.");
  }
  ~OpenWatch() { ::close(m_events); }
  OpenWatch(const OpenWatch&) = delete;
  OpenWatch& operator=(const OpenWatch&) = delete;

  bool wasOpened() {
    char event[sizeof(inotify_event) + 256];
    m_wasOpened = m_wasOpened || ::read(m_events, event, sizeof event) > 0;
    return m_wasOpened;
  }

 private:
  const int m_events;
  bool m_wasOpened = false;
};

}  // namespace

/// The program `quire` itself, with a model of the user's that is loaded at each start: what main()
/// makes of the trial before a load and of the mark of a load that ended with the program.
class ProgramTrialTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (!QFile::exists(QUIRE_SOURCE_DIR "/resources/models/quire-mini/config.json"))
      QSKIP("The bundled model is not in this tree.");
    QVERIFY(QDir(m_programs.path()).mkpath("."));
    QVERIFY(QFile::copy(QUIRE_PROGRAM, m_programs.filePath("quire")));
  }

  void init() {
    m_program = std::make_unique<RealProgram>();
    bench::write_random_gguf(own().toStdString(), DType::kF16,
                             {.num_layers = 2,
                              .hidden_size = 64,
                              .num_heads = 2,
                              .num_kv_heads = 2,
                              .intermediate_size = 128,
                              .vocab_size = 400,
                              .context = 128});
    const auto store = ConversationStore::open(data());
    QVERIFY(store);
    QVERIFY((*store)->putSetting(setting_keys::kLastModel, own()));
    // With a chat, so that the screen of the first run does not lie over the page Models.
    QVERIFY((*store)->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                                samples::emptyAnswer(3, 1, 2)));
  }
  void cleanup() { m_program.reset(); }

  /// So that the others can fail.
  void wholeModel_isLoaded() {
    inspectWith(QUIRE_INSPECT);
    OpenWatch model(own());
    start();
    QTRY_VERIFY_WITH_TIMEOUT(model.wasOpened(), kPatienceMs);
    QTRY_VERIFY2_WITH_TIMEOUT(shows("In use") && !hasMark(), qPrintable(shownTexts()), kPatienceMs);
    QVERIFY2(!shows("not loaded"), qPrintable(shownTexts()));
  }

  void modelThatEndsItsReader_isNotOpened_andSaid() {
    // Of the model alone: a program that answers nothing is to blame itself.
    inspectWith(
        "while read -r line; do case \"$line\" in *'\"path\":\"\"'*) echo '{}' >&0;; "
        "*) kill -SEGV $$;; esac; done");
    OpenWatch model(own());
    start();
    QTRY_VERIFY2_WITH_TIMEOUT(shows("Reading own.gguf ended in a crash, so it is not loaded."),
                              qPrintable(shownTexts()), kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(!hasMark(), kPatienceMs);
    QVERIFY(!model.wasOpened());
  }

  void modelWhoseLoadTheProgramDidNotSurvive_isNotOpened_andSaid() {
    inspectWith("exec sleep 1000");  // The load waits for it.
    start();
    QTRY_COMPARE_WITH_TIMEOUT(markedModel(), own(), kPatienceMs);
    m_program->kill();
    QCOMPARE(markedModel(), own());
    inspectWith(QUIRE_INSPECT);
    OpenWatch model(own());
    start();
    QTRY_VERIFY2_WITH_TIMEOUT(shows("Quire ended while it was loading own.gguf"),
                              qPrintable(shownTexts()), kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(!hasMark(), kPatienceMs);  // The bundled model is there instead.
    QVERIFY(!model.wasOpened());
  }

 private:
  QString own() const { return m_program->folder() + "/own.gguf"; }
  QString data() const { return m_program->data(); }

  /// What stands beside the program as quire-inspect: a program, or a script.
  void inspectWith(const QByteArray& what) const {
    const QString path = m_programs.filePath("quire-inspect");
    QFile::remove(path);
    if (what.startsWith('/')) {
      QVERIFY(QFile::link(QFile::decodeName(what), path));
      return;
    }
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("#!/bin/sh\n" + what + "\n");
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  }

  void start() { QVERIFY(m_program->start(m_programs.filePath("quire"))); }
  QString shownTexts() const { return m_program->shownTexts(); }
  bool shows(const QString& words) const { return m_program->shows(words); }

  bool hasMark() const { return QFile::exists(data() + "/loading"); }
  QString markedModel() const {
    QFile file(data() + "/loading");
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QJsonDocument::fromJson(file.readAll()).object()["path"].toString();
  }

  QTemporaryDir m_programs;
  std::unique_ptr<RealProgram> m_program;
};

QTEST_GUILESS_MAIN(ProgramTrialTest)
#include "tst_program_trial.moc"
