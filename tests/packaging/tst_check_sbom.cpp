// packaging/check_sbom.py: a file of others' that is not in the bill of materials fails the
// packing.
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

namespace {

bool write(const QString& path, const QByteArray& content) {
  if (!QDir().mkpath(QFileInfo(path).path())) return false;
  QFile file(path);
  return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
}

QByteArray component(const QByteArray& name, bool isContained) {
  return "{\"name\": \"" + name + "\", \"purl\": \"pkg:deb/debian/" + name +
         "@1\", \"properties\": [{\"name\": \"quire:contained\", \"value\": \"" +
         (isContained ? "true" : "false") + "\"}]}";
}

}  // namespace

class TestCheckSbom : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(write(path("info/libqt6core6:amd64.list"),
                  "/usr/lib/x86_64-linux-gnu/libQt6Core.so.6\n"
                  "/usr/lib/x86_64-linux-gnu/qt6/plugins/tls/libqopenssl.so\n"));
    QVERIFY(write(path("info/fonts-inter.list"), "/usr/share/fonts/inter/Inter-Bold.otf\n"));
    QVERIFY(write(path("info/libother.list"), "/usr/lib/x86_64-linux-gnu/libother.so.1\n"));
    for (const char* file :
         {"tree/bin/quire", "tree/lib/quire/libquire_cuda.so", "tree/lib/libQt6Core.so.6",
          "tree/lib/qt/plugins/tls/libqopenssl.so", "tree/share/quire/fonts/Inter-Bold.otf",
          "licences/libqt6core6", "licences/fonts-inter"}) {
      QVERIFY(write(path(file), "content"));
    }
    QVERIFY(writeSbom({component("libqt6core6", true), component("fonts-inter", true),
                       component("libother", false)}));
  }

  void files_passesAWholeList() {
    const QString text = check();
    QVERIFY2(text.isEmpty(), qPrintable(text));
  }

  void files_namesWhatIsMissing_data() {
    QTest::addColumn<QString>("added");
    QTest::newRow("a library of no package") << "lib/libunknown.so.3";
    QTest::newRow("one that is only depended on") << "lib/libother.so.1";
    QTest::newRow("a plugin elsewhere") << "lib/qt/plugins/platforms/libqopenssl.so";
    QTest::newRow("a font") << "share/quire/fonts/Comic.otf";
  }
  void files_namesWhatIsMissing() {
    QFETCH(QString, added);
    QVERIFY(write(path("tree/" + added), "content"));
    const QString text = check();
    QVERIFY2(text.contains(added + " is of no package"), qPrintable(text));
  }

  void files_wantsALicenceOfEachPackage() {
    QVERIFY(QFile::remove(path("licences/fonts-inter")));
    const QString text = check();
    QVERIFY2(text.contains("fonts-inter is contained"), qPrintable(text));
  }

 private:
  QString path(const QString& name) const { return m_folder->filePath(name); }

  bool writeSbom(const QList<QByteArray>& parts) const {
    return write(path("sbom.json"), "{\"components\": [" + parts.join(", ") + "]}");
  }

  /// What the script says; empty where it passes.
  QString check() const {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start("python3", {QStringLiteral(QUIRE_SOURCE_DIR "/packaging/check_sbom.py"), "--info",
                              path("info"), "files", "--sbom", path("sbom.json"), "--licences",
                              path("licences"), path("tree")});
    if (!process.waitForFinished(60000)) return QStringLiteral("it does not end");
    const QString text = QString::fromUtf8(process.readAll());
    return process.exitCode() == 0 ? QString() : text + "failed";
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestCheckSbom)
#include "tst_check_sbom.moc"
