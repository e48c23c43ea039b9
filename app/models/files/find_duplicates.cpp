#include "app/models/files/find_duplicates.h"

#include <QMap>
#include <QSet>

#include <algorithm>

namespace quire {
namespace {

/// A model's files with weights, by size and path.
struct Candidate {
  qsizetype model = 0;
  QList<StoredFile> weights;

  QList<qint64> sizes() const {
    QList<qint64> sizes;
    for (const StoredFile& file : weights) sizes.append(file.bytes);
    return sizes;
  }
  qint64 bytes() const {
    qint64 sum = 0;
    for (const StoredFile& file : weights) sum += file.bytes;
    return sum;
  }
};

Candidate candidateOf(qsizetype index, const StoredModel& model) {
  Candidate candidate{.model = index, .weights = {}};
  for (const StoredFile& file : partsOf(model).files) {
    if (holdsWeights(file.path) && file.bytes > 0) candidate.weights.append(file);
  }
  std::ranges::sort(candidate.weights, [](const StoredFile& a, const StoredFile& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.path < b.path;
  });
  return candidate;
}

/// One search.
class Search {
 public:
  Search(HashCache& cache, const std::stop_token& stop, const FileProgress& progress)
      : m_cache(cache), m_stop(stop), m_progress(progress) {}

  DuplicateSearchResult run(const QList<StoredModel>& models) {
    QMap<QList<qint64>, QList<Candidate>> bySize;
    for (qsizetype index = 0; index < models.size() && !m_stop.stop_requested(); ++index) {
      const Candidate candidate = candidateOf(index, models[index]);
      if (!candidate.weights.isEmpty()) bySize[candidate.sizes()].append(candidate);
    }
    bySize.removeIf([](auto at) { return at.value().size() < 2; });
    for (const QList<Candidate>& equal : std::as_const(bySize)) countUnread(equal);
    for (const QList<Candidate>& equal : std::as_const(bySize)) compare(equal);
    m_cache.save();
    m_result.isCancelled = m_stop.stop_requested();
    std::ranges::sort(m_result.groups, std::greater<>(), &DuplicateGroup::bytes);
    return m_result;
  }

 private:
  void countUnread(const QList<Candidate>& equal) {
    for (const Candidate& candidate : equal) {
      for (const StoredFile& file : candidate.weights)
        m_total += m_cache.find(file) ? 0 : file.bytes;
    }
  }

  /// The sorted hashes of its files; empty if one cannot be read.
  QList<QByteArray> hashesOf(const Candidate& candidate) {
    QList<QByteArray> hashes;
    for (const StoredFile& file : candidate.weights) {
      if (const auto known = m_cache.find(file)) {
        hashes.append(*known);
        continue;
      }
      const QByteArray hash =
          hashOf(file, ExpectedHash::Kind::kSha256, m_stop, [this](qint64 bytes) {
            m_done += bytes;
            if (m_progress) m_progress(m_done, m_total);
          });
      if (hash.isEmpty()) return {};
      m_cache.put(file, hash);
      hashes.append(hash);
    }
    std::ranges::sort(hashes);
    return hashes;
  }

  void compare(const QList<Candidate>& equal) {
    QMap<QList<QByteArray>, QList<Candidate>> byHash;
    for (const Candidate& candidate : equal) {
      if (m_stop.stop_requested()) return;
      const QList<QByteArray> hashes = hashesOf(candidate);
      if (hashes.isEmpty()) {
        m_result.numUnreadable += m_stop.stop_requested() ? 0 : 1;
      } else {
        byHash[hashes].append(candidate);
      }
    }
    for (const QList<Candidate>& same : std::as_const(byHash)) addGroup(same);
  }

  void addGroup(const QList<Candidate>& same) {
    DuplicateGroup group{.models = {}, .bytes = same.first().bytes()};
    QSet<FileIdentity> seen;
    for (const Candidate& candidate : same) {
      const qsizetype before = seen.size();
      for (const StoredFile& file : candidate.weights) seen.insert(file.identity);
      if (seen.size() > before) group.models.append(candidate.model);
    }
    if (group.models.size() > 1) m_result.groups.append(group);
  }

  HashCache& m_cache;
  const std::stop_token& m_stop;
  const FileProgress& m_progress;
  qint64 m_done = 0;
  qint64 m_total = 0;
  DuplicateSearchResult m_result;
};

}  // namespace

DuplicateSearchResult findDuplicates(const QList<StoredModel>& models, HashCache& cache,
                                     const std::stop_token& stop, const FileProgress& progress) {
  return Search(cache, stop, progress).run(models);
}

}  // namespace quire
