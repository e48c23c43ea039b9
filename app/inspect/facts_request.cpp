#include "app/inspect/facts_request.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "engine/io/hash.h"
#include "engine/model_details.h"
#include "engine/model_summary.h"
#include "engine/models/adapter_files.h"
#include "engine/models/model_files.h"
#include "engine/template/chat_template.h"
#include "kernels/base/hash_bytes.h"
#include "kernels/base/work_budget.h"

namespace quire {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr size_t kMaxText = 4096;  ///< Bytes of a text of the files.
constexpr int kProjector = 1;
constexpr int kAdapter = 2;

std::string cut(std::string_view text) {
  return std::string(text.substr(0, kMaxText));
}

Json to_json(const Error& error) {
  if (error.message.empty()) return Json::object();
  Json arguments = Json::array();
  for (const std::string& argument : error.arguments) arguments.push_back(cut(argument));
  return {{"code", static_cast<int>(error.code)},
          {"message", cut(error.message)},
          {"format", error.format == nullptr ? "" : error.format},
          {"arguments", std::move(arguments)}};
}

/// Cutting may have split a character, and files may hold anything.
std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

int kind_of(const GgufFile& file, std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::string_view type = file.string("general.type").value_or("");
  if (type == "adapter") return kAdapter;
  const bool is_projector = type == "mmproj" || file.string("general.architecture") == "clip" ||
                            name.find("mmproj") != name.npos;
  return is_projector ? kProjector : 0;
}

/// Encodes and renders as the first chat would. Results and errors do not matter, only the end.
void try_text(const ModelSummary& summary) {
  if (summary.tokenizer) (void)summary.tokenizer->encode("Hello,  1234 \u00e9\ud55c\u300c!\n");
  if (summary.template_source.empty()) return;
  const auto chat = ChatTemplate::compile(summary.template_source);
  if (!chat) return;
  // Not always the same text, by which a template could tell that it is only tried.
  const std::string text = "Hello " + std::to_string(hash_bytes("trial") % 1'000'000);
  const Json message = {{"role", "user"}, {"content", text}};
  const Json variables = {{"messages", Json::array({message})},
                          {"add_generation_prompt", true},
                          {"bos_token", "<s>"},
                          {"eos_token", "</s>"}};
  (void)chat->render(variables);
}

/// A hash of the tokens in their order, which is equal for models with the same vocabulary; empty
/// without a tokenizer. Padding tokens at the end do not count, because models of one family pad
/// their vocabulary to different lengths; llama.cpp's converter spells them "[PAD7]".
std::string vocabulary_hash(const Tokenizer* tokenizer) {
  if (tokenizer == nullptr) return {};
  const auto pads = [&](TokenId id) {
    const std::string_view piece = tokenizer->token_piece(id);
    return piece.empty() || piece.starts_with("[PAD");
  };
  TokenId count = tokenizer->vocab_size();
  while (count > 0 && pads(count - 1)) --count;
  Sha256 hash;
  for (TokenId id = 0; id < count; ++id) hash.update_field(tokenizer->token_piece(id));
  return to_hex(hash.finish());
}

void describe(const ModelSummary& summary, Json& facts) {
  facts["architecture"] = cut(summary.architecture);
  facts["format"] = cut(summary.format);
  facts["parameters"] = summary.num_parameters;
  facts["fileBytes"] = summary.file_bytes;
  facts["vocabulary"] = vocabulary_hash(summary.tokenizer.get());
  if (summary.config) facts["context"] = summary.config->max_positions;
  if (facts["quantisation"].get_ref<const std::string&>().empty() && !summary.dtypes.empty()) {
    facts["quantisation"] = cut(summary.dtypes.front().dtype);
  }
  if (!summary.obstacles.empty()) facts["obstacle"] = to_json(summary.obstacles.front());
}

}  // namespace

std::string facts_of(const fs::path& path) {
  const SharedCpuTime shared(kInspectionTime);
  Json facts = {{"kind", 0},        {"architecture", ""}, {"quantisation", ""},
                {"format", ""},     {"parameters", 0},    {"fileBytes", 0},
                {"vocabulary", ""}, {"context", 0},       {"obstacle", Json::object()}};
  if (const auto metadata = open_gguf_metadata(path); metadata && *metadata) {
    facts["kind"] = kind_of(**metadata, path.filename().string());
    facts["quantisation"] =
        gguf_mixture_name((*metadata)->integer("general.file_type").value_or(-1));
    facts["architecture"] = cut((*metadata)->string("general.architecture").value_or(""));
  }
  if (is_adapter_folder(path)) facts["kind"] = kAdapter;
  if (facts["kind"] == kAdapter) {
    if (const auto checked = check_adapter_files(path); !checked) {
      facts["obstacle"] = to_json(checked.error());
    }
  }
  if (facts["kind"].get<int>() != 0) return line_of(facts);
  if (const auto summary = inspect_model(path)) {
    describe(*summary, facts);
    try_text(*summary);
  } else {
    facts["obstacle"] = to_json(summary.error());
  }
  return line_of(facts);
}

std::string error_as_json(const Error& error) {
  return line_of(to_json(error));
}

}  // namespace quire
