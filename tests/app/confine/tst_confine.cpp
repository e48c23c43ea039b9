#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "app/bundled_model.h"
#include "app/confine/confined_call.h"
#include "app/confine/readable_paths.h"
#include "app/confine/resource_limits.h"
#include "app/inspect/facts_request.h"
#include "tests/support/random_adapter.h"
#include "tests/support/thread_time.h"

using namespace quire;
using namespace std::chrono_literals;

namespace {

std::string spin() {
  std::atomic<int> count = 0;
  while (count >= 0) count = 1 - count;
  return {};
}

ErrorCode codeOf(const Result<ConfinedEnd>& end) {
  return end ? ErrorCode::kInternal : end.error().code;
}

/// What a confined process answers, or the error's sentence.
std::string answerOf(const std::function<std::string()>& work, const ConfineLimits& limits = {}) {
  const auto end = confined_call(limits, 10s, work, "a.gguf");
  return end ? end->answer : end.error().message;
}

/// The error of a call that a confined process makes, or "done".
std::string tried(const std::function<long()>& call, const ConfineLimits& limits = {}) {
  return answerOf(
      [&] {
        errno = 0;
        return std::string(call() < 0 ? strerrorname_np(errno) : "done");
      },
      limits);
}

}  // namespace

/// However reading a file ends, and whatever it tries, the process that asked for it gets a
/// sentence in time, and nothing else has changed.
class ConfineTest : public QObject {
  Q_OBJECT

 private slots:
  /// What a window's process or a verb loads afterwards was read here first, but for its numbers.
  void hostileAdapters_areRefusedInTheChild_data() {
    QTest::addColumn<QString>("config");
    QTest::addColumn<int>("bytes");
    QTest::addColumn<QString>("says");
    const QString whole = R"({"peft_type":"LORA","r":4,"lora_alpha":8})";
    QTest::newRow("whole") << whole << 0 << "\"obstacle\":{}";
    QTest::newRow("cut off") << whole << 2000 << "adapter_model.safetensors";
    QTest::newRow("another rank") << R"({"peft_type":"LORA","r":7,"lora_alpha":8})" << 0
                                  << "has rank 4";
    QTest::newRow("huge rank") << R"({"peft_type":"LORA","r":1e300,"lora_alpha":8})" << 0
                               << "adapter_config.json";
    QTest::newRow("deep") << QString(200'000, u'[') << 0 << "adapter_config.json";
    QTest::newRow("no LoRA") << R"({"peft_type":"IA3"})" << 0 << "IA3";
  }
  void hostileAdapters_areRefusedInTheChild() {
    QFETCH(QString, config);
    QFETCH(int, bytes);
    QFETCH(QString, says);
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("tone").toStdString();
    write_random_adapter(path, 1);
    std::ofstream(path / "adapter_config.json") << config.toStdString();
    if (bytes > 0) {
      std::filesystem::resize_file(path / "adapter_model.safetensors", static_cast<size_t>(bytes));
    }
    const QString answer = QString::fromStdString(
        answerOf([&] { return facts_of(path); }, {.readable = readable_paths(path)}));
    QVERIFY2(answer.contains("\"kind\":2"), qPrintable(answer));
    QVERIFY2(answer.contains(says), qPrintable(answer));
  }

  void initTestCase() {
    m_here = try_confinement();
    m_hasLandlock = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1) > 0;
    if (::prctl(PR_GET_SECCOMP) < 0) QSKIP("This system has no seccomp.");
  }

  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_file = m_folder->filePath("file").toStdString();
    QFile file(QString::fromStdString(m_file));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("text") == 4);
  }

  void confinement_isWhole() {
    QCOMPARE(m_here.landlock, m_hasLandlock);
    QVERIFY(m_here.rlimits || has_shadow_memory());
    QVERIFY2(m_here.text().starts_with("system calls are filtered (seccomp)"),
             m_here.text().c_str());
  }

  void answer_comesWithItsCost() {
    const std::string text(300'000, 'x');
    const auto end = confined_call(
        {}, 5s, [&] { return text; }, "a.gguf");
    QVERIFY(end);
    QCOMPARE(end->answer, text);
    QVERIFY(end->peak_bytes > 100'000);
  }

  void write_isRefused() {
    for (const int flags : {O_WRONLY, O_RDWR, O_RDONLY | O_CREAT, O_RDONLY | O_TRUNC}) {
      QCOMPARE(tried([&] { return ::open(m_file.c_str(), flags, 0600); }, reading()), "EPERM");
      QCOMPARE(tried([&] { return ::openat(AT_FDCWD, m_file.c_str(), flags, 0600); }, reading()),
               "EPERM");
    }
    QCOMPARE(tried([&] { return ::open(m_folder->path().toUtf8(), O_TMPFILE | O_RDWR, 0600); },
                   reading()),
             "EPERM");
    QCOMPARE(tried([&] { return ::open(m_folder->path().toUtf8(), O_TMPFILE | O_RDONLY, 0600); },
                   reading()),
             "EPERM");
    QCOMPARE(tried([&] { return ::creat(m_file.c_str(), 0600); }, reading()), "EPERM");
    QCOMPARE(contents(), QByteArray("text"));
  }

  void truncate_isRefused() {
    QCOMPARE(tried([&] { return ::truncate(m_file.c_str(), 1); }, reading()), "EPERM");
    QCOMPARE(contents(), QByteArray("text"));
  }

  void changesOfFiles_areRefused_data() {
    QTest::addColumn<int>("number");
    for (const char* name : {"unlink", "rename", "chmod", "mkdir", "link", "symlink", "mkfifo",
                             "times", "attributes", "folder"}) {
      QTest::newRow(name) << m_numbers++;
    }
  }
  void changesOfFiles_areRefused() {
    const std::string other = m_file + "2";
    const char* from = m_file.c_str();
    const char* to = other.c_str();
    const std::function<long()> calls[] = {
        [=] { return ::unlink(from); },
        [=] { return ::rename(from, to); },
        [=] { return ::chmod(from, 0777); },
        [=] { return ::mkdir(to, 0700); },
        [=] { return ::link(from, to); },
        [=] { return ::symlink(from, to); },
        [=] { return ::mknod(to, S_IFIFO | 0600, 0); },
        [=] { return ::utimensat(AT_FDCWD, from, nullptr, 0); },
        [=] { return ::syscall(SYS_setxattr, from, "user.a", "b", 1, 0); },
        [=] { return ::chdir("/"); }};
    QFETCH(int, number);
    QCOMPARE(tried(calls[number], reading()), "EPERM");
    QCOMPARE(contents(), QByteArray("text"));
  }

  void socket_isRefused() {
    QCOMPARE(tried([] { return ::socket(AF_INET, SOCK_STREAM, 0); }), "EPERM");
    QCOMPARE(tried([] { return ::socket(AF_UNIX, SOCK_STREAM, 0); }), "EPERM");
    QCOMPARE(tried([] { return ::socketpair(AF_UNIX, SOCK_STREAM, 0, nullptr); }), "EPERM");
    QCOMPARE(tried([] { return ::syscall(SYS_connect, 0, nullptr, 0); }), "EPERM");
    QCOMPARE(tried([] { return ::syscall(SYS_sendmsg, 3, nullptr, 0); }), "EPERM");
  }

  void ioUring_isRefused() {
    char parameters[256] = {};
    QCOMPARE(tried([&] { return ::syscall(SYS_io_uring_setup, 1, parameters); }), "EPERM");
  }

  void exec_isRefused() {
    QCOMPARE(tried([] { return ::execl("/bin/true", "true", nullptr); }), "EPERM");
    QCOMPARE(tried([] { return ::syscall(SYS_memfd_create, "x", 0); }), "EPERM");
    QCOMPARE(tried([] { return ::fork(); }), "EPERM");
    QCOMPARE(tried([] { return ::vfork(); }), "EPERM");
    QCOMPARE(tried([] { return ::syscall(SYS_clone3, nullptr, 0); }), "ENOSYS");
  }

  void thread_isRefused() {
    QCOMPARE(answerOf([] {
               try {
                 std::jthread thread([] {});
               } catch (const std::system_error&) {
                 return "refused";
               }
               return "started";
             }),
             "refused");
  }

  void killParent_isRefused() {
    QCOMPARE(tried([] { return ::kill(::getppid(), SIGKILL); }), "EPERM");
    QCOMPARE(tried([] { return ::syscall(SYS_tgkill, ::getppid(), ::getppid(), SIGKILL); }),
             "EPERM");
    // Newer kernels' Landlock refuses these, too; of no process at all only the filter does.
    QCOMPARE(tried([] { return ::syscall(SYS_tgkill, INT_MAX, INT_MAX, 0); }), "EPERM");
    QCOMPARE(tried([] { return ::syscall(SYS_tgkill, ::getpid(), ::gettid(), 0); }), "done");
    QCOMPARE(tried([] { return ::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr); }), "EPERM");
    QCOMPARE(tried([] { return ::syscall(SYS_process_vm_writev, ::getppid(), 0, 0, 0, 0, 0); }),
             "EPERM");
    QCOMPARE(tried([] { return ::syscall(SYS_pidfd_open, ::getppid(), 0); }), "EPERM");
  }

  void limits_stayAsTheyAre() {
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    QCOMPARE(tried([&] { return ::setrlimit(RLIMIT_CPU, &none); }), "EPERM");
    const struct rlimit fewer = {3, 3};  // Which needs no privilege.
    QCOMPARE(tried([&] { return ::setrlimit(RLIMIT_NOFILE, &fewer); }), "EPERM");
    struct rlimit limit = {};
    QCOMPARE(tried([&] { return ::getrlimit(RLIMIT_CPU, &limit); }), "done");
    QCOMPARE(
        tried([&] { return ::syscall(SYS_prlimit64, ::getppid(), RLIMIT_CPU, nullptr, &limit); }),
        "EPERM");
    QCOMPARE(tried([] { return ::fcntl(0, F_SETFL, O_ASYNC); }), "EPERM");
    QCOMPARE(tried([] { return ::fcntl(0, F_GETFL); }), "done");
  }

  void limits_areSet() {
    if (has_shadow_memory()) QSKIP("A sanitizer takes terabytes.");
    struct rlimit core = {};
    QCOMPARE(::getrlimit(RLIMIT_CORE, &core), 0);
    core.rlim_cur = core.rlim_max;  // Where a crash leaves one behind.
    QCOMPARE(::setrlimit(RLIMIT_CORE, &core), 0);
    constexpr uint64_t kBytes = uint64_t{3} << 30;
    const ConfineLimits limits = {.data_bytes = kBytes / 2, .address_bytes = kBytes, .cpu = 7s};
    const auto limitOf = [&](__rlimit_resource resource) {
      return answerOf(
          [resource] {
            struct rlimit limit = {};
            return ::getrlimit(resource, &limit) == 0 ? std::to_string(limit.rlim_cur) : "none";
          },
          limits);
    };
    QCOMPARE(limitOf(RLIMIT_CPU), "7");
    QCOMPARE(limitOf(RLIMIT_CORE), "0");  // It would hold what is read.
    QCOMPARE(limitOf(RLIMIT_FSIZE), "0");
    QCOMPARE(limitOf(RLIMIT_DATA), std::to_string(kBytes / 2));
    QCOMPARE(limitOf(RLIMIT_AS), std::to_string(kBytes));
    QCOMPARE(limitOf(RLIMIT_STACK), std::to_string(8 << 20));
  }

  /// What the limit on memory does not count. What it counts is mapped as ever.
  void uncountedMemory_isRefused() {
    constexpr size_t kBytes = 1 << 20;
    const auto mapped = [](int flags, int file = -1) {
      return tried([=] {
        void* const start = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, flags, file, 0);
        return start == MAP_FAILED ? -1L : 0L;
      });
    };
    QCOMPARE(mapped(MAP_SHARED | MAP_ANONYMOUS), "EPERM");
    QCOMPARE(mapped(MAP_SHARED_VALIDATE | MAP_ANONYMOUS), "EPERM");
    QCOMPARE(mapped(MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE), "EPERM");
    QCOMPARE(mapped(MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN), "EPERM");
    QCOMPARE(mapped(MAP_PRIVATE | MAP_ANONYMOUS), "done");
    QCOMPARE(mapped(MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE), "done");
    QCOMPARE(mapped(MAP_SHARED, 0), "ENODEV");  // /dev/null.
    QCOMPARE(tried([] { return ::syscall(SYS_shmget, IPC_PRIVATE, kBytes, 0600); }), "EPERM");
    // A page of the stack stays a part of it, wherever it is moved to.
    QCOMPARE(tried([] {
               char here[64 << 10] = {};
               const auto page = (reinterpret_cast<uintptr_t>(here) + 4095) & ~uintptr_t{4095};
               return ::syscall(SYS_mremap, page, 4096, kBytes, MREMAP_MAYMOVE);
             }),
             "EPERM");
  }

  /// Also for root, who could install the filter without it.
  void newPrivileges_areRefused() {
    const std::string status = answerOf(
        [] {
          char text[4096] = {};
          const int file = ::open("/proc/self/status", O_RDONLY);
          return ::read(file, text, sizeof text - 1) > 0 ? std::string(text) : std::string();
        },
        {.readable = {"/proc"}});
    QVERIFY2(status.find("NoNewPrivs:\t1\n") != std::string::npos, status.c_str());
    QVERIFY2(status.find("Seccomp:\t2\n") != std::string::npos, status.c_str());
  }

  /// A terminal there could be written to, and be read from.
  void standardStreams_areNothing() {
    for (const int stream : {0, 1}) {
      QCOMPARE(answerOf([stream] {
                 struct stat of = {};
                 struct stat nothing = {};
                 if (::fstat(stream, &of) != 0 || ::stat("/dev/null", &nothing) != 0) return "none";
                 return of.st_rdev == nothing.st_rdev ? "/dev/null" : "another";
               }),
               "/dev/null");
    }
  }

  void process_endsWithTheOneThatAsked() {
    const pid_t asking = ::fork();
    if (asking == 0) {
      static_cast<void>(answerOf([] {
        ::sleep(1000);
        return std::string();
      }));
      ::_exit(0);
    }
    const QString children = QString("/proc/%1/task/%1/children").arg(asking);
    const auto read = [](const QString& path) {
      QFile file(path);
      return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed() : QByteArray();
    };
    if (!QFile::exists(children)) QSKIP("This system does not list children.");
    QByteArray confined;
    QTRY_VERIFY(!(confined = read(children)).isEmpty());
    QTest::qWait(200);  // Until it is confined.
    ::kill(asking, SIGKILL);
    ::waitpid(asking, nullptr, 0);
    // Gone, or waiting for init to notice.
    const QString status = QString("/proc/%1/stat").arg(QString::fromLatin1(confined));
    const auto hasEnded = [&] {
      const QByteArray stat = read(status);
      return stat.isEmpty() || stat.contains(") Z ") || stat.contains(") X ");
    };
    const bool ended = QTest::qWaitFor(hasEnded, 5000);
    if (!ended) ::kill(confined.toInt(), SIGKILL);
    QVERIFY(ended);
  }

  /// The same kernel serves 32-bit programs, whose calls have other numbers.
  void otherArchitectures_endTheProcess() {
#if defined(__x86_64__)
    const auto wentOn = [] { return std::string("went on"); };
    QCOMPARE(codeOf(confined_call(
                 {}, 5s,
                 [&] {
                   long result = 20;  // getpid
                   asm volatile("int $0x80" : "+a"(result) : : "memory");
                   return wentOn();
                 },
                 "a.gguf")),
             ErrorCode::kCorruptFile);
    QCOMPARE(codeOf(confined_call(
                 {}, 5s,
                 [&] {
                   (void)::syscall(0x40000000 | SYS_getpid);
                   return wentOn();
                 },
                 "a.gguf")),
             ErrorCode::kCorruptFile);
#else
    QSKIP("This processor has one set of system calls.");
#endif
  }

  void openFiles_areClosed() {
    const int file = ::open(m_file.c_str(), O_RDONLY);
    char byte = 0;
    QCOMPARE(tried([&] { return ::pread(file, &byte, 1, 0); }), "EBADF");
    ::close(file);
  }

  void readingElsewhere_isRefused() {
    if (!m_hasLandlock) QSKIP("This system has no Landlock.");
    const auto read = [&](const std::string& path, std::vector<std::filesystem::path> readable) {
      return tried([&] { return ::open(path.c_str(), O_RDONLY); }, {.readable = readable});
    };
    const std::filesystem::path folder = m_folder->path().toStdString();
    QCOMPARE(read(m_file, {}), "EACCES");
    QCOMPARE(read(folder, {m_file}), "EACCES");
    QCOMPARE(read("/etc/passwd", {folder}), "EACCES");
    QCOMPARE(read("/proc/self/maps", {folder}), "EACCES");
    QCOMPARE(read(m_file, {m_file}), "done");
    QCOMPARE(read(m_file, {folder}), "done");
    QCOMPARE(read(folder, {folder}), "done");
  }

  /// As in the cache of Hugging Face, and as Ollama's models are linked into folders.
  void links_areFollowed() {
    namespace fs = std::filesystem;
    const fs::path folder = m_folder->path().toStdString();
    for (const char* name : {"blobs", "snapshot"}) fs::create_directory(folder / name);
    fs::rename(m_file, folder / "blobs/1");
    fs::copy_file(folder / "blobs/1", folder / "blobs/2");
    fs::create_symlink("../blobs/1", folder / "snapshot/m-00001-of-00002.gguf");
    fs::create_symlink("../blobs/2", folder / "snapshot/m-00002-of-00002.gguf");
    const auto reads = [&](const fs::path& model, const char* name) {
      return tried([&] { return ::open((folder / name).c_str(), O_RDONLY); },
                   {.readable = readable_paths(model)});
    };
    const fs::path part = folder / "snapshot/m-00001-of-00002.gguf";
    QCOMPARE(reads(folder / "snapshot", "snapshot/m-00002-of-00002.gguf"), "done");
    fs::create_directory(folder / "many");
    for (int i = 0; i < 4200; ++i) {
      fs::create_symlink("../blobs/1", folder / "many" / std::to_string(i));
    }
    QCOMPARE(readable_paths(folder / "many").size(), size_t{4096});
    QCOMPARE(reads(part, "snapshot/m-00002-of-00002.gguf"), "done");
    fs::copy_file(folder / "blobs/1", folder / "snapshot/other.gguf");
    if (m_hasLandlock) QCOMPARE(reads(part, "snapshot/other.gguf"), "EACCES");
  }

  void crash_endsWithASentence() {
    const auto end = confined_call(
        {}, 5s,
        []() -> std::string {
          signal(SIGSEGV, SIG_DFL);
          raise(SIGSEGV);
          return {};
        },
        "a.gguf");
    QVERIFY(!end);
    QCOMPARE(end.error().code, ErrorCode::kCorruptFile);
    QVERIFY(end.error().message.find("a.gguf") != std::string::npos);
  }

  void exception_staysInTheProcess() {
    QCOMPARE(codeOf(confined_call(
                 {}, 5s, []() -> std::string { throw std::length_error("x"); }, "a.gguf")),
             ErrorCode::kCorruptFile);
  }

  void memory_endsWithASentence() {
    if (has_shadow_memory()) QSKIP("A sanitizer takes terabytes.");
    const auto end = confined_call(
        {.data_bytes = 64 << 20}, 5s,
        [] { return std::to_string(std::vector<char>(256 << 20, 'x').back()); }, "a.gguf");
    QCOMPARE(codeOf(end), ErrorCode::kOutOfMemory);
    const auto in_destructor = confined_call(
        {.data_bytes = 64 << 20}, 5s,
        []() noexcept { return std::to_string(std::vector<char>(256 << 20, 'x').back()); },
        "a.gguf");
    QCOMPARE(codeOf(in_destructor), ErrorCode::kOutOfMemory);
  }

  void cpu_endsWithASentence() {
    QElapsedTimer time;
    time.start();
    QCOMPARE(codeOf(confined_call({.cpu = 1s}, 60s, spin, "a.gguf")), ErrorCode::kUnsupported);
    QVERIFY(time.elapsed() < 30'000);
  }

  void hang_endsAtTheDeadline() {
    QElapsedTimer time;
    time.start();
    const auto end = confined_call(
        {}, 200ms,
        [] {
          ::sleep(1000);
          return std::string();
        },
        "a.gguf");
    QCOMPARE(codeOf(end), ErrorCode::kCancelled);  // A busy machine looks like that.
    QVERIFY(time.elapsed() < 5'000);
    QCOMPARE(::waitpid(-1, nullptr, WNOHANG), -1);  // Nothing is left behind.
  }

  void computing_pastTheDeadline_isItsOwnFault() {
    QCOMPARE(late_error(200ms, 200ms, "a.gguf").code, ErrorCode::kUnsupported);
    QCOMPARE(late_error(100ms, 200ms, "a.gguf").code, ErrorCode::kUnsupported);
    QCOMPARE(late_error(99ms, 200ms, "a.gguf").code, ErrorCode::kCancelled);
    QCOMPARE(late_error(0ms, 200ms, "a.gguf").code, ErrorCode::kCancelled);
    // Half of what it may have. A busy machine takes longer to give it so much.
    const auto work = [] {
      while (test::thread_ms() < 600) {
      }
      ::sleep(1000);
      return std::string();
    };
    ErrorCode code = ErrorCode::kCancelled;
    for (auto wall = 1s; wall <= 32s && code == ErrorCode::kCancelled; wall *= 2) {
      code = codeOf(confined_call({.cpu = 1s}, wall, work, "a.gguf"));
    }
    QCOMPARE(code, ErrorCode::kUnsupported);
  }

  void termination_isNobodysFault() {
    const auto end = confined_call(
        {}, 5s,
        []() -> std::string {
          signal(SIGTERM, SIG_DFL);
          raise(SIGTERM);
          return {};
        },
        "a.gguf");
    QCOMPARE(codeOf(end), ErrorCode::kCancelled);
  }

  void longAnswer_isAnError() {
    QVERIFY(!confined_call(
        {}, 5s, [] { return std::string(4 << 20, 'x'); }, "a.gguf"));
    QVERIFY(confined_call(
        {.answer_bytes = 8 << 20}, 5s, [] { return std::string(4 << 20, 'x'); }, "a.gguf"));
  }

  void honestModel_isRead() {
    const std::filesystem::path data = QUIRE_SOURCE_DIR "/tests/data";
    std::vector<std::filesystem::path> models;
    for (const auto& entry : std::filesystem::directory_iterator(data / "gguf")) {
      if (entry.path().extension() == ".gguf") models.push_back(entry.path());
    }
    if (std::filesystem::exists(bundled_model_path())) models.push_back(bundled_model_path());
    QVERIFY(models.size() > 3);
    for (const auto& model : models) {
      const std::string confined =
          answerOf([&] { return facts_of(model); }, {.readable = readable_paths(model)});
      QCOMPARE(confined, facts_of(model));
    }
  }

  /// Mapped weights may be larger than the machine.
  void thirtyGigabyteSparseFile_isMapped() {
    constexpr size_t kBytes = size_t{30} << 30;
    if (::truncate(m_file.c_str(), kBytes) != 0) QSKIP("The disk has no such files.");
    const std::string read = answerOf(
        [&] {
          const int file = ::open(m_file.c_str(), O_RDONLY);
          const void* bytes = ::mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE, file, 0);
          if (bytes == MAP_FAILED) return std::string(strerrorname_np(errno));
          return std::to_string(static_cast<const char*>(bytes)[kBytes - 1]);
        },
        reading());
    QCOMPARE(read, "0");
  }

 private:
  ConfineLimits reading() const {
    return {.readable = {m_folder->path().toStdString()}};
  }
  QByteArray contents() const {
    QFile file(QString::fromStdString(m_file));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  Confinement m_here;
  bool m_hasLandlock = false;
  std::unique_ptr<QTemporaryDir> m_folder;
  std::string m_file;
  int m_numbers = 0;
};

QTEST_GUILESS_MAIN(ConfineTest)
#include "tst_confine.moc"
