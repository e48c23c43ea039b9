// quire-inspect: reads models' files for the window, so that a hostile one ends a process without
// rights and not the window. It takes requests from the socket at its standard input, a line each:
//
//     {"path": "/models/a.gguf", "milliseconds": 10000, "background": true}
//
// and answers each with a line: {"facts": FACTS} (facts_request.h) or {"ended": ERROR} if the
// process that read the file was ended (confined_call.h). It ends with the stream.
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/confine/confined_call.h"
#include "app/confine/readable_paths.h"
#include "app/inspect/facts_request.h"
#include "engine/io/text.h"

namespace {

using namespace quire;

constexpr size_t kMaxRequest = 64 << 10;
constexpr int kSocket = STDIN_FILENO;

/// The next line without its end; nullopt at the end of the stream.
std::optional<std::string> next_line(std::string& buffer) {
  char bytes[4096];
  while (true) {
    if (const size_t end = buffer.find('\n'); end != buffer.npos) {
      std::string line = buffer.substr(0, end);
      buffer.erase(0, end + 1);
      return line;
    }
    const ssize_t count = recv(kSocket, bytes, sizeof bytes, 0);
    if (count <= 0 || buffer.size() > kMaxRequest) return {};
    buffer.append(bytes, static_cast<size_t>(count));
  }
}

bool send_line(std::string line) {
  line += '\n';
  for (size_t sent = 0; sent < line.size();) {
    const ssize_t count = send(kSocket, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return false;
    sent += static_cast<size_t>(count);
  }
  return true;
}

std::string answer_to(const nlohmann::json& request) {
  const std::string text = request.value("path", std::string());
  const std::filesystem::path path(std::u8string(text.begin(), text.end()));
  const std::chrono::milliseconds wall(request.value("milliseconds", 10'000));
  const auto end = confined_call(
      {.readable = readable_paths(path), .in_background = request.value("background", true)}, wall,
      [&] { return facts_of(path); }, for_message(path.filename().string()));
  if (!end) return "{\"ended\": " + error_as_json(end.error()) + "}";
  // What the file's reader says is not to be trusted: it could forge the answer to another request.
  if (end->answer.find('\n') != end->answer.npos) return "{}";
  return "{\"facts\": " + end->answer + "}";
}

}  // namespace

int main() {
  std::string buffer;
  while (const auto line = next_line(buffer)) {
    const auto request = nlohmann::json::parse(*line, nullptr, /*allow_exceptions=*/false);
    if (!request.is_object()) return 2;
    if (!send_line(answer_to(request))) return 1;
  }
  return 0;
}
