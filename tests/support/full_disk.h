#pragma once

#include <sys/resource.h>
#include <csignal>

namespace quire {

/// While it lives, no file of this process grows past `bytes`: a disk that is full, for root too.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    m_oldHandler = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &m_old);
    rlimit limit = m_old;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &m_old);
    std::signal(SIGXFSZ, m_oldHandler);
  }

 private:
  rlimit m_old = {};
  void (*m_oldHandler)(int) = nullptr;
};

}  // namespace quire
