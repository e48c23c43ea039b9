#pragma once

#include <QHash>
#include <QSet>

#include <functional>
#include <stop_token>
#include <utility>

#include "app/models/scan/file_identity.h"
#include "app/models/scan/found_model.h"
#include "app/models/scan/model_places.h"

namespace quire {

/// Finds candidates for models by file names alone: GGUF files, split sets of them, and folders
/// with config.json and weights. Follows links, also out of the place, because users keep models on
/// other disks; visits each file and folder once whatever its name, so that loops of links end, and
/// no folder of the kernel. Pipes, sockets and devices are no candidates, nor are links to them.
///
/// Thread: any, one at a time.
class ModelSearch {
 public:
  struct Limits {
    int depth = 16;
    qint64 entries = 500'000;  ///< In all places together; a chosen folder may be a whole disk.
  };
  struct Found {
    QList<ModelCandidate> candidates;
    QList<LeftOutFile> leftOut;
    bool limited = false;  ///< The search stopped at a limit.
  };

  ModelSearch(const Limits& limits, std::stop_token stop)
      : m_limits(limits), m_stop(std::move(stop)) {}

  void search(const ModelPlace& place);
  const Found& found() const { return m_found; }

 private:
  struct Folder {
    QString path;
    int depth = 0;
  };
  /// How the candidates of a folder are named.
  struct Naming {
    const ModelPlace& place;
    QString repository = {};  ///< "org/name" in a Hugging Face cache.
  };

  void searchTree(const QString& root, const Naming& naming);
  void searchFolder(const Folder& folder, const Naming& naming, QList<Folder>& below);
  void leaveOutUndecodable(const QString& folder, const ModelPlace& place);
  void addFolderModel(const QString& folder, const QStringList& names, const Naming& naming);
  void addGguf(const QString& folder, const QString& name, QHash<QString, qsizetype>& sets,
               const Naming& naming);
  void searchOllama(const ModelPlace& place);
  void addManifest(const ModelPlace& place, const QString& manifest, const QString& name);
  void searchHuggingFace(const ModelPlace& place);

  bool stopped() const { return m_stop.stop_requested() || m_found.limited; }
  bool isNew(const QString& path, const ModelPlace& place);
  bool countEntry();
  void leaveOut(const QString& path, const ModelPlace& place, const QString& reason);

  const Limits m_limits;
  const std::stop_token m_stop;
  Found m_found;
  QSet<FileIdentity> m_seen;
  qint64 m_numEntries = 0;
};

}  // namespace quire
