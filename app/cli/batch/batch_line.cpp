#include "app/cli/batch/batch_line.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "engine/io/json_file.h"
#include "engine/io/text.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kUrls[] = {"/v1/chat/completions", "/v1/completions", "/v1/embeddings"};
constexpr size_t kMaxIdBytes = 512;
constexpr int kBadRequest = 400;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string line_id(int64_t number) {
  return "batch_req_" + std::to_string(number);
}

/// The string of that name; empty if there is none.
std::string string_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Why the line cannot be asked; empty if it can.
std::string refusal(const Json& json, const BatchLine& line) {
  for (const auto& [name, value] : json.items()) {
    if (name != "custom_id" && name != "method" && name != "url" && name != "body") {
      return "The line has the field '" + for_message(name) + "', which is not supported.";
    }
  }
  if (line.custom_id.empty()) return "The line has no custom_id, a string.";
  if (line.custom_id.size() > kMaxIdBytes) return "custom_id is longer than 512 bytes.";
  if (string_of(json, "method") != "POST") return "method must be \"POST\".";
  if (std::ranges::find(kUrls, line.url) == std::end(kUrls)) {
    return "url is '" + for_message(line.url) +
           "'; it must be /v1/chat/completions, /v1/completions or /v1/embeddings.";
  }
  const auto body = json.find("body");
  if (body == json.end() || !body->is_object()) return "The line has no body, a JSON object.";
  const auto stream = body->find("stream");
  if (stream != body->end() && *stream != Json(false) && !stream->is_null()) {
    return "stream must be false: the answers of a batch are whole.";
  }
  return {};
}

}  // namespace

std::string BatchLine::key() const {
  return custom_id.empty() ? line_id(number) : custom_id;
}

BatchLine parse_batch_line(std::string_view text, int64_t number) {
  BatchLine line{.number = number};
  const auto json = parse_input(text, "The line");
  if (!json) {
    line.error = json.error().message + ".";
    return line;
  }
  if (!json->is_object()) {
    line.error = "The line is not a JSON object.";
    return line;
  }
  line.custom_id = string_of(*json, "custom_id");
  line.url = string_of(*json, "url");
  line.error = refusal(*json, line);
  if (line.custom_id.size() > kMaxIdBytes) line.custom_id.clear();
  if (line.error.empty()) line.body = dump((*json)["body"]);
  return line;
}

std::string answer_line(const BatchLine& line, int status, std::string body) {
  // In JSON a newline can only be white space between values.
  std::ranges::replace(body, '\n', ' ');
  std::ranges::replace(body, '\r', ' ');
  const Json id = line.custom_id.empty() ? Json() : Json(line.custom_id);
  const Json request_id = "req_" + std::to_string(line.number);
  return "{\"id\":" + dump(Json(line_id(line.number))) + ",\"custom_id\":" + dump(id) +
         ",\"response\":{\"status_code\":" + std::to_string(status) +
         ",\"request_id\":" + dump(request_id) + ",\"body\":" + (body.empty() ? "null" : body) +
         "},\"error\":null}";
}

std::string refusal_line(const BatchLine& line) {
  const Json error = {{"message", "Line " + std::to_string(line.number) + ": " + line.error},
                      {"type", "invalid_request_error"},
                      {"param", nullptr},
                      {"code", "invalid_batch_line"}};
  return answer_line(line, kBadRequest, dump({{"error", error}}));
}

BatchAnswerHead parse_answer_head(std::string_view text, bool is_cut) {
  // In a string its quotes would be escaped. What follows it may be of any size, such as vectors.
  const size_t body = text.find(",\"body\":");
  if (is_cut && body == text.npos) return {};
  const auto json = body != text.npos
                        ? parse_input(std::string(text.substr(0, body)) + "}}", "The line")
                        : parse_input(text, "The line");
  if (!json || !json->is_object() || !json->contains("response")) return {};
  const std::string custom_id = string_of(*json, "custom_id");
  const Json& response = (*json)["response"];
  const auto status = response.is_object() ? response.find("status_code") : response.end();
  return {.key = custom_id.empty() ? string_of(*json, "id") : custom_id,
          .failed = status == response.end() || *status != kAnsweredStatus};
}

}  // namespace quire
