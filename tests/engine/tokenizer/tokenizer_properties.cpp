#include "tests/engine/tokenizer/tokenizer_properties.h"

#include <QtTest>
#include <algorithm>
#include <bitset>

#include "engine/tokenizer/stream_decoder.h"

namespace quire::test {
namespace {

struct Range {
  uint32_t first;
  uint32_t last;
  uint32_t weight;
};

constexpr Range kRanges[] = {
    {'a', 'z', 30},      {' ', ' ', 20},        {'A', 'Z', 6},         {'0', '9', 6},
    {0x21, 0x2F, 5},     {'\n', '\n', 4},       {'\t', '\r', 2},       {0, 0x7F, 2},
    {0xA0, 0x24F, 4},    {0x300, 0x36F, 2},     {0x370, 0x52F, 4},     {0x5D0, 0x6FF, 3},
    {0x900, 0x97F, 3},   {0xE01, 0xE5B, 2},     {0x1780, 0x17F9, 2},   {0x2000, 0x206F, 2},
    {0x2190, 0x2BFF, 2}, {0x3000, 0x30FF, 4},   {0x4E00, 0x9FFF, 8},   {0xAC00, 0xD7A3, 8},
    {0xFF00, 0xFFEF, 1}, {0x1F300, 0x1FAFF, 4}, {0x10000, 0x10FFFF, 1}};

void append_utf8(uint32_t c, std::string& out) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += {static_cast<char>(0xC0 | (c >> 6)), static_cast<char>(0x80 | (c & 63))};
  } else if (c < 0x10000) {
    out += {static_cast<char>(0xE0 | (c >> 12)), static_cast<char>(0x80 | ((c >> 6) & 63)),
            static_cast<char>(0x80 | (c & 63))};
  } else {
    out += {static_cast<char>(0xF0 | (c >> 18)), static_cast<char>(0x80 | ((c >> 12) & 63)),
            static_cast<char>(0x80 | ((c >> 6) & 63)), static_cast<char>(0x80 | (c & 63))};
  }
}

std::string escaped(const std::string& text) {
  return QByteArray::fromStdString(text).toPercentEncoding(" ").toStdString();
}

}  // namespace

int num_random_texts() {
  return qEnvironmentVariableIntValue("QUIRE_LONG_TESTS") > 0 ? 10'000 : 300;
}

uint32_t RandomTexts::below(uint32_t limit) {
  m_state = m_state * 6364136223846793005 + 1442695040888963407;
  return static_cast<uint32_t>((m_state >> 33) % limit);
}

std::string RandomTexts::character() {
  uint32_t total = 0;
  for (const Range& range : kRanges) total += range.weight;
  uint32_t chosen = below(total);
  const Range* range = kRanges;
  for (; chosen >= range->weight; ++range) chosen -= range->weight;
  std::string out;
  append_utf8(range->first + below(range->last - range->first + 1), out);
  return out;
}

std::string RandomTexts::unicode() {
  static const std::string kParts[] = {" the", "'s",      "'LL",         "\r\n",   "  ",
                                       "123",  "\n\n",    "Hello",       "▁",      "<s>",
                                       "</s>", "e\u0301", "👩‍👧", " 한국어"};
  std::string text;
  for (uint32_t count = below(40); count > 0; --count) {
    if (below(6) == 0) {
      text += kParts[below(std::size(kParts))];
      continue;
    }
    const std::string one = character();
    // Letters seldom come alone.
    for (uint32_t repeat = 1 + (below(8) == 0 ? below(5) : 0); repeat > 0; --repeat) text += one;
  }
  return text;
}

std::string RandomTexts::bytes() {
  std::string text(below(40), ' ');
  for (char& byte : text) byte = static_cast<char>(below(256));
  return text;
}

/// Which bytes the vocabulary has as tokens; some lack those that no text has.
static std::bitset<256> known_bytes(const Tokenizer& tokenizer) {
  std::bitset<256> known;
  for (TokenId id = 0; id < tokenizer.vocab_size(); ++id) {
    const std::string_view bytes = tokenizer.token_bytes(id);
    if (bytes.size() == 1) known.set(static_cast<uint8_t>(bytes[0]));
  }
  return known;
}

void check_round_trip(const Tokenizer& tokenizer, bool is_exact) {
  RandomTexts random(7);
  const std::bitset<256> known = known_bytes(tokenizer);
  int num_exact = 0;
  for (int i = 0; i < num_random_texts(); ++i) {
    for (const bool is_bytes : {false, true}) {
      const std::string text = is_bytes ? random.bytes() : random.unicode();
      for (const bool at_start : {true, false}) {
        const auto ids = at_start ? tokenizer.encode(text) : tokenizer.encode_continuation(text);
        std::string back;
        for (const TokenId id : ids) {
          QVERIFY(id >= 0 && id < tokenizer.vocab_size() && !tokenizer.is_special(id));
          back += tokenizer.token_bytes(id);
        }
        if (at_start) back = tokenizer.decode(ids);
        const bool is_known = std::all_of(
            text.begin(), text.end(), [&](char byte) { return known[static_cast<uint8_t>(byte)]; });
        if (!is_known || !is_exact) continue;
        ++num_exact;
        QVERIFY2(back == text, (escaped(text) + " became " + escaped(back)).c_str());
      }
    }
  }
  QVERIFY(!is_exact || num_exact > num_random_texts());
}

void check_streaming(const Tokenizer& tokenizer) {
  RandomTexts random(8);
  for (int i = 0; i < num_random_texts(); ++i) {
    std::vector<TokenId> ids(random.below(30));
    for (TokenId& id : ids) {
      id = static_cast<TokenId>(random.below(static_cast<uint32_t>(tokenizer.vocab_size())));
    }
    StreamDecoder decoder(tokenizer);
    std::string streamed;
    for (const TokenId id : ids) {
      const std::string piece = decoder.push(id);
      QVERIFY(is_valid_utf8(piece));
      streamed += piece;
    }
    streamed += decoder.finish();
    Utf8Stream whole;
    std::string expected;
    whole.append(tokenizer.decode(ids), expected);
    whole.finish(expected);
    QCOMPARE(streamed, expected);
  }
}

}  // namespace quire::test
