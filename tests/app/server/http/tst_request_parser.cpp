#include <QtTest>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "app/server/http/request_parser.h"

using namespace quire;

namespace {

constexpr RequestLimits kLimits{.max_header_bytes = 1024, .max_body_bytes = 64};

/// What a parser makes of bytes: the status (0: complete), the request, and how many were used.
struct Outcome {
  int status = -1;  ///< -1: incomplete.
  std::string request = {};
  size_t used = 0;

  bool operator==(const Outcome&) const = default;
};

Outcome outcome_of(RequestParser& parser, size_t used) {
  if (parser.state() == RequestParser::State::kFailed) return {parser.failure().status};
  if (parser.state() != RequestParser::State::kComplete) return {};
  const HttpRequest& request = parser.request();
  std::string text = request.method + ' ' + request.path + '?' + request.query + '\n';
  for (const auto& [name, value] : request.fields) text += name + '=' + value + '\n';
  return {0, text + request.body, used};
}

/// `cuts` are the lengths of the pieces; the last one holds for the rest.
Outcome parse(std::string_view bytes, const std::vector<size_t>& cuts) {
  RequestParser parser(kLimits);
  size_t at = 0;
  for (size_t piece = 0; at < bytes.size(); ++piece) {
    const size_t size = cuts[std::min(piece, cuts.size() - 1)];
    std::string_view rest = bytes.substr(at, size);
    while (!rest.empty()) {
      const size_t used = parser.feed(rest);
      at += used;
      rest.remove_prefix(used);
      const bool has_ended = parser.state() == RequestParser::State::kComplete ||
                             parser.state() == RequestParser::State::kFailed;
      if (has_ended) return outcome_of(parser, at);
    }
  }
  return outcome_of(parser, at);
}

Outcome parse(std::string_view bytes) {
  return parse(bytes, {bytes.size() + 1});
}

std::string get(const std::string& fields) {
  return "GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
}

std::string post(const std::string& fields, const std::string& rest) {
  return "POST /p HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n" + rest;
}

std::string chunked(const std::string& body) {
  return post("Transfer-Encoding: chunked\r\n", body);
}

std::string target(const std::string& text) {
  return "GET " + text + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

}  // namespace

class TestRequestParser : public QObject {
  Q_OBJECT

 private slots:
  void request_isReadWhole();
  void target_isDecoded_data();
  void target_isDecoded();
  void request_isJudged_data();
  void request_isJudged();
  void chunks_areJoinedAndTrailersDropped();
  void header_isLimited();
  void body_isLimitedBeforeItIsRead();
  void whatFollows_isLeftForTheNextRequest();
};

void TestRequestParser::request_isReadWhole() {
  RequestParser parser(kLimits);
  const std::string bytes =
      "POST /v1/chat?x=%20 HTTP/1.1\r\nHost: localhost:8000\r\nX-Empty:\r\nX-Tab: \t a b\t \r\n"
      "content-LENGTH: 5\r\nExpect: 100-Continue\r\n\r\nhello";
  const size_t header = parser.feed(bytes);
  QCOMPARE(header, bytes.size() - 5);
  QVERIFY(parser.state() == RequestParser::State::kBody);
  QVERIFY(parser.framing().expects_continue);
  QCOMPARE(parser.feed(std::string_view(bytes).substr(header)), size_t{5});
  QVERIFY(parser.state() == RequestParser::State::kComplete);
  const HttpRequest& request = parser.request();
  QCOMPARE(request.method, std::string("POST"));
  QCOMPARE(request.path, std::string("/v1/chat"));
  QCOMPARE(request.query, std::string("x=%20"));
  QCOMPARE(request.body, std::string("hello"));
  QCOMPARE(std::string(request.field("HOST")), std::string("localhost:8000"));
  QCOMPARE(std::string(request.field("x-tab")), std::string("a b"));
  QCOMPARE(std::string(request.field("x-empty")), std::string());
  QVERIFY(parser.framing().keeps_alive);
}

void TestRequestParser::target_isDecoded_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("path");  // Empty: refused.
  const auto row = [](const char* text, const char* path) { QTest::newRow(text) << text << path; };
  row("/", "/");
  row("/a%2Fb%20c", "/a/b c");
  row("/%ED%95%9C", "/한");
  row("/%2525", "/%25");
  row("/?a?b=%zz", "/");
  row("/a%00b", "");
  row("/a%0ab", "");
  row("/a%7F", "");
  row("/a%FF", "");
  row("/%C0%AF", "");
  row("/%E2%80%AE", "");
  row("/a%2", "");
  row("/a%", "");
  row("/a%g0", "");
  row("/a%+1", "");
  row("/a#b", "");
  row("/a\\b", "");
  row("/<a>", "");
  row("/\xED\x95\x9C", "");
  row("http://a/", "");
  row("//a/", "//a/");
  row("a", "");
  row("*", "");
  row("", "");
}

void TestRequestParser::target_isDecoded() {
  QFETCH(QString, text);
  QFETCH(QString, path);
  RequestParser parser(kLimits);
  const std::string bytes = target(text.toStdString());
  parser.feed(bytes);
  if (path.isEmpty()) {
    QVERIFY(parser.state() == RequestParser::State::kFailed);
    QCOMPARE(parser.failure().status, 400);
  } else {
    QVERIFY(parser.state() == RequestParser::State::kComplete);
    QCOMPARE(QString::fromStdString(parser.request().path), path);
  }
}

/// Each row is also read in pieces of one byte and in random pieces, with the same outcome.
void TestRequestParser::request_isJudged_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::addColumn<int>("status");  // 0: accepted; -1: incomplete.
  const auto row = [](const char* name, const std::string& bytes, int status) {
    QTest::newRow(name) << bytes << status;
  };
  row("plain", get(""), 0);
  row("empty line before", "\r\n" + get(""), 0);
  row("two empty lines before", "\r\n\r\n" + get(""), 400);
  row("HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\n", 0);
  row("incomplete line", "GET / HT", -1);
  row("incomplete header", "GET / HTTP/1.1\r\nHost: a\r\n", -1);

  row("HTTP/1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505);
  row("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505);
  row("HTTP/0.9", "GET /\r\n\r\n", 400);
  row("lower case", "GET / http/1.1\r\nHost: a\r\n\r\n", 400);
  row("two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400);
  row("space after", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400);
  row("space before", " GET / HTTP/1.1\r\nHost: a\r\n\r\n", 400);
  row("tabs", "GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n", 400);
  row("TLS", std::string("\x16\x03\x01\x02\x00\x01", 6), 400);
  row("unknown method", "BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 501);
  row("TRACE", "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", 501);
  row("CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 501);
  row("lower-case method", "get / HTTP/1.1\r\nHost: a\r\n\r\n", 501);
  row("OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 0);
  row("whole URL", "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400);

  row("no Host", "GET / HTTP/1.1\r\n\r\n", 400);
  row("two Hosts", get("Host: a\r\n"), 400);
  row("two Hosts, HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", 400);
  row("empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400);
  row("Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400);
  row("Host with a user", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400);
  row("Host with two", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400);
  row("Host with a bad port", "GET / HTTP/1.1\r\nHost: a:8o\r\n\r\n", 400);
  row("IPv6 Host", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", 0);
  row("open bracket", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", 400);

  row("space before colon", get("A : b\r\n"), 400);
  row("tab before colon", get("A\t: b\r\n"), 400);
  row("no colon", get("A\r\n"), 400);
  row("no name", get(": b\r\n"), 400);
  row("folded line", get("A: b\r\n c\r\n"), 400);
  row("folded line with a tab", get("A: b\r\n\tc\r\n"), 400);
  row("folded first line", "GET / HTTP/1.1\r\n A: b\r\nHost: a\r\n\r\n", 400);
  row("folded length", get("A: b\r\n Content-Length: 5\r\n"), 400);
  row("line feed alone", "GET / HTTP/1.1\nHost: a\n\n", 400);
  row("one line feed alone", get("A: b\n"), 400);
  row("line feed in a value", get("A: b\nContent-Length: 5\r\n"), 400);
  row("carriage return in a value", get("A: b\rc\r\n"), 400);
  row("two carriage returns", get("A: b\r\r\n"), 400);
  row("zero in a value", get(std::string("A: b\0c\r\n", 8)), 400);
  row("escape in a value", get("A: \x1b[2J\r\n"), 400);
  row("zero in a name", get(std::string("A\0: b\r\n", 7)), 400);
  row("Latin-1 in a value", get("A: \xE4\r\n"), 0);
  row("Latin-1 in a name", get("\xE4: a\r\n"), 400);

  row("length", post("Content-Length: 3\r\n", "abc"), 0);
  row("body incomplete", post("Content-Length: 3\r\n", "ab"), -1);
  row("no length", post("", ""), 0);
  row("length 0", post("Content-Length: 0\r\n", ""), 0);
  row("two lengths", post("Content-Length: 3\r\nContent-Length: 4\r\n", "abcd"), 400);
  row("two equal lengths", post("Content-Length: 3\r\nContent-Length: 3\r\n", "abc"), 400);
  row("list of lengths", post("Content-Length: 3, 3\r\n", "abc"), 400);
  row("empty length", post("Content-Length:\r\n", ""), 400);
  row("signed length", post("Content-Length: +3\r\n", "abc"), 400);
  row("negative length", post("Content-Length: -1\r\n", ""), 400);
  row("hexadecimal length", post("Content-Length: 0x3\r\n", "abc"), 400);
  row("length with a fraction", post("Content-Length: 3.0\r\n", "abc"), 400);
  row("huge length", post("Content-Length: 18446744073709551617\r\n", "a"), 400);
  row("largest length", post("Content-Length: 999999999999999999\r\n", "a"), 413);
  row("length 1 GB", post("Content-Length: 1073741824\r\n", ""), 413);
  row("length at the limit", post("Content-Length: 64\r\n", std::string(64, 'a')), 0);
  row("length beyond the limit", post("Content-Length: 65\r\n", ""), 413);

  row("length and chunks", post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
      400);
  row("chunks and length", post("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "0\r\n\r\n"),
      400);
  row("chunks twice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", ""),
      400);
  row("list of encodings", post("Transfer-Encoding: gzip, chunked\r\n", ""), 501);
  row("identity", post("Transfer-Encoding: identity\r\n", ""), 501);
  row("identity and chunks",
      post("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n", ""), 400);
  row("unknown encoding", post("Transfer-Encoding: xchunked\r\n", ""), 501);
  row("quoted encoding", post("Transfer-Encoding: \"chunked\"\r\n", ""), 501);
  row("vertical tab",
      post("Transfer-Encoding: \x0b"
           "chunked\r\n",
           ""),
      400);
  row("encoding with an end", post("Transfer-Encoding: chunked;a\r\n", ""), 501);
  row("empty encoding", post("Transfer-Encoding:\r\n", ""), 501);
  row("chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400);
  row("compressed body", post("Content-Encoding: gzip\r\nContent-Length: 1\r\n", "a"), 415);
  row("body as it is", post("Content-Encoding: identity\r\nContent-Length: 1\r\n", "a"), 0);
  row("unknown expectation", post("Expect: miracle\r\nContent-Length: 1\r\n", "a"), 417);

  row("chunks", chunked("3\r\nabc\r\n0\r\n\r\n"), 0);
  row("no chunks", chunked("0\r\n\r\n"), 0);
  row("chunk in upper case", chunked("A\r\n0123456789\r\n0\r\n\r\n"), 0);
  row("leading zeros", chunked("0003\r\nabc\r\n00\r\n\r\n"), 0);
  row("too many zeros", chunked("0000000000000003\r\nabc\r\n0\r\n\r\n"), 400);
  row("extension", chunked("3;a=b\r\nabc\r\n0;c\r\n\r\n"), 0);
  row("space before the extension", chunked("3 ;a\r\nabc\r\n0\r\n\r\n"), 400);
  row("space after the size", chunked("3 \r\nabc\r\n0\r\n\r\n"), 400);
  row("long extension", chunked("3;" + std::string(300, 'a') + "\r\nabc\r\n0\r\n\r\n"), 400);
  row("line feed in the extension", chunked("3;a\nb\r\nabc\r\n0\r\n\r\n"), 400);
  row("return in the extension", chunked("3;a\rb\r\nabc\r\n0\r\n\r\n"), 400);
  row("no size", chunked("\r\nabc\r\n0\r\n\r\n"), 400);
  row("signed size", chunked("+3\r\nabc\r\n0\r\n\r\n"), 400);
  row("prefixed size", chunked("0x3\r\nabc\r\n0\r\n\r\n"), 400);
  row("underscore", chunked("1_0\r\nabc\r\n0\r\n\r\n"), 400);
  row("no digit", chunked("g\r\nabc\r\n0\r\n\r\n"), 400);
  row("size ends with a line feed", chunked("3\nabc\r\n0\r\n\r\n"), 400);
  row("chunk ends with a line feed", chunked("3\r\nabc\n0\r\n\r\n"), 400);
  row("chunk too short", chunked("4\r\nabc\r\n0\r\n\r\n"), 400);
  row("chunk too long", chunked("2\r\nabc\r\n0\r\n\r\n"), 400);
  row("size overflows", chunked("ffffffffffffffff\r\nabc"), 400);
  row("huge size", chunked("fffffffffffffff\r\nabc"), 413);
  row("size at the limit", chunked("40\r\n" + std::string(64, 'a') + "\r\n0\r\n\r\n"), 0);
  row("sum beyond the limit", chunked("3f\r\n" + std::string(63, 'a') + "\r\n2\r\nbc"), 413);
  row("chunks incomplete", chunked("3\r\nabc\r\n0\r\n"), -1);
  row("bad trailer", chunked("0\r\nA : b\r\n\r\n"), 400);
  row("long trailers", chunked("0\r\nA: " + std::string(1100, 'a') + "\r\n\r\n"), 431);
}

void TestRequestParser::request_isJudged() {
  QFETCH(std::string, bytes);
  QFETCH(int, status);
  const Outcome whole = parse(bytes);
  QCOMPARE(whole.status, status);
  QCOMPARE(parse(bytes, {1}), whole);
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<size_t> cuts(8);
    for (size_t& cut : cuts) cut = 1 + random() % 30;
    QVERIFY(parse(bytes, cuts) == whole);
  }
}

void TestRequestParser::chunks_areJoinedAndTrailersDropped() {
  RequestParser parser(kLimits);
  const std::string bytes =
      chunked("3\r\nabc\r\n2;x=\"y\"\r\nde\r\n0\r\nContent-Length: 9\r\nAuthorization: b\r\n\r\n");
  const size_t header = parser.feed(bytes);
  QCOMPARE(parser.feed(std::string_view(bytes).substr(header)), bytes.size() - header);
  QVERIFY(parser.state() == RequestParser::State::kComplete);
  QCOMPARE(parser.request().body, std::string("abcde"));
  QCOMPARE(parser.request().fields.size(), size_t{2});
  QVERIFY(parser.request().field("Authorization").empty());
}

void TestRequestParser::header_isLimited() {
  const std::string long_target = "GET /" + std::string(1100, 'a');
  QCOMPARE(parse(long_target).status, 414);
  QCOMPARE(parse(long_target, {1}).status, 414);
  const std::string long_field = "GET / HTTP/1.1\r\nHost: a\r\nA: " + std::string(1100, 'a');
  QCOMPARE(parse(long_field).status, 431);
  QCOMPARE(parse(long_field, {7}).status, 431);
  std::string fields;
  for (size_t i = 0; i + 1 < RequestParser::kMaxFields; ++i) fields += "A:\r\n";
  QCOMPARE(parse(get(fields)).status, 0);
  QCOMPARE(parse(get(fields + "A:\r\n")).status, 431);
  const std::string head = "GET / HTTP/1.1\r\nHost: a\r\nA: ";
  const std::string longest(kLimits.max_header_bytes - head.size() - 4, 'a');
  QCOMPARE(parse(head + longest + "\r\n\r\n").status, 0);
  QCOMPARE(parse(head + longest + "a\r\n\r\n").status, 431);
}

void TestRequestParser::body_isLimitedBeforeItIsRead() {
  RequestParser parser(kLimits);
  parser.feed(post("Content-Length: 1073741824\r\n", ""));
  QVERIFY(parser.state() == RequestParser::State::kFailed);
  QCOMPARE(parser.failure().status, 413);
  QVERIFY(parser.failure().message.find("1073741824") != std::string::npos);
  QVERIFY(parser.failure().message.find("64") != std::string::npos);
}

void TestRequestParser::whatFollows_isLeftForTheNextRequest() {
  const std::string first = post("Content-Length: 3\r\n", "abc");
  const std::string second = get("");
  QCOMPARE(parse(first + second).used, first.size());
  const std::string in_chunks = chunked("1\r\na\r\n0\r\n\r\n");
  QCOMPARE(parse(in_chunks + second).used, in_chunks.size());
  QCOMPARE(parse(second + first).used, second.size());
}

QTEST_APPLESS_MAIN(TestRequestParser)
#include "tst_request_parser.moc"
