#include "app/cli/load/answer_reader.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "engine/io/json_file.h"
#include "kernels/base/visible_text.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxEventBytes = size_t{1} << 20;  // Of each answer that is being read.
constexpr size_t kMaxNameBytes = 1024;              // The name stands in each request.
constexpr size_t kMaxShownBytes = 300;
constexpr JsonLimits kLimits = {.max_bytes = 64 << 20, .max_values = 2'000'000};

const Json* find(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

int count_of(const Json& usage, const char* name) {
  const Json* count = find(usage, name);
  if (count == nullptr || !count->is_number_integer()) return -1;
  const auto value = count->get<int64_t>();
  return value >= 0 && value < (1 << 30) ? static_cast<int>(value) : -1;
}

bool is_filled(const Json* value) {
  return value != nullptr &&
         ((value->is_string() && !value->get_ref<const std::string&>().empty()) ||
          (value->is_array() && !value->empty()));
}

bool has_text(const Json& choice) {
  for (const char* part : {"delta", "message"}) {
    const Json* message = find(choice, part);
    if (message == nullptr) continue;
    for (const char* name : {"content", "reasoning_content", "reasoning", "tool_calls"}) {
      if (is_filled(find(*message, name))) return true;
    }
  }
  return is_filled(find(choice, "text"));
}

std::string error_text(const Json& error) {
  const Json* message = find(error, "message");
  const Json& said = message != nullptr ? *message : error;
  const std::string text = said.is_string()
                               ? said.get<std::string>()
                               : said.dump(-1, ' ', false, Json::error_handler_t::replace);
  return visible_text(text.substr(0, kMaxShownBytes));
}

Error not_an_answer(const std::string& why) {
  return {ErrorCode::kCorruptFile, "the answer " + why};
}

}  // namespace

Result<std::vector<std::string>> EventCutter::push(std::string_view piece) {
  std::vector<std::string> events;
  while (!piece.empty()) {
    const size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (m_line.size() + m_data.size() + part.size() > kMaxEventBytes) {
      return Error{ErrorCode::kUnsupported, "an event is longer than 1 MiB"};
    }
    m_line += part;
    if (end == piece.npos) break;
    piece.remove_prefix(end + 1);
    take_line(events);
  }
  return events;
}

void EventCutter::take_line(std::vector<std::string>& events) {
  if (m_line.ends_with('\r')) m_line.pop_back();
  constexpr std::string_view kField = "data:";
  if (m_line.empty()) {
    if (m_has_data) events.push_back(std::exchange(m_data, {}));
    m_has_data = false;
  } else if (m_line.starts_with(kField)) {
    if (m_has_data) m_data += '\n';
    std::string_view data = std::string_view(m_line).substr(kField.size());
    if (data.starts_with(' ')) data.remove_prefix(1);
    m_data += data;
    m_has_data = true;
  }
  m_line.clear();
}

Result<AnswerPiece> read_answer_piece(std::string_view text) {
  const auto json = parse_input(text, "the answer", kLimits);
  if (!json) return Error{ErrorCode::kCorruptFile, json.error().message};
  if (!json->is_object()) return not_an_answer("is not a JSON object");
  AnswerPiece piece;
  if (const Json* error = find(*json, "error")) {
    piece.error = error_text(*error);
    return piece;
  }
  if (const Json* choices = find(*json, "choices"); choices != nullptr && choices->is_array()) {
    for (const Json& choice : *choices) piece.has_text = piece.has_text || has_text(choice);
  }
  if (const Json* usage = find(*json, "usage")) {
    piece.prompt_tokens = count_of(*usage, "prompt_tokens");
    piece.output_tokens = count_of(*usage, "completion_tokens");
  }
  return piece;
}

Result<std::string> first_model(std::string_view text) {
  const auto json = parse_input(text, "the list of models", kLimits);
  if (!json) return Error{ErrorCode::kCorruptFile, json.error().message};
  const Json* data = find(*json, "data");
  if (data == nullptr || !data->is_array() || data->empty()) {
    return not_an_answer("lists no models");
  }
  const Json* id = find(data->front(), "id");
  if (id == nullptr || !id->is_string()) return not_an_answer("lists a model without a name");
  const auto& name = id->get_ref<const std::string&>();
  if (name.size() > kMaxNameBytes) {
    return not_an_answer("lists a model whose name is longer than 1,024 bytes");
  }
  return name;
}

int token_count(std::string_view text) {
  const auto json = parse_input(text, "the count of tokens", kLimits);
  return json && json->is_object() ? count_of(*json, "count") : -1;
}

}  // namespace quire
