#include "app/store/prefix/prefix_key.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace quire {
namespace {

namespace fs = std::filesystem;

/// Begins the file, so that a user's own file of that name is not taken for a key.
constexpr std::string_view kMagic = "Quire prefix key";
constexpr size_t kKeyBytes = 32;
constexpr size_t kFileBytes = kMagic.size() + kKeyBytes;
constexpr size_t kHashBlockBytes = 64;

using FileBytes = std::array<uint8_t, kFileBytes>;

std::span<const std::byte> asBytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// Beside the target of a link, as SQLite's own files.
fs::path keyPathOf(const fs::path& prefixFile) {
  std::error_code error;
  const fs::path place = fs::weakly_canonical(prefixFile, error);
  return (error ? prefixFile : place).string() + ".key";
}

Error ioError(const fs::path& path, int number) {
  return {ErrorCode::kIo, "\"" + path.string() + "\": " + std::strerror(number)};
}

Error notAKey(const fs::path& path) {
  return {ErrorCode::kUnsupported,
          "\"" + path.string() + "\" is not a key that Quire made for this user"};
}

/// A file descriptor that is closed at the end.
class File {
 public:
  File(const fs::path& path, int flags, mode_t mode = 0)
      : m_file(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode)) {}
  ~File() {
    if (m_file >= 0) ::close(m_file);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return m_file; }

 private:
  int m_file;
};

/// None if there is no such file.
Result<std::optional<FileBytes>> readKey(const fs::path& path) {
  // Not blocking, because the name may be that of a pipe.
  const File file(path, O_RDONLY | O_NONBLOCK);
  if (file.get() < 0 && errno == ENOENT) return std::optional<FileBytes>();
  if (file.get() < 0) return errno == ELOOP ? notAKey(path) : ioError(path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return ioError(path, errno);
  const bool isOurs = S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
  FileBytes bytes{};
  const bool isWhole = isOurs && status.st_size == static_cast<off_t>(kFileBytes) &&
                       ::read(file.get(), bytes.data(), kFileBytes) == ssize_t{kFileBytes};
  if (!isWhole || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    return notAKey(path);
  }
  // A failure is ignored: some file systems have no permissions.
  if ((status.st_mode & 0077) != 0) static_cast<void>(::fchmod(file.get(), 0600));
  return std::optional<FileBytes>(bytes);
}

Result<void> writeKey(const fs::path& path) {
  FileBytes bytes{};
  std::copy(kMagic.begin(), kMagic.end(), bytes.begin());
  if (::getrandom(&bytes[kMagic.size()], kKeyBytes, 0) != ssize_t{kKeyBytes}) {
    return ioError(path, errno);
  }
  const File file(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (file.get() < 0) return ioError(path, errno);
  const ssize_t written = ::write(file.get(), bytes.data(), kFileBytes);
  if (written < 0 || ::fsync(file.get()) != 0) return ioError(path, errno);
  return written == ssize_t{kFileBytes} ? Result<void>() : ioError(path, ENOSPC);
}

/// Makes a whole key or none. If another process makes one at the same time, its key stays.
Result<void> makeKey(const fs::path& path) {
  const fs::path unfinished = path.string() + "." + std::to_string(::getpid());
  std::error_code error;
  fs::remove(unfinished, error);
  auto made = writeKey(unfinished);
  if (made && ::link(unfinished.c_str(), path.c_str()) != 0 && errno != EEXIST) {
    // The file system has no hard links.
    if (::rename(unfinished.c_str(), path.c_str()) != 0) made = ioError(path, errno);
  }
  fs::remove(unfinished, error);
  return made;
}

std::array<uint8_t, kHashBlockBytes> padded(std::span<const uint8_t> key, uint8_t pad) {
  std::array<uint8_t, kHashBlockBytes> block{};
  CHECK(key.size() <= block.size());
  std::copy(key.begin(), key.end(), block.begin());
  for (uint8_t& byte : block) byte ^= pad;
  return block;
}

}  // namespace

Hmac::Hmac(std::span<const uint8_t> key) {
  const auto inner = padded(key, 0x36);
  m_inner.update(std::as_bytes(std::span(inner)));
  const auto outer = padded(key, 0x5c);
  m_outer.update(std::as_bytes(std::span(outer)));
}

Sha256::Digest Hmac::of(std::initializer_list<std::span<const std::byte>> parts) const {
  Sha256 inner = m_inner;
  for (const auto part : parts) inner.update(part);
  const auto digest = inner.finish();
  Sha256 outer = m_outer;
  outer.update(std::as_bytes(std::span(digest)));
  return outer.finish();
}

PrefixKey::PrefixKey(std::span<const uint8_t> bytes, bool isNew)
    : m_isNew(isNew), m_tagKey(Hmac(bytes).of({asBytes("tag")})) {
  const Hmac derive(bytes);
  for (size_t at = 0; at < m_secret.size(); at += sizeof(Sha256::Digest)) {
    const std::byte number{static_cast<uint8_t>(at / sizeof(Sha256::Digest))};
    const auto part = derive.of({asBytes("payload"), {&number, 1}});
    std::copy(part.begin(), part.end(), m_secret.begin() + static_cast<ptrdiff_t>(at));
  }
}

Result<PrefixKey> PrefixKey::ofFile(const fs::path& prefixFile) {
  const fs::path path = keyPathOf(prefixFile);
  auto bytes = readKey(path);
  const bool isNew = bytes && !bytes->has_value();
  if (isNew) {
    if (auto made = makeKey(path); !made) return made.error();
    bytes = readKey(path);
  }
  if (!bytes) return bytes.error();
  if (!bytes->has_value()) return ioError(path, ENOENT);
  return PrefixKey(std::span(**bytes).subspan(kMagic.size()), isNew);
}

Result<void> PrefixKey::remove(const fs::path& prefixFile, bool any) {
  const fs::path path = keyPathOf(prefixFile);
  const auto bytes = readKey(path);
  if (!any && !bytes) return {};
  std::error_code error;
  fs::remove(path, error);
  if (error) return ioError(path, error.value());
  return {};
}

PrefixKey::Tag PrefixKey::tagOf(const BlockKey& key, const BlockKey& parent,
                                std::span<const std::byte> tokens,
                                std::span<const std::byte> payload) const {
  XXH128_canonical_t hash;
  XXH128_canonicalFromHash(&hash, XXH3_128bits_withSecret(payload.data(), payload.size(),
                                                          m_secret.data(), m_secret.size()));
  return m_tagKey.of({std::as_bytes(std::span(hash.digest)), std::as_bytes(std::span(key.digest)),
                      std::as_bytes(std::span(parent.digest)), tokens});
}

}  // namespace quire
