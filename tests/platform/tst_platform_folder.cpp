#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cerrno>

#include "platform/folder.h"

namespace platform = quire::platform;
namespace fs = std::filesystem;

/// What all systems promise alike about folders.
class TestPlatformFolder : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_temporary = std::make_unique<QTemporaryDir>();
    QVERIFY(m_temporary->isValid());
    m_folder = fs::path(m_temporary->path().toStdU16String());
  }

  void rightsOf_areTheUsersOwn() {
    const auto rights = platform::rights_of(m_folder);
    QVERIFY(rights && rights->is_own);
    QCOMPARE(rights->mode & 0700, 0700u);
    QVERIFY(!platform::rights_of(m_folder / "missing"));
    QCOMPARE(errno, ENOENT);
  }

  void rightsOf_showWhatSetModeSet() {
    for (const uint32_t mode : {0700u, 0750u, 0722u | platform::kIsSticky, 0700u}) {
      if (!platform::set_mode(m_folder, mode)) QSKIP("this system has no such permissions");
      QCOMPARE(platform::rights_of(m_folder)->mode, mode);
    }
  }

  /// A group that may not write is nobody's business.
  void rightsOf_asksForTheGroupOnlyIfItMayWrite() {
    if (!platform::set_mode(m_folder, 0750)) QSKIP("this system has no such permissions");
    QVERIFY(!platform::rights_of(m_folder)->is_group_private);
  }

  void mayChange_leavesNothingBehind() {
    QVERIFY(platform::may_change(m_folder));
    QVERIFY(fs::is_empty(m_folder));
    QVERIFY(!platform::may_change(m_folder / "missing"));
    QCOMPARE(errno, ENOENT);
  }

  void fileSystemType_isKnownToBeOne() {
    QVERIFY(!platform::file_system_type(m_folder / "missing"));
    QCOMPARE(platform::file_system_type(m_folder), platform::file_system_type(m_folder));
    if (fs::exists("/proc/self")) QCOMPARE(platform::file_system_type("/proc/self"), 0x9fa0u);
  }

  void freeBytes_areThoseOfTheNearestFolderThatIsThere() {
    const auto here = platform::free_bytes(m_folder);
    QVERIFY(here && *here > 0);
    QVERIFY(platform::free_bytes(m_folder / "missing" / "deeper"));
    QVERIFY(platform::free_bytes("missing"));
    QFile file(m_temporary->filePath("file"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QVERIFY(platform::free_bytes(m_folder / "file" / "below"));
    if (fs::exists("/proc/self")) QCOMPARE(platform::free_bytes("/proc/self"), uint64_t{0});
  }

 private:
  std::unique_ptr<QTemporaryDir> m_temporary;
  fs::path m_folder;
};

QTEST_APPLESS_MAIN(TestPlatformFolder)
#include "tst_platform_folder.moc"
