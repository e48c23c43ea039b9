// Files that are none, and names that are to mislead.
#include <sys/stat.h>

#include "tests/hostile/gguf_model.h"
#include "tests/hostile/hostile_folder.h"

namespace quire::test {
namespace {

namespace fs = std::filesystem;

void addEntries(HostileFolder& to) {
  const auto entry = [&](const char* title, const std::string& place) -> HostileFile& {
    return to.entry("odd", std::string(title) + ".gguf", place);
  };
  if (::mkfifo(entry("fifo", "file").path.c_str(), 0600) != 0) std::abort();
  fs::create_symlink("/dev/zero", entry("zero", "file").path);
  fs::create_symlink("/dev/full", entry("full", "file").path);
  fs::create_symlink("/proc/self/mem", entry("memory", "empty|file|read|GGUF").path);
  fs::create_symlink("/proc/self/environ", entry("environment", "empty|file|read|GGUF").path);
  fs::create_symlink("/nowhere/at/all", entry("dangling", "exist").path);
  fs::create_symlink("itself.gguf", entry("itself", "links|exist").path);
  const HostileFile& first = entry("first", "links|exist");
  const HostileFile& second = entry("second", "links|exist");
  fs::create_symlink(second.path.filename(), first.path);
  fs::create_symlink(first.path.filename(), second.path);
  fs::create_directory(entry("folder", "no model|holds").path);
  HostileFile& chain = entry("chain", "links|exist");
  for (int i = 0; i < 50; ++i) {
    const auto link = [&](int at) {
      return at == 0 ? chain.path : chain.path.parent_path() / (".chain-" + std::to_string(at));
    };
    fs::create_symlink(link(i + 1).filename(), link(i));
  }
  to.file("odd", ".hidden.gguf", "not a GGUF file", "hidden");
  to.file("odd", "upper.GGUF", "no model|GGUF", "not one");
  to.file("odd", "without-extension", "no model", "neither");
  HostileFile& folders = to.entry("odd", "folder-in-itself", "config.json|no model");
  fs::create_directories(folders.path);
  fs::create_directory_symlink(".", folders.path / "again");
  HostileFile& deep = to.entry("odd", "two-hundred-folders", "config.json|no model");
  fs::path at = deep.path;
  for (int i = 0; i < 200; ++i) at /= "d";
  fs::create_directories(at);
  writeFile(at / "model.gguf", "not one");
}

/// A file that is no GGUF; `shown` is what its message must still have of its name.
void addName(HostileFolder& to, const std::string& title, const std::string& shown) {
  to.file("names", title, "not a GGUF file", "nothing").named(shown).ofRow("H");
}

void addNames(HostileFolder& to) {
  addName(to, "H-esc-\x1b[31mred.gguf", "red.gguf");
  addName(to, "H-title-\x1b]0;owned\7.gguf", "owned");
  addName(to, "H-clear-\x1b[2J\x1b[H.gguf", "H-clear-");
  addName(to,
          "H-c1-\xc2\x9b"
          "31m.gguf",
          "31m.gguf");
  addName(to,
          "H-c1-raw-\x9b"
          "31m.gguf",
          "31m.gguf");
  addName(to, "H-newline-\nquire-cli: all is well.gguf", "H-newline-");
  addName(to, "H-return-\rquire-cli: all is well.gguf", "H-return-");
  addName(to, "H-tab-\t\b\b\b.gguf", "H-tab-");
  addName(to, "H-delete-\x7f.gguf", "H-delete-");
  addName(to, "H-override-\u202egnp.gguf", "H-override-");
  addName(to, "H-isolate-\u2066x\u2069.gguf", "H-isolate-");
  addName(to, "H-marks-\u200e\u200f\u061c.gguf", "H-marks-");
  addName(to, "H-zero-width-\u200b\ufeff.gguf", "H-zero-width-");
  addName(to, "H-separators-\u2028\u2029.gguf", "H-separators-");
  addName(to, "H-tags-\U000e0041\U000e007f.gguf", "H-tags-");
  addName(to, "H-no-utf-8-\xff\xfe.gguf", "H-no-utf-8-");
  addName(to, "H-quotes-\"'`$(id).gguf", "H-quotes-");
  addName(to, "-H-option.gguf", "-H-option.gguf");
  addName(to, "H-percent-%1 %2 %s %n.gguf", "%1 %2");
  addName(to, "H-markup-<b><img src=x>&lt;.gguf", "H-markup-");
  addName(to, "H-long-" + std::string(240, 'n') + ".gguf", "H-long-nnnn");
  addName(to, "H-wide-" + repeated("\u6a21", 78) + ".gguf", "H-wide-");
  GgufModel broken = tinyGguf();
  HostileFile& folder =
      to.folder("names", "H-folder-\x1b[2J\u202e", "token_embd.weight", "H-folder-");
  writeFile(folder.ofRow("H").path / "m.gguf", broken.without("token_embd.weight").build());
  folder.named("H-folder-|m.gguf");
}

}  // namespace

void addOddFiles(HostileFolder& to) {
  addEntries(to);
  addNames(to);
}

}  // namespace quire::test
