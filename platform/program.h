#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

/// This process: its file, its libraries, its environment. Thread: any.
namespace quire::platform {

/// The program's own file, without links; empty if the system does not say.
std::filesystem::path program_path();
/// The file (program or library) that the code at `address` came from; empty if the system does not
/// say, or only relative to a folder.
std::filesystem::path code_path(const void* address);

/// "libNAME.so" or what the system calls it.
std::string library_file_name(const std::string& name);
/// Loads a library for as long as the process lives; null on failure, with `reason`. Its own
/// libraries are not looked for in the current folder.
void* load_library(const std::filesystem::path& path, std::string& reason);
/// Null if there is none.
void* find_symbol(void* library, const char* name);

int process_id();
/// An environment variable; none if it is not set.
std::optional<std::string> environment(const char* name);
/// Lets the process have so many files and sockets open, as far as it may.
void allow_open_files(int count);
/// Cryptographically secure random bytes. False if the system has none.
bool fill_random(std::span<std::byte> bytes);

/// A folder for this user's files: what the environment variable (XDG) names, if it is absolute, or
/// else the system's own: `in_home` within the home folder, on Windows %LOCALAPPDATA%. Empty if
/// there is none.
std::filesystem::path user_folder(const char* variable, const char* in_home);

}  // namespace quire::platform
