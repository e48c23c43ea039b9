#include "tests/architecture/layering.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>

namespace quire {
namespace {

using Names = std::vector<std::string_view>;

/// What the files under `folder` may include. The longest folder that fits a file decides.
struct Rule {
  std::string_view folder;
  Names own;       ///< Prefixes of paths from the repository's root.
  Names external;  ///< Prefixes of <headers> beside those of C++, C and the compiler.
};

/// POSIX and Linux. What everybody needs of them is in platform/ (docs/portability.md).
const Names& posix() {
  static const Names kPosix = {"sys/",    "linux/",  "asm/",     "unistd.h",  "fcntl.h",
                               "sched.h", "dlfcn.h", "signal.h", "pthread.h", "termios.h",
                               "poll.h",  "spawn.h", "grp.h",    "pwd.h"};
  return kPosix;
}

/// The table of the house. Within the engine a room includes only itself and rooms below it, which
/// is what its list holds; the engine's root includes all rooms.
const std::vector<Rule>& rules() {
  static const Names kDevice = {"kernels/backend.h", "kernels/base/"};
  const auto with_posix = [](Names names) {
    names.insert(names.end(), posix().begin(), posix().end());
    return names;
  };
  const auto room = [](std::string_view folder, Names rooms, Names external = {}) {
    rooms.push_back(folder);
    rooms.insert(rooms.end(), kDevice.begin(), kDevice.end());
    return Rule{folder, std::move(rooms), std::move(external)};
  };
  // View models know each other, the store and the interface to the engine, not what is behind it.
  const auto view_models = [](std::string_view folder) {
    return Rule{folder,
                {"app/app_model.h",
                 "app/chat/",
                 "app/commands/",
                 "app/documents/",
                 "app/engine_page/",
                 "app/get_models/",
                 "app/machine/",
                 "app/models/",
                 "app/panes/",
                 "app/personas/",
                 "app/richtext/",
                 "app/search/",
                 "app/session/",
                 "app/settings/",
                 "app/sidebar/",
                 "app/store/",
                 "app/transfer/",
                 "app/engine/chat_backend.h",
                 "app/engine/engine_inspector.h",
                 "app/engine/engine_report.h",
                 "app/engine/model_manager.h",
                 "app/engine/model_state.h",
                 "app/engine/reply.h",
                 "app/engine/window_sink.h",
                 "app/remote/remote_endpoint.h",
                 "app/remote/remote_tools.h",
                 "app/error_strings.h",
                 "app/role_list_model.h",
                 "app/size_text.h",
                 "app/hub/hub_states.h",
                 "app/model_names.h",
                 "app/report_pace.h",
                 "app/task_runner.h",
                 "app/typed_path.h",
                 "app/bundled_model.h",
                 "engine/",
                 "kernels/base/"},
                {"Q", "nlohmann/"}};
  };
  // They start pdftotext.
  const auto documents = [&] {
    Rule rule = view_models("app/documents/");
    rule.own.emplace_back("app/confine/");
    return rule;
  };
  static const std::vector<Rule> kRules = {
      // Below everything; only its sources know the systems' own headers.
      {"platform/",
       {"platform/"},
       with_posix({"windows.h", "io.h", "bcrypt.h", "shellapi.h", "mach", "xlocale.h"})},
      {"kernels/base/", {"kernels/base/", "platform/"}, {}},
      {"kernels/base/instruction_set.cpp", {"kernels/base/", "platform/"}, {"asm/", "sys/"}},
      {"kernels/cpu/",
       {"kernels/base/", "kernels/cpu/", "kernels/backend.h", "kernels/cpu_tuning.h",
        "kernels/state_shapes.h", "platform/"},
       {}},
      {"kernels/cuda/",
       {"kernels/base/", "kernels/cuda/", "kernels/backend.h", "kernels/state_shapes.h"},
       {"cuda", "cublas", "simt_kernels.h", "dlfcn.h"}},
      {"kernels/", {"kernels/", "platform/"}, {}},
      room("engine/io/", {"platform/"}, {"nlohmann/"}),
      room("engine/io/mapping_guard.cpp", {"engine/io/"}, posix()),
      room("engine/tokenizer/", {"engine/io/"}, {"nlohmann/", "pcre2.h", "utf8proc.h"}),
      room("engine/template/", {"platform/"}, {"nlohmann/", "utf8proc.h"}),
      room("engine/sampling/", {"engine/tokenizer/"}),
      room("engine/grammar/", {"engine/io/", "engine/tokenizer/"}, {"nlohmann/"}),
      room("engine/chat/",
           {"engine/io/", "engine/tokenizer/", "engine/template/", "engine/sampling/",
            "engine/cache/", "engine/models/"},
           {"nlohmann/"}),
      room("engine/cache/", {"engine/io/", "engine/tokenizer/"}),
      room("engine/models/", {"engine/io/", "engine/tokenizer/", "engine/cache/"}, {"nlohmann/"}),
      room("engine/scheduler/",
           {"engine/tokenizer/", "engine/sampling/", "engine/cache/", "engine/models/"}),
      room("engine/speculation/", {"engine/tokenizer/", "engine/sampling/", "engine/cache/",
                                   "engine/models/", "engine/scheduler/"}),
      {"engine/",
       {"engine/", "kernels/backend.h", "kernels/cpu_tuning.h", "kernels/base/"},
       {"nlohmann/"}},
      // Above the engine, which knows nothing of it.
      {"engine/quantize/",
       {"engine/", "kernels/backend.h", "kernels/base/", "platform/"},
       {"nlohmann/"}},
      {"app/confine/", {"app/confine/", "kernels/base/"}, posix()},
      {"app/inspect/",
       {"app/confine/", "app/inspect/", "engine/", "kernels/base/"},
       with_posix({"nlohmann/"})},
      {"app/machine/", {"app/machine/", "platform/"}, {}},
      {"app/cli/",
       {"app/cli/", "app/machine/", "app/bundled_model.h", "app/confine/",
        "app/inspect/facts_request.h", "app/hub/hub_problem.h", "app/hub/machine_fit.h",
        "app/hub/pull.h", "app/server/local_api.h", "app/server/serve.h", "app/store/prefix/",
        "app/store/recorded_answers.h", "engine/", "kernels/backend.h", "kernels/cpu_tuning.h",
        "kernels/base/", "platform/"},
       {"CLI/", "nlohmann/", "boost/"}},
      {"app/python/",
       {"app/python/", "engine/", "kernels/backend.h", "kernels/base/"},
       with_posix({"pybind11/"})},
      {"app/store/",
       {"app/store/", "engine/", "kernels/base/", "platform/"},
       {"Q", "sqlite3.h", "nlohmann/"}},
      {"app/store/sqlite/", {"app/store/sqlite/", "kernels/base/", "platform/"}, {"sqlite3.h"}},
      {"app/store/prefix/",
       {"app/store/prefix/", "app/store/sqlite/", "engine/cache/", "engine/io/hash.h",
        "kernels/base/", "platform/"},
       {"sqlite3.h", "xxhash.h"}},
      {"app/engine/",
       {"app/engine/", "app/inspect/inspector_client.h", "app/store/", "app/error_strings.h",
        "app/bundled_model.h", "app/task_runner.h", "engine/", "kernels/backend.h", "kernels/base/",
        "platform/"},
       {"Q", "nlohmann/"}},
      {"app/server/",
       {"app/server/", "app/end_signals.h", "app/engine/", "app/richtext/reasoning_scanner.h",
        "app/error_strings.h", "app/task_runner.h", "engine/", "kernels/backend.h", "kernels/base/",
        "platform/"},
       {"Q", "nlohmann/"}},
      {"app/server/http/", {"app/server/http/", "kernels/base/"}, {"boost/asio/"}},
      {"app/remote/",
       {"app/remote/", "app/engine/chat_backend.h", "app/engine/reply.h",
        "app/store/visible_string.h", "app/task_runner.h", "engine/", "kernels/base/"},
       {"Q", "nlohmann/", "qt6keychain/"}},
      {"app/hub/",
       {"app/hub/", "app/model_names.h", "app/remote/remote_call.h", "app/remote/remote_endpoint.h",
        "app/error_strings.h", "app/inspect/inspector_client.h", "engine/io/", "kernels/backend.h",
        "kernels/cpu_tuning.h", "kernels/base/", "platform/"},
       {"Q", "nlohmann/"}},
      // What gives the window hubs: between its view models and what is behind them.
      {"app/hub_link/",
       {"app/hub_link/", "app/hub/", "app/get_models/", "app/app_model.h", "app/engine/reply.h",
        "app/error_strings.h", "app/remote/remote_endpoint.h", "app/remote/secret_store.h",
        "kernels/base/"},
       {"Q"}},
      {"app/models/files/",
       {"app/models/files/", "app/models/scan/file_identity.h", "app/models/scan/small_json.h",
        "app/model_names.h", "app/size_text.h", "app/store/system_reason.h", "engine/io/",
        "kernels/base/", "platform/"},
       {"Q", "nlohmann/"}},
      {"app/models/scan/",
       {"app/models/scan/", "app/inspect/inspector_client.h", "app/inspect/facts_request.h",
        "app/error_strings.h", "app/task_runner.h", "engine/model_summary.h", "engine/models/",
        "engine/io/", "kernels/base/", "platform/"},
       {"Q", "nlohmann/"}},
      view_models("app/chat/"),
      view_models("app/commands/"),
      documents(),
      view_models("app/engine_page/"),
      view_models("app/get_models/"),
      view_models("app/models/"),
      view_models("app/panes/"),
      view_models("app/personas/"),
      {"app/richtext/math/", {"app/richtext/math/", "kernels/base/"}, {"Q"}},
      {"app/richtext/", {"app/richtext/", "kernels/base/"}, {"Q", "md4c"}},
      view_models("app/search/"),
      view_models("app/session/"),
      view_models("app/settings/"),
      view_models("app/sidebar/"),
      view_models("app/transfer/"),
      {"app/end_signals.cpp", {"app/"}, with_posix({"Q"})},
      {"app/",
       {"app/", "engine/", "kernels/backend.h", "kernels/base/", "platform/"},
       {"Q", "sqlite3.h", "md4c", "nlohmann/"}},
  };
  return kRules;
}

constexpr int kMaxLines = 600;
constexpr int kMaxQmlLines = 150;

bool starts_with_any(std::string_view text, std::span<const std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [text](std::string_view prefix) { return text.starts_with(prefix); });
}

/// The standard library's headers have neither a dot nor capitals; the others are the compiler's
/// and the C library's.
bool is_common_header(std::string_view header) {
  static const Names kSystem = {"immintrin.h", "x86intrin.h", "arm_neon.h", "cpuid.h",  "errno.h",
                                "math.h",      "stdint.h",    "stdio.h",    "string.h", "stddef.h"};
  const bool is_plain_name = std::all_of(header.begin(), header.end(), [](unsigned char c) {
    return std::islower(c) || std::isdigit(c) || c == '_';
  });
  return is_plain_name || starts_with_any(header, kSystem);
}

const Rule* rule_for(std::string_view path) {
  const Rule* best = nullptr;
  for (const Rule& rule : rules()) {
    if (!path.starts_with(rule.folder)) continue;
    if (!best || rule.folder.size() > best->folder.size()) best = &rule;
  }
  return best;
}

std::vector<std::string> split_lines(std::string_view content) {
  std::vector<std::string> lines;
  while (!content.empty()) {
    const size_t end = std::min(content.find('\n'), content.size());
    lines.emplace_back(content.substr(0, end));
    content.remove_prefix(std::min(end + 1, content.size()));
  }
  return lines;
}

/// The rest of `line` after `word` and white space, if it begins with it.
std::optional<std::string_view> after(std::string_view line, std::string_view word) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (!line.starts_with(word)) return {};
  line.remove_prefix(word.size());
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

std::optional<std::string> check_include(const Rule& rule, std::string_view line) {
  const std::optional<std::string_view> directive = after(line, "#");
  const std::optional<std::string_view> target =
      directive ? after(*directive, "include") : std::nullopt;
  if (!target || target->empty()) return {};
  const bool is_quoted = target->front() == '"';
  const std::string_view name = target->substr(1, target->find_first_of("\">", 1) - 1);
  const std::string header(name);
  // What moc and uic write beside a source is included by its bare name.
  if (is_quoted && (name.ends_with(".moc") || name.starts_with("moc_"))) return {};
  if (is_quoted && name.find('/') == name.npos) {
    return "\"" + header + "\" is not a path from the repository's root";
  }
  if (is_quoted) {
    if (starts_with_any(name, rule.own)) return {};
    return std::string(rule.folder) + " may not include " + header;
  }
  if (is_common_header(name) || starts_with_any(name, rule.external)) return {};
  return std::string(rule.folder) + " may not use the library of <" + header + ">";
}

/// QML imports modules: Qt's own and those that this program registers, never folders or files.
std::optional<std::string> check_import(std::string_view line) {
  const std::optional<std::string_view> target = after(line, "import ");
  if (!target) return {};
  const std::string_view module = target->substr(0, target->find_first_of(" \t\r"));
  const bool is_allowed =
      module == "Quire" || module.starts_with("Quire.") || module.starts_with("Qt");
  if (is_allowed) return {};
  return "QML imports only Qt's modules and Quire's, not " + std::string(module);
}

/// Words that may stand nowhere in the window's sources, and why.
struct Banned {
  std::string_view word;
  std::string_view why;
};
constexpr Banned kBanned[] = {
    {"setContextProperty", "context properties are untyped; register a type"},
    {"property var", "QML properties have concrete types"},
    {"BlockingQueuedConnection", "the window's thread never waits for another"},
};

/// Whether a range-for goes through a folder: its ++ throws if the folder cannot be read to the
/// end. increment(error) does not.
bool throws_when_reading_a_folder(std::string_view path, std::string_view line) {
  const size_t loop = line.find("for (");
  const size_t range = line.find(" : ", loop == line.npos ? line.size() : loop);
  return !path.starts_with("tests/") && range != line.npos &&
         line.find("directory_iterator", range) != line.npos;
}

bool is_generated_table(std::string_view path) {
  return path.find("generated") != path.npos || path.find("unicode") != path.npos;
}

}  // namespace

std::vector<Violation> check_source(std::string_view path, std::string_view content) {
  std::vector<Violation> found;
  const auto report = [&](int line, std::string message) {
    found.push_back({std::string(path), line, std::move(message)});
  };
  const bool is_qml = path.ends_with(".qml");
  const bool is_window = path.starts_with("app/") || path.starts_with("ui/");
  const Rule* rule = rule_for(path);
  const std::vector<std::string> lines = split_lines(content);
  const int limit = is_qml ? kMaxQmlLines : kMaxLines;
  if (static_cast<int>(lines.size()) > limit && !is_generated_table(path)) {
    report(0, std::to_string(lines.size()) + " lines; at most " + std::to_string(limit));
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    const int number = static_cast<int>(i) + 1;
    if (rule) {
      if (auto message = check_include(*rule, lines[i])) report(number, *message);
    }
    if (is_qml) {
      if (auto message = check_import(lines[i])) report(number, *message);
    }
    if (throws_when_reading_a_folder(path, lines[i])) {
      report(number, "a range-for over a folder throws; use directory_iterator::increment(error)");
    }
    for (const Banned& banned : kBanned) {
      if (!is_window || lines[i].find(banned.word) == std::string::npos) continue;
      report(number, std::string(banned.word) + ": " + std::string(banned.why));
    }
  }
  return found;
}

}  // namespace quire
