#include "tests/hostile/hostile_check.h"

#include <QString>
#include <QStringDecoder>

#include <algorithm>

namespace quire::test {
namespace {

constexpr size_t kMostMessageBytes = 1500;

/// Whether the text has one of these, which "|" separates.
bool hasOneOf(const std::string& text, std::string_view wanted) {
  while (true) {
    const size_t bar = wanted.find('|');
    if (text.find(wanted.substr(0, bar)) != text.npos) return true;
    if (bar == wanted.npos) return false;
    wanted.remove_prefix(bar + 1);
  }
}

bool isHidden(char32_t c) {
  const auto in = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  if (c == '\n') return false;
  return in(0, 0x1f) || in(0x7f, 0x9f) || c == 0xad || c == 0x34f || c == 0x61c ||
         in(0x115f, 0x1160) || in(0x17b4, 0x17b5) || in(0x180b, 0x180f) || c == 0x200b ||
         in(0x200e, 0x200f) || in(0x2028, 0x202e) || in(0x2060, 0x206f) || c == 0x3164 ||
         c == 0xfeff || c == 0xffa0 || in(0xfff0, 0xfffb) || in(0x1bca0, 0x1bca3) ||
         in(0x1d173, 0x1d17a) || in(0xe0000, 0xe0fff);
}

std::string shown(const std::string& text) {
  return QString::fromLatin1(QByteArray::fromStdString(text).left(400).toPercentEncoding(
                                 " !\"#$&'()*+,/:;<=>?@[]^`{|}"))
      .toStdString();
}

void addLines(std::string_view text, std::string_view prefix, std::vector<std::string>& to) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with(prefix)) to.emplace_back(line.substr(prefix.size()));
  }
}

bool isReadAsModel(const HostileFile& file) {
  return file.use == HostileUse::kInspect;
}

}  // namespace

std::vector<std::string> messagesOf(const ProgramRun& run) {
  std::vector<std::string> messages;
  addLines(run.err, "", messages);
  addLines(run.out, "cannot load   ", messages);
  return messages;
}

bool hasHiddenCharacters(const std::string& text) {
  QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
  const QString decoded = decoder(QByteArrayView(text.data(), static_cast<qsizetype>(text.size())));
  if (decoder.hasError()) return true;
  const auto all = decoded.toStdU32String();
  return std::any_of(all.begin(), all.end(), isHidden);
}

std::string faultsOf(const HostileFile& file, const std::vector<std::string>& messages) {
  std::string faults;
  const auto fault = [&](const std::string& what) { faults += "\n  " + what; };
  for (const std::string& message : messages) {
    if (hasHiddenCharacters(message)) fault("hidden characters: " + shown(message));
    if (message.size() > kMostMessageBytes) fault("long: " + shown(message));
  }
  if (messages.empty()) {
    if (file.end == HostileEnd::kRefused) fault("no message");
    return faults;
  }
  if (file.end == HostileEnd::kAccepted) fault("refused: " + shown(messages.front()));
  const auto names = [&](const std::string& message) {
    return hasOneOf(message, file.name) && hasOneOf(message, file.place);
  };
  if (std::none_of(messages.begin(), messages.end(), names)) {
    fault("does not name \"" + shown(file.name) + "\" and \"" + file.place +
          "\": " + shown(messages.front()));
  }
  return faults;
}

std::string faultsOf(const HostileFile& file, const ProgramRun& run) {
  std::string faults;
  const auto fault = [&](const std::string& what) { faults += "\n  " + what; };
  if (run.is_late) fault("killed at the deadline");
  if (run.signal != 0 && !run.is_late) fault("signal " + std::to_string(run.signal));
  if (run.code > 1) fault("exit code " + std::to_string(run.code));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  if (run.cpu > kMostCpu) fault(std::to_string(run.cpu.count()) + " ms of the processor");
  if (run.peak_bytes > kMostBytes) fault(std::to_string(run.peak_bytes / 1'000'000) + " MB");
#endif
  if (isReadAsModel(file) && hasHiddenCharacters(run.out)) fault("hidden characters in its output");
  if (run.signal != 0) return faults;
  return faults + faultsOf(file, messagesOf(run));
}

}  // namespace quire::test
