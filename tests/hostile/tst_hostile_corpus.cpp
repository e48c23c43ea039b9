#include <sys/resource.h>

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <thread>

#include "app/error_strings.h"
#include "app/inspect/inspector_client.h"
#include "tests/bench/random_gguf.h"
#include "tests/hostile/hostile_check.h"
#include "tests/hostile/hostile_files.h"
#include "tests/hostile/hostile_folder.h"
#include "tests/hostile/program_run.h"

using namespace quire;
using namespace quire::test;
using namespace std::chrono_literals;

namespace fs = std::filesystem;

namespace {

/// On a busy machine it takes longer than the five minutes that Qt gives a test; read before
/// main().
const bool kIsPatient = qputenv("QTEST_FUNCTION_TIMEOUT", "7200000");

constexpr uint32_t kSeed = 22;
constexpr auto kPatience = 60s;  ///< Of one process; the processor's time is what counts.

/// QUIRE_HOSTILE_PROGRAMS=FOLDER tries those of another build.
fs::path program(const char* name) {
  QString folder = QCoreApplication::applicationDirPath();
  if (!std::string_view(name).starts_with("hostile"))
    folder = qEnvironmentVariable("QUIRE_HOSTILE_PROGRAMS", folder);
  return fs::path(folder.toStdString()) / name;
}

std::string nameOf(const HostileFile& file) {
  return QByteArray::fromStdString(file.kind + "/" + file.title)
      .left(120)
      .toPercentEncoding("/ ")
      .toStdString();
}

}  // namespace

/// Each file of the corpus is read by a process of its own, whose end, time and memory are checked.
/// QUIRE_HOSTILE_TABLE=FILE writes what the rows of the review's table ended with, in Markdown:
/// one line for each row, with the most time and memory of its files, and one for each file.
class TestHostileCorpus : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    // Some two minutes.
    if (!qEnvironmentVariableIsSet("QUIRE_LONG_TESTS")) QSKIP("QUIRE_LONG_TESTS=1 runs it.");
    QVERIFY(m_folder.isValid());
    m_files = makeHostileFiles(m_folder.filePath("files").toStdString(), kSeed);
    for (const HostileFile& file : m_files) m_byName[nameOf(file)] = &file;
    QVERIFY2(m_files.size() >= 300, qPrintable(QString::number(m_files.size())));
    QCOMPARE(m_byName.size(), m_files.size());
    qInfo("%zu files, seed %u", m_files.size(), kSeed);
    forgetPeak();
  }
  void cleanupTestCase() {
    const QString path = qEnvironmentVariable("QUIRE_HOSTILE_TABLE");
    if (!path.isEmpty()) writeTable(path);
    fs::remove_all(m_folder.filePath("files").toStdString());  // Qt cannot name all of them.
  }

  void everyRow_hasAFile_data() {
    QTest::addColumn<QString>("row");
    for (const char* row : {"A", "B", "C", "D", "E", "F", "H", "I", "J", "L", "M", "9", "10", "11",
                            "14", "16", "18"}) {
      QTest::newRow(row) << row;
    }
  }
  /// G, files cut while they are read, and K, payloads that are changed, are slots of their own.
  void everyRow_hasAFile() {
    QFETCH(QString, row);
    QVERIFY(std::any_of(m_files.begin(), m_files.end(),
                        [&](const HostileFile& file) { return file.row == row.toStdString(); }));
  }

  void inspector_endsInTimeAndMemory_data() { addRows(/*models=*/true); }
  void inspector_endsInTimeAndMemory() {
    const HostileFile& file = current();
    const Use before = useOfChildren();
    const QJsonObject request = {{"path", QFile::decodeName(file.path.c_str())},
                                 {"background", false}};
    const QByteArray line = QJsonDocument(request).toJson(QJsonDocument::Compact);
    Result<std::string> answer = Error{};
    {
      InspectorClient client(program("quire-inspect"));
      answer = client.ask(line.toStdString(), kPatience);
    }
    QVERIFY2(answer, answer ? "" : answer.error().message.c_str());
    const QJsonObject said = QJsonDocument::fromJson(QByteArray::fromStdString(*answer)).object();
    QVERIFY2(!said["facts"].toObject().isEmpty(), answer->c_str());
    const Use after = useOfChildren();
    const auto cpu = after.cpu - before.cpu;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    QVERIFY2(cpu <= kMostCpu, qPrintable(QString::number(cpu.count())));
    // Only the most of all is known: a file that raises it above the limit is at fault.
    if (after.peak_bytes > before.peak_bytes) {
      QVERIFY2(after.peak_bytes <= kMostBytes, qPrintable(QString::number(after.peak_bytes)));
    }
#endif
    checkObstacle(file, said["facts"].toObject());
  }

  void file_endsInTimeAndMemory_data() {
    addRows(/*models=*/false);
  }
  void file_endsInTimeAndMemory() {
    const HostileFile& file = current();
    const ProgramRun run = runOf(file);
    m_runs[nameOf(file)] = run;
    const std::string faults = faultsOf(file, run);
    QVERIFY2(faults.empty(), faults.c_str());
  }

  /// Row G: another program shortens the file at some moment of the load.
  void shortenedWhileRead_endsInASentence_data() {
    QTest::addColumn<int>("afterMs");
    for (const int ms : {0, 5, 10, 20, 30, 50, 80, 120}) {
      QTest::addRow("after %d ms", ms) << ms;
    }
  }
  void shortenedWhileRead_endsInASentence() {
    QFETCH(int, afterMs);
    const fs::path path = m_folder.filePath("cut.gguf").toStdString();
    bench::write_random_gguf(path, DType::kF16,
                             {.num_layers = 4,
                              .hidden_size = 512,
                              .num_heads = 8,
                              .num_kv_heads = 8,
                              .intermediate_size = 2048,
                              .vocab_size = 4000,
                              .context = 128});
    forgetPeak();
    ProgramRun run;
    {
      const std::jthread cuts([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(afterMs));
        fs::resize_file(path, 100'000);
      });
      const HostileFile file = {.path = path, .use = HostileUse::kGenerate};
      run = runOf(file);
    }
    record("G", "cut " + std::string(QTest::currentDataTag()), run);
    QCOMPARE(run.signal, 0);
    QVERIFY(run.code == 0 || run.code == 1);
    QVERIFY2(run.code == 0 || run.err.find("cut") != std::string::npos, run.err.c_str());
  }

  /// Row K: what was computed of a prompt is replaced; the answer stays.
  void changedPayloads_areNotUsed() {
    const fs::path path = m_folder.filePath("prefix.db").toStdString();
    const std::string model = m_folder.filePath("files/gguf/whole.gguf").toStdString();
    const std::string prompt = repeated("abc", 60);
    const auto answer = [&] {
      return runProgram({program("quire-cli").string(), "generate", "--device", "cpu",
                         "--max-tokens", "8", "--temperature", "0", "--model", model, "--prompt",
                         prompt, "--prefix-cache", path.string(), "--json"},
                        "", m_folder.path().toStdString(), kPatience);
    };
    const auto tokens = [](const ProgramRun& run) {
      return QJsonDocument::fromJson(QByteArray::fromStdString(run.out)).object();
    };
    const ProgramRun first = answer();
    QVERIFY2(first.code == 0, first.err.c_str());
    const ProgramRun again = answer();
    QVERIFY2(tokens(again)["usage"].toObject()["disk_tokens"].toInt() > 0, again.out.c_str());
    changeDatabase(path, "UPDATE payload SET data = zeroblob(length(data))");
    const ProgramRun changed = answer();
    record("K", "payloads of zeros", changed);
    QVERIFY2(changed.code == 0, changed.err.c_str());
    QCOMPARE(tokens(changed)["usage"].toObject()["disk_tokens"].toInt(), 0);
    QCOMPARE(tokens(changed)["tokens"], tokens(first)["tokens"]);
  }

 private:
  struct Use {
    std::chrono::milliseconds cpu{0};
    uint64_t peak_bytes = 0;
  };

  void addRows(bool models) {
    QTest::addColumn<QString>("name");
    for (const HostileFile& file : m_files) {
      if (models && (file.use != HostileUse::kInspect || !isReachable(file.path))) continue;
      const std::string name = nameOf(file);
      QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
  }
  /// Whether Qt, and so the window, has a name for it.
  static bool isReachable(const fs::path& path) {
    return QFile::encodeName(QFile::decodeName(path.c_str())) == path.c_str();
  }
  const HostileFile& current() const {
    return *m_byName.at(QTest::currentDataTag());
  }

  static Use useOfChildren() {
    struct rusage usage = {};
    getrusage(RUSAGE_CHILDREN, &usage);
    const auto ms = [](const timeval& time) {
      return std::chrono::milliseconds(time.tv_sec * 1000 + time.tv_usec / 1000);
    };
    return {ms(usage.ru_utime) + ms(usage.ru_stime), static_cast<uint64_t>(usage.ru_maxrss) * 1024};
  }

  void checkObstacle(const HostileFile& file, const QJsonObject& facts) {
    if (facts["kind"].toInt() != 0) return;  // A projector or an adapter, which is left out.
    // As the window shows it.
    const QString message = errorText(errorFromJson(facts["obstacle"].toObject()));
    std::vector<std::string> messages;
    if (!message.isEmpty()) messages.push_back(message.toStdString());
    const std::string faults = faultsOf(file, messages);
    QVERIFY2(faults.empty(), faults.c_str());
  }

  std::vector<std::string> argumentsFor(const HostileFile& file) const {
    const std::string path = file.path.string();
    const std::string model = m_folder.filePath("files/gguf/whole.gguf").toStdString();
    const auto generate = [](const std::string& with) -> std::vector<std::string> {
      return {"generate", "--device", "cpu", "--max-tokens", "2", "--temperature",
              "0",        "--model",  with};
    };
    std::vector<std::string> all;
    switch (file.use) {
      case HostileUse::kInspect:
        return {"inspect", "--model", path};
      case HostileUse::kTokenize:
        return {"tokenize", "--special", "--model", path};
      case HostileUse::kTemplate:
        return {"render", "--template", path, "--input", file.input};
      case HostileUse::kRender:
        return {"render", "--template", file.input, "--input", path};
      case HostileUse::kReplay:
        return {"replay", "--list", "--data", path};
      case HostileUse::kMessages:
        all = generate(model);
        all.insert(all.end(), {"--messages", path});
        return all;
      case HostileUse::kGenerate:
        all = generate(path);
        all.insert(all.end(), {"--prompt", "ab"});
        return all;
      case HostileUse::kPrefix:
        all = generate(model);
        all.insert(all.end(), {"--prompt", "ab", "--prefix-cache", path});
        return all;
      case HostileUse::kAdapter:
        all = generate(m_folder.filePath("files/adapters/model").toStdString());
        all.insert(all.end(), {"--prompt", "ab", "--adapter", path});
        return all;
      case HostileUse::kImport:
        return {"import", path};
      case HostileUse::kAttach:
        return {"attach", path};
    }
    return {};
  }

  ProgramRun runOf(const HostileFile& file) const {
    const bool isReader = file.use == HostileUse::kImport || file.use == HostileUse::kAttach;
    std::vector<std::string> arguments = argumentsFor(file);
    arguments.insert(arguments.begin(),
                     program(isReader ? "hostile_reader" : "quire-cli").string());
    const bool isInput = file.use == HostileUse::kTokenize;
    return runProgram(arguments, isInput ? file.input : "", m_folder.path().toStdString(),
                      kPatience);
  }

  /// How a file of the review's table ended.
  struct Line {
    std::string row;
    std::string name;
    ProgramRun run;
  };

  void record(const std::string& row, const std::string& name, const ProgramRun& run) {
    m_lines.push_back({row, name, run});
  }

  void writeTable(const QString& path) {
    for (const HostileFile& file : m_files) {
      const auto run = m_runs.find(nameOf(file));
      if (!file.row.empty() && run != m_runs.end()) record(file.row, nameOf(file), run->second);
    }
    std::map<std::string, std::vector<const Line*>> rows;
    for (const Line& line : m_lines) rows[line.row].push_back(&line);
    QByteArray table =
        "| row | files | end with | most CPU ms | most MB | such as |\n|---|---|---|---|---|---|\n";
    for (const auto& [row, lines] : rows) table += summaryOf(row, lines);
    table += "\n| row | file | ends | CPU ms | MB | message |\n|---|---|---|---|---|---|\n";
    for (const auto& [row, lines] : rows) {
      for (const Line* line : lines) table += lineOf(*line);
    }
    QFile out(path);
    if (out.open(QIODevice::WriteOnly)) out.write(table);
  }

  QByteArray summaryOf(const std::string& row, const std::vector<const Line*>& lines) const {
    std::map<QByteArray, int> ends;
    std::chrono::milliseconds cpu{0};
    uint64_t bytes = 0;
    QByteArray message;
    for (const Line* line : lines) {
      ++ends[endOf(line->run)];
      cpu = std::max(cpu, line->run.cpu);
      bytes = std::max(bytes, line->run.peak_bytes);
      if (message.isEmpty()) message = messageOf(line->run);
    }
    QByteArrayList counts;
    for (const auto& [end, count] : ends) counts.append(QByteArray::number(count) + ' ' + end);
    return "| " + QByteArray::fromStdString(row) + " | " + QByteArray::number(lines.size()) +
           " | " + counts.join(", ") + " | " + QByteArray::number(qint64{cpu.count()}) + " | " +
           QByteArray::number(bytes / 1'000'000) + " | " + message + " |\n";
  }

  QByteArray lineOf(const Line& line) const {
    return "| " + QByteArray::fromStdString(line.row) + " | " +
           QByteArray::fromStdString(line.name) + " | " + endOf(line.run) + " | " +
           QByteArray::number(qint64{line.run.cpu.count()}) + " | " +
           QByteArray::number(line.run.peak_bytes / 1'000'000) + " | " + messageOf(line.run) +
           " |\n";
  }

  static QByteArray endOf(const ProgramRun& run) {
    if (run.signal != 0) return "signal " + QByteArray::number(run.signal);
    return run.code == 0 ? "read" : "refused";
  }

  /// The first message, without the folder of the corpus.
  QByteArray messageOf(const ProgramRun& run) const {
    constexpr qsizetype kMost = 300;
    const std::vector<std::string> messages = messagesOf(run);
    if (messages.empty()) return {};
    QByteArray message = QByteArray::fromStdString(messages.front());
    message.replace(QFile::encodeName(m_folder.path()) + "/files/", "");
    message.replace(QFile::encodeName(m_folder.path()) + "/", "");
    return message.replace("|", "\\|").left(kMost);
  }

  QTemporaryDir m_folder;
  std::vector<HostileFile> m_files;
  std::map<std::string, const HostileFile*> m_byName;
  std::map<std::string, ProgramRun> m_runs;
  std::vector<Line> m_lines;
};

QTEST_GUILESS_MAIN(TestHostileCorpus)
#include "tst_hostile_corpus.moc"
