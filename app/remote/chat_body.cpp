#include "app/remote/chat_body.h"

#include <QCoreApplication>

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

struct ChatBodyTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::ChatBodyTexts)
};

constexpr std::array kReasoningMarks = {
    std::pair("<think>", "</think>"),           std::pair("<thinking>", "</thinking>"),
    std::pair("<thought>", "</thought>"),       std::pair("<reasoning>", "</reasoning>"),
    std::pair("<seed:think>", "</seed:think>"), std::pair("[THINK]", "[/THINK]")};

/// 0.7f as 0.7, not as 0.699999988.
double plain(float value) {
  return QString::number(static_cast<double>(value), 'g', 7).toDouble();
}

/// Why requests like this one are not sent; empty: they can be.
QString obstacleOf(const ChatRequest& request, const RemoteEndpoint& endpoint) {
  if (!request.adapterPath.isEmpty()) {
    return ChatBodyTexts::tr(
        "The adapter of this persona works only with models on this computer. Choose another "
        "persona or model.");
  }
  const SamplingParams& sampling = request.sampling;
  const bool isPlain = !request.rawPrompt && request.prompt.tools.empty() &&
                       request.prompt.variables.empty() && !sampling.ignore_eos &&
                       sampling.num_logprobs < 0 && sampling.stop_token_ids.empty() &&
                       sampling.logit_bias.empty() && sampling.min_tokens == 0 && !sampling.grammar;
  if (!isPlain) {
    return ChatBodyTexts::tr("This request needs a model on this computer. Choose one there.");
  }
  const bool isExtended =
      sampling.top_k > 0 || sampling.min_p > 0.0f || sampling.repetition_penalty != 1.0f;
  if (isExtended && endpoint.server == ServerKind::kOllama) {
    return ChatBodyTexts::tr(
               "%1 ignores top_k, min_p and the repetition penalty. Reset them in the settings of "
               "this chat.")
        .arg(endpoint.name);
  }
  if (request.continueAnswer && !canContinueOn(endpoint.server)) {
    return ChatBodyTexts::tr(
               "%1 cannot continue an answer that was cut off. Regenerate it instead.")
        .arg(endpoint.name);
  }
  return {};
}

Json messagesOf(const ChatRequest& request) {
  Json messages = Json::array();
  for (const ChatTurn& turn : request.turns) {
    const bool isAnswer = turn.role == QLatin1String("assistant");
    const QString text = isAnswer ? withoutReasoning(turn.text).value_or(turn.text) : turn.text;
    messages.push_back({{"role", turn.role.toStdString()}, {"content", text.toStdString()}});
  }
  return messages;
}

void addSampling(Json& body, const ChatRequest& request, const RemoteEndpoint& endpoint,
                 const ChatDialect& dialect) {
  const SamplingParams& sampling = request.sampling;
  const auto add = [&body](const char* name, float value, float usual) {
    if (value != usual) body[name] = plain(value);
  };
  // Hosted models may accept nothing but 1. The others would take what the model's files recommend
  // in place of what is left out.
  const bool sendsAll = endpoint.server != ServerKind::kUnknown;
  const float usual = sendsAll ? -1.0f : 1.0f;
  add("temperature", sampling.temperature, usual);
  add("top_p", sampling.top_p, usual);
  add("min_p", sampling.min_p, 0.0f);
  add("presence_penalty", sampling.presence_penalty, 0.0f);
  add("frequency_penalty", sampling.frequency_penalty, 0.0f);
  const bool isLlama = endpoint.server == ServerKind::kLlamaCpp;
  add(isLlama ? "repeat_penalty" : "repetition_penalty", sampling.repetition_penalty, 1.0f);
  if (sampling.top_k > 0) body["top_k"] = sampling.top_k;
  if (dialect.sendsSeed) body["seed"] = sampling.seed & 0x7fffffff;  // Some accept 32 bits only.
  body[dialect.usesCompletionTokens ? "max_completion_tokens" : "max_tokens"] = sampling.max_tokens;
  if (!sampling.stop.empty()) body["stop"] = sampling.stop;
}

void addFormat(Json& body, const AnswerFormat& format) {
  if (format.kind == AnswerFormat::Kind::kJson) body["response_format"] = {{"type", "json_object"}};
  if (format.kind != AnswerFormat::Kind::kJsonSchema) return;
  Json schema = Json::parse(format.schema, nullptr, /*allow_exceptions=*/false);
  if (schema.is_discarded()) schema = Json::object();
  body["response_format"] = {
      {"type", "json_schema"},
      {"json_schema", {{"name", "answer"}, {"strict", true}, {"schema", std::move(schema)}}}};
}

/// The fields with which the servers of canContinueOn() go on with the last message.
void addContinuation(Json& body, ServerKind server) {
  if (server == ServerKind::kLlamaCpp) return;  // It does so by itself.
  body["continue_final_message"] = true;
  body["add_generation_prompt"] = false;
}

}  // namespace

bool ChatDialect::learnFrom(const QByteArray& refusal) {
  if (asksUsage && refusal.contains("stream_options")) return !(asksUsage = false);
  if (!usesCompletionTokens && refusal.contains("max_completion_tokens")) {
    return usesCompletionTokens = true;
  }
  const bool isOfSeed = refusal.contains("\"seed\"") || refusal.contains("'seed'") ||
                        refusal.contains("`seed`") || refusal.contains("seed:");
  if (sendsSeed && isOfSeed) return !(sendsSeed = false);
  return false;
}

bool canContinueOn(ServerKind server) {
  return server == ServerKind::kVllm || server == ServerKind::kSglang ||
         server == ServerKind::kLlamaCpp || server == ServerKind::kQuire;
}

std::optional<QString> withoutReasoning(const QString& text) {
  const QString begin = text.trimmed();
  for (const auto& [opener, closer] : kReasoningMarks) {
    if (!begin.startsWith(QLatin1String(opener))) continue;
    const qsizetype end = begin.indexOf(QLatin1String(closer));
    if (end < 0) return {};
    QString rest =
        text.mid(text.indexOf(QLatin1String(closer)) + static_cast<qsizetype>(qstrlen(closer)));
    while (!rest.isEmpty() && rest.front().isSpace()) rest.remove(0, 1);
    return rest;
  }
  return text;
}

ChatBody chatBody(const ChatRequest& request, const RemoteEndpoint& endpoint, const QString& model,
                  const ChatDialect& dialect) {
  if (const QString problem = obstacleOf(request, endpoint); !problem.isEmpty()) {
    return {.json = {}, .problem = problem};
  }
  const bool isThinking =
      request.continueAnswer && !request.turns.isEmpty() &&
      withoutReasoning(request.turns.constLast().text).value_or(QString()).isEmpty();
  if (isThinking) {
    return {.json = {},
            .problem = ChatBodyTexts::tr("The answer was cut off while the model was still "
                                         "thinking, which %1 cannot continue. Regenerate it "
                                         "instead.")
                           .arg(endpoint.name)};
  }
  Json body = {{"model", model.toStdString()}, {"messages", messagesOf(request)}, {"stream", true}};
  if (dialect.asksUsage) body["stream_options"] = {{"include_usage", true}};
  addSampling(body, request, endpoint, dialect);
  addFormat(body, request.format);
  if (request.continueAnswer) addContinuation(body, endpoint.server);
  return {
      .json = QByteArray::fromStdString(body.dump(-1, ' ', false, Json::error_handler_t::replace)),
      .problem = {}};
}

}  // namespace quire
