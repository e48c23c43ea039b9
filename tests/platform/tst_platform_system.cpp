#include <QSysInfo>
#include <QTest>
#include <array>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "platform/file.h"
#include "platform/memory.h"
#include "platform/processor.h"
#include "platform/program.h"
#include "platform/system.h"
#include "platform/terminal.h"
#include "platform/time.h"

namespace platform = quire::platform;
namespace fs = std::filesystem;

/// What all systems promise alike about the machine, the program and the time.
class TestPlatformSystem : public QObject {
  Q_OBJECT

 private slots:
  void programPath_isThisProgram();
  void loadLibrary_saysWhyItCannot();
  void environment_tellsUnsetFromEmpty();
  void fillRandom_givesOtherBytesEachTime();
  void userFolder_isTheVariablesIfItIsAbsolute();
  void memorySizes_fitTogether();
  void processor_isDescribed();
  void systemNames_areQtsOwn();
  void bootId_staysAsLongAsTheMachineRuns();
  void allowOpenFiles_neverForbids();
  void processSeconds_growWithWork();
  void formatTime_writesEnglish_data();
  void formatTime_writesEnglish();
  void formatTime_countsWeeks_data();
  void formatTime_countsWeeks();
  void utcTime_isOfUtc();
  void isTerminal_isFalseOfAFile();
};

namespace {

std::string shown(const char* directive, const std::tm& time) {
  char text[64];
  return std::string(text, platform::format_time(text, directive, time));
}

/// Midnight of a day, in seconds since 1970.
std::time_t day(int year, unsigned month, unsigned number) {
  const std::chrono::sys_days days =
      std::chrono::year(year) / static_cast<int>(month) / static_cast<int>(number);
  return std::chrono::duration_cast<std::chrono::seconds>(days.time_since_epoch()).count();
}

}  // namespace

void TestPlatformSystem::programPath_isThisProgram() {
  const fs::path program = platform::program_path();
  QVERIFY(program.is_absolute());
  QCOMPARE(program.stem().string(), std::string("tst_platform_system"));
  const fs::path code = platform::code_path(reinterpret_cast<const void*>(&shown));
  // Linux says it as the program was called, which may be relative.
  QVERIFY(code.empty() || code.filename() == program.filename());
  QVERIFY(platform::process_id() > 0);
}

void TestPlatformSystem::loadLibrary_saysWhyItCannot() {
  std::string reason;
  const fs::path path = fs::temp_directory_path() / platform::library_file_name("quire-missing");
  QVERIFY(platform::load_library(path, reason) == nullptr);
  QVERIFY2(reason.find("quire-missing") != reason.npos, reason.c_str());
}

void TestPlatformSystem::environment_tellsUnsetFromEmpty() {
  QVERIFY(!platform::environment("QUIRE_NOT_SET_ANYWHERE"));
  qputenv("QUIRE_PLATFORM_TEST", "a value");
  QCOMPARE(platform::environment("QUIRE_PLATFORM_TEST").value_or(""), std::string("a value"));
}

void TestPlatformSystem::fillRandom_givesOtherBytesEachTime() {
  std::array<std::byte, 1000> one{}, other{};
  QVERIFY(platform::fill_random(one));
  QVERIFY(platform::fill_random(other));
  QVERIFY(one != other);
  // Also behind the most that one call of the system gives.
  QVERIFY(std::set<std::byte>(one.begin() + 700, one.end()).size() > 50);
}

void TestPlatformSystem::userFolder_isTheVariablesIfItIsAbsolute() {
  const fs::path folder = fs::temp_directory_path();
  qputenv("XDG_CACHE_HOME", folder.string().c_str());
  QCOMPARE(platform::user_folder("XDG_CACHE_HOME", ".cache"), folder);
  qputenv("XDG_CACHE_HOME", "relative");
  const fs::path own = platform::user_folder("XDG_CACHE_HOME", ".cache");
  QVERIFY(own.empty() || own.is_absolute());
  QVERIFY(own != folder);
}

void TestPlatformSystem::memorySizes_fitTogether() {
  const platform::MemorySizes sizes = platform::memory_sizes();
  QVERIFY(sizes.total_bytes > 100'000'000);
  QVERIFY(sizes.available_bytes > 0);
  QVERIFY(sizes.available_bytes <= sizes.total_bytes);
}

void TestPlatformSystem::processor_isDescribed() {
  const auto processors = platform::usable_processors();
  QVERIFY(!processors.empty());
  QVERIFY(processors.size() <= std::thread::hardware_concurrency());
  QVERIFY(platform::count_usable_cores() <= static_cast<int>(processors.size()));
  QVERIFY(!platform::processor_description().empty());
  QVERIFY(platform::last_level_cache_bytes() >= 0);
}

void TestPlatformSystem::systemNames_areQtsOwn() {
  const platform::SystemNames names = platform::system_names();
  QString kernel = QString::fromStdString(names.kernel).toLower();
  QCOMPARE(kernel == "nt" ? "winnt" : kernel, QSysInfo::kernelType());
  QCOMPARE(QString::fromStdString(names.release), QSysInfo::kernelVersion());
  QCOMPARE(QString::fromStdString(names.architecture), QSysInfo::currentCpuArchitecture());
  // "unknown" and kernels' names stand for systems that do not say.
  const QString product = QSysInfo::prettyProductName().section(' ', 0, 0);
  if (QSysInfo::productType() == "unknown") QSKIP("the system does not say what it is");
  const QString description = QString::fromStdString(names.description);
  QVERIFY2(description.contains("PRETTY_NAME=") && description.contains(product),
           qPrintable(description));
}

void TestPlatformSystem::bootId_staysAsLongAsTheMachineRuns() {
  const std::string id = platform::boot_id();
  QCOMPARE(platform::boot_id(), id);
  if (id.empty()) QSKIP("the system does not say");
  QCOMPARE(QString::fromStdString(id).trimmed(), QString::fromStdString(id));
  QCOMPARE(QByteArray::fromStdString(id), QSysInfo::bootUniqueId());
}

void TestPlatformSystem::allowOpenFiles_neverForbids() {
  platform::allow_open_files(1);
  platform::allow_open_files(300);
  std::vector<int> files;
  for (int i = 0; i < 100; ++i) files.push_back(platform::open_file(platform::program_path(), {}));
  for (const int file : files) {
    QVERIFY(file >= 0);
    platform::close_file(file);
  }
}

void TestPlatformSystem::processSeconds_growWithWork() {
  const double before = platform::process_seconds();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (platform::process_seconds() - before < 0.05) {
    QVERIFY(std::chrono::steady_clock::now() < end);
  }
}

void TestPlatformSystem::formatTime_writesEnglish_data() {
  QTest::addColumn<QString>("directive");
  QTest::addColumn<QString>("expected");
  // Of Sunday, 2 March 2025, 00:07:09, by Python's strftime in the C locale.
  const std::pair<const char*, const char*> rows[] = {
      {"%a", "Sun"},         {"%A", "Sunday"},
      {"%b", "Mar"},         {"%B", "March"},
      {"%C", "20"},          {"%d", "02"},
      {"%D", "03/02/25"},    {"%e", " 2"},
      {"%F", "2025-03-02"},  {"%H", "00"},
      {"%I", "12"},          {"%j", "061"},
      {"%m", "03"},          {"%M", "07"},
      {"%p", "AM"},          {"%R", "00:07"},
      {"%S", "09"},          {"%T", "00:07:09"},
      {"%u", "7"},           {"%w", "0"},
      {"%x", "03/02/25"},    {"%X", "00:07:09"},
      {"%y", "25"},          {"%Y", "2025"},
      {"%%", "%"},           {"%c", "Sun Mar  2 00:07:09 2025"},
      {"%r", "12:07:09 AM"}, {"%-d", "2"},
      {"%-m", "3"},          {"%-H", "0"},
      {"%-I", "12"}};
  for (const auto& [directive, expected] : rows) {
    QTest::newRow(directive) << directive << expected;
  }
}

void TestPlatformSystem::formatTime_writesEnglish() {
  QFETCH(QString, directive);
  QFETCH(QString, expected);
  const std::tm time = platform::utc_time(day(2025, 3, 2) + 7 * 60 + 9);
  QCOMPARE(QString::fromStdString(shown(directive.toUtf8().constData(), time)), expected);
}

void TestPlatformSystem::formatTime_countsWeeks_data() {
  QTest::addColumn<int>("year");
  QTest::addColumn<int>("month");
  QTest::addColumn<int>("number");
  QTest::addColumn<QString>("weeks");  // %U %W %G-%V, by Python.
  QTest::newRow("the first Sunday") << 2023 << 1 << 1 << "01 00 2022-52";
  QTest::newRow("the first Monday") << 2023 << 1 << 2 << "01 01 2023-01";
  QTest::newRow("53 weeks") << 2021 << 1 << 3 << "01 00 2020-53";
  QTest::newRow("in the next year") << 2024 << 12 << 30 << "52 53 2025-01";
  QTest::newRow("the last Sunday") << 2024 << 12 << 29 << "52 52 2024-52";
  QTest::newRow("a leap day") << 2024 << 2 << 29 << "08 09 2024-09";
}

void TestPlatformSystem::formatTime_countsWeeks() {
  QFETCH(int, year);
  QFETCH(int, month);
  QFETCH(int, number);
  QFETCH(QString, weeks);
  const std::tm time =
      platform::utc_time(day(year, static_cast<unsigned>(month), static_cast<unsigned>(number)));
  const std::string found = shown("%U", time) + " " + shown("%W", time) + " " + shown("%G", time) +
                            "-" + shown("%V", time);
  QCOMPARE(QString::fromStdString(found), weeks);
}

void TestPlatformSystem::utcTime_isOfUtc() {
  const std::tm time = platform::utc_time(1'000'000'000);
  QCOMPARE(time.tm_year, 101);
  QCOMPARE(time.tm_mon, 8);
  QCOMPARE(time.tm_mday, 9);
  QCOMPARE(time.tm_hour, 1);
  const std::tm local = platform::local_time(1'000'000'000);
  QVERIFY(local.tm_mday == 8 || local.tm_mday == 9);
}

void TestPlatformSystem::isTerminal_isFalseOfAFile() {
  QVERIFY(std::freopen(qPrintable(QString::fromStdString(platform::program_path().string())), "rb",
                       stdin) != nullptr);
  QVERIFY(!platform::is_terminal(platform::Stream::kInput));
}

QTEST_APPLESS_MAIN(TestPlatformSystem)
#include "tst_platform_system.moc"
