// The shell scripts of the .run file (docs/packages.md), around a program of a few bytes.
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

namespace {

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool write(const QString& path, const QByteArray& content, bool isProgram = false) {
  if (!QDir().mkpath(QFileInfo(path).path())) return false;
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) return false;
  return !isProgram || file.setPermissions(file.permissions() | QFile::ExeOwner);
}

QByteArray packagingFile(const QString& name) {
  return contentOf(QStringLiteral(QUIRE_SOURCE_DIR "/packaging/linux/") + name);
}

struct Ending {
  int code = -1;
  QString text;
};

}  // namespace

class TestRunFile : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    for (const char* tool : {"xz", "tar", "sha256sum"}) {
      if (QStandardPaths::findExecutable(tool).isEmpty()) QSKIP("xz, tar or sha256sum is missing.");
    }
  }

  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(QDir(m_folder->path()).mkpath("a home"));
    QVERIFY(makeRunFile("0.9.0"));
    QVERIFY(write(path(".local/share/quire/quire.db"), "chats"));
  }

  void run_startsTheProgramWithoutInstalling() {
    const Ending first = run({"a model.gguf", "--device", "cpu"});
    QCOMPARE(first.text, QString("window 0.9.0 a model.gguf|--device|cpu|\n"));
    QCOMPARE(run({"--cli", "chat"}).text, QString("cli 0.9.0 chat|\n"));
    QVERIFY(!QFile::exists(path(".local/opt/quire")));
    QCOMPARE(QDir(path(".cache/quire")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 1);
  }

  void run_refusesADamagedFile() {
    QByteArray content = contentOf(runFile());
    content[content.size() - 20] = char(content[content.size() - 20] ^ 1);
    QVERIFY(write(runFile(), content, true));
    for (const char* action : {"--verify", "--install", "--cli"}) {
      const Ending ending = run({action});
      QCOMPARE(ending.code, 1);
      QVERIFY2(ending.text.contains("damaged or incomplete"), qPrintable(ending.text));
    }
    QVERIFY(!QFile::exists(path(".local/opt/quire")));
    QVERIFY(!QFile::exists(path(".cache/quire")) || QDir(path(".cache/quire")).isEmpty());
  }

  void install_putsTheProgramIntoTheMenu() {
    QCOMPARE(run({"--install"}).code, 0);
    QCOMPARE(QFile::symLinkTarget(path(".local/bin/quire")), path(".local/opt/quire/bin/quire"));
    const QByteArray entry = contentOf(path(".local/share/applications/quire.desktop"));
    QVERIFY2(entry.contains("\nExec=\"" + path(".local/opt/quire/bin/quire").toUtf8() + "\" %f\n"),
             entry.constData());
    QVERIFY(QFile::exists(path(".local/share/icons/hicolor/scalable/apps/quire.svg")));
    QVERIFY(QDir(path(".local/opt")).entryList(QDir::Dirs | QDir::Hidden | QDir::NoDotAndDotDot) ==
            QStringList("quire"));
  }

  void install_leavesAnotherFileOfThatName() {
    QVERIFY(write(path(".local/bin/quire"), "mine"));
    const Ending ending = run({"--install"});
    QCOMPARE(ending.code, 0);
    QVERIFY(ending.text.contains("another file and stays"));
    QCOMPARE(contentOf(path(".local/bin/quire")), QByteArray("mine"));
    QCOMPARE(uninstall({}).code, 0);
    QCOMPARE(contentOf(path(".local/bin/quire")), QByteArray("mine"));
  }

  void install_upgradesAndKeepsTheChats() {
    QCOMPARE(run({"--install"}).code, 0);
    QVERIFY(makeRunFile("0.10.0"));
    QCOMPARE(run({"--install"}).code, 0);
    QCOMPARE(contentOf(path(".local/opt/quire/VERSION")), QByteArray("0.10.0\n"));
    QCOMPARE(contentOf(path(".local/share/quire/quire.db")), QByteArray("chats"));
  }

  void install_refusesAnOlderVersion() {
    QCOMPARE(run({"--install"}).code, 0);
    QVERIFY(makeRunFile("0.8.10"));
    const Ending ending = run({"--install"});
    QCOMPARE(ending.code, 1);
    QVERIFY2(ending.text.contains("version 0.9.0 is installed, which is newer than 0.8.10"),
             qPrintable(ending.text));
    QCOMPARE(contentOf(path(".local/opt/quire/VERSION")), QByteArray("0.9.0\n"));
    QCOMPARE(run({"--install", "--force"}).code, 0);
    QCOMPARE(contentOf(path(".local/opt/quire/VERSION")), QByteArray("0.8.10\n"));
  }

  void install_refusesWhileTheProgramRuns() {
    QCOMPARE(run({"--install"}).code, 0);
    const QString program = path(".local/opt/quire/bin/sleeper");
    QVERIFY(QFile::copy(QStandardPaths::findExecutable("sleep"), program));
    QProcess sleeper;
    sleeper.start(program, {"60"});
    QVERIFY(sleeper.waitForStarted());
    for (const Ending& ending : {run({"--install"}), uninstall({})}) {
      QCOMPARE(ending.code, 1);
      QVERIFY2(ending.text.contains("it is running"), qPrintable(ending.text));
    }
    sleeper.kill();
    sleeper.waitForFinished();
    QCOMPARE(uninstall({}).code, 0);
  }

  void uninstall_keepsTheChatsUnlessTold_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<bool>("isKept");
    QTest::newRow("nobody to ask") << QStringList() << true;
    QTest::newRow("keep") << QStringList("--keep-data") << true;
    QTest::newRow("delete") << QStringList("--delete-data") << false;
  }

  void uninstall_keepsTheChatsUnlessTold() {
    QFETCH(QStringList, options);
    QFETCH(bool, isKept);
    QCOMPARE(run({"--install"}).code, 0);
    QCOMPARE(uninstall(options).code, 0);
    QCOMPARE(QFile::exists(path(".local/share/quire/quire.db")), isKept);
    QVERIFY(!QFile::exists(path(".local/opt/quire")));
    QVERIFY(!QFileInfo(path(".local/bin/quire")).isSymLink());
    QVERIFY(!QFile::exists(path(".local/share/applications/quire.desktop")));
    QVERIFY(!QFile::exists(path(".local/share/icons/hicolor/scalable/apps/quire.svg")));
  }

  void uninstall_asksOnATerminal_data() {
    QTest::addColumn<QByteArray>("typed");
    QTest::addColumn<bool>("isKept");
    QTest::newRow("yes") << QByteArray("y\n") << false;
    QTest::newRow("no") << QByteArray("n\n") << true;
    QTest::newRow("only enter") << QByteArray("\n") << true;
  }

  void uninstall_asksOnATerminal() {
    QFETCH(QByteArray, typed);
    QFETCH(bool, isKept);
    if (QStandardPaths::findExecutable("script").isEmpty()) QSKIP("script is missing.");
    QCOMPARE(run({"--install"}).code, 0);
    QVERIFY(write(path("typed"), typed));
    const QString command = "'" + path(".local/opt/quire/uninstall") + "'";
    const Ending ending =
        start("script", {"-qec", command, "/dev/null"}, m_folder->filePath("a home/typed"));
    QCOMPARE(ending.code, 0);
    QVERIFY2(ending.text.contains("Delete your chats"), qPrintable(ending.text));
    QCOMPARE(QFile::exists(path(".local/share/quire/quire.db")), isKept);
    QVERIFY(!QFile::exists(path(".local/opt/quire")));
  }

  void uninstall_refusesOtherOptions() {
    QCOMPARE(run({"--install"}).code, 0);
    QCOMPARE(uninstall({"--delete"}).code, 1);
    QVERIFY(QFile::exists(path(".local/opt/quire/VERSION")));
  }

 private:
  QString path(const QString& name) const { return m_folder->filePath("a home/" + name); }
  QString runFile() const { return m_folder->filePath("quire.run"); }

  Ending start(const QString& program, const QStringList& arguments,
               const QString& input = QProcess::nullDevice()) const {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("HOME", m_folder->filePath("a home"));
    for (const char* name : {"XDG_DATA_HOME", "XDG_CACHE_HOME"}) environment.remove(name);
    environment.insert("PKGSYSTEM_ENABLE_FSYNC",
                       "0");  // update-mime-database would wait for the disk.
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setStandardInputFile(input);
    process.start(program, arguments);
    if (!process.waitForFinished(60000)) return {};
    return {process.exitCode(), QString::fromUtf8(process.readAll())};
  }

  Ending run(const QStringList& arguments) const { return start(runFile(), arguments); }
  Ending uninstall(const QStringList& options) const {
    return start(path(".local/opt/quire/uninstall"), options);
  }

  /// As packaging/linux/make-linux.sh, with programs that print their name, version and arguments.
  bool makeRunFile(const QByteArray& version) const {
    const QString tree = m_folder->filePath("tree/quire/");
    const QByteArray printer =
        " " + version + " \"; for a in \"$@\"; do printf '%s|' \"$a\"; done; echo\n";
    if (!write(tree + "bin/quire", "#!/bin/sh\nprintf \"window" + printer, true) ||
        !write(tree + "bin/quire-cli", "#!/bin/sh\nprintf \"cli" + printer, true) ||
        !write(tree + "VERSION", version + "\n") ||
        !write(tree + "uninstall", packagingFile("installer.sh"), true) ||
        !write(tree + "share/applications/quire.desktop", packagingFile("quire.desktop")) ||
        !write(tree + "share/icons/hicolor/scalable/apps/quire.svg", "<svg/>") ||
        !write(tree + "share/mime/packages/quire-gguf.xml", packagingFile("quire-gguf.xml")) ||
        !write(tree + "share/metainfo/quire.metainfo.xml", "<component/>")) {
      return false;
    }
    const QString archive = m_folder->filePath("payload.tar.xz");
    if (start("tar", {"-C", m_folder->filePath("tree"), "-cJf", archive, "quire"}).code != 0)
      return false;
    const QByteArray payload = contentOf(archive);
    QByteArray script = packagingFile("self-extract.sh");
    script.replace("@LINES@", QByteArray::number(script.count('\n') + 1));
    script.replace("@VERSION@", version);
    script.replace("@DIGEST@",
                   QCryptographicHash::hash(payload, QCryptographicHash::Sha256).toHex());
    return write(runFile(), script + payload, true);
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestRunFile)
#include "tst_run_file.moc"
