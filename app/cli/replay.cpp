#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/cli/cli_output.h"
#include "app/cli/open_model.h"
#include "app/cli/replay_check.h"

namespace quire {
namespace {

/// How many answers are made again together; none depends on the others.
constexpr size_t kBatch = 16;

struct ReplayOptions {
  std::string data = defaultDataFolder();
  int64_t chat = 0;  ///< 0: all.
  std::vector<int64_t> messages;
  bool all = false;
  bool list = false;
};

constexpr const char* kReplayExamples =
    "  quire-cli replay                    the latest answer\n"
    "  quire-cli replay --list             which answers there are\n"
    "  quire-cli replay --message 12 --model ~/models/llama\n"
    "  quire-cli replay --all --json";

void check_usage(const ReplayOptions& options) {
  if (options.messages.empty()) return;
  if (options.all || options.list)
    usage_error("--message", "names answers; --all and --list do not");
  if (options.chat != 0) usage_error("--message", "names an answer of any chat; leave out --chat");
}

Result<std::vector<int64_t>> pick(const RecordedAnswers& answers, const ReplayOptions& options) {
  if (!options.messages.empty()) return options.messages;
  auto ids = answers.ids(options.chat);
  if (!ids) return ids;
  if (ids->empty()) {
    return Error{ErrorCode::kNotFound, "There are no finished answers " +
                                           (options.chat ? "in chat " + std::to_string(options.chat)
                                                         : "in " + options.data) +
                                           " yet."};
  }
  if (!options.all && !options.list) ids->erase(ids->begin(), ids->end() - 1);
  return ids;
}

/// Makes answers again and reports how they compare with the stored ones.
class Replay {
 public:
  explicit Replay(const CommonOptions& common) : m_common(common) {}

  Result<void> run(const std::vector<RecordedAnswer>& answers) {
    std::vector<ReplayVerdict> verdicts(answers.size());
    std::vector<size_t> possible;
    for (size_t i = 0; i < answers.size(); ++i) {
      Result<std::string> obstacle = obstacle_of(answers[i]);
      if (!obstacle) return obstacle.error();
      if (obstacle->empty()) possible.push_back(i);
      verdicts[i].reason = std::move(*obstacle);
      if (answers[i].failed) verdicts[i].kind = Kind::kFailed;
    }
    const std::vector<Completion> made = generate(answers, possible);
    for (size_t i = 0; i < possible.size(); ++i) {
      verdicts[possible[i]] = judge(answers[possible[i]], made[i]);
    }
    for (size_t i = 0; i < answers.size(); ++i) report(answers[i], verdicts[i]);
    return {};
  }

  /// The program's exit code: 0 if all answers that can be compared are identical.
  int finish() const {
    const int total = std::accumulate(m_counts.begin(), m_counts.end(), 0);
    const int failed = count(Kind::kFailed);
    if (total > 1 && !m_common.json) {
      write_out(std::to_string(total) + " answers: " + std::to_string(count(Kind::kIdentical)) +
                " identical, " + std::to_string(count(Kind::kDiffers)) + " different, " +
                std::to_string(count(Kind::kUnknown)) + " that cannot be replayed" +
                (failed > 0 ? ", " + std::to_string(failed) + " failed" : "") + ".\n");
    }
    return count(Kind::kIdentical) + failed == total ? 0 : 1;
  }

 private:
  using Kind = ReplayVerdict::Kind;

  int count(Kind kind) const { return m_counts[static_cast<size_t>(kind)]; }

  /// Loads the model with the first answer that needs it.
  Result<std::string> obstacle_of(const RecordedAnswer& answer) {
    if (!answer.obstacle.empty()) return answer.obstacle;
    if (!m_llm) {
      Result<Llm> opened = open_llm(m_common, static_cast<int>(kBatch));
      if (!opened) return opened.error();
      m_llm = std::make_unique<Llm>(std::move(*opened));
    }
    return find_obstacle(answer, m_llm->model());
  }

  std::vector<Completion> generate(const std::vector<RecordedAnswer>& answers,
                                   const std::vector<size_t>& possible) {
    if (possible.empty()) return {};
    std::vector<Request> requests;
    for (const size_t i : possible) requests.push_back(replay_request(answers[i]));
    std::vector<size_t> seen(possible.size());
    return m_llm->generate(std::move(requests), [&](size_t index, const RequestEvent& event) {
      const size_t offset = seen[index];
      seen[index] += event.tokens.size();
      return agrees(answers[possible[index]], offset, event.tokens);
    });
  }

  void report(const RecordedAnswer& answer, const ReplayVerdict& verdict) {
    const Tokenizer* tokenizer = m_llm ? m_llm->model().chat->tokenizer.get() : nullptr;
    m_common.json ? write_json(replay_json(answer, verdict, tokenizer))
                  : write_out(replay_line(answer, verdict, tokenizer));
    ++m_counts[static_cast<size_t>(verdict.kind)];
  }

  const CommonOptions& m_common;
  std::unique_ptr<Llm> m_llm;
  std::array<int, ReplayVerdict::kNumKinds> m_counts{};  ///< By ReplayVerdict::Kind.
};

Result<int> list(const RecordedAnswers& answers, const std::vector<int64_t>& ids, bool json) {
  for (const int64_t id : ids) {
    const Result<RecordedAnswer> answer = answers.read(id);
    if (!answer) return answer.error();
    json ? write_json(listing_json(*answer)) : write_out(listing_line(*answer));
  }
  return 0;
}

Result<int> replay(const ReplayOptions& options, const CommonOptions& common) {
  const auto answers = RecordedAnswers::open(options.data);
  if (!answers) return answers.error();
  const auto ids = pick(**answers, options);
  if (!ids) return ids.error();
  if (options.list) return list(**answers, *ids, common.json);
  Replay replay(common);
  for (size_t begin = 0; begin < ids->size(); begin += kBatch) {
    std::vector<RecordedAnswer> batch;
    for (size_t i = begin; i < std::min(begin + kBatch, ids->size()); ++i) {
      Result<RecordedAnswer> answer = (*answers)->read((*ids)[i]);
      if (!answer) return answer.error();
      batch.push_back(std::move(*answer));
    }
    if (auto done = replay.run(batch); !done) return done.error();
  }
  return replay.finish();
}

}  // namespace

void add_replay(Cli& cli) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* verb = add_verb(
      cli, "replay",
      "Make stored answers again from what they were made from: identical, or the first\n"
      "token that differs (tokens are counted from 1). Exit code 1 if any is not identical;\n"
      "those that failed hold nothing to compare and do not count.",
      kReplayExamples);
  verb->add_option("--data", options->data, "Folder of the chats; they are only read")
      ->capture_default_str();
  verb->add_option("--chat", options->chat, "Answers of this chat only (its id)")
      ->transform(record_id());
  verb->add_option("--message", options->messages, "This answer (its id; repeatable)")
      ->transform(record_id())
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  verb->add_flag("--all", options->all, "All answers, not only the latest");
  verb->add_flag("--list", options->list, "Only list the answers");
  verb->callback([&cli, options] {
    check_usage(*options);
    cli.action = [&cli, options] { return replay(*options, cli.common); };
  });
}

}  // namespace quire
