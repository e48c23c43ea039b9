// JSON that is given to the command line or imported: conversations, exports.
#include "tests/hostile/hostile_folder.h"

namespace quire::test {
namespace {

const std::string kMessage = R"({"role": "user", "content": "Hello"})";

HostileFile& addRender(HostileFolder& to, const std::string& title, const std::string& place,
                       const std::string& json) {
  HostileFile& made = to.file("render", title + ".json", place, json);
  return made.as(HostileUse::kRender).with((to.root() / "render" / "plain.jinja").string());
}

HostileFile& addMessages(HostileFolder& to, const std::string& title, const std::string& place,
                         const std::string& lines) {
  return to.file("messages", title + ".jsonl", place, lines).as(HostileUse::kMessages);
}

/// What may be wrong with any JSON.
struct BadJson {
  const char* title;
  std::string text;
};

std::vector<BadJson> badJson() {
  return {
      {"no-json", "{\"messages\": nonsense}"},
      {"open", "{\"messages\": ["},
      {"nested-lists", repeated("[", 300'000)},
      {"closed-lists", repeated("[", 300'000) + repeated("]", 300'000)},
      {"nested-objects", repeated("{\"a\":", 300'000)},
      {"nested-content", "{\"messages\": " + repeated("[", 300'000) + repeated("]", 300'000) + "}"},
      {"no-utf-8", "{\"messages\": \"\xff\xfe\"}"},
      {"lone-surrogate", R"({"messages": "\ud800"})"},
      {"huge-number", "{\"messages\": 1e999}"},
      {"zeros", std::string(100, '\0')},
      {"a-list", "[1]"},
      {"empty", ""}};
}

std::string chatExport(const std::string& chats, const std::string& more = {}) {
  return R"({"format": "quire-export", "version": 2, "personas": [], "folders": [], "chats": [)" +
         chats + "]" + more + "}";
}

/// A chat of one message with these members more, or in place of its own.
std::string chatWith(const std::string& chat, const std::string& message) {
  return R"({"id": 1, "title": "A chat", "created_ms": 1700000000000, "active_ms": 1700000000000,)"
         R"("head": 2, "color": 0, )" +
         chat +
         R"( "messages": [{"id": 2, "parent": 0, "role": "user", "status": 0,)"
         R"("created_ms": 1700000000001, )" +
         message + R"( "parts": [{"kind": "text", "text": "Hello"}]}]})";
}

HostileFile& addExport(HostileFolder& to, const std::string& title, const std::string& place,
                       const std::string& json) {
  return to.file("export", title + ".json", place, json).as(HostileUse::kImport);
}

void addFields(HostileFolder& to) {
  const auto chat = [&](const char* title, const std::string& member) {
    addExport(to, title, "", chatExport(chatWith(member + ",", ""))).ends(HostileEnd::kEither);
  };
  const auto message = [&](const char* title, const std::string& member) {
    return &addExport(to, title, "", chatExport(chatWith("", member + ",")))
                .ends(HostileEnd::kEither);
  };
  chat("chat-id-a-text", R"("id": "one")");
  chat("chat-id-negative", R"("id": -1)");
  chat("chat-id-huge", R"("id": 18446744073709551615)");
  chat("head-elsewhere", R"("head": 99)");
  chat("title-of-escapes", R"("title": "\u001b[2J\u202etxt.exe\n")");
  chat("title-of-a-megabyte", "\"title\": \"" + std::string(1 << 20, 't') + "\"");
  chat("color-huge", R"("color": 1e300)");
  chat("times-of-never", R"("created_ms": -9223372036854775808, "active_ms": 9223372036854775807)");
  chat("settings-a-list", R"("settings": [1])");
  chat("settings-nested", "\"settings\": " + repeated("{\"a\":", 25) + "1" + repeated("}", 25));
  chat("persona-missing", R"("persona": 77, "folder": 88)");
  message("parent-itself", R"("parent": 2)");
  message("parent-later", R"("parent": 3)");
  message("role-unknown", R"("role": "root")");
  message("status-unknown", R"("status": 99)");
  message("tokens-negative", R"("tokens": [-1, 2147483648])");
  message("tokens-nested", R"("tokens": [[[[1]]]])");
  message("18-tokens-hidden", R"("role": "assistant", "tokens": [1, 2, 3])")->ofRow("18");
  message("parts-a-text", R"("parts": "all")");
  message("data-no-base64", R"("parts": [{"kind": "image", "data": "!!!"}], "x": 1)");
  message("origin-a-list", R"("origin": [1])");
  message(
      "origin-of-all-bits",
      R"("origin": {"prompt_base": 1, "prompt_shared": 9223372036854775807, "prompt_rest": [0]})");
}

void addLarge(HostileFolder& to) {
  // Of a record that may hold 30 million values: 2 bytes of the file make some 16 of memory.
  addExport(to, "16-three-million-values-in-one-chat", "",
            chatExport("{\"id\": 1, \"x\": [" + repeated("1,", 3'000'000) + "1]}"))
      .ends(HostileEnd::kEither)
      .ofRow("16");
  addExport(to, "16-fifteen-million-lists-in-one-chat", "",
            chatExport("{\"id\": 1, \"messages\": [" + repeated("[],", 15'000'000) + "[]]}"))
      .ofRow("16")
      .place = "16-fifteen-million-lists-in-one-chat";
  addExport(to, "a-million-chats", "", chatExport(repeated("{},", 1'000'000) + "{}"))
      .ends(HostileEnd::kEither);
  addExport(to, "a-million-settings", "settings",
            chatExport("", ", \"settings\": {\"a\": [" + repeated("1,", 1'000'000) + "1]}"))
      .ends(HostileEnd::kEither);
  addExport(to, "sparse-text", "", R"({"format": "quire-export", "version": 2, "title": ")").place =
      "sparse-text";
  makeSparse(to.files().back().path, uint64_t{1} << 36);
}

/// More than is read of what the command line gets.
void addLargeInputs(HostileFolder& to) {
  const std::string texts = "[" + repeated("\"aaaa\",", 300'000) + "1]";
  addRender(to, "many-texts", "250,000 values", "{\"messages\": " + texts + "}");
  addMessages(to, "many-texts", "250,000 values",
              "{\"messages\": [" + kMessage + "], \"x\": " + texts + "}");
  const std::string number = "0." + std::string(1000, '7') + "e-290";
  addRender(to, "long-numbers", "512 characters", "{\"messages\": [" + number + "]}");
  addMessages(to, "long-numbers", "512 characters", "{\"messages\": [" + number + "]}");
  addRender(to, "long", "longer than 16 MiB", "{\"messages\": \"");
  makeSparse(to.files().back().path, uint64_t{60} << 20);
  addMessages(to, "long-line", "16,777,216 allowed", "{\"messages\": \"");
  makeSparse(to.files().back().path, uint64_t{60} << 20);
  addMessages(to, "long", "quire-cli batch", "{\"messages\": \"");
  makeSparse(to.files().back().path, uint64_t{65} << 20);
}

}  // namespace

void addJsonInputs(HostileFolder& to) {
  std::filesystem::create_directories(to.root() / "render");
  writeFile(to.root() / "render" / "plain.jinja", "{{ messages }}");
  for (const BadJson& bad : badJson()) {
    const bool nests = std::string(bad.title).find("nested") != std::string::npos ||
                       std::string(bad.title).find("lists") != std::string::npos;
    HostileFile& render = addRender(to, nests ? "J-" + std::string(bad.title) : bad.title,
                                    "JSON|nested|empty", bad.text);
    if (nests) render.ofRow("J");
    addMessages(to, bad.title, "line 1|no chats", bad.text);
    addMessages(
        to, "second-" + std::string(bad.title), "line 2",
        "{\"messages\": [" + kMessage + "]}\n" + (bad.text.empty() ? std::string("x") : bad.text));
  }
  addMessages(to, "content-nested", "line 1",
              "{\"messages\": [{\"role\": \"user\", \"content\": " + repeated("[", 300'000) +
                  repeated("]", 300'000) + "}]}");
  // The parser would keep them, and make eight characters of each for its message.
  addRender(to, "J-line-ends-between-values", "line 1", '[' + std::string(15 << 20, '\n') + 'x')
      .ofRow("J");
  addLargeInputs(to);
  addMessages(to, "roles-of-escapes", "",
              R"({"messages": [{"role": "\u001b[2J\u202e", "content": "\u001b]0;x\u0007a"}]})")
      .ends(HostileEnd::kEither);
}

void addExports(HostileFolder& to) {
  addExport(to, "whole", "", chatExport(chatWith("", ""))).ends(HostileEnd::kAccepted);
  for (const BadJson& bad : badJson()) {
    addExport(to, bad.title, "byte|deeply|early|object|exported|empty|kind|format", bad.text);
  }
  addExport(to, "nested-in-a-chat", "deeply",
            chatExport("{\"id\": 1, \"x\": " + repeated("[", 100'000) + "}"));
  addExport(to, "line-ends-between-values", "gap",
            chatExport("{\"id\": 1, \"x\": [" + std::string(31 << 20, '\n') + "x]}"));
  addExport(to, "newer", "newer", R"({"format": "quire-export", "version": 99, "chats": []})");
  addExport(to, "another-program's", "exported",
            R"({"format": "other", "version": 2, "chats": []})");
  addExport(to, "chats-a-number", "", R"({"format": "quire-export", "version": 2, "chats": 7})")
      .ends(HostileEnd::kEither);
  addExport(to, "chat-a-number", "", chatExport("7")).ends(HostileEnd::kEither);
  addExport(to, "cut", "early|byte", chatExport(chatWith("", "")).substr(0, 300));
  addFields(to);
  addLarge(to);
  std::string markdown = "# A chat\n\n2024-05-06\n\n## You\n\n" + repeated("> ", 100'000) + "\n";
  to.file("export", "quotes.md", "", markdown).as(HostileUse::kImport).ends(HostileEnd::kEither);
  to.file("export", "fences.md", "",
          "# A chat\n\n2024-05-06\n\n## You\n\n" + repeated("```\n", 200'001))
      .as(HostileUse::kImport)
      .ends(HostileEnd::kEither);
  to.file("export", "headings.md", "",
          "# A chat\n\n2024-05-06\n\n" + repeated("## You\n\nx\n\n", 10'000))
      .as(HostileUse::kImport)
      .ends(HostileEnd::kEither);
}

}  // namespace quire::test
