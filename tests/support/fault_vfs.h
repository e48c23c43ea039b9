#pragma once

#include <sqlite3.h>

#include <atomic>
#include <memory>
#include <string>

#include "tests/support/disk_log.h"

namespace quire {

/// SQLite's default file system while it lives. It records in a DiskLog what SQLite writes below a
/// folder, and lets the n-th call fail. What the program does there without SQLite is recorded too:
/// this file defines fsync, fdatasync, rename, unlink, mkdir and utimensat for the whole program.
///
/// Thread: any; at most one exists.
class FaultVfs {
 public:
  enum class Fault {
    kIoError,    ///< Of all calls of Call: EIO.
    kFull,       ///< Of writes and truncations: ENOSPC.
    kSyncFails,  ///< Of syncs: EIO, after which the pages count as written, as on Linux.
  };

  /// `folder` as for DiskLog.
  explicit FaultVfs(const std::string& folder);
  ~FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  /// The n-th call from now on, from 1, of those that the fault concerns fails; then nothing does.
  /// 0: none fails, and they are counted only.
  void failCall(int n, Fault fault);
  /// The calls since failCall() or failAll() that the fault concerned.
  int numCalls() const { return m_numCalls; }
  /// Every call that the fault concerns fails.
  void failAll(Fault fault);
  void failNothing();
  /// Whether a call has failed since failCall() or failAll().
  bool hasFailed() const { return m_hasFailed; }

  DiskLog& log() { return m_log; }

  // For the functions that SQLite and the program call.

  /// Of SQLite, and of the program's own calls of the C library its syncs, removals and renamings.
  enum class Call { kRead, kWrite, kTruncate, kSync, kOpen, kRemove, kRename, kShm };
  /// Whether this call must fail, and as what; SQLITE_OK if not.
  int verdict(Call call, const std::string& path);
  static FaultVfs* current();
  /// Whether SQLite makes the calls of the C library on this thread now: they are a part of a call
  /// that has its verdict.
  static bool isInSqlite();
  sqlite3_vfs* base() const { return m_base; }

 private:
  DiskLog m_log;
  const std::string m_folder;
  sqlite3_vfs* const m_base;
  sqlite3_vfs m_vfs;
  std::mutex m_mutex;
  int m_callsLeft = 0;  ///< Until the one that fails; 0: none will.
  bool m_failsAll = false;
  Fault m_fault = Fault::kIoError;
  std::atomic<int> m_numCalls = 0;
  std::atomic<bool> m_hasFailed = false;
};

}  // namespace quire
