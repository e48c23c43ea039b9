#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace quire::test {

/// What is done with a hostile file, by a process of its own.
enum class HostileUse {
  kInspect,   ///< quire-cli inspect --model PATH; the scan of the window reads it, too.
  kTokenize,  ///< quire-cli tokenize --special --model PATH, with `input` as its text.
  kTemplate,  ///< quire-cli render --template PATH --input `input`, a file beside it.
  kRender,    ///< quire-cli render --input PATH with the plain template `input`.
  kMessages,  ///< quire-cli generate --messages PATH, two tokens.
  kReplay,    ///< quire-cli replay --list --data PATH.
  kGenerate,  ///< quire-cli generate --model PATH, two tokens.
  kPrefix,    ///< quire-cli generate --prefix-cache PATH, two tokens.
  kImport,    ///< Imports PATH into a new store.
  kAdapter,   ///< quire-cli generate --adapter PATH, with the model beside it, two tokens.
  kAttach,    ///< Attaches PATH to a message.
};

/// How the process may end. Never by a signal.
enum class HostileEnd {
  kRefused,   ///< With an error that names the file and the place.
  kAccepted,  ///< Without one: an odd file that can be read, or of which the rest can be used.
  kEither,    ///< As kRefused or as kAccepted.
};

/// A file or folder that a stranger made to do harm, or that is damaged.
struct HostileFile {
  std::filesystem::path path;
  std::string kind;   ///< "gguf", "safetensors", ...; the folder that it lies in.
  std::string title;  ///< Unique within its kind.
  /// What its message names, any of these that are separated by "|": a tensor, a key, a line.
  std::string place;
  std::string name;  ///< The file that its message names, likewise.
  HostileUse use = HostileUse::kInspect;
  HostileEnd end = HostileEnd::kRefused;
  std::string row;  ///< Of the review's table (A to M) or of its list of holes (9 to 18).
  std::string input;

  HostileFile& as(HostileUse value) { return use = value, *this; }
  HostileFile& ends(HostileEnd value) { return end = value, *this; }
  HostileFile& ofRow(const char* value) { return row = value, *this; }
  HostileFile& with(std::string value) { return input = std::move(value), *this; }
  HostileFile& named(std::string value) { return name = std::move(value), *this; }
};

/// Writes the corpus below `folder`, at least 300 files and folders; the same ones for the same
/// seed. They take some 500 MB of the disk: what claims to be larger is sparse.
/// Ends the program if a file cannot be written.
std::vector<HostileFile> makeHostileFiles(const std::filesystem::path& folder, uint32_t seed);

}  // namespace quire::test
