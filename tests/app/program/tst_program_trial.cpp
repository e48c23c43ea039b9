#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <sys/inotify.h>
#include <unistd.h>

#include "app/store/conversation_store.h"
#include "app/store/setting_keys.h"
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
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(QDir(m_folder->path()).mkpath("home"));
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
  void cleanup() {
    m_program.reset();
    m_folder.reset();
  }

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
    inspectWith("kill -SEGV $$");
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
    m_program.reset();
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
  /// Kills the program, as a crash would end it.
  struct Kill {
    void operator()(QProcess* program) const {
      program->kill();
      program->waitForFinished();
      delete program;
    }
  };

  QString own() const { return m_folder->filePath("own.gguf"); }
  QString data() const { return m_folder->filePath("data"); }
  QString texts() const { return m_folder->filePath("texts"); }

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

  void start() {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "HF_HOME",
                             "HF_HUB_CACHE", "OLLAMA_MODELS", "LLAMA_CACHE"})
      environment.remove(name);
    environment.insert("HOME", m_folder->filePath("home"));
    environment.insert("DBUS_SESSION_BUS_ADDRESS", "disabled:");
    environment.insert("LC_ALL", "C.UTF-8");
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    environment.insert("QT_QUICK_BACKEND", "software");
    environment.insert("QT_PLUGIN_PATH", PLUGINS);
    environment.insert("QT_QPA_GENERIC_PLUGINS", "quire_window_reader");
    environment.insert("QUIRE_SHOWN_TEXTS", texts());
    QFile::remove(texts());
    m_program.reset(new QProcess);
    m_program->setProcessEnvironment(environment);
    m_program->setProcessChannelMode(QProcess::ForwardedChannels);
    m_program->start(m_programs.filePath("quire"),
                     {"--data", data(), "--device", "cpu", "--threads", "1"});
    QVERIFY(m_program->waitForStarted());
  }

  QString shownTexts() const {
    QFile file(texts());
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }
  bool shows(const QString& words) const { return shownTexts().contains(words); }

  bool hasMark() const { return QFile::exists(data() + "/loading"); }
  QString markedModel() const {
    QFile file(data() + "/loading");
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QJsonDocument::fromJson(file.readAll()).object()["path"].toString();
  }

  QTemporaryDir m_programs;
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<QProcess, Kill> m_program;
};

QTEST_GUILESS_MAIN(ProgramTrialTest)
#include "tst_program_trial.moc"
