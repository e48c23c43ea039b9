#include "app/cli/batch/batch_run.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "app/cli/batch/batch_files.h"
#include "app/cli/batch/batch_line.h"
#include "kernels/base/hash_bytes.h"

namespace quire {
namespace {

/// Where answers wait to be written. It outlives a run that ended early, because answers still
/// come.
class AnsweredLines {
 public:
  struct Entry {
    std::string line;
    bool failed = false;
  };

  void put(Entry entry) {
    {
      const std::lock_guard lock(m_mutex);
      m_entries.push_back(std::move(entry));
    }
    m_changed.notify_one();
  }

  /// All there are; waits for the first if `waits`.
  std::vector<Entry> take(bool waits) {
    std::unique_lock lock(m_mutex);
    if (waits) m_changed.wait(lock, [this] { return !m_entries.empty(); });
    return std::exchange(m_entries, {});
  }

 private:
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::vector<Entry> m_entries;
};

class BatchRun {
 public:
  BatchRun(const BatchOptions& options, const BatchAsk& ask, FileLines reader, BatchOutput output,
           int64_t lines)
      : m_options(options),
        m_ask(ask),
        m_reader(std::move(reader)),
        m_output(std::move(output)),
        m_progress{.lines = lines} {}

  Result<BatchProgress> run(const std::function<void(const BatchProgress&)>& progress) {
    while (true) {
      ask_more();
      if (m_running == 0) break;
      if (const auto written = write_answers(); !written) return written.error();
      if (progress) progress(m_progress);
    }
    if (m_reader.error()) return *m_reader.error();
    if (progress) progress(m_progress);
    return m_progress;
  }

 private:
  void ask_more() {
    while (m_running < m_options.parallel) {
      const auto line = m_reader.next();
      if (!line) return;
      if (!is_blank(line->text)) ask_line(parse(*line));
    }
  }

  BatchLine parse(const FileLines::Line& line) {
    BatchLine parsed = parse_batch_line(line.text, line.number);
    if (!parsed.custom_id.empty() && !m_seen.insert(parsed.custom_id).second) {
      parsed.error = "An earlier line has the same custom_id.";
      parsed.custom_id.clear();
    }
    return parsed;
  }

  void ask_line(BatchLine line) {
    const auto found = m_output.find(line.key());
    const bool has_failed = found == BatchOutput::Found::kError;
    if (found == BatchOutput::Found::kAnswer || (has_failed && !m_options.retries_failed)) {
      ++m_progress.skipped;
      m_progress.failed_before += has_failed ? 1 : 0;
      return;
    }
    ++m_running;
    if (!line.error.empty()) return m_answers->put({refusal_line(line), true});
    std::string url = line.url;
    std::string body = std::exchange(line.body, {});
    m_ask(url, std::move(body),
          [answers = m_answers, line = std::move(line)](int status, std::string answer) {
            answers->put({answer_line(line, status, std::move(answer)), status != kAnsweredStatus});
          });
  }

  /// Waits for answers and writes all there are.
  Result<void> write_answers() {
    std::vector<std::string> lines;
    for (AnsweredLines::Entry& entry : m_answers->take(/*waits=*/true)) {
      lines.push_back(std::move(entry.line));
      ++(entry.failed ? m_progress.failed : m_progress.answered);
    }
    m_running -= static_cast<int>(lines.size());
    return m_output.append(lines);
  }

  const BatchOptions& m_options;
  const BatchAsk& m_ask;
  FileLines m_reader;
  BatchOutput m_output;
  BatchProgress m_progress;
  StringSet m_seen;
  std::shared_ptr<AnsweredLines> m_answers = std::make_shared<AnsweredLines>();
  int m_running = 0;
};

}  // namespace

Result<BatchProgress> run_batch(const BatchOptions& options, const BatchAsk& ask,
                                const std::function<void(const BatchProgress&)>& progress) {
  const auto lines = count_lines(options.input);
  if (!lines) return lines.error();
  auto reader = FileLines::open(options.input);
  if (!reader) return reader.error();
  auto output = BatchOutput::open(options.output, options.input);
  if (!output) return output.error();
  return BatchRun(options, ask, std::move(*reader), std::move(*output), *lines).run(progress);
}

}  // namespace quire
