#include "app/remote/answer_chunk.h"

#include <QStringList>

#include <algorithm>
#include <limits>
#include <string>

#include <nlohmann/json.hpp>

#include "app/store/visible_string.h"
#include "engine/io/json_file.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr JsonLimits kLimits = {.max_bytes = 16 << 20, .max_values = 200'000};
constexpr qsizetype kMostWords = 300;  ///< Characters of a sentence from outside.
constexpr qsizetype kMostModels = 1000;
constexpr qsizetype kMostNameCharacters = 256;

std::optional<Json> parse(const QByteArray& json) {
  auto document = parse_input(std::string_view(json.constData(), static_cast<size_t>(json.size())),
                              "the answer", kLimits);
  if (!document) return {};
  return *std::move(document);
}

/// The member of that name; null if `object` is no object or has none.
const Json& member(const Json& object, const char* name) {
  static const Json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

QString stringOf(const Json& value) {
  const auto* const text = value.get_ptr<const std::string*>();
  return text ? QString::fromStdString(*text) : QString();
}

int countOf(const Json& value) {
  if (!value.is_number()) return 0;
  const double number = value.get<double>();
  constexpr double kMost = std::numeric_limits<int>::max();
  return number >= 0.0 ? static_cast<int>(std::min(number, kMost)) : 0;
}

/// Content is a string, or a list of parts as Mistral sends it.
void addContent(const Json& content, AnswerChunk& chunk) {
  chunk.text += stringOf(content);
  if (!content.is_array()) return;
  for (const Json& part : content) {
    chunk.text += stringOf(member(part, "text"));
    const Json& thinking = member(part, "thinking");
    chunk.reasoning += stringOf(thinking);
    if (!thinking.is_array()) continue;
    for (const Json& thought : thinking) chunk.reasoning += stringOf(member(thought, "text"));
  }
}

void addMessage(const Json& message, AnswerChunk& chunk) {
  // The same text may stand under both names.
  const QString reasoning = stringOf(member(message, "reasoning_content"));
  chunk.reasoning += reasoning.isEmpty() ? stringOf(member(message, "reasoning")) : reasoning;
  addContent(member(message, "content"), chunk);
  chunk.text += stringOf(member(message, "refusal"));
}

std::optional<RemoteUsage> usageOf(const Json& usage) {
  if (!usage.is_object()) return {};
  RemoteUsage counts = {.promptTokens = countOf(member(usage, "prompt_tokens")),
                        .outputTokens = countOf(member(usage, "completion_tokens"))};
  const int cached =
      std::max(countOf(member(member(usage, "prompt_tokens_details"), "cached_tokens")),
               countOf(member(usage, "prompt_cache_hit_tokens")));
  counts.cachedTokens = std::min(cached, counts.promptTokens);
  return counts;
}

/// The first of the usual places where an error's sentence stands.
QString sentenceOf(const Json& body) {
  const Json& error = member(body, "error");
  const Json& detail = member(body, "detail");
  for (const Json* const place : {&member(error, "message"), &error, &member(error, "error"),
                                  &member(body, "message"), &detail, &member(detail, "message")}) {
    if (const QString text = stringOf(*place); !text.isEmpty()) return text;
  }
  if (!detail.is_array()) return {};
  QStringList faults;  // FastAPI's list of fields at fault.
  for (const Json& fault : detail) {
    QStringList names;
    for (const Json& name : member(fault, "loc")) names += stringOf(name);
    names.removeAll(QString());
    names.removeAll(QStringLiteral("body"));
    faults += names.join(u'.') + QStringLiteral(": ") + stringOf(member(fault, "msg"));
  }
  return faults.join(QStringLiteral("; "));
}

QString shortened(const QString& text) {
  const QString line = visibleString(text.left(4 * kMostWords).simplified());
  return line.size() <= kMostWords ? line : line.left(kMostWords) + u'…';
}

bool isName(const QString& name) {
  const bool isVisible = visibleString(name) == name && name.simplified() == name;
  return !name.isEmpty() && name.size() <= kMostNameCharacters && isVisible;
}

}  // namespace

std::optional<AnswerChunk> readAnswerChunk(const QByteArray& json) {
  const std::optional<Json> body = parse(json);
  if (!body || !body->is_object()) return {};
  AnswerChunk chunk;
  chunk.usage = usageOf(member(*body, "usage"));
  const bool isError =
      !member(*body, "error").is_null() || stringOf(member(*body, "object")) == "error";
  if (isError) chunk.error = shortened(sentenceOf(*body));
  const Json& choices = member(*body, "choices");
  if (!choices.is_array()) return chunk;
  for (const Json& choice : choices) {
    if (countOf(member(choice, "index")) != 0) continue;
    addMessage(member(choice, "delta"), chunk);
    addMessage(member(choice, "message"), chunk);
    chunk.finish = stringOf(member(choice, "finish_reason"));
  }
  return chunk;
}

QString refusalText(const QByteArray& body) {
  const std::optional<Json> document = parse(body);
  if (document)
    return shortened(document->is_array() && !document->empty() ? sentenceOf(document->front())
                                                                : sentenceOf(*document));
  const bool isMarkup = body.trimmed().startsWith('<');
  return isMarkup ? QString() : shortened(QString::fromUtf8(body.left(4 * kMostWords)));
}

std::optional<RemoteModelList> readModelList(const QByteArray& json) {
  const std::optional<Json> body = parse(json);
  if (!body) return {};
  const Json& data = member(*body, "data");
  const Json& models = data.is_array() ? data : body->is_array() ? *body : member(*body, "models");
  if (!models.is_array()) return {};
  RemoteModelList list;
  for (const Json& model : models) {
    QString name = stringOf(member(model, "id"));
    if (name.isEmpty()) name = stringOf(member(model, "name"));
    if (!isName(name) || list.names.contains(name)) continue;
    if (list.names.isEmpty()) list.owner = stringOf(member(model, "owned_by"));
    list.names.append(name);
    if (list.names.size() >= kMostModels) break;
  }
  return list;
}

}  // namespace quire
