#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <thread>

#include "engine/io/mmap_file.h"
#include "tests/engine/io/safetensors_builder.h"

using namespace quire;

class TestMmapFile : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir m_folder;
  std::filesystem::path path(const char* name) const {
    return std::filesystem::path(m_folder.path().toStdString()) / name;
  }

 private slots:
  /// Before the first mapping: an unguarded SIGBUS is to end the process and not to be reported.
  void initTestCase() { ::signal(SIGBUS, SIG_DFL); }

  void open_showsTheFilesBytes() {
    test::write_file(path("five"), "quire");
    auto file = MappedFile::open(path("five"));
    QVERIFY(file.has_value());
    const auto bytes = file->bytes();
    QCOMPARE(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
             std::string("quire"));
  }

  void move_keepsTheMapping() {
    test::write_file(path("moved"), "first");
    test::write_file(path("target"), "second");
    auto first = MappedFile::open(path("moved"));
    auto target = MappedFile::open(path("target"));
    QVERIFY(first && target);
    *target = std::move(*first);
    QCOMPARE(target->bytes().size(), size_t{5});
    QCOMPARE(static_cast<char>(target->bytes()[0]), 'f');
  }

  void open_ofAMissingFileNamesIt() {
    auto file = MappedFile::open(path("absent"));
    QVERIFY(!file);
    QCOMPARE(file.error().code, ErrorCode::kNotFound);
    QCOMPARE(file.error().message,
             path("absent").string() + " cannot be read: there is no such file");
  }
  void open_ofAnEmptyFileSaysSo() {
    test::write_file(path("empty"), "");
    auto file = MappedFile::open(path("empty"));
    QVERIFY(!file);
    QCOMPARE(file.error().code, ErrorCode::kCorruptFile);
    QCOMPARE(file.error().message, path("empty").string() + " is empty; download it again");
  }
  void open_ofAFolderSaysSo() {
    auto file = MappedFile::open(path(""));
    QVERIFY(!file);
    QCOMPARE(file.error().message, path("").string() + " is a folder, not a file");
  }
  void open_ofAnUnreadableFileSaysWhy() {
    if (::geteuid() == 0) QSKIP("root may read every file");
    test::write_file(path("secret"), "x");
    QFile::setPermissions(QString::fromStdString(path("secret").string()), {});
    auto file = MappedFile::open(path("secret"));
    QVERIFY(!file);
    QCOMPARE(file.error().code, ErrorCode::kIo);
    QCOMPARE(file.error().message, path("secret").string() + " cannot be read: Permission denied");
  }

  void cutWhileRead_byManyThreads_isAnError() {
    constexpr size_t kBytes = size_t{32} << 20, kPage = 4096;
    test::write_file(path("cut"), std::string(kBytes, 'x'));
    test::write_file(path("whole"), std::string(kPage, 'x'));
    const auto file = MappedFile::open(path("cut"));
    const auto whole = MappedFile::open(path("whole"));
    QVERIFY(file && whole && !file->was_cut());
    std::atomic<int> num_reading = 0;
    std::atomic<bool> is_cut = false;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        ++num_reading;
        for (bool is_last = false; !is_last;) {
          is_last = is_cut;
          uint64_t sum = 0;
          for (size_t at = 0; at < kBytes; at += kPage) {
            sum +=
                std::to_integer<uint64_t>(const_cast<const volatile std::byte&>(file->bytes()[at]));
          }
          if (sum == 0) qFatal("The first page is still there.");
        }
      });
    }
    while (num_reading < 8) std::this_thread::yield();
    std::filesystem::resize_file(path("cut"), 3 * kPage);
    is_cut = true;
    for (std::thread& thread : threads) thread.join();
    QVERIFY(file->was_cut());
    QVERIFY(!whole->was_cut());
    QCOMPARE(static_cast<char>(file->bytes()[2 * kPage]), 'x');
    QCOMPARE(static_cast<int>(file->bytes()[3 * kPage]), 0);
    QCOMPARE(static_cast<int>(file->bytes()[kBytes - 1]), 0);
  }

  void mappingAfterACutOne_isNotMarked() {
    test::write_file(path("again"), std::string(8192, 'x'));
    {
      const auto cut = MappedFile::open(path("again"));
      std::filesystem::resize_file(path("again"), 10);
      QCOMPARE(static_cast<int>(cut->bytes()[5000]), 0);
      QVERIFY(cut->was_cut());
    }
    QVERIFY(!MappedFile::open(path("again"))->was_cut());
  }

  void otherSigbus_stillEnds() {
    test::write_file(path("guarded"), "x");
    test::write_file(path("foreign"), std::string(8192, 'x'));
    const auto guarded = MappedFile::open(path("guarded"));
    QVERIFY(guarded.has_value());
    const pid_t child = ::fork();
    if (child == 0) {
      const int fd = ::open(path("foreign").c_str(), O_RDWR);
      auto* const bytes =
          static_cast<volatile char*>(::mmap(nullptr, 8192, PROT_READ, MAP_PRIVATE, fd, 0));
      if (::ftruncate(fd, 0) != 0) ::_exit(1);
      ::_exit(bytes[4096] == 0 ? 2 : 3);
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY2(WIFSIGNALED(status), qPrintable(QString::number(status)));
    QCOMPARE(WTERMSIG(status), SIGBUS);
  }
};

QTEST_APPLESS_MAIN(TestMmapFile)
#include "tst_mmap_file.moc"
