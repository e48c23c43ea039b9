#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>

#include "engine/cache/prefix_store.h"
#include "engine/io/hash.h"
#include "kernels/base/result.h"

namespace quire {

/// HMAC-SHA256 (RFC 2104). The object is the key; each call of of() is one message.
/// Thread: any.
class Hmac {
 public:
  explicit Hmac(std::span<const uint8_t> key);
  /// The code of the parts, one after the other.
  Sha256::Digest of(std::initializer_list<std::span<const std::byte>> parts) const;

 private:
  Sha256 m_inner;  ///< After the block of the inner pad.
  Sha256 m_outer;
};

/// The key of a prefix database: 32 random bytes in a file beside it, `FILE.key`, that only its
/// owner can read. A tag tells whether a block was written with the key, so that a program which
/// can write the database but not read the key cannot change an answer.
///
/// A tag is HMAC-SHA256(k1, h || key || parent || tokens), where h is XXH3_128 of the payload with
/// the secret k2; k1 and k2 are derived from the file's bytes. A plain HMAC of a payload of
/// megabytes would cost some 60 times the checksum. XXH3 with a secret is not proven to be
/// universal; a process that can read the key can make any tag in any case.
///
/// Thread: any.
class PrefixKey {
 public:
  using Tag = Sha256::Digest;

  /// Reads the key of this database, or makes one if there is none. The database's folder exists.
  /// Removes what earlier processes left of keys that they did not finish.
  /// Errors: kUnsupported for a file that Quire did not write, or of another user, which stays
  /// unchanged; kIo.
  static Result<PrefixKey> ofFile(const std::filesystem::path& prefixFile);
  /// Removes the key of this database. A file that Quire did not write stays, unless `any`.
  static Result<void> remove(const std::filesystem::path& prefixFile, bool any);

  /// True if the file was missing: no block can have been written with this key.
  bool isNew() const { return m_isNew; }
  Tag tagOf(const BlockKey& key, const BlockKey& parent, std::span<const std::byte> tokens,
            std::span<const std::byte> payload) const;

 private:
  PrefixKey(std::span<const uint8_t> bytes, bool isNew);

  bool m_isNew;
  Hmac m_tagKey;
  std::array<uint8_t, 192> m_secret{};  ///< Of XXH3.
};

}  // namespace quire
