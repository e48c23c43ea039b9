#include <sys/stat.h>

#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <sstream>

#include "engine/io/hash.h"
#include "tests/engine/quantize/quantizing.h"

using namespace quire;
using namespace quire::test;

namespace fs = std::filesystem;

/// What other programs put where an interrupted run's files are, or change in them.
class TestQuantizeResume : public QObject {
  Q_OBJECT

 private:
  fs::path path(const char* name) const { return fs::path(m_folder->path().toStdString()) / name; }
  size_t num_files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path("")), {}));
  }
  std::string whole() {
    Quantizing job(kGguf / "llama.gguf", path("whole.gguf"), "Q8_0");
    must(job.run());
    return read_all(path("whole.gguf"));
  }

  /// Leaves about half of the file and its journal.
  void interrupt(const char* name) {
    std::atomic<bool> cancelled = false;
    Quantizing job(kGguf / "llama.gguf", path(name), "Q8_0");
    job.options.cancelled = &cancelled;
    job.options.progress = [&](uint64_t done, uint64_t total) { cancelled = done > total / 2; };
    QCOMPARE(job.run().error().code, ErrorCode::kCancelled);
  }

  static void write_all(const fs::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  }

  static std::vector<std::string> split(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  std::unique_ptr<QTemporaryDir> m_folder;

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  /// The bytes that a cut file lacks are read as zeros, which are not to be kept.
  void sourceCutWhileRead_isNotJournaled() {
    const std::string expected = whole(), source = read_all(kGguf / "llama.gguf");
    write_all(path("model.gguf"), source);
    {
      Quantizing job(path("model.gguf"), path("out.gguf"), "Q8_0");
      job.options.progress = [&](uint64_t done, uint64_t total) {
        if (done > total / 2) fs::resize_file(path("model.gguf"), 4096);
      };
      const auto cut = job.run();
      QVERIFY(!cut);
      QCOMPARE(cut.error().code, ErrorCode::kIo);
      QVERIFY(cut.error().message.find("model.gguf") != std::string::npos);
    }
    write_all(path("model.gguf"), source);
    Quantizing job(path("model.gguf"), path("out.gguf"), "Q8_0");
    job.options.resume = true;
    must(job.run());
    QVERIFY(read_all(path("out.gguf")) == expected);
  }

  /// A journal whose lines match the file but not the job: parts of other sizes, parts of nothing.
  void changedJournals_doNotChangeTheFile_data() {
    QTest::addColumn<QString>("change");
    for (const char* change : {"empty parts", "a part in two", "two parts in one", "another header",
                               "no line", "many lines", "3 GB"}) {
      QTest::newRow(change) << QString::fromLatin1(change);
    }
  }
  void changedJournals_doNotChangeTheFile() {
    QFETCH(QString, change);
    const std::string expected = whole();
    interrupt("out.gguf");
    std::string part = read_all(path("out.gguf.part"));
    std::vector<std::string> lines = split(read_all(path("out.gguf.part.log")));
    const size_t first = std::stoul(lines[1]), second = std::stoul(lines[2]);
    const auto line_for = [&](size_t offset, size_t size) {
      Sha256 hash;
      hash.update(std::string_view(part).substr(offset, size));
      return std::to_string(size) + " " + to_hex(hash.finish());
    };
    if (change == "empty parts") lines.insert(lines.begin() + 2, 100, line_for(0, 0));
    if (change == "a part in two") {
      lines[2] = line_for(first, 32);
      lines.insert(lines.begin() + 3, line_for(first + 32, second - 32));
    } else if (change == "two parts in one") {
      lines[1] = line_for(0, first + second);
      lines.erase(lines.begin() + 2);
    } else if (change == "another header") {
      part[100] = static_cast<char>(part[100] ^ 1);
      lines[1] = line_for(0, first);
    } else if (change == "no line") {
      lines.resize(1);
    } else if (change == "many lines") {
      lines.resize(1'000'000, lines.back());
    }
    write_all(path("out.gguf.part"), part);
    std::string journal;
    for (const std::string& line : lines) journal += line + "\n";
    write_all(path("out.gguf.part.log"), journal);
    if (change == "3 GB") fs::resize_file(path("out.gguf.part.log"), uint64_t{3} << 30);
    Quantizing job(kGguf / "llama.gguf", path("out.gguf"), "Q8_0");
    job.options.resume = true;
    must(job.run());
    QVERIFY(read_all(path("out.gguf")) == expected);
  }

  /// Files that are not of an interrupted run, under the names that its files have.
  void othersFiles_stay_data() {
    QTest::addColumn<bool>("resumes");
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("isLink");
    QTest::newRow("text, part") << false << "out.gguf.part" << false;
    for (const bool is_link : {false, true}) {
      const char* const kind = is_link ? "link to the source" : "text";
      QTest::addRow("%s, part, resumed", kind) << true << "out.gguf.part" << is_link;
      QTest::addRow("%s, journal", kind) << false << "out.gguf.part.log" << is_link;
      QTest::addRow("%s, journal, resumed", kind) << true << "out.gguf.part.log" << is_link;
    }
  }
  void othersFiles_stay() {
    QFETCH(bool, resumes);
    QFETCH(QString, name);
    QFETCH(bool, isLink);
    fs::copy_file(kGguf / "llama.gguf", path("model.gguf"));
    const fs::path other = path(name.toUtf8());
    if (isLink) {
      fs::create_hard_link(path("model.gguf"), other);
    } else {
      write_all(other, "mine");
    }
    const std::string before = read_all(other);
    Quantizing job(path("model.gguf"), path("out.gguf"), "Q8_0");
    job.options.resume = resumes;
    const auto result = job.run();
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::kInvalidArgument);
    QVERIFY(result.error().message.find("out.gguf.part") != std::string::npos);
    QVERIFY(read_all(other) == before);
    QCOMPARE(fs::file_size(path("model.gguf")), fs::file_size(kGguf / "llama.gguf"));
  }

  /// The user deletes the part alone, as the message says.
  void aJournalThatIsLeft_isReplaced() {
    const std::string expected = whole();
    interrupt("out.gguf");
    fs::remove(path("out.gguf.part"));
    Quantizing job(kGguf / "llama.gguf", path("out.gguf"), "Q8_0");
    must(job.run());
    QVERIFY(read_all(path("out.gguf")) == expected);
    QCOMPARE(num_files(), size_t{2});
  }

  void anEmptyPart_isNoObstacle() {
    const std::string expected = whole();
    for (const bool resumes : {false, true}) {
      write_all(path("out.gguf.part"), "");
      Quantizing job(kGguf / "llama.gguf", path("out.gguf"), "Q8_0");
      job.options.resume = resumes;
      must(job.run());
      QVERIFY(read_all(path("out.gguf")) == expected);
      fs::remove(path("out.gguf"));
    }
  }

  void pipesInsteadOfFiles_doNotHang() {
    for (const char* name : {"out.gguf.part", "out.gguf.part.log"}) {
      QCOMPARE(mkfifo(path(name).c_str(), 0600), 0);
      Quantizing job(kGguf / "llama.gguf", path("out.gguf"), "Q8_0");
      job.options.resume = true;
      QCOMPARE(job.run().error().code, ErrorCode::kInvalidArgument);
      fs::remove(path(name));
    }
  }

  void aPathWithoutAName_isRefused() {
    for (const fs::path& output : {fs::path(), path("") / ""}) {
      Quantizing job(kGguf / "llama.gguf", output, "Q8_0");
      QCOMPARE(job.run().error().code, ErrorCode::kInvalidArgument);
    }
    QCOMPARE(num_files(), size_t{0});
  }
};

QTEST_APPLESS_MAIN(TestQuantizeResume)
#include "tst_quantize_resume.moc"
