#pragma once

#include <map>
#include <mutex>
#include <string>

#include "app/server/api/model_directory.h"
#include "engine/model_details.h"

namespace quire {

/// What the files of the listed models say, read once for each state of a file.
/// Thread: any, but of() reads files and may take tenths of seconds.
class DetailsCache {
 public:
  /// Files that cannot be read have empty details.
  ModelDetails of(const ListedModel& model);

 private:
  struct Entry {
    int64_t created = 0;
    uint64_t bytes = 0;
    ModelDetails details = {};
  };

  std::mutex m_mutex;
  std::map<std::string, Entry> m_entries;  ///< By path; as many as models were ever listed.
};

}  // namespace quire
