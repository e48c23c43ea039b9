#include <sys/wait.h>
#include <unistd.h>

#include <QDirIterator>
#include <QTemporaryDir>
#include <QTest>

#include "app/models/files/move_model.h"
#include "tests/app/models/scan/model_layouts.h"

using namespace quire;

namespace {

/// The contents of all files below a folder, by their paths.
QMap<QString, QByteArray> contentsOf(const QString& root) {
  QMap<QString, QByteArray> contents;
  QDirIterator entries(root, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
  while (entries.hasNext()) {
    QFile file(entries.next());
    if (file.open(QIODevice::ReadOnly))
      contents[file.fileName().mid(root.size() + 1)] = file.readAll();
  }
  return contents;
}

}  // namespace

/// Moves, and what a crash at any moment leaves.
class MoveModelTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_layouts = std::make_unique<ModelLayouts>(QFileInfo(m_folder->path()).canonicalFilePath());
    m_layouts->folder("target");
    m_layouts->folder("data");
  }

  void file_isMoved() {
    m_layouts->file("place/a.gguf", "weights");
    m_layouts->file("place/.quire-hashes/a.gguf.json", "{}");
    const MovePlan plan = planOf("place/a.gguf");
    QCOMPARE(plan.problem, QString());
    QCOMPARE(plan.move.to, path("target/a.gguf"));
    QCOMPARE(copyModel(plan.move, journal(), {}, {}), QString());
    QCOMPARE(contents("place").value("a.gguf"), QByteArray("weights"));
    QCOMPARE(contents("target"), (QMap<QString, QByteArray>{{"a.gguf", "weights"}}));
    QCOMPARE(removeSource(*journal().read(), journal()), QString());
    QVERIFY(contents("place").isEmpty());
    QCOMPARE(contents("target"), (QMap<QString, QByteArray>{{"a.gguf", "weights"},
                                                            {".quire-hashes/a.gguf.json", "{}"}}));
    QVERIFY(!journal().read());
  }

  void severalFiles_getTheirFolder() {
    for (const char* name : {"m-00001-of-00002.gguf", "m-00002-of-00002.gguf", "mmproj-m.gguf"})
      m_layouts->file(QString("place/org/m/") + name, name);
    const MovePlan plan = planOf("place/org/m/m-00001-of-00002.gguf");
    QCOMPARE(plan.move.to, path("target/m/m-00001-of-00002.gguf"));
    QCOMPARE(copyModel(plan.move, journal(), {}, {}), QString());
    QCOMPARE(removeSource(plan.move, journal()), QString());
    QCOMPARE(contents("target").size(), 3);
    QVERIFY(!QFileInfo::exists(path("place/org")));
  }

  void refusals_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("problem");
    QTest::newRow("missing") << "nowhere"
                             << "There is no such folder.";
    QTest::newRow("the same") << "place"
                              << "The model is in this folder already.";
    QTest::newRow("taken") << "taken"
                           << "a.gguf is there already, and it is not overwritten. "
                              "Choose another folder.";
  }
  void refusals() {
    QFETCH(QString, folder);
    m_layouts->file("place/a.gguf", "weights");
    m_layouts->file("taken/a.gguf", "another model");
    QTEST(planMove(model("place/a.gguf"), partsOf(model("place/a.gguf")), path(folder)).problem,
          "problem");
  }

  void spaceIsChecked() {
    m_layouts->file("place/a.gguf", "weights");
    ModelParts parts = partsOf(model("place/a.gguf"));
    parts.files[0].bytes = qint64{1} << 60;
    const QString problem = planMove(model("place/a.gguf"), parts, path("target")).problem;
    QVERIFY2(problem.contains("are free there"), qPrintable(problem));
  }

  void targetThatAppearsMeanwhile_isNotReplaced() {
    m_layouts->file("place/a.gguf", "weights");
    const MovePlan plan = planOf("place/a.gguf");
    m_layouts->file("target/a.gguf", "another model");
    QVERIFY(copyModel(plan.move, journal(), {}, {}).contains("not overwritten"));
    QCOMPARE(contents("target"), (QMap<QString, QByteArray>{{"a.gguf", "another model"}}));
    QVERIFY(!recoverMove(journal()));
    QCOMPARE(contents("place").value("a.gguf"), QByteArray("weights"));
  }

  void secondMove_waitsForTheFirst() {
    m_layouts->file("place/a.gguf", "weights");
    m_layouts->file("place/b.gguf", "weights");
    QCOMPARE(copyModel(planOf("place/a.gguf").move, journal(), {}, {}), QString());
    const MovePlan other = planOf("place/b.gguf");
    QVERIFY(copyModel(other.move, journal(), {}, {}).startsWith("An earlier move"));
    QCOMPARE(journal().read()->from, path("place/a.gguf"));
  }

  void stop_leavesTheSourceAlone() {
    m_layouts->file("place/a.gguf", QByteArray(4 << 20, 'x'));
    std::stop_source stop;
    QCOMPARE(copyModel(planOf("place/a.gguf").move, journal(), stop.get_token(),
                       [&](qint64, qint64) { stop.request_stop(); }),
             QString());
    QVERIFY(contents("target").isEmpty());
    QVERIFY(!journal().read());
    QCOMPARE(contents("place").size(), 1);
  }

  void sourceThatChanged_isNotRemoved() {
    m_layouts->file("place/a.gguf", "weights");
    const MovePlan plan = planOf("place/a.gguf");
    QCOMPARE(copyModel(plan.move, journal(), {}, {}), QString());
    m_layouts->file("place/a.gguf", "newer weights");
    QVERIFY(removeSource(plan.move, journal()).contains("a.gguf"));
    QCOMPARE(contents("place").value("a.gguf"), QByteArray("newer weights"));
  }

  /// The process ends at each of its system calls' boundaries that the progress reports, and
  /// between the steps. Whatever the moment, one whole model is there after the recovery.
  void kill_losesNothing_andLeavesOneModel() {
    constexpr int kMoments = 8;
    for (int moment = 0; moment < kMoments; ++moment) {
      init();
      for (const char* name : {"m-00001-of-00002.gguf", "m-00002-of-00002.gguf"})
        m_layouts->file(QString("place/") + name, QByteArray(1 << 20, name[5]));
      const auto whole = contents("place");
      const MovePlan plan = planOf("place/m-00001-of-00002.gguf");
      const pid_t child = ::fork();
      if (child == 0) dieAt(plan.move, moment);
      int status = 0;
      QCOMPARE(::waitpid(child, &status, 0), child);
      QCOMPARE(WEXITSTATUS(status), 7);
      if (const auto left = recoverMove(journal())) {
        QCOMPARE(left->to, plan.move.to);
        QCOMPARE(removeSource(*left, journal()), QString());
      }
      QVERIFY(!journal().read());
      const bool isMoved = QFileInfo::exists(plan.move.to);
      QCOMPARE(contents(isMoved ? "target/m-00001-of-00002" : "place"), whole);
      QVERIFY(contents(isMoved ? "place" : "target").isEmpty());
      QCOMPARE(isMoved, moment >= 6);
    }
  }

  /// A file of the same name and size that the user put there after the crash.
  void foreignFileAtTheTarget_isNotTakenForTheCopy() {
    m_layouts->file("place/a.gguf", "weights");
    MovePlan plan = planOf("place/a.gguf");
    plan.move.verified = {{.path = plan.move.to, .bytes = 7, .identity = {1, 1}}};
    QVERIFY(journal().write(plan.move));
    m_layouts->file("target/a.gguf", "WEIGHTS");
    QVERIFY(!recoverMove(journal()));
    QCOMPARE(contents("place").value("a.gguf"), QByteArray("weights"));
    QCOMPARE(contents("target").value("a.gguf"), QByteArray("WEIGHTS"));
  }

  void damagedJournal_doesNothing() {
    m_layouts->file("place/a.gguf", "weights");
    for (const QByteArray& text :
         {QByteArray("{"), QByteArray("[1]"),
          QByteArray(R"({"version":1,"from":"/a","to":"/b","staging":"/x","target":"/y",
                        "files":[{"path":"/a"}],"copies":["../a"]})")}) {
      m_layouts->file("data/move.json", text);
      QVERIFY(!recoverMove(journal()));
    }
  }

 private:
  QString path(const QString& below) const { return m_layouts->path(below); }
  MoveJournal journal() const { return MoveJournal(path("data/move.json")); }
  QMap<QString, QByteArray> contents(const QString& below) const { return contentsOf(path(below)); }
  StoredModel model(const QString& below) const {
    return {.path = path(below), .name = "a", .source = {}, .place = path("place")};
  }
  MovePlan planOf(const QString& below) const {
    return planMove(model(below), partsOf(model(below)), path("target"));
  }

  /// In a child process: 0: before anything; 1 to 4: while copying; 5: with the journal written for
  /// copies that were not verified; 6: when the target is there; 7: when half of the source is
  /// gone.
  [[noreturn]] void dieAt(const ModelMove& move, int moment) const {
    int steps = 0;
    if (moment == 0 || moment == 5) {
      journal().write(move);
      if (moment == 5) QDir().mkpath(move.staging);
      if (moment == 5) QFile::copy(move.files[0].path, move.staging + u'/' + move.copies[0]);
      ::_exit(7);
    }
    const auto progress = [&](qint64, qint64) {
      if (++steps == moment && moment < 5) ::_exit(7);
    };
    copyModel(move, journal(), {}, progress);
    if (moment == 7) QFile::remove(move.files[0].path);
    ::_exit(7);
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<ModelLayouts> m_layouts;
};

QTEST_GUILESS_MAIN(MoveModelTest)
#include "tst_move_model.moc"
