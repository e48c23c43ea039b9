#include "app/store/data_folder.h"

#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "app/store/file_system.h"
#include "app/store/store_strings.h"
#include "app/store/system_reason.h"
#include "platform/file.h"
#include "platform/folder.h"

namespace quire {
namespace {

Error folderError(const QString& folder, const std::string& reason) {
  return storeError(
      ErrorCode::kIo,
      StoreWords::tr("The folder \"%1\" cannot be used for Quire's data: %2. Choose another with "
                     "--data or change its permissions.")
          .arg(folder, systemReason(QString::fromStdString(reason))));
}

/// Makes the names of new folders durable: without it a power failure may take a folder away with
/// all that was synced in it. `path` is the innermost. A failure is ignored: the files in it can
/// still be used.
void syncNewFolders(std::filesystem::path path, const std::filesystem::path& firstExisting) {
  while (path.has_relative_path() && path != firstExisting) {
    path = path.parent_path();
    syncPath(QString::fromStdU16String(path.u16string()));
  }
}

/// The innermost part of the path that exists.
std::filesystem::path existingPart(std::filesystem::path path) {
  std::error_code error;
  while (path.has_relative_path() && !std::filesystem::exists(path, error)) {
    path = path.parent_path();
  }
  return path;
}

constexpr QFile::Permissions kOwnerOnly = QFile::ReadOwner | QFile::WriteOwner;

QString noteOf(const QString& storePath) {
  return storePath + QStringLiteral("-suspect");
}

Result<void> keepOthersOut(const QString& folder) {
  const std::filesystem::path path = platform::utf8_path(folder.toStdString());
  const auto rights = platform::rights_of(path);
  if (!rights) return folderError(folder, std::strerror(errno));
  const FolderAccess access = {.mode = rights->mode,
                               .isOurs = rights->is_own,
                               .isGroupPrivate = rights->is_group_private,
                               .hasPermissions = fileSystemOf(folder).hasPermissions};
  if (!isWritableByOthers(access)) return {};
  if (mayBeNarrowed(access)) {
    // Only a file system without permissions refuses this to the owner.
    constexpr quint32 kOthersWrite = platform::kGroupMayWrite | platform::kOthersMayWrite;
    static_cast<void>(platform::set_mode(path, access.mode & ~kOthersWrite));
    return {};
  }
  return storeError(
      ErrorCode::kIo,
      StoreWords::tr("Other users of this computer can write to the folder \"%1\", so that they "
                     "could replace your chats. Take that right away (chmod go-w), or choose "
                     "another folder with --data.")
          .arg(folder));
}

}  // namespace

Result<void> ensureDataFolder(const QString& folder) {
  const std::filesystem::path path(folder.toStdU16String());
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return keepOthersOut(folder);
  if (std::filesystem::exists(path, error)) {
    // The window's other threads make it, too.
    if (std::filesystem::is_directory(path, error)) return keepOthersOut(folder);
    return folderError(folder, "it is not a folder");
  }

  const auto whole = std::filesystem::absolute(path, error);
  const auto existing = existingPart(whole);
  std::filesystem::create_directories(path, error);
  if (error) return folderError(folder, error.message());
  syncNewFolders(whole, existing);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all, error);
  // Only a file system without permissions (FAT) refuses this to the owner. Its mount decides who
  // may read.
  if (error && error != std::errc::operation_not_permitted && error != std::errc::not_supported) {
    return folderError(folder, error.message());
  }
  return {};
}

// Does not open an existing file: closing it would release the locks that SQLite holds on it in
// this process.
Result<void> ensurePrivateFile(const QString& path) {
  QFile file(path);
  if (!file.exists() && file.open(QIODevice::ReadWrite | QIODevice::NewOnly, kOwnerOnly)) return {};
  if (QFileInfo(path).isFile()) {
    restrictToOwner(path);
    return {};
  }
  return storeError(
      ErrorCode::kIo,
      StoreWords::tr("The file \"%1\" cannot be written: %2. Choose another folder with "
                     "--data or change its permissions.")
          .arg(path, systemReason(file.errorString())));
}

bool syncPath(const QString& path) {
  return platform::flush_path(platform::utf8_path(path.toStdString()));
}

void restrictToOwner(const QString& path) {
  static_cast<void>(QFile::setPermissions(path, QFile::permissions(path) & kOwnerOnly));
}

bool replaceDurably(const QString& from, const QString& to) {
  if (!syncPath(from)) return false;
  std::error_code error;
  std::filesystem::rename(from.toStdU16String(), to.toStdU16String(), error);
  return !error && syncPath(QFileInfo(to).absolutePath());
}

// A failure is ignored: the next start then opens the store without a check.
void noteDamage(const QString& storePath) {
  static_cast<void>(ensurePrivateFile(noteOf(storePath)));
}

bool isDamageNoted(const QString& storePath) {
  return QFile::exists(noteOf(storePath));
}

void forgetDamage(const QString& storePath) {
  QFile::remove(noteOf(storePath));
}

}  // namespace quire
