#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

/// Folders: who may write in them, and the file system and the disk they are on. Thread: any.
namespace quire::platform {

constexpr uint32_t kGroupMayWrite = 020;
constexpr uint32_t kOthersMayWrite = 02;
constexpr uint32_t kIsSticky = 01000;

struct FolderRights {
  uint32_t mode = 0700;           ///< Permissions of POSIX, with the sticky bit.
  bool is_own = true;             ///< The user owns it.
  bool is_group_private = false;  ///< Its group may write, and the user is the only member.
};
/// None, with errno, if there is no such folder. On Windows: as if it were private, because the
/// user's own folders are.
std::optional<FolderRights> rights_of(const std::filesystem::path& folder);
/// False where the file system has no permissions, or another user owns the folder.
bool set_mode(const std::filesystem::path& folder, uint32_t mode);
/// Whether the user may make and remove files in it.
bool may_change(const std::filesystem::path& folder);

/// The file system of an existing path, by Linux's number for it (statfs(2)); other systems say
/// those of SMB, NFS and FAT. 0: not known.
uint32_t file_system_type(const std::filesystem::path& path);

/// The bytes that the user may still write on the disk of a folder or, if it is missing, of the
/// nearest folder above it. None where the system does not say. Asks for the path itself: in a
/// chroot and in some containers no list of mounted disks has it.
std::optional<uint64_t> free_bytes(const std::filesystem::path& folder);

}  // namespace quire::platform
