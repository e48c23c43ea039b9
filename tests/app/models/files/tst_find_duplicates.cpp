#include <QTemporaryDir>
#include <QTest>

#include "app/models/files/find_duplicates.h"
#include "tests/app/models/scan/model_layouts.h"

using namespace quire;

/// Equal models in the folders of several applications.
class FindDuplicatesTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_layouts = std::make_unique<ModelLayouts>(m_folder->path());
  }

  void equalWeights_areFound_whereverTheyLie() {
    m_layouts->file("studio/a.gguf", "the same weights");
    m_layouts->file("own/renamed.gguf", "the same weights");
    m_layouts->file("own/sized.gguf", "THE SAME WEIGHTS");
    m_layouts->file("own/small.gguf", "other");
    const QString blob = m_layouts->ollama("ollama", "a/8b", "the same weights");
    const auto result = find({path("studio/a.gguf"), path("own/renamed.gguf"),
                              path("own/sized.gguf"), path("own/small.gguf"), blob});
    QCOMPARE(result.groups.size(), 1);
    QCOMPARE(result.groups[0].models, QList<qsizetype>({0, 1, 4}));
    QCOMPARE(result.groups[0].bytes, 16);
    QCOMPARE(m_read, 4 * 16);  // The small one has no equal and is not read.
  }

  void splitSets_areEqual_ifAllPartsAre() {
    for (const char* set : {"one", "two", "other"}) {
      m_layouts->file(QString("%1/m-00001-of-00002.gguf").arg(set), "first");
      m_layouts->file(QString("%1/m-00002-of-00002.gguf").arg(set),
                      QByteArray(set) == "other" ? "SECOND" : "second");
    }
    const auto result = find({path("one/m-00001-of-00002.gguf"), path("two/m-00001-of-00002.gguf"),
                              path("other/m-00001-of-00002.gguf")});
    QCOMPARE(result.groups.size(), 1);
    QCOMPARE(result.groups[0].models, QList<qsizetype>({0, 1}));
  }

  void hardLinks_areNoDuplicates() {
    m_layouts->file("a.gguf", "weights");
    m_layouts->hardLink(path("a.gguf"), "b.gguf");
    QVERIFY(find({path("a.gguf"), path("b.gguf")}).groups.isEmpty());
  }

  void hashes_areKept_untilAFileChanges() {
    m_layouts->file("a.gguf", "weights");
    m_layouts->file("b.gguf", "weights");
    QCOMPARE(find({path("a.gguf"), path("b.gguf")}).groups.size(), 1);
    m_read = 0;
    QCOMPARE(find({path("a.gguf"), path("b.gguf")}).groups.size(), 1);
    QCOMPARE(m_read, 0);
    m_layouts->file("b.gguf", "WEIGHTS");
    QCOMPARE(find({path("a.gguf"), path("b.gguf")}).groups.size(), 0);
    QCOMPARE(m_read, 7);
  }

  void stop_endsTheSearch() {
    m_layouts->file("a.gguf", QByteArray(8 << 20, 'x'));
    m_layouts->file("b.gguf", QByteArray(8 << 20, 'x'));
    std::stop_source stop;
    HashCache cache{QString()};
    const auto result =
        findDuplicates({{.path = path("a.gguf")}, {.path = path("b.gguf")}}, cache,
                       stop.get_token(), [&](qint64, qint64) { stop.request_stop(); });
    QVERIFY(result.isCancelled);
    QVERIFY(result.groups.isEmpty());
    QCOMPARE(result.numUnreadable, 0);
  }

 private:
  QString path(const QString& below) const { return m_layouts->path(below); }

  DuplicateSearchResult find(const QStringList& paths) {
    QList<StoredModel> models;
    for (const QString& one : paths) models.append({.path = one, .name = one});
    HashCache cache(m_folder->filePath("hashes.json"));
    return findDuplicates(models, cache, {}, [this](qint64 done, qint64) { m_read = done; });
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<ModelLayouts> m_layouts;
  qint64 m_read = 0;
};

QTEST_GUILESS_MAIN(FindDuplicatesTest)
#include "tst_find_duplicates.moc"
