#pragma once

#include <QDirIterator>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

#include "app/hub/download_queue.h"
#include "tests/app/hub/test_hub.h"

namespace quire {

/// A hub, a folder and one file on it: what a test of downloads begins with.
class DownloadStage {
 protected:
  static constexpr qint64 kBytes = 3'000'000;
  static constexpr qint64 kGiveUpMs = 2000;  ///< For faults that stay.

  void begin() {
    m_hub = std::make_unique<TestHub>();
    m_folder = std::make_unique<QTemporaryDir>();
    m_contents = ggufOf(kBytes, 1);
  }

  /// Impatient ones, without a second program, but for the end of all tries: what is to be done in
  /// the end must be done on a busy machine too.
  static DownloadOptions quickOptions(qint64 giveUpMs = 20'000) {
    return {.timeouts = {.connectMs = 2000, .firstByteMs = 600, .silenceMs = 600},
            .retries = {.firstMs = 4, .mostMs = 20, .mostAskedMs = 5000, .giveUpMs = giveUpMs},
            .spareBytes = 0,
            .inspector = {}};
  }

  static QByteArray contentsOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  /// Every file below a folder, hidden ones too, but the records of hashes.
  static QStringList filesIn(const QString& folder) {
    QStringList files;
    QDirIterator entries(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (entries.hasNext()) {
      const QString path = QDir(folder).relativeFilePath(entries.next());
      if (!path.contains(QLatin1String(".quire-hashes/"))) files.append(path);
    }
    files.sort();
    return files;
  }

  /// Faults for the first requests; those after them are answered well.
  static TestHub::Faults faultsOf(const QList<HubFault>& faults) {
    return [faults](const HubRequest&, int index) { return faults.value(index); };
  }

  static const char* errorOf(const DownloadStatus& status) {
    static std::string text;
    text = status.error ? status.error->message : "no error";
    return text.c_str();
  }

  /// The plan for files of a repository, which is put on the hub.
  DownloadPlan planOf(const QMap<QByteArray, HubBlob>& files, bool isFolder,
                      const QByteArray& repository = "repo") {
    m_hub->addModel("org/" + repository, files);
    HubModel model{.name = "org/" + repository};
    for (auto file = files.begin(); file != files.end(); ++file) {
      const bool isLarge = file->isLarge;
      model.files.append({QString::fromUtf8(file.key()),
                          file->bytes,
                          {isLarge ? FileHash::Kind::kSha256 : FileHash::Kind::kGitSha1,
                           isLarge ? file->sha256 : file->gitSha1},
                          QUrl(m_hub->address() + "/org/" + repository + "/resolve/" +
                               QString(40, 'c') + '/' + QString::fromUtf8(file.key()))});
    }
    const auto plan = planDownload(model, {"x", {}, isFolder, model.files}, m_folder->path());
    if (!plan) qFatal("%s", plan.error().message.c_str());
    return *plan;
  }
  DownloadPlan onePlan(const QByteArray& repository = "repo") {
    return planOf({{"m.gguf", HubBlob::of(m_contents)}}, false, repository);
  }
  QString target(const QString& file = "m.gguf") const {
    return m_folder->path() + "/org/repo/" + file;
  }

  /// Downloads to the end.
  static DownloadStatus run(const DownloadPlan& plan, int timeoutMs = 60'000,
                            const DownloadOptions& options = quickOptions()) {
    DownloadQueue queue(options);
    const DownloadId id = queue.add(plan);
    if (!QTest::qWaitFor([&] { return queue.status(id).hasEnded(); }, timeoutMs)) {
      qWarning("the download does not end: state %d", static_cast<int>(queue.status(id).state));
    }
    return queue.status(id);
  }

  std::unique_ptr<TestHub> m_hub;
  std::unique_ptr<QTemporaryDir> m_folder;
  QByteArray m_contents;
};

}  // namespace quire
