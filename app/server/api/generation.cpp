#include "app/server/api/generation.h"

#include <QRandomGenerator>

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <utility>

#include "app/engine/text_backend.h"
#include "app/server/api/active_answers.h"
#include "app/server/api/answer_builder.h"
#include "app/server/api/api_error.h"
#include "app/server/api/best_of_writer.h"
#include "app/server/api/model_directory.h"
#include "app/server/api/request_limiter.h"
#include "app/server/api/request_size.h"
#include "app/server/http/byte_budget.h"
#include "app/server/server_metrics.h"
#include "engine/chat/tool_schemas.h"
#include "engine/io/text.h"

namespace quire {
namespace {

using Clock = std::chrono::steady_clock;

/// The most answers of one request, however many the limiter has room for.
constexpr int kMostAnswers = 2048;
/// The most log probabilities that are kept until the answers of a request have ended: their JSON
/// takes 600 bytes each while the response is written.
constexpr size_t kMostKeptLogprobs = 200'000;
/// What one takes in memory until then.
constexpr size_t kLogprobBytes = 128;

int numSampledOf(const GenerationRequest& request) {
  return std::max(request.numSampled, request.numAnswers);
}

/// The parameters of answer `index` of a prompt, `seed` being the first one's.
SamplingParams samplingOf(const GenerationRequest& request, const TextModel& model, uint64_t seed,
                          int index) {
  SamplingParams sampling = request.chat.sampling;
  const OpenSampling& open = request.open;
  const ModelSampling& usual = model.sampling;
  const auto orUsual = [](const std::optional<float>& given, const std::optional<double>& usualOne,
                          float otherwise) {
    return given.value_or(usualOne ? static_cast<float>(*usualOne) : otherwise);
  };
  sampling.temperature = orUsual(open.temperature, usual.temperature, sampling.temperature);
  sampling.top_p = orUsual(open.topP, usual.topP, sampling.top_p);
  sampling.top_k = open.topK.value_or(usual.topK.value_or(sampling.top_k));
  sampling.max_tokens = open.maxTokens.value_or(std::max(model.contextLength, 1));
  sampling.seed = seed + static_cast<uint64_t>(index);
  return sampling;
}

/// Schemas are compiled where the prompt is prepared. Their errors, which all say so, name the
/// field that the schema came from.
ApiError failureOf(const AnswerReport& report, const GenerationRequest& request) {
  ApiError error = apiErrorOf(report.errorCode, report.error);
  const AnswerFormat::Kind kind = request.chat.format.kind;
  if (report.errorCode != ErrorCode::kInvalidArgument) return error;
  if (kind == AnswerFormat::Kind::kJsonSchema && report.error.contains("schema")) {
    error.param = request.formatField;
  } else if (kind == AnswerFormat::Kind::kToolCalls && report.error.contains("tool")) {
    error.param = "tools";
  }
  return error;
}

AnswerEnd endOf(const AnswerReport& report, bool hasToolCalls) {
  return {.finish = report.finish,
          .stop = report.stop.toStdString(),
          .hasToolCalls = hasToolCalls,
          .promptTokens = report.prompt.promptTokens,
          .cachedTokens = report.prompt.cachedTokens,
          .outputTokens = report.outputTokens,
          .queueMs = report.prompt.queueMs,
          .firstTokenMs = report.prompt.firstTokenMs,
          .totalMs = report.totalMs};
}

/// The prompt that an answer's text begins with.
struct EchoedPrompt {
  RawPrompt prompt;
  std::shared_ptr<const ChatFormat> format;

  /// As it was given, or as its tokens read, which are some of the model's.
  std::string text() const {
    if (prompt.tokens.isEmpty() || !format) return prompt.text.toStdString();
    const std::vector<TokenId> tokens(prompt.tokens.begin(), prompt.tokens.end());
    const std::string bytes = format->tokenizer->decode(tokens, /*with_special=*/true);
    return QString::fromUtf8(bytes).toStdString();
  }
};

/// All answers to one request.
/// Thread: any. Invariants: the writer gets its calls one after the other and none after the client
/// has gone; every submitted answer is cancelled when the others are not wanted any more.
class Generation : public std::enable_shared_from_this<Generation> {
 public:
  Generation(const ApiContext& context, std::shared_ptr<HttpExchange> exchange,
             GenerationRequest request, MakeWriter makeWriter)
      : m_context(context),
        m_exchange(std::move(exchange)),
        m_request(std::move(request)),
        m_makeWriter(std::move(makeWriter)),
        m_logprobs(m_context.logprobs) {}

  void begin();

 private:
  class Sink;

  std::optional<ApiError> check() const;
  void onOpened(const TextModel& model);
  void makeWriter();
  void submit(const TextModel& model);
  void onClosed();
  void started(const PromptReport& report);
  void appended(int answer, const AnswerDelta& delta);
  std::optional<ApiError> checkLogprobs(const TextModel& model);
  ApiError tooManyLogprobs(const char* verb) const;
  std::optional<ApiError> countLogprobs(const AnswerDelta& delta);
  void ended(int answer, const AnswerReport& report, bool hasToolCalls);
  std::string promptField() const;
  void failAnswer(const AnswerReport& report);
  void fail(const ApiError& error);
  void cancelAll();
  bool isOver() {
    const std::lock_guard lock(m_mutex);
    return m_isOver;
  }
  int numAnswers() const { return m_request.numPrompts() * numSampledOf(m_request); }

  ApiContext m_context;  ///< The models and the limiter are used in begin() only.
  const std::shared_ptr<HttpExchange> m_exchange;
  GenerationRequest m_request;
  MakeWriter m_makeWriter;

  std::mutex m_mutex;  ///< Guards the rest.
  RequestLimiter::Slots m_slots;
  ActiveAnswers::Ticket m_ticket;
  PendingReply m_opening;
  std::unique_ptr<AnswerWriter> m_writer;
  std::vector<RequestId> m_ids;
  bool m_hasStarted = false;
  bool m_isOver = false;  ///< The response has ended, or nobody reads it.
  int m_numRunning = 0;
  size_t m_numKeptLogprobs = 0;
  ByteShare m_logprobs;
  GenerationUsage m_usage;
};

/// One answer.
class Generation::Sink : public AnswerSink {
 public:
  Sink(std::shared_ptr<Generation> generation, int answer, const AnswerBuilder::Options& options,
       std::unique_ptr<ToolFilter> tools, std::optional<EchoedPrompt> echo)
      : m_generation(std::move(generation)),
        m_answer(answer),
        m_builder(options, std::move(tools)),
        m_echo(std::move(echo)) {}

  void started(const PromptReport& report) override {
    if (m_generation->m_context.metrics != nullptr) {
      m_generation->m_context.metrics->observeFirstToken(report.firstTokenMs);
    }
    m_generation->started(report);
  }
  void tokensSampled(const QList<qint32>& tokens) override { m_builder.addTokens(tokens); }
  void logprobsComputed(const QList<TokenChances>& tokens) override {
    m_builder.addLogprobs(tokens);
  }
  void textAppended(const QString& text, int outputTokens) override {
    measure(outputTokens);
    m_builder.addText(text);
    if (m_builder.hasNews() || m_echo) m_generation->appended(m_answer, take());
  }
  void finished(const AnswerReport& report) override {
    m_builder.finish();
    // Of a prompt that was refused the client gets the error alone.
    if (report.finish == FinishReason::kFailed) m_echo.reset();
    const AnswerDelta rest = take();
    if (!rest.isEmpty() || !rest.tokens.isEmpty()) m_generation->appended(m_answer, rest);
    m_generation->ended(m_answer, report, m_builder.hasToolCalls());
  }

 private:
  AnswerDelta take() {
    AnswerDelta delta = m_builder.take();
    if (m_echo) delta.text.insert(0, std::exchange(m_echo, std::nullopt)->text());
    return delta;
  }
  void measure(int outputTokens) {
    const auto now = Clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - m_last).count();
    const int tokens = outputTokens - std::exchange(m_numTokens, outputTokens);
    const auto& metrics = m_generation->m_context.metrics;
    if (metrics != nullptr && m_last != Clock::time_point() && tokens > 0) {
      metrics->observeBetweenTokens(ms / tokens);
    }
    m_last = now;
  }

  const std::shared_ptr<Generation> m_generation;
  const int m_answer;
  AnswerBuilder m_builder;
  std::optional<EchoedPrompt> m_echo;  ///< Until it was written.
  Clock::time_point m_last;
  int m_numTokens = 0;
};

std::optional<ApiError> Generation::check() const {
  // An answer that may fill the context is as long as that, which is not known before the model is.
  SamplingParams sampling =
      samplingOf(m_request, {.contextLength = std::numeric_limits<int>::max()}, 0, 0);
  if (const auto valid = validate(sampling); !valid) {
    return apiErrorOf(valid.error().code, valid.error().message);
  }
  if (auto error =
          checkRequestSize(m_request.chat, m_exchange->request().path, m_request.formatField)) {
    return error;
  }
  const int most = std::min(m_context.limiter.most(), kMostAnswers);
  if (numAnswers() > most) {
    return badField(m_request.prompts.size() > 1 ? "prompt" : "n",
                    "The request asks for " + std::to_string(numAnswers()) + " answers; at most " +
                        std::to_string(most) + " are computed at once.");
  }
  const size_t toolsBytes = m_request.chat.prompt.tools.size() * static_cast<size_t>(numAnswers());
  if (toolsBytes <= kMaxToolsBytesOfAll) return std::nullopt;
  return badField("tools", "The tools of " + std::to_string(numAnswers()) + " answers have " +
                               with_separators(toolsBytes) + " bytes; at most " +
                               with_separators(kMaxToolsBytesOfAll) + " are allowed.");
}

void Generation::begin() {
  if (const auto error = check()) return respondError(*m_exchange, *error);
  const auto model = findModel(m_context, *m_exchange, m_request.model);
  if (!model) return;
  m_slots = m_context.limiter.tryTake(numAnswers());
  if (!m_slots) return respondError(*m_exchange, overloaded(m_context.limiter.most()));
  m_request.model = model->name;
  m_request.chat.modelPath = QString::fromStdString(model->path);
  m_exchange->on_closed([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->onClosed();
  });
  m_ticket = m_context.active->add([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->fail(shuttingDown());
  });
  if (!m_ticket) return fail(shuttingDown());
  auto opening =
      m_context.texts.open(m_request.chat.modelPath,
                           Reply<TextModel>([self = shared_from_this()](const TextModel& opened) {
                             self->onOpened(opened);
                           }));
  const std::lock_guard lock(m_mutex);
  if (m_isOver) opening.reset();
  m_opening = std::move(opening);
}

void Generation::onOpened(const TextModel& model) {
  if (!model.error.isEmpty()) {
    return fail(apiErrorOf(model.errorCode, model.error));
  }
  if (m_request.findsToolCalls) {
    if (const auto error = checkTools(model, m_request)) return fail(*error);
  }
  if (isOver()) return;  // The client has gone meanwhile.
  makeWriter();
  if (const auto error = checkLogprobs(model)) return fail(*error);
  submit(model);
}

void Generation::makeWriter() {
  const std::lock_guard lock(m_mutex);
  m_writer = m_makeWriter(m_request);
  if (m_request.numSampled <= m_request.numAnswers) return;
  m_writer = std::make_unique<BestOfWriter>(std::move(m_writer), m_request.numPrompts(),
                                            m_request.numSampled, m_request.numAnswers);
}

/// Of answers with a limit it is known before they are computed how many log probabilities may be
/// kept.
std::optional<ApiError> Generation::checkLogprobs(const TextModel& model) {
  const std::lock_guard lock(m_mutex);
  if (m_isOver || !m_request.open.maxTokens || !m_writer->keepsLogprobs()) return std::nullopt;
  int tokens = *m_request.open.maxTokens;
  if (model.contextLength > 0) tokens = std::min(tokens, model.contextLength);
  const int ofToken = 1 + std::max(m_request.chat.sampling.num_logprobs, 0);
  const size_t most = static_cast<size_t>(numAnswers()) * static_cast<size_t>(tokens) *
                      static_cast<size_t>(ofToken);
  if (most <= kMostKeptLogprobs) return std::nullopt;
  return tooManyLogprobs("may have");
}

ApiError Generation::tooManyLogprobs(const char* verb) const {
  return badField(m_request.prompts.empty() ? "top_logprobs" : "logprobs",
                  std::string("The answers ") + verb + " more than " +
                      with_separators(kMostKeptLogprobs) +
                      " log probabilities; ask for fewer, or for shorter answers.");
}

void Generation::submit(const TextModel& model) {
  const uint64_t seed = m_request.open.seed.value_or(QRandomGenerator::global()->generate64());
  const bool isChat = m_request.prompts.empty();
  const AnswerBuilder::Options options = {
      .splitsReasoning = m_request.splitsReasoning,
      .beginsThinking = m_request.splitsReasoning && isChat && !m_request.chat.continueAnswer &&
                        model.chat != nullptr &&
                        promptBeginsThinking(*model.chat, m_request.chat.prompt)};
  const int perPrompt = numSampledOf(m_request);
  // Read once: n answers have the same tools.
  const auto schemas = m_request.findsToolCalls
                           ? std::make_shared<const ToolSchemas>(m_request.chat.prompt.tools)
                           : nullptr;
  {
    const std::lock_guard lock(m_mutex);
    m_numRunning = numAnswers();
  }
  for (int answer = 0; answer < numAnswers(); ++answer) {
    ChatRequest chat = m_request.chat;
    if (!isChat) chat.rawPrompt = m_request.prompts[static_cast<size_t>(answer / perPrompt)];
    chat.sampling = samplingOf(m_request, model, seed, answer % perPrompt);
    auto tools = schemas ? makeToolFilter(model, schemas) : nullptr;
    std::optional<EchoedPrompt> echo;
    if (m_request.echoesPrompt && chat.rawPrompt) echo = {*chat.rawPrompt, model.chat};
    const RequestId id =
        m_context.backend.submit(chat, std::make_shared<Sink>(shared_from_this(), answer, options,
                                                              std::move(tools), std::move(echo)));
    const std::lock_guard lock(m_mutex);
    m_ids.push_back(id);
    if (m_isOver) m_context.backend.cancel(id);
  }
}

void Generation::onClosed() {
  {
    const std::lock_guard lock(m_mutex);
    if (std::exchange(m_isOver, true)) return;
    m_opening.reset();
  }
  cancelAll();
}

void Generation::cancelAll() {
  const std::lock_guard lock(m_mutex);
  for (const RequestId id : m_ids) m_context.backend.cancel(id);
}

void Generation::started(const PromptReport& report) {
  const std::lock_guard lock(m_mutex);
  if (m_isOver || std::exchange(m_hasStarted, true)) return;
  m_writer->started({.model = m_request.model,
                     .promptTokens = report.promptTokens,
                     .cachedTokens = report.cachedTokens});
}

void Generation::appended(int answer, const AnswerDelta& delta) {
  if (const auto error = countLogprobs(delta)) return fail(*error);
  const std::lock_guard lock(m_mutex);
  if (!m_isOver) m_writer->appended(answer, delta);
}

/// Counts what the writer keeps until the end. An error: of this request, or of all, it is too
/// much.
std::optional<ApiError> Generation::countLogprobs(const AnswerDelta& delta) {
  const std::lock_guard lock(m_mutex);
  if (m_isOver || !m_writer->keepsLogprobs()) return std::nullopt;
  for (const TokenChances& token : delta.logprobs) {
    m_numKeptLogprobs += 1 + static_cast<size_t>(token.likeliest.size());
  }
  if (m_numKeptLogprobs > kMostKeptLogprobs) {
    return tooManyLogprobs("have");
  }
  if (m_logprobs.grow_to(m_numKeptLogprobs * kLogprobBytes)) return std::nullopt;
  return ApiError{.status = 429,
                  .message =
                      "The server keeps as many log probabilities as it may; try again in "
                      "a moment, or stream them.",
                  .type = "rate_limit_error",
                  .code = "rate_limit_exceeded",
                  .retryAfterSeconds = 1};
}

void Generation::ended(int answer, const AnswerReport& report, bool hasToolCalls) {
  if (report.finish == FinishReason::kFailed) {
    return failAnswer(report);
  }
  if (report.finish == FinishReason::kCancelled) {
    return fail(
        apiErrorOf(ErrorCode::kCancelled, std::string("The answer was cancelled on the server.")));
  }
  const std::lock_guard lock(m_mutex);
  if (m_isOver) return;
  if (answer % numSampledOf(m_request) == 0) {
    m_usage.promptTokens += report.prompt.promptTokens;
    m_usage.cachedTokens += report.prompt.cachedTokens;
  }
  m_usage.outputTokens += report.outputTokens;
  if (m_context.metrics != nullptr) {
    m_context.metrics->countTokens(report.prompt.promptTokens, report.prompt.cachedTokens,
                                   report.outputTokens);
    m_context.metrics->countDrafts(report.draftedTokens, report.acceptedTokens);
  }
  m_writer->ended(answer, endOf(report, hasToolCalls));
  if (--m_numRunning > 0) return;
  m_isOver = true;
  m_slots.release();  // Before the client knows: its next request finds them free.
  m_writer->completed(m_usage);
}

/// Of a prompt that is too long, that the template refuses, or whose last message does not fit the
/// format of the answer that continues it.
std::string Generation::promptField() const {
  if (!m_request.prompts.empty()) return "prompt";
  return m_exchange->request().path == "/v1/responses" ? "input" : "messages";
}

void Generation::failAnswer(const AnswerReport& report) {
  ApiError error = failureOf(report, m_request);
  const bool isOfPrompt = report.errorCode == ErrorCode::kContextOverflow ||
                          report.errorCode == ErrorCode::kTemplate ||
                          error.message.starts_with("Token ") ||
                          error.message.starts_with("The answer that is to be continued");
  if (isOfPrompt) error.param = promptField();
  fail(error);
}

void Generation::fail(const ApiError& error) {
  {
    const std::lock_guard lock(m_mutex);
    if (std::exchange(m_isOver, true)) return;
    if (m_writer) {
      m_writer->failed(error);
    } else {
      respondError(*m_exchange, error);
    }
  }
  cancelAll();
}

}  // namespace

void generate(const ApiContext& context, const std::shared_ptr<HttpExchange>& exchange,
              GenerationRequest request, MakeWriter makeWriter) {
  std::make_shared<Generation>(context, exchange, std::move(request), std::move(makeWriter))
      ->begin();
}

}  // namespace quire
