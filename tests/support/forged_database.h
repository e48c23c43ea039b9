#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

// SQLite files that no SQLite wrote (https://www.sqlite.org/fileformat.html). The files must be
// closed, without a log. Ends the test program if one cannot be forged.
namespace quire::test {

constexpr char kJournalMagic[] = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";

inline std::string bigEndianBytes(uint64_t value, size_t count) {
  std::string bytes(count, '\0');
  for (size_t i = 0; i < count; ++i) bytes[count - 1 - i] = static_cast<char>(value >> (8 * i));
  return bytes;
}

inline uint64_t bigEndianAt(const std::string& bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = at; i < at + count; ++i) value = value << 8 | static_cast<uint8_t>(bytes.at(i));
  return value;
}

inline std::string bytesOfFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void writeBytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) std::abort();
}

/// Runs SQL as another program does, and returns the last number that it selects.
inline int64_t runForged(const std::filesystem::path& path, const std::string& sql) {
  int64_t last = 0;
  const auto keep = [](void* to, int, char** values, char**) {
    *static_cast<int64_t*>(to) = values[0] == nullptr ? 0 : std::atoll(values[0]);
    return 0;
  };
  sqlite3* handle = nullptr;
  if (sqlite3_open(path.c_str(), &handle) != SQLITE_OK ||
      sqlite3_exec(handle, sql.c_str(), keep, &last, nullptr) != SQLITE_OK) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), sqlite3_errmsg(handle));
    std::abort();
  }
  sqlite3_close(handle);
  return last;
}

inline size_t pageBytesOf(const std::string& bytes) {
  return bigEndianAt(bytes, 16, 2);
}

/// An interior page with the same child many times over; `leaf` is the page at the very bottom.
inline std::string pageOfOneChild(uint64_t child, const std::string& leaf) {
  constexpr char kTableInterior = 5, kIndexInterior = 2, kIndexLeaf = 10;
  constexpr size_t kHeader = 12, kCells = 200;
  std::string cell = bigEndianBytes(child, 4) + '\1';
  const bool isIndex = leaf.at(0) == kIndexLeaf;
  if (isIndex) {
    const size_t at = bigEndianAt(leaf, 8, 2);
    cell = bigEndianBytes(child, 4) + leaf.substr(at, 1 + static_cast<uint8_t>(leaf.at(at)));
  }
  std::string page(leaf.size(), '\0');
  page[0] = isIndex ? kIndexInterior : kTableInterior;
  size_t at = page.size();
  for (size_t i = 0; i < kCells; ++i) {
    at -= cell.size();
    page.replace(at, cell.size(), cell);
    page.replace(kHeader + 2 * i, 2, bigEndianBytes(at, 2));
  }
  page.replace(3, 4, bigEndianBytes(kCells, 2) + bigEndianBytes(at, 2));
  page.replace(8, 4, bigEndianBytes(child, 4));
  return page;
}

/// Puts seven pages above the content of a table or an index, each with the next as its child 200
/// times: what it holds is found 200^7 times. The content is one page, of an index with an entry.
inline void sharePages(const std::filesystem::path& path, const std::string& name) {
  const auto root = static_cast<size_t>(
      runForged(path, "SELECT rootpage FROM sqlite_schema WHERE name = '" + name + "'"));
  std::string bytes = bytesOfFile(path);
  const size_t pageBytes = pageBytesOf(bytes);
  const std::string leaf = bytes.substr((root - 1) * pageBytes, pageBytes);
  bytes += leaf;
  for (int level = 0; level < 6; ++level) bytes += pageOfOneChild(bytes.size() / pageBytes, leaf);
  bytes.replace((root - 1) * pageBytes, pageBytes, pageOfOneChild(bytes.size() / pageBytes, leaf));
  bytes.replace(28, 4, bigEndianBytes(bytes.size() / pageBytes, 4));
  bytes.replace(24, 4, bytes.substr(92, 4));  // So that the number of pages is believed.
  writeBytes(path, bytes);
}

/// The title of the only chat of a store becomes text of `bytes` bytes, all of them in one page
/// that is its own successor. The file is as large, and most of it holes.
inline void overflowToItself(const std::filesystem::path& path, uint64_t bytes) {
  runForged(path, "PRAGMA journal_mode=DELETE; VACUUM");
  const auto first = static_cast<size_t>(runForged(path, "PRAGMA page_count")) + 1;
  runForged(path, "UPDATE chat SET title = printf('%.*c', " + std::to_string(bytes) + ", 'x')");
  const auto pageBytes = static_cast<size_t>(runForged(path, "PRAGMA page_size"));
  const auto size = std::filesystem::file_size(path);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>((first - 1) * pageBytes));
  file << bigEndianBytes(first, 4);
  file.close();
  std::filesystem::resize_file(path, first * pageBytes);
  std::filesystem::resize_file(path, size);
}

/// The journal of a transaction that was cut off over this database and others. SQLite rolls it
/// back and then deletes the file that it names.
inline std::string journalThatDeletes(const std::filesystem::path& database,
                                      const std::string& victim) {
  constexpr uint64_t kNonce = 12345, kSector = 512, kLockedByte = 0x40000000;
  const std::string magic(kJournalMagic, 8);
  const std::string bytes = bytesOfFile(database);
  const size_t pageBytes = pageBytesOf(bytes);
  const std::string page = bytes.substr(0, pageBytes);
  uint64_t checksum = kNonce;
  for (size_t at = pageBytes - 200; at > 0 && at < pageBytes; at -= 200) {
    checksum += static_cast<uint8_t>(page.at(at));
  }
  int64_t sumOfName = 0;
  for (const char letter : victim) sumOfName += static_cast<signed char>(letter);
  std::string journal = magic + bigEndianBytes(1, 4) + bigEndianBytes(kNonce, 4) +
                        bigEndianBytes(bytes.size() / pageBytes, 4) + bigEndianBytes(kSector, 4) +
                        bigEndianBytes(pageBytes, 4);
  journal.resize(kSector, '\0');
  journal += bigEndianBytes(1, 4) + page + bigEndianBytes(checksum, 4);
  journal += bigEndianBytes(kLockedByte / pageBytes + 1, 4) + victim +
             bigEndianBytes(victim.size(), 4) +
             bigEndianBytes(static_cast<uint64_t>(sumOfName), 4) + magic;
  return journal;
}

}  // namespace quire::test
