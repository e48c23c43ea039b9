#include "tests/support/fault_vfs.h"

#include <cstring>

namespace quire {
namespace {

std::atomic<FaultVfs*> theVfs = nullptr;

thread_local int theSqliteCalls = 0;

/// While it lives, this thread is in a call of SQLite.
struct InSqlite {
  InSqlite() { ++theSqliteCalls; }
  ~InSqlite() { --theSqliteCalls; }
  InSqlite(const InSqlite&) = delete;
  InSqlite& operator=(const InSqlite&) = delete;
};

/// SQLite allocates it; the file of the real VFS follows in the same memory.
struct FaultFile {
  sqlite3_file base;
  const char* path;  ///< Owned by SQLite until the file is closed; null: a temporary file.

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  std::string name() const { return path ? path : ""; }
};

FaultFile& of(sqlite3_file* file) {
  return *reinterpret_cast<FaultFile*>(file);
}

sqlite3_file* realOf(sqlite3_file* file) {
  return of(file).real();
}

DiskLog& log() {
  return FaultVfs::current()->log();
}

int close(sqlite3_file* file) {
  const InSqlite here;
  return realOf(file)->pMethods->xClose(realOf(file));
}

int read(sqlite3_file* file, void* to, int count, sqlite3_int64 offset) {
  const int fault = FaultVfs::current()->verdict(FaultVfs::Call::kRead, of(file).name());
  if (fault != SQLITE_OK) return fault;
  return realOf(file)->pMethods->xRead(realOf(file), to, count, offset);
}

int write(sqlite3_file* file, const void* from, int count, sqlite3_int64 offset) {
  const int fault = FaultVfs::current()->verdict(FaultVfs::Call::kWrite, of(file).name());
  if (fault != SQLITE_OK) return fault;
  const int code = realOf(file)->pMethods->xWrite(realOf(file), from, count, offset);
  if (code == SQLITE_OK) {
    log().noteWrite(of(file).name(), offset,
                    std::string(static_cast<const char*>(from), static_cast<size_t>(count)));
  }
  return code;
}

int truncate(sqlite3_file* file, sqlite3_int64 bytes) {
  const int fault = FaultVfs::current()->verdict(FaultVfs::Call::kTruncate, of(file).name());
  if (fault != SQLITE_OK) return fault;
  const int code = realOf(file)->pMethods->xTruncate(realOf(file), bytes);
  if (code == SQLITE_OK) log().noteTruncate(of(file).name(), bytes);
  return code;
}

/// A success is recorded by fdatasync() and fsync(), which it calls.
int sync(sqlite3_file* file, int flags) {
  const int fault = FaultVfs::current()->verdict(FaultVfs::Call::kSync, of(file).name());
  const InSqlite here;
  if (fault == SQLITE_OK) return realOf(file)->pMethods->xSync(realOf(file), flags);
  log().noteSync(of(file).name(), /*succeeded=*/false);
  return fault;
}

int fileSize(sqlite3_file* file, sqlite3_int64* bytes) {
  return realOf(file)->pMethods->xFileSize(realOf(file), bytes);
}

int lock(sqlite3_file* file, int level) {
  return realOf(file)->pMethods->xLock(realOf(file), level);
}

int unlock(sqlite3_file* file, int level) {
  return realOf(file)->pMethods->xUnlock(realOf(file), level);
}

int checkReservedLock(sqlite3_file* file, int* isReserved) {
  return realOf(file)->pMethods->xCheckReservedLock(realOf(file), isReserved);
}

/// The real VFS would map the file or grow it without a call that is recorded.
int fileControl(sqlite3_file* file, int what, void* argument) {
  const bool isUnseen = what == SQLITE_FCNTL_SIZE_HINT || what == SQLITE_FCNTL_CHUNK_SIZE ||
                        what == SQLITE_FCNTL_MMAP_SIZE;
  if (isUnseen) return SQLITE_NOTFOUND;
  return realOf(file)->pMethods->xFileControl(realOf(file), what, argument);
}

int sectorSize(sqlite3_file* file) {
  return realOf(file)->pMethods->xSectorSize(realOf(file));
}

int deviceCharacteristics(sqlite3_file* file) {
  return realOf(file)->pMethods->xDeviceCharacteristics(realOf(file));
}

int shmMap(sqlite3_file* file, int region, int bytes, int extend, void volatile** memory) {
  const int fault = FaultVfs::current()->verdict(FaultVfs::Call::kShm, of(file).name());
  if (fault != SQLITE_OK) return fault;
  return realOf(file)->pMethods->xShmMap(realOf(file), region, bytes, extend, memory);
}

/// No system fails to unlock.
int shmLock(sqlite3_file* file, int offset, int count, int flags) {
  if ((flags & SQLITE_SHM_LOCK) != 0) {
    const int fault = FaultVfs::current()->verdict(FaultVfs::Call::kShm, of(file).name());
    if (fault != SQLITE_OK) return fault;
  }
  return realOf(file)->pMethods->xShmLock(realOf(file), offset, count, flags);
}

void shmBarrier(sqlite3_file* file) {
  realOf(file)->pMethods->xShmBarrier(realOf(file));
}

int shmUnmap(sqlite3_file* file, int remove) {
  const InSqlite here;
  return realOf(file)->pMethods->xShmUnmap(realOf(file), remove);
}

/// Version 2: without xFetch, so that everything is read and written by calls.
constexpr sqlite3_io_methods kMethods = {2,
                                         close,
                                         read,
                                         write,
                                         truncate,
                                         sync,
                                         fileSize,
                                         lock,
                                         unlock,
                                         checkReservedLock,
                                         fileControl,
                                         sectorSize,
                                         deviceCharacteristics,
                                         shmMap,
                                         shmLock,
                                         shmBarrier,
                                         shmUnmap,
                                         nullptr,
                                         nullptr};

int open(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* outFlags) {
  FaultFile& made = of(file);
  made.base.pMethods = nullptr;
  made.path = path;
  const int fault = FaultVfs::current()->verdict(FaultVfs::Call::kOpen, path ? path : "");
  if (fault != SQLITE_OK) return fault;
  const InSqlite here;
  sqlite3_vfs* const base = FaultVfs::current()->base();
  const int code = base->xOpen(base, path, made.real(), flags, outFlags);
  if (made.real()->pMethods == nullptr) return code;
  made.base.pMethods = &kMethods;
  const bool isWritable = (flags & SQLITE_OPEN_READWRITE) != 0;
  if (code == SQLITE_OK && path != nullptr && isWritable) log().noteOpened(path);
  return code;
}

/// A success is recorded by unlink(), which it calls.
int removeFile(sqlite3_vfs*, const char* path, int syncFolder) {
  const int fault = FaultVfs::current()->verdict(FaultVfs::Call::kRemove, path);
  if (fault != SQLITE_OK) return fault;
  const InSqlite here;
  sqlite3_vfs* const base = FaultVfs::current()->base();
  return base->xDelete(base, path, syncFolder);
}

}  // namespace

FaultVfs::FaultVfs(const std::string& folder)
    : m_log(folder), m_folder(folder), m_base(sqlite3_vfs_find(nullptr)), m_vfs(*m_base) {
  m_vfs.zName = "quire-fault";
  m_vfs.szOsFile = static_cast<int>(sizeof(FaultFile)) + m_base->szOsFile;
  m_vfs.xOpen = open;
  m_vfs.xDelete = removeFile;
  theVfs = this;
  sqlite3_vfs_register(&m_vfs, 1);
}

FaultVfs::~FaultVfs() {
  sqlite3_vfs_unregister(&m_vfs);
  sqlite3_vfs_register(m_base, 1);
  theVfs = nullptr;
}

FaultVfs* FaultVfs::current() {
  return theVfs;
}

bool FaultVfs::isInSqlite() {
  return theSqliteCalls > 0;
}

void FaultVfs::failCall(int n, Fault fault) {
  const std::lock_guard lock(m_mutex);
  m_numCalls = 0;
  m_callsLeft = n;
  m_failsAll = false;
  m_fault = fault;
  m_hasFailed = false;
}

void FaultVfs::failAll(Fault fault) {
  failCall(0, fault);
  m_failsAll = true;
}

void FaultVfs::failNothing() {
  const bool hasFailed = m_hasFailed;
  failCall(0, m_fault);
  m_hasFailed = hasFailed;
}

int FaultVfs::verdict(Call call, const std::string& path) {
  const std::lock_guard lock(m_mutex);
  if (!path.starts_with(m_folder + "/")) return SQLITE_OK;
  const bool changes = call == Call::kWrite || call == Call::kTruncate;
  const bool isConcerned = m_fault == Fault::kIoError || (m_fault == Fault::kFull && changes) ||
                           (m_fault == Fault::kSyncFails && call == Call::kSync);
  if (!isConcerned) return SQLITE_OK;
  ++m_numCalls;
  if (m_callsLeft == 0 && !m_failsAll) return SQLITE_OK;
  if (!m_failsAll && --m_callsLeft > 0) return SQLITE_OK;
  m_hasFailed = true;
  if (m_fault == Fault::kFull) return SQLITE_FULL;
  switch (call) {
    case Call::kRead:
      return SQLITE_IOERR_READ;
    case Call::kWrite:
      return SQLITE_IOERR_WRITE;
    case Call::kTruncate:
      return SQLITE_IOERR_TRUNCATE;
    case Call::kSync:
      return SQLITE_IOERR_FSYNC;
    case Call::kOpen:
      return SQLITE_CANTOPEN;
    case Call::kRemove:
      return SQLITE_IOERR_DELETE;
    case Call::kRename:
      return SQLITE_IOERR;
    case Call::kShm:
      return SQLITE_IOERR_SHMLOCK;
  }
  return SQLITE_IOERR;
}

}  // namespace quire
