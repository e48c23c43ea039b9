#include "app/store/prefix/prefix_key.h"

#include <xxhash.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "platform/file.h"
#include "platform/program.h"

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
  File(const fs::path& path, const platform::OpenOptions& options)
      : m_file(platform::open_file(path, options)) {}
  ~File() {
    if (m_file >= 0) platform::close_file(m_file);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return m_file; }

 private:
  int m_file;
};

/// None if there is no such file.
Result<std::optional<FileBytes>> readKey(const fs::path& path) {
  const File file(path, {.follow_link = false});
  if (file.get() < 0 && errno == ENOENT) return std::optional<FileBytes>();
  if (file.get() < 0) return errno == ELOOP ? notAKey(path) : ioError(path, errno);
  const auto status = platform::status_of(file.get());
  if (!status) return ioError(path, errno);
  const bool isOurs = status->is_regular && status->is_own;
  FileBytes bytes{};
  const bool isWhole = isOurs && status->size == kFileBytes &&
                       platform::read_at(file.get(), std::as_writable_bytes(std::span(bytes)), 0) ==
                           ptrdiff_t{kFileBytes};
  if (!isWhole || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    return notAKey(path);
  }
  platform::make_private(file.get());
  return std::optional<FileBytes>(bytes);
}

Result<void> writeKey(const fs::path& path) {
  FileBytes bytes{};
  std::copy(kMagic.begin(), kMagic.end(), bytes.begin());
  const auto all = std::as_writable_bytes(std::span(bytes));
  if (!platform::fill_random(all.subspan(kMagic.size()))) return ioError(path, errno);
  const File file(
      path,
      {.write = true, .create = true, .is_new = true, .follow_link = false, .is_private = true});
  if (file.get() < 0) return ioError(path, errno);
  const ptrdiff_t written = platform::write_some(file.get(), all);
  if (written < 0 || !platform::flush_file(file.get())) return ioError(path, errno);
  return written == ptrdiff_t{kFileBytes} ? Result<void>() : ioError(path, ENOSPC);
}

/// Whether it is what makeKey() writes first, left by a process that was killed. Another process
/// may be writing a young one.
bool isLeftover(const fs::path& path) {
  const auto entry = platform::entry_of(path);
  if (!entry || !entry->status.is_regular || !entry->status.is_own) return false;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  constexpr auto kTimeToWrite = std::chrono::minutes(1);
  return entry->status.size <= kFileBytes &&
         std::chrono::nanoseconds(entry->stamp.modified_ns) + kTimeToWrite < now;
}

void removeLeftovers(const fs::path& key) {
  const std::string begin = key.filename().string() + ".";
  std::error_code error;
  fs::directory_iterator entry(key.parent_path(), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(begin) || name.size() == begin.size()) continue;
    const bool isNumber =
        std::all_of(name.begin() + static_cast<ptrdiff_t>(begin.size()), name.end(),
                    [](unsigned char byte) { return std::isdigit(byte) != 0; });
    if (isNumber && isLeftover(entry->path())) platform::remove_file(entry->path());
  }
}

/// Makes a whole key or none. If another process makes one at the same time, its key stays.
Result<void> makeKey(const fs::path& path) {
  const fs::path unfinished = path.string() + "." + std::to_string(platform::process_id());
  std::error_code error;
  fs::remove(unfinished, error);
  auto made = writeKey(unfinished);
  if (made && !platform::rename_to_new(unfinished, path) && errno != EEXIST) {
    made = ioError(path, errno);
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
  removeLeftovers(path);
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
