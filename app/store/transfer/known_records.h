#pragma once

#include <QHash>
#include <QHashSeed>
#include <QList>

#include <algorithm>

#include "app/store/name_limits.h"
#include "app/store/records.h"

namespace quire {

/// Whether both come from one preset and are unchanged: every store makes its own presets.
inline bool isSamePreset(const PersonaRecord& a, const PersonaRecord& b) {
  return !a.presetId.isEmpty() && a.presetId == b.presetId && a.name == b.name &&
         a.systemPrompt == b.systemPrompt && a.description == b.description && a.icon == b.icon &&
         a.color == b.color && a.settings == b.settings;
}

inline bool isSameRecord(const PersonaRecord& a, const PersonaRecord& b) {
  if (isSamePreset(a, b)) return true;
  return a.createdMs == b.createdMs && a.presetId == b.presetId &&
         (a.name == b.name || a.systemPrompt == b.systemPrompt);
}

inline bool isSameRecord(const FolderRecord& a, const FolderRecord& b) {
  return a.createdMs == b.createdMs && a.name == b.name;
}

/// Hashes, of which two records that are the same have at least one in common.
inline QList<size_t> hashesOf(const PersonaRecord& persona) {
  const size_t seed = QHashSeed::globalSeed();
  return {
      qHashMulti(seed, 0, persona.createdMs, persona.presetId, persona.name),
      qHashMulti(seed, 1, persona.createdMs, persona.presetId, persona.systemPrompt),
      qHashMulti(seed, 2, persona.presetId, persona.name, persona.systemPrompt),
  };
}

inline QList<size_t> hashesOf(const FolderRecord& folder) {
  return {qHashMulti(QHashSeed::globalSeed(), folder.createdMs, folder.name)};
}

/// The personas or folders of a store, found by their content. A file may hold thousands of them,
/// so they are not compared one by one.
/// Thread: one at a time.
template <typename Record>
class KnownRecords {
 public:
  void add(const Record& added) {
    const Record record = withShownNames(added);
    for (const size_t hash : hashesOf(record)) m_byHash[hash].append(m_records.size());
    m_records.append(record);
  }

  /// The id of the first that is the same; 0 for none.
  RecordId idOfSame(const Record& record) const {
    const Record wanted = withShownNames(record);
    qsizetype first = m_records.size();
    for (const size_t hash : hashesOf(wanted)) {
      for (const qsizetype index : m_byHash.value(hash)) {
        if (index < first && isSameRecord(m_records[index], wanted)) first = index;
      }
    }
    return first == m_records.size() ? 0 : m_records[first].id;
  }

 private:
  QList<Record> m_records;
  QHash<size_t, QList<qsizetype>> m_byHash;
};

}  // namespace quire
