#include <sys/stat.h>

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "engine/tuning_file.h"

using namespace quire;

namespace {

TuningKey some_key() {
  return {.processor = "cpu family 25, model 17, AMD EPYC",
          .microcode = "0x1000065",
          .instruction_set = "avx512_bf16",
          .num_threads = 2};
}

TunedFormat some_format(DType dtype = DType::kQ4_K) {
  return {
      .dtype = dtype,
      .choice = {8192, true, 1},
      .seconds = 0.417,
      .speeds = {
          {{9216, true, 2}, 1, 20.25}, {{8192, true, 2}, 1, 22.5}, {{8192, true, 1}, 2, 30.75}}};
}

bool same(const TunedFormat& a, const TunedFormat& b) {
  const auto same_speed = [](const TuningSpeed& x, const TuningSpeed& y) {
    return x.tuning == y.tuning && x.num_rows == y.num_rows &&
           x.gigabytes_per_second == y.gigabytes_per_second;
  };
  return a.dtype == b.dtype && a.choice == b.choice && a.seconds == b.seconds &&
         std::equal(a.speeds.begin(), a.speeds.end(), b.speeds.begin(), b.speeds.end(), same_speed);
}

}  // namespace

/// The file of the CPU's choices: what was saved comes back, and nothing else is believed.
class TestTuningFile : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir m_folder;
  QString path(const char* name = "cpu-tuning.json") const { return m_folder.filePath(name); }
  TuningFile file(const char* name = "cpu-tuning.json") const {
    return TuningFile(path(name).toStdString());
  }
  QByteArray read() const {
    QFile saved(path());
    return saved.open(QIODevice::ReadOnly) ? saved.readAll() : QByteArray();
  }
  void write(const QByteArray& text) const {
    QFile saved(path());
    QVERIFY(saved.open(QIODevice::WriteOnly));
    QCOMPARE(saved.write(text), qint64{text.size()});
  }

 private slots:
  /// Of a process with this one's number that was killed while it wrote.
  void unfinishedFile_doesNotBlockSaving() {
    const QString unfinished = path() + "." + QString::number(QCoreApplication::applicationPid());
    QFile left(unfinished);
    QVERIFY(left.open(QIODevice::WriteOnly));
    left.close();
    const TunedFormat format = some_format();
    QVERIFY(file().save(some_key(), std::span(&format, 1)).has_value());
    QCOMPARE(file().load(some_key()).size(), size_t{1});
    QVERIFY(!QFile::exists(unfinished));
  }

  void init() { QFile::remove(path()); }

  void load_givesWhatWasSaved() {
    const TunedFormat formats[] = {some_format(), some_format(DType::kBF16)};
    QVERIFY(file().load(some_key()).empty());
    QVERIFY(file().save(some_key(), formats).has_value());
    const std::vector<TunedFormat> loaded = file().load(some_key());
    QCOMPARE(loaded.size(), size_t{2});
    QVERIFY(same(loaded[0], formats[0]) && same(loaded[1], formats[1]));
    QCOMPARE(QDir(m_folder.path()).entryList(QDir::Files), QStringList{"cpu-tuning.json"});
  }

  void load_givesNothingForAnotherKey_data() {
    QTest::addColumn<int>("part");
    for (int part = 0; part < 5; ++part) QTest::addRow("part %d", part) << part;
  }
  void load_givesNothingForAnotherKey() {
    QFETCH(int, part);
    const TunedFormat formats[] = {some_format()};
    QVERIFY(file().save(some_key(), formats).has_value());
    TuningKey other = some_key();
    if (part == 0) other.processor += ", stepping 2";
    if (part == 1) other.microcode = "0x1000066";
    if (part == 2) other.instruction_set = "avx2";
    if (part == 3) other.num_threads = 1;
    if (part == 4) ++other.version;
    QVERIFY(file().load(other).empty());
    // Both are kept.
    QVERIFY(file().save(other, formats).has_value());
    QCOMPARE(file().load(other).size(), size_t{1});
    QCOMPARE(file().load(some_key()).size(), size_t{1});
  }

  void save_keepsTheLastKeys() {
    const TunedFormat formats[] = {some_format()};
    for (int threads = 1; threads <= 20; ++threads) {
      TuningKey key = some_key();
      key.num_threads = threads;
      QVERIFY(file().save(key, formats).has_value());
    }
    TuningKey key = some_key();
    key.num_threads = 4;
    QVERIFY(file().load(key).empty());
    key.num_threads = 5;
    QCOMPARE(file().load(key).size(), size_t{1});
  }

  /// Only a damaged file holds a choice that is none of what was measured.
  void load_ignoresAChoiceThatWasNotMeasured() {
    TunedFormat format = some_format();
    format.choice = {64, false, 0};
    QVERIFY(file().save(some_key(), {&format, 1}).has_value());
    QVERIFY(file().load(some_key()).empty());
  }

  void load_ignoresDamage_data() {
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    const auto row = [](const char* name, const char* from, const char* to) {
      QTest::newRow(name) << QByteArray(from) << QByteArray(to);
    };
    row("an array", "{\n \"processors\"", "[{\n \"processors\"");
    row("no list", "\"processors\": [", "\"processors\": 3, \"x\": [");
    row("formats are no list", "\"formats\": [", "\"formats\": {}, \"x\": [");
    row("unknown dtype", "\"q4_k\"", "\"q4_z\"");
    row("dtype of no weight", "\"q4_k\"", "\"i32\"");
    row("distance too large", "\"ahead_bytes\": 8192", "\"ahead_bytes\": 4294967296");
    row("negative distance", "\"ahead_bytes\": 8192", "\"ahead_bytes\": -64");
    row("no whole line", "\"ahead_bytes\": 8192", "\"ahead_bytes\": 8193");
    row("too many rows", "\"gemv_rows\": 1", "\"gemv_rows\": 3");
    row("rows are text", "\"gemv_rows\": 1", "\"gemv_rows\": \"1\"");
    row("speed is negative", "20.25", "-20.25");
    row("speed is text", "20.25", "\"fast\"");
    row("seconds are missing", "\"seconds\"", "\"minutes\"");
    row("choice is missing", "\"choice\"", "\"chosen\"");
    row("choice is a number", "\"choice\": {", "\"choice\": 7, \"x\": {");
    row("a speed is no object", "\"speeds\": [", "\"speeds\": [1,");
  }
  void load_ignoresDamage() {
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    const TunedFormat formats[] = {some_format()};
    QVERIFY(file().save(some_key(), formats).has_value());
    QByteArray text = read();
    QVERIFY(text.contains(from));
    write(text.replace(from, to));
    QVERIFY(file().load(some_key()).empty());
    // What is measured then replaces it.
    QVERIFY(file().save(some_key(), formats).has_value());
    QCOMPARE(file().load(some_key()).size(), size_t{1});
  }

  void load_survivesEveryTruncation() {
    const TunedFormat formats[] = {some_format()};
    QVERIFY(file().save(some_key(), formats).has_value());
    const QByteArray text = read();
    for (qsizetype length = 0; length + 2 < text.size(); ++length) {
      write(text.left(length));
      QVERIFY(file().load(some_key()).empty());
    }
  }

  void load_ignoresWhatIsTooLarge() {
    write("{\"processors\": [" + QByteArray(2 << 20, ' ') + "]}");
    QVERIFY(file().load(some_key()).empty());
    write(QByteArray(100'000, '['));
    QVERIFY(file().load(some_key()).empty());
  }

  void save_saysThatAFolderCannotBeWritten() {
    const TunedFormat formats[] = {some_format()};
    const Result<void> saved = TuningFile("/proc/quire/cpu-tuning.json").save(some_key(), formats);
    QVERIFY(!saved.has_value());
    QVERIFY(saved.error().message.find("/proc/quire/cpu-tuning.json") != std::string::npos);
    QVERIFY(TuningFile(std::filesystem::path()).save(some_key(), formats).has_value());
    QVERIFY(TuningFile(std::filesystem::path()).load(some_key()).empty());
    // A link is not followed: it is replaced.
    QVERIFY(QFile::link(path("elsewhere"), path()));
    QVERIFY(file().save(some_key(), formats).has_value());
    QVERIFY(!QFile::exists(path("elsewhere")));
    QCOMPARE(file().load(some_key()).size(), size_t{1});
  }

  void save_makesAPrivateFolder() {
    const TunedFormat formats[] = {some_format()};
    const std::string inner = path("new/folder").toStdString();
    QVERIFY(TuningFile(std::filesystem::path(inner) / "cpu-tuning.json")
                .save(some_key(), formats)
                .has_value());
    struct stat status {};
    QCOMPARE(stat(inner.c_str(), &status), 0);
    QCOMPARE(status.st_mode & 0777, mode_t{0700});
  }

  void path_isBesideTheChatsOrInTheCache() {
    const QByteArray data = qgetenv("XDG_DATA_HOME"), cache = qgetenv("XDG_CACHE_HOME");
    qputenv("XDG_DATA_HOME", path("data").toUtf8());
    qputenv("XDG_CACHE_HOME", path("cache").toUtf8());
    QCOMPARE(default_tuning_path().string(), path("cache/quire/cpu-tuning.json").toStdString());
    QVERIFY(QDir().mkpath(path("data/quire")));
    QCOMPARE(default_tuning_path().string(), path("data/quire/cpu-tuning.json").toStdString());
    data.isEmpty() ? qunsetenv("XDG_DATA_HOME") : qputenv("XDG_DATA_HOME", data);
    cache.isEmpty() ? qunsetenv("XDG_CACHE_HOME") : qputenv("XDG_CACHE_HOME", cache);
  }
};

QTEST_APPLESS_MAIN(TestTuningFile)
#include "tst_tuning_file.moc"
