#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "app/store/data_folder.h"
#include "app/store/file_system.h"

using namespace quire;

namespace {

/// While it is set, permissions cannot be changed, as on a FAT file system (fat_allow_set_mode() of
/// Linux).
bool g_lacksPermissions = false;

quint32 modeOf(const QString& path) {
  struct stat status {};
  if (::stat(QFile::encodeName(path).constData(), &status) != 0) return 0;
  return status.st_mode & 07777;
}

void setMode(const QString& path, quint32 mode) {
  QCOMPARE(::chmod(QFile::encodeName(path).constData(), mode), 0);
}

}  // namespace

// Instead of the C library's, for the whole program.
extern "C" {

int chmod(const char* path, mode_t mode) noexcept {
  if (g_lacksPermissions) return (errno = EPERM, -1);
  return static_cast<int>(::syscall(SYS_chmod, path, mode));
}

int fchmodat(int folder, const char* path, mode_t mode, int) noexcept {
  if (g_lacksPermissions) return (errno = EPERM, -1);
  return static_cast<int>(::syscall(SYS_fchmodat, folder, path, mode));
}
}

class TestDataFolder : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_parent = std::make_unique<QTemporaryDir>();
    QVERIFY(QDir(m_parent->path()).mkdir("data"));
  }

  void newFolder_isPrivate() {
    const QString folder = m_parent->filePath("deep/new");
    QVERIFY(ensureDataFolder(folder));
    QCOMPARE(modeOf(folder), 0700u);
  }

  void writableByOthers_isNarrowed_data() {
    QTest::addColumn<quint32>("before");
    QTest::addColumn<quint32>("after");
    QTest::newRow("by all") << 0777u << 0755u;
    QTest::newRow("by others") << 0703u << 0701u;
    QTest::newRow("read by all") << 0755u << 0755u;
    QTest::newRow("private") << 0700u << 0700u;
  }
  void writableByOthers_isNarrowed() {
    QFETCH(quint32, before);
    QFETCH(quint32, after);
    setMode(folder(), before);
    const auto ensured = ensureDataFolder(folder());
    QVERIFY2(ensured, ensured ? "" : ensured.error().message.c_str());
    QCOMPARE(modeOf(folder()), after);
  }

  void writableByAnotherGroup_isNarrowed() {
    if (geteuid() != 0) QSKIP("only root may give folders away");
    QCOMPARE(chown(qPrintable(folder()), 0, 65534), 0);
    setMode(folder(), 0775);
    QVERIFY(ensureDataFolder(folder()));
    QCOMPARE(modeOf(folder()), 0755u);
  }

  void folderForEverybody_isRefusedUntouched() {
    setMode(folder(), 01777);  // As /tmp is.
    const auto refused = ensureDataFolder(folder());
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::kIo);
    const QString sentence = QString::fromStdString(refused.error().message);
    QVERIFY2(sentence.contains(folder()) && sentence.contains("--data"), qPrintable(sentence));
    QCOMPARE(modeOf(folder()), 01777u);
  }

  void writableByOthersAndNotOurs_isRefused() {
    if (geteuid() != 0) QSKIP("only root may give folders away");
    QCOMPARE(chown(qPrintable(folder()), 65534, 65534), 0);
    setMode(folder(), 0777);
    QVERIFY(!ensureDataFolder(folder()));
    QCOMPARE(modeOf(folder()), 0777u);
  }

  /// Such as a stick: who may read it is decided by its mount.
  void fileSystemWithoutPermissions_works() {
    g_lacksPermissions = true;
    const auto made = ensureDataFolder(m_parent->filePath("deep/stick"));
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    const auto file = ensurePrivateFile(m_parent->filePath("deep/stick/quire.db"));
    QVERIFY2(file, file ? "" : file.error().message.c_str());
    QVERIFY(ensureDataFolder(m_parent->filePath("deep/stick")));
    QVERIFY(ensurePrivateFile(m_parent->filePath("deep/stick/quire.db")));
    g_lacksPermissions = false;
  }

  void access_data() {
    QTest::addColumn<quint32>("mode");
    QTest::addColumn<bool>("isGroupPrivate");
    QTest::addColumn<bool>("hasPermissions");
    QTest::addColumn<bool>("isWritable");
    QTest::newRow("private") << 0700u << false << true << false;
    QTest::newRow("read by all") << 0755u << false << true << false;
    QTest::newRow("umask 002 with private groups") << 0775u << true << true << false;
    QTest::newRow("a shared group") << 0775u << false << true << true;
    QTest::newRow("others, a private group") << 0777u << true << true << true;
    QTest::newRow("noPermissionsFileSystem_works") << 0777u << false << false << false;
  }
  void access() {
    QFETCH(quint32, mode);
    QFETCH(bool, isGroupPrivate);
    QFETCH(bool, hasPermissions);
    QFETCH(bool, isWritable);
    const FolderAccess folder{
        .mode = mode, .isGroupPrivate = isGroupPrivate, .hasPermissions = hasPermissions};
    QCOMPARE(isWritableByOthers(folder), isWritable);
  }

  void fileSystem_isKnownByItsNumber_data() {
    QTest::addColumn<quint32>("type");
    QTest::addColumn<QString>("network");
    QTest::addColumn<bool>("hasPermissions");
    QTest::newRow("ext4") << 0xef53u << "" << true;
    QTest::newRow("btrfs") << 0x9123683eu << "" << true;
    QTest::newRow("tmpfs") << 0x01021994u << "" << true;
    QTest::newRow("vfat") << 0x4d44u << "" << false;
    QTest::newRow("FUSE") << 0x65735546u << "" << false;
    QTest::newRow("NFS") << 0x6969u << "NFS" << true;
    QTest::newRow("CIFS") << 0xff534d42u << "SMB" << false;
    QTest::newRow("SMB 2") << 0xfe534d42u << "SMB" << false;
    QTest::newRow("9P, as in WSL") << 0x01021997u << "9P" << false;
  }
  void fileSystem_isKnownByItsNumber() {
    QFETCH(quint32, type);
    QFETCH(QString, network);
    QFETCH(bool, hasPermissions);
    QCOMPARE(fileSystemOfType(type).network, network);
    QCOMPARE(fileSystemOfType(type).hasPermissions, hasPermissions);
  }

  void fileSystem_ofAMissingPathIsUnknown() {
    QVERIFY(fileSystemOf("/nowhere/at/all").network.isEmpty());
  }

  void existingFile_becomesPrivate() {
    QFile file(m_parent->filePath("file"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    setMode(file.fileName(), 0666);
    QVERIFY(ensurePrivateFile(file.fileName()));
    QCOMPARE(modeOf(file.fileName()), 0600u);
  }

  /// Closing a file takes a process's locks from it, also those of SQLite.
  void existingFile_staysLocked() {
    QFile file(m_parent->filePath("file"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    struct flock lock {};
    lock.l_type = F_WRLCK;
    QCOMPARE(::fcntl(file.handle(), F_SETLK, &lock), 0);
    QVERIFY(ensurePrivateFile(file.fileName()));
    const pid_t child = ::fork();
    if (child == 0) {
      const bool isAsked = ::fcntl(file.handle(), F_GETLK, &lock) == 0;
      ::_exit(isAsked && lock.l_type == F_WRLCK ? 0 : 1);
    }
    int status = -1;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY2(status == 0, "another program could lock it");
  }

 private:
  QString folder() const { return m_parent->filePath("data"); }

  std::unique_ptr<QTemporaryDir> m_parent;
};

QTEST_GUILESS_MAIN(TestDataFolder)
#include "tst_data_folder.moc"
